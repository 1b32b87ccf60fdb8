"""Work that is stopped when its client leaves or the server does."""

import asyncio
from collections.abc import Callable, Coroutine, MutableMapping
from typing import Any

import pytest

from tokenlap.delivery.connected import (
    ClientLeft,
    Listener,
    Receive,
    ServerStopping,
    while_connected,
)
from tokenlap.delivery.drain import Drain

Message = MutableMapping[str, Any]


class Client:
    """A client that sends what is put into it."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[Message] = asyncio.Queue()

    async def receive(self) -> Message:
        return await self.messages.get()

    def leave(self) -> None:
        self.messages.put_nowait({"type": "http.disconnect"})


class Work:
    """Something that goes on until it is let go, and knows whether it was stopped."""

    def __init__(self) -> None:
        self.goes = asyncio.Event()
        self.stopped = False

    async def __call__(self) -> str:
        try:
            await self.goes.wait()
        except asyncio.CancelledError:
            self.stopped = True
            raise
        return "done"


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_work_returns_what_it_returns_and_nobody_listens_any_more() -> None:
    client, work, drain = Client(), Work(), Drain()
    work.goes.set()

    assert await while_connected(work(), client.receive, drain) == "done"
    client.leave()
    await turns()
    assert client.messages.qsize() == 1


async def test_a_client_that_leaves_stops_the_work() -> None:
    client, work = Client(), Work()
    task = asyncio.create_task(while_connected(work(), client.receive, Drain()))
    await turns()

    client.leave()

    with pytest.raises(ClientLeft):
        await task
    assert work.stopped
    assert task.cancelling() == 0  # it may go on and answer


async def test_a_server_that_stops_stops_the_work() -> None:
    work, drain = Work(), Drain()
    task = asyncio.create_task(while_connected(work(), Client().receive, drain))
    await turns()

    drain.end_all()

    with pytest.raises(ServerStopping):
        await task
    assert work.stopped


async def test_work_that_begins_when_the_server_has_stopped_is_stopped_at_once() -> None:
    drain = Drain()
    drain.end_all()

    with pytest.raises(ServerStopping):
        await while_connected(Work()(), Client().receive, drain)


async def test_a_cancellation_from_outside_stays_one() -> None:
    work = Work()
    task = asyncio.create_task(while_connected(work(), Client().receive, Drain()))
    await turns()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.stopped


async def test_what_work_raises_is_passed_on() -> None:
    async def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await while_connected(broken(), Client().receive, Drain())


async def _at_once(client: Client) -> Message:
    return {"type": "http.disconnect"}


async def _after_turns(client: Client) -> Message:
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return {"type": "http.disconnect"}


async def _after_a_timer(client: Client) -> Message:
    await asyncio.sleep(0.001)
    return {"type": "http.disconnect"}


async def _after_other_messages(client: Client) -> Message:
    if client.messages.empty():
        client.leave()
        return {"type": "http.request", "body": b"", "more_body": False}
    return await client.messages.get()


@pytest.mark.parametrize(
    "receive",
    [
        pytest.param(_at_once, id="nothing"),
        pytest.param(_after_turns, id="turns of the loop"),
        pytest.param(_after_a_timer, id="a timer"),
        pytest.param(_after_other_messages, id="other messages"),
    ],
)
async def test_the_leaving_is_heard_whatever_receive_waits_for(
    receive: Callable[[Client], Coroutine[Any, Any, Message]],
) -> None:
    client, heard = Client(), asyncio.Event()
    receiving: Receive = lambda: receive(client)  # noqa: E731

    listener = Listener(receiving, heard.set)

    await asyncio.wait_for(heard.wait(), 1)
    listener.close()


async def test_a_listener_that_is_closed_is_silent_and_leaves_nothing_behind() -> None:
    client, heard = Client(), asyncio.Event()
    listener = Listener(client.receive, heard.set)

    listener.close()
    listener.close()
    client.leave()
    await turns()

    assert not heard.is_set()
    assert client.messages.qsize() == 1
