"""The response that sends a stream: its messages, and every way in which it may end."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, MutableMapping
from typing import Any

import pytest
from sse_starlette import EventSourceResponse

from tokenlap.delivery.drain import Drain
from tokenlap.delivery.sse import TRANSPORT, Ending, EventStream

Message = MutableMapping[str, Any]
POST: dict[str, Any] = {"type": "http", "method": "POST"}


class Connection:
    """The other side of a response: what it is sent, and when it leaves."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.leaves = asyncio.Event()
        self.reads = asyncio.Event()
        self.reads.set()
        self.closes_itself = False

    async def receive(self) -> Message:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        await self.reads.wait()
        self.sent.append(message)
        if self.closes_itself and self.complete:
            self.leaves.set()

    @property
    def body(self) -> bytes:
        return b"".join(m["body"] for m in self.sent if m["type"] == "http.response.body")

    @property
    def complete(self) -> bool:
        return bool(self.sent) and not self.sent[-1].get("more_body", True)


class Frames:
    """Frames that come one at a time, when they are let go."""

    def __init__(self, frames: Iterable[bytes]) -> None:
        self.frames = list(frames)
        self.goes = asyncio.Semaphore(0)
        self.made = 0
        self.closed = False

    async def __call__(self) -> AsyncGenerator[bytes, None]:
        try:
            for frame in self.frames:
                await self.goes.acquire()
                self.made += 1
                yield frame
        finally:
            self.closed = True


class Sending:
    """A stream under way."""

    def __init__(self, frames: Frames, drain: Drain | None = None, **scope: Any) -> None:
        self.connection = Connection()
        self.frames = frames
        self.drain = drain or Drain()
        self.endings: list[Ending] = []
        self.stream = EventStream(
            frames(), {"x-a": "b"}, self.drain, lambda: b"data: bye\n\n", self.endings.append
        )
        self.task = asyncio.create_task(
            self.stream({**POST, **scope}, self.connection.receive, self.connection.send)
        )

    async def turn(self, frames: int = 0) -> None:
        """Let frames go, and everybody act."""
        for _ in range(frames):
            self.frames.goes.release()
        for _ in range(10):
            await asyncio.sleep(0)


async def test_the_frames_are_sent_as_they_are_and_the_body_is_closed() -> None:
    sending = Sending(Frames([b"data: 1\n\n", b"data: 2\n\n"]))
    await sending.turn(frames=2)
    await sending.task

    start, *bodies = sending.connection.sent
    assert start["status"] == 200
    assert dict(start["headers"])[b"content-type"] == b"text/event-stream; charset=utf-8"
    assert dict(start["headers"])[b"x-a"] == b"b"
    assert [message["body"] for message in bodies] == [b"data: 1\n\n", b"data: 2\n\n", b""]
    assert [message["more_body"] for message in bodies] == [True, True, False]
    assert sending.endings == ["done"]


async def test_each_frame_leaves_before_the_next_is_made() -> None:
    sending = Sending(Frames([b"1", b"2"]))
    await sending.turn(frames=1)

    assert (sending.connection.body, sending.frames.made) == (b"1", 1)
    sending.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending.task


async def test_a_client_that_leaves_stops_the_frames_and_gets_no_more() -> None:
    sending = Sending(Frames([b"1", b"2", b"3"]))
    await sending.turn(frames=1)

    sending.connection.leaves.set()
    await sending.turn()

    assert sending.task.done()
    assert (sending.frames.made, sending.frames.closed) == (1, True)
    assert sending.endings == ["client left"]
    assert not sending.connection.complete


async def test_a_connection_that_is_told_closed_with_the_last_byte_was_not_left() -> None:
    """As uvicorn does it: once the answer is complete, receive() says disconnect."""
    sending = Sending(Frames([b"1"]))
    sending.connection.closes_itself = True
    await sending.turn()
    await sending.turn(frames=1)
    await sending.task

    assert sending.endings == ["done"]


