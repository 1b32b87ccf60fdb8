"""`tokenlap health`: what a container asks itself. It loads settings and no server."""

from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import urlopen

from tokenlap.cli.complaints import checked_settings
from tokenlap.cli.usage import UsageError
from tokenlap.settings import reachable_url

TIMEOUT = 3.0
"""Seconds that a healthy server has to answer."""


def ask(url: str | None) -> int:
    """Print what /health answers and return 0; raises UsageError where nobody answers 200.

    url: where the server listens; None for where the settings put it.
    """
    if url is None:
        settings = checked_settings([])
        url = reachable_url(settings.host, settings.port)
    try:
        with urlopen(f"{url.rstrip('/')}/health", timeout=TIMEOUT) as answer:
            print(answer.read().decode())
    except HTTPError as error:
        raise UsageError(f"{url} is not healthy: it answers {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise UsageError(
            f"{url} is not healthy: {reason}", "tokenlap serve starts a server"
        ) from None
    return 0
