"""What every command shares: its errors, and which version this is."""

from importlib.metadata import version as installed


class UsageError(Exception):
    """Something the caller can put right; `tip` says how."""

    def __init__(self, message: str, tip: str = "", code: int = 1) -> None:
        """code: the exit code, 2 for wrong usage."""
        super().__init__(message)
        self.tip = tip
        self.code = code


def version() -> str:
    """Return the version that is installed."""
    return installed("tokenlap")
