"""Clients that leave, or stop reading, over real sockets: the loop stops and the slot is free."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.support import Served, chat, quiet, served
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import TokenId, o200k


class Endless:
    """A model that never ends, and counts its laps."""

    def __init__(self) -> None:
        self.laps = 0
        self.word = Distribution.certain(o200k().encode(" on")[0])

    def start(self, prompt: Sequence[TokenId]) -> int:
        return 0

    def next(self, state: int) -> Distribution:
        self.laps += 1
        return self.word

    def append(self, state: int, token: TokenId) -> int:
        return 0


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that must come; a test that waits for ever fails by the time limit."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 # what it looks at tells nobody when it changes
            await asyncio.sleep(0.005)


@asynccontextmanager
async def asked(url: str, body: dict[str, Any]) -> AsyncIterator[asyncio.StreamReader]:
    """An answer under way; leaving the context closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rsplit(":", 1)[1]))
    payload = json.dumps(body).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n"
    writer.write(f"{head}content-length: {len(payload)}\r\n\r\n".encode() + payload)
    try:
        yield reader
    finally:
        writer.close()


def running(server: Served) -> tuple[int, int]:
    """How many run, and how many wait."""
    deployments = server.server.backend.deployments
    return deployments.running, deployments.waiting


@pytest.mark.parametrize("latency", ["none", "natural"])
@pytest.mark.parametrize("stream", [True, False], ids=["streaming", "blocking"])
async def test_a_client_that_leaves_stops_the_loop_and_frees_its_slot(
    stream: bool, latency: str
) -> None:
    model = Endless()
    settings = quiet(latency=latency, max_num_seqs=1, context_window=10**9)
    async with served(settings, models={"mock-1": model}) as server:
        async with asked(server.url, chat(stream=stream)):
            await until(lambda: model.laps > 1)
            assert running(server) == (1, 0)
        await until(lambda: running(server) == (0, 0))
        stopped_at = model.laps
        await asyncio.sleep(0.05)

        assert model.laps == stopped_at
        assert not server.server.backend.calls.flying


@pytest.mark.parametrize("stream", [True, False], ids=["streaming", "blocking"])
async def test_a_client_that_leaves_the_queue_is_passed_over(stream: bool) -> None:
    model = Endless()
    settings = quiet(latency="natural", max_num_seqs=1)
    async with served(settings, models={"mock-1": model}) as server:
        async with asked(server.url, chat(stream=True)):
            await until(lambda: running(server) == (1, 0))
            async with asked(server.url, chat(stream=stream)):
                await until(lambda: running(server) == (1, 1))
            await until(lambda: running(server) == (1, 0))
        await until(lambda: running(server) == (0, 0))


async def test_the_next_in_the_queue_runs_when_a_client_leaves() -> None:
    model = Endless()
    settings = quiet(latency="natural", ttft="5ms", max_num_seqs=1)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(served(settings, models={"mock-1": model}))
        async with asked(server.url, chat(stream=True)) as first:
            await first.readuntil(b"data: ")
            waiting = asked(server.url, chat(stream=True, max_tokens=2))
            second = await stack.enter_async_context(waiting)
            await until(lambda: running(server) == (1, 1))

        assert b"[DONE]" in await second.readuntil(b"[DONE]")


async def test_a_client_that_stops_reading_is_cut_off_and_its_slot_is_free() -> None:
    model = Endless()
    settings = quiet(send_timeout="200ms", max_num_seqs=1, context_window=10**9)
    async with served(settings, models={"mock-1": model}) as server:
        async with asked(server.url, chat(stream=True)):
            await until(lambda: running(server) == (1, 0))
            await until(lambda: running(server) == (0, 0))

        # What it left unread is bounded by the buffers of the two sockets.
        assert model.laps * 200 < 64 * 2**20


async def test_at_zero_delay_a_newcomer_does_not_wait_for_the_end_of_others() -> None:
    model = Endless()
    settings = quiet(context_window=10**9)
    async with (
        served(settings, models={"mock-1": model}) as server,
        httpx.AsyncClient(base_url=server.url, timeout=10) as client,
        client.stream("POST", "/v1/chat/completions", json=chat(stream=True)) as endless,
    ):
        reading = asyncio.create_task(_read_on(endless))
        await until(lambda: model.laps > 1000)
        short = await client.post("/v1/chat/completions", json=chat(max_tokens=3))
        health = await client.get("/health")
        assert not reading.done()
        reading.cancel()

    assert short.json()["usage"]["completion_tokens"] == 3
    assert health.json()["in_flight"] == 1


async def _read_on(answer: httpx.Response) -> None:
    async for _ in answer.aiter_raw():
        pass
