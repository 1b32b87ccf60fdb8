"""A client that leaves stops the loop: whoever answers also listens to the connection.

Listening costs no task: `receive()` is driven by hand up to the future it waits for, and goes on in
that future's callback (measured: a task that is made and cancelled for each request costs 4 times
as much). It rests on asyncio's protocol of awaiting: an awaitable yields the future it waits for,
or None for one turn of the event loop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, TypeVar

from tokenlap.delivery.drain import Drain
from tokenlap.delivery.trampoline import bounce

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
T = TypeVar("T")


class ClientLeft(Exception):
    """The client closed its connection before the answer was ready; nobody reads what is returned
    now.
    """


class ServerStopping(Exception):
    """The server's grace period ended before the answer was ready."""


class Listener:
    """Calls `left` once, when the client has closed its connection.

    The request body must have been read: only the disconnect can still come.
    """

    __slots__ = ("_left", "_receive", "_steps", "_waiting")

    def __init__(self, receive: Receive, left: Callable[[], None]) -> None:
        """Begin to listen; needs the event loop."""
        self._receive = receive
        self._left: Callable[[], None] | None = left
        self._waiting: asyncio.Future[Any] | None = None
        self._steps = receive().__await__()
        self._go_on()

    def close(self) -> None:
        """Listen no more; once is enough."""
        self._left = None
        if self._waiting is not None:
            self._waiting.remove_done_callback(self._go_on)
            self._waiting = None
        close = getattr(self._steps, "close", None)
        if close is not None:
            close()

    def _go_on(self, _: "asyncio.Future[Any] | None" = None) -> None:
        """Take the next step of receive(), and come back when what it waits for is there."""
        if self._left is None:
            return
        self._waiting = None
        try:
            waiting = next(self._steps)
        except StopIteration as received:
            self._received(received.value)
        else:
            if waiting is None:
                asyncio.get_running_loop().call_soon(self._go_on)
            else:
                waiting._asyncio_future_blocking = False
                waiting.add_done_callback(self._go_on)
                self._waiting = waiting

    def _received(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.disconnect":
            assert self._left is not None
            self._left()
        else:
            self._steps = self._receive().__await__()
            self._go_on()


class Interruption:
    """Cancels a task when its client leaves or the server stops, and knows which it was."""

    def __init__(self) -> None:
        """Belong to the task that runs now."""
        task = asyncio.current_task()
        assert task is not None
        self.task = task
        self.reason: type[ClientLeft] | type[ServerStopping] | None = None

    def leave(self) -> None:
        """The client has left."""
        self._stop(ClientLeft)

    def end(self) -> None:
        """The server stops."""
        self._stop(ServerStopping)

    def _stop(self, reason: type[ClientLeft] | type[ServerStopping]) -> None:
        if self.reason is None:
            self.reason = reason
            self.task.cancel()


async def while_connected(work: Coroutine[Any, Any, T], receive: Receive, drain: Drain) -> T:
    """Return what work returns.

    Cancels the work and raises ClientLeft when the client leaves first, ServerStopping when the
    server does.
    """
    stop = Interruption()
    listener = Listener(receive, stop.leave)
    drain.add(stop)
    try:
        return await bounce(work)
    except asyncio.CancelledError:
        if stop.reason is None:
            raise  # somebody else's
        stop.task.uncancel()
        raise stop.reason from None
    finally:
        listener.close()
        drain.discard(stop)
