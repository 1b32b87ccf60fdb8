"""The end of the server, and of clients that stop reading.

Answers still open at the end of the grace period say so, and close properly. A stream that has
waited too long for its client to read is cut off, so that its slot is free again: one timer looks
at all of them, which costs an event nothing but a time stamp.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Open(Protocol):
    """An answer that is under way."""

    def end(self) -> None:
        """End now, with a farewell: the first byte has left."""


class Sender(Open, Protocol):
    """An answer that may have to wait for its client to read.

    blocked_since: since when it waits to get rid of its last bytes, None where it does not.
    """

    blocked_since: float | None

    def cut(self) -> None:
        """Close the connection: nobody reads."""


class Drain:
    """Knows every open answer of this process."""

    def __init__(
        self, send_timeout: float = 60.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with none; use it from one event loop.

        send_timeout: seconds after which a stream that nobody reads is cut off, 0 for never.
        """
        self.now = now
        self._send_timeout = send_timeout
        self._open: set[Open] = set()
        self._senders: set[Sender] = set()
        self._ended = False
        self._timer: asyncio.TimerHandle | None = None

    def add(self, answer: Open) -> None:
        """Remember an answer that begins; where the server has ended it is ended at once."""
        self._open.add(answer)
        if self._ended:
            answer.end()

    def add_sender(self, answer: Sender) -> None:
        """Remember a stream that begins, and look after its client."""
        self._senders.add(answer)
        self.add(answer)
        if self._timer is None and self._send_timeout:
            self._look_again()

    def discard(self, answer: Open) -> None:
        """Forget an answer that has ended."""
        self._open.discard(answer)
        self._senders.discard(answer)

    def end_all(self) -> None:
        """End every open answer now; call it from the event loop."""
        self._ended = True
        for answer in list(self._open):
            answer.end()

    def _look_again(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._send_timeout / 4, self._look)

    def _look(self) -> None:
        """Cut off who has been blocked for too long; rest while there is no stream."""
        self._timer = None
        latest = self.now() - self._send_timeout
        for answer in list(self._senders):
            if answer.blocked_since is not None and answer.blocked_since <= latest:
                answer.cut()
        if self._senders:
            self._look_again()
