"""The end of the server: answers still open at the end of the grace period say so, and close
properly.
"""

import asyncio
from typing import Protocol


class Open(Protocol):
    """A stream that is under way."""

    def end(self) -> None:
        """End now, with a farewell: the first byte has left."""


class Drain:
    """Knows every open stream of this process, and tells blocking answers when to give up."""

    def __init__(self) -> None:
        """Begin with none; use it from one event loop."""
        self._open: set[Open] = set()
        self._stopping: asyncio.Future[None] | None = None

    @property
    def stopping(self) -> asyncio.Future[None]:
        """Done once the grace period is over."""
        if self._stopping is None:
            self._stopping = asyncio.get_running_loop().create_future()
        return self._stopping

    def add(self, answer: Open) -> None:
        """Remember a stream that begins."""
        self._open.add(answer)

    def discard(self, answer: Open) -> None:
        """Forget a stream that has ended."""
        self._open.discard(answer)

    def end_all(self) -> None:
        """End every open answer now; call it from the event loop."""
        if not self.stopping.done():
            self.stopping.set_result(None)
        for answer in list(self._open):
            answer.end()