async def test_a_server_that_stops_says_farewell_and_closes_the_body() -> None:
    sending = Sending(Frames([b"1", b"2"]))
    await sending.turn(frames=1)

    sending.drain.end_all()
    await sending.turn()

    assert sending.connection.body == b"1data: bye\n\n"
    assert sending.connection.complete
    assert (sending.endings, sending.frames.closed) == (["shutdown"], True)


async def test_a_stream_that_begins_when_the_server_has_ended_says_farewell_at_once() -> None:
    drain = Drain()
    drain.end_all()
    sending = Sending(Frames([b"1"]), drain)
    await sending.turn()

    assert sending.connection.body == b"data: bye\n\n"
    assert sending.endings == ["shutdown"]


async def test_a_cancellation_from_outside_is_passed_on() -> None:
    sending = Sending(Frames([b"1"]))
    await sending.turn()

    sending.task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await sending.task
    assert (sending.endings, sending.frames.closed) == (["shutdown"], True)


async def test_an_error_on_the_way_is_passed_on_and_told() -> None:
    async def broken() -> AsyncGenerator[bytes, None]:
        yield b"1"
        raise RuntimeError("broken")

    connection, endings = Connection(), list[Ending]()
    stream = EventStream(broken(), {}, Drain(), lambda: b"", endings.append)

    with pytest.raises(RuntimeError, match="broken"):
        await stream(POST, connection.receive, connection.send)
    assert endings == ["error"]


async def test_a_client_that_does_not_read_stops_the_frames_and_is_cut_off_in_time() -> None:
    class Transport:
        abort: Callable[[], None]

    now = 0.0
    drain = Drain(send_timeout=0.004, now=lambda: now)
    transport = Transport()
    sending = Sending(Frames([b"1"] * 100), drain, **{TRANSPORT: transport})
    transport.abort = sending.connection.leaves.set
    await sending.turn(frames=1)
    sending.connection.reads.clear()
    await sending.turn(frames=99)
    assert sending.frames.made == 2  # the one that nobody takes, and none behind it

    now = 0.0039
    await asyncio.sleep(0.005)
    assert not sending.task.done()
    now = 0.004
    await asyncio.sleep(0.005)

    assert sending.task.done()
    assert sending.endings == ["client left"]


async def test_a_client_that_waits_long_for_a_frame_is_not_cut_off() -> None:
    now = 0.0
    sending = Sending(Frames([b"1", b"2"]), Drain(send_timeout=0.004, now=lambda: now))
    await sending.turn(frames=1)
    now = 1000.0
    await asyncio.sleep(0.005)
    await sending.turn(frames=1)
    await sending.task

    assert sending.endings == ["done"]


async def test_without_a_transport_to_abort_the_stream_is_stopped_all_the_same() -> None:
    sending = Sending(Frames([b"1"]))
    await sending.turn()

    sending.stream.cut()
    await sending.turn()

    assert sending.endings == ["client left"]


async def test_head_gets_the_headers_and_no_frame_is_made() -> None:
    sending = Sending(Frames([b"1"]), method="HEAD")
    await sending.turn()

    assert sending.connection.complete
    assert sending.connection.body == b""
    assert sending.frames.made == 0
    assert sending.endings == ["done"]


async def test_the_override_of_the_installed_response_takes_effect() -> None:
    """None of the base class's own tasks, pings and scopes run: only its type is left of it."""
    used: list[str] = []

    class Watched(EventStream):
        def __getattribute__(self, name: str) -> Any:
            if name not in vars(EventStream) and hasattr(EventSourceResponse, name):
                used.append(name)
            return super().__getattribute__(name)

    async def one() -> AsyncGenerator[bytes, None]:
        yield b"data: 1\n\n"

    connection = Connection()
    stream = Watched(one(), {}, Drain(), lambda: b"", lambda _: None)
    await stream(POST, connection.receive, connection.send)

    assert isinstance(stream, EventSourceResponse)
    assert connection.body == b"data: 1\n\n"
    assert not {name for name in used if not name.startswith("__")}
    assert len(asyncio.all_tasks()) == 1
