"""Server-sent events: sse-starlette's response, without what costs more than the events themselves.

Differences from EventSourceResponse, with the reason:
- no task group (215-270 us a stream) and no cancel scope per send (6-7 us an event): the connection
  is listened to without a task (connected.py), and a client that leaves cancels the stream;
- the headers are made once, and nothing is made that this response does not use (30 us a stream);
- bytes are sent as they are: the encoder has framed them, `\\n` line ends, no pings;
- a server that stops ends the stream with an error frame instead of a cut, and a client that does
  not read is cut off after the server's send timeout (drain.py).
A test holds that the override still takes effect with the installed version.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, MutableMapping
from typing import Any, Literal

from sse_starlette import EventSourceResponse
from starlette.types import Receive, Scope, Send

from tokenlap.delivery.connected import Interruption, Listener, ServerStopping
from tokenlap.delivery.drain import Drain
from tokenlap.delivery.trampoline import bounce

Ending = Literal["done", "client left", "shutdown", "error"]
TRANSPORT = "tokenlap.transport"
"""Where the scope holds the connection, if the server has shown it: something to abort."""
_HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx must not collect events (OPS 4.4)
)


class EventStream(EventSourceResponse):
    """Sends the frames of one reply, and stops the loop behind them when the client leaves."""

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        headers: Mapping[str, str],
        drain: Drain,
        farewell: Callable[[], bytes],
        ended: Callable[[Ending], None],
    ) -> None:
        """Take finished SSE bytes.

        farewell: makes the frames that end the stream when the server stops; ended: told once how
        it ended.
        """
        # What Response.__init__ would set; it is not called, see above.
        self.status_code = 200
        self.background = None
        self.body_iterator = frames
        self.raw_headers = [
            *_HEADERS,
            *((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()),
        ]
        self.blocked_since: float | None = None
        self._frames = frames
        self._drain = drain
        self._farewell = farewell
        self._ended = ended
        self._transport: Any = None
        self._stop: Interruption | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream to its end, to the client's leaving or to the server's."""
        self._transport = scope.get(TRANSPORT)
        await bounce(self._answer(receive, send, scope["method"] != "HEAD"))

    async def _answer(self, receive: Receive, send: Send, wanted: bool) -> None:
        self._stop = stop = Interruption()
        listener = Listener(receive, stop.leave)
        self._drain.add_sender(self)
        ending: Ending = "error"
        try:
            await self._send_all(send, wanted)
            ending = "done"
        except asyncio.CancelledError:
            # Without a reason it is the server itself that cancels, past the grace period.
            stopping = stop.reason in (ServerStopping, None)
            ending = "shutdown" if stopping else "client left"
            if stop.reason is None:
                raise
            if stopping:
                await send(_body(self._farewell(), more=False))
        finally:
            listener.close()
            self._drain.discard(self)
            await self._frames.aclose()
            self._ended(ending)

    def end(self) -> None:
        """End the stream with its farewell: the server stops."""
        if self._stop is not None:
            self._stop.end()

    def cut(self) -> None:
        """Close the connection: its client does not read."""
        if self._transport is not None:
            self._transport.abort()
        elif self._stop is not None:
            self._stop.leave()

    async def _send_all(self, send: Send, wanted: bool) -> None:
        """Send the head, and the frames where a body is wanted: HEAD must not wait for their
        end.
        """
        now = self._drain.now
        headers = self.raw_headers
        await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
        if not wanted:
            return await send(_body(b"", more=False))
        async for frame in self._frames:
            self.blocked_since = now()
            await send({"type": "http.response.body", "body": frame, "more_body": True})
            self.blocked_since = None
        return await send(_body(b"", more=False))


def _body(frame: bytes, more: bool) -> MutableMapping[str, Any]:
    return {"type": "http.response.body", "body": frame, "more_body": more}
