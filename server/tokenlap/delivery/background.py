"""Streams that go on without a client: frames are written to a tape, and whoever wants may follow
it.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Literal

from tokenlap.delivery.drain import Drain
from tokenlap.delivery.trampoline import bounce

Ending = Literal["done", "cancelled", "shutdown"]
_END_OF_EVENT = b"\n\n"


def after(frames: bytes, events: int) -> bytes:
    """Return frames without the first so many events; fewer there are, nothing is left.

    A frame ends with an empty line, and none stands inside one: its JSON is on one line.
    """
    position = 0
    for _ in range(events):
        position = frames.find(_END_OF_EVENT, position) + len(_END_OF_EVENT)
        if position < len(_END_OF_EVENT):
            return b""
    return frames[position:]


class Running:
    """A stream that is written whether anyone reads it or not."""

    def __init__(self) -> None:
        """Begin with an empty tape; needs the event loop."""
        self.ended = False
        self.task: asyncio.Task[None] | None = None
        self.stopped: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._tape: list[bytes] = []
        self._grown = asyncio.Event()

    @property
    def tape(self) -> bytes:
        """All that has been written."""
        return b"".join(self._tape)

    def write(self, frames: bytes) -> None:
        """Put whole events on the tape; whoever follows sees them."""
        self._tape.append(frames)
        self.wake()

    def wake(self) -> None:
        """Let those who follow look again."""
        self._grown.set()
        self._grown = asyncio.Event()

    async def follow(self, skip: int = 0) -> AsyncGenerator[bytes, None]:
        """Yield the tape from its beginning to its end, as it grows. skip: events left out."""
        position = 0
        while position < len(self._tape) or not self.ended:
            if position == len(self._tape):
                await self._grown.wait()
                continue
            frames = self._tape[position]
            position += 1
            rest = after(frames, skip) if skip else frames
            skip = max(0, skip - frames.count(_END_OF_EVENT))
            if rest:
                yield rest

    async def cancel(self) -> None:
        """Stop, and return when all is in order; one that has come to its end is left as it is."""
        self._stop("cancelled")
        if self.task is not None:
            await asyncio.wait((self.task,))

    def end(self) -> None:
        """Stop: the server does."""
        self._stop("shutdown")

    def _stop(self, ending: Ending) -> None:
        if not self.stopped.done():
            self.stopped.set_result(ending)


Ended = Callable[[Running, Ending], Awaitable[None]]
"""Told once how a stream ended, before those who follow it are; it may still write."""


class Background:
    """The streams of this process that go on without a client, by name; bounded in number."""

    def __init__(self, limit: int, drain: Drain) -> None:
        """limit: how many may run at a time, >= 0; drain: what ends them with the server."""
        self.limit = limit
        self._drain = drain
        self._running: dict[str, Running] = {}

    @property
    def full(self) -> bool:
        """Whether no more may be started."""
        return len(self._running) >= self.limit

    def get(self, name: str) -> Running | None:
        """Return the stream that runs under a name."""
        return self._running.get(name)

    def start(self, name: str, frames: AsyncGenerator[bytes, None], ended: Ended) -> Running:
        """Let frames be written under a new name."""
        running = self._running[name] = Running()
        self._drain.add(running)
        running.task = asyncio.create_task(self._run(name, running, frames, ended))
        return running

    async def close(self) -> None:
        """End all, and return when they are in order."""
        tasks = [running.task for running in self._running.values() if running.task is not None]
        for running in list(self._running.values()):
            running.end()
        await asyncio.gather(*tasks)

    async def _run(
        self, name: str, running: Running, frames: AsyncGenerator[bytes, None], ended: Ended
    ) -> None:
        """Write frames until they or somebody ends it."""
        writing = asyncio.ensure_future(bounce(_write(running, frames)))
        try:
            await asyncio.wait((writing, running.stopped), return_when=asyncio.FIRST_COMPLETED)
            ending = "done" if writing.done() else running.stopped.result()
        finally:
            writing.cancel()
            await asyncio.wait((writing,))
            await frames.aclose()
        try:
            await ended(running, ending)
            if not writing.cancelled():
                writing.result()
        finally:
            running.ended = True
            running.wake()
            self._drain.discard(running)
            del self._running[name]


async def _write(running: Running, frames: AsyncGenerator[bytes, None]) -> None:
    async for batch in frames:
        running.write(batch)
