import asyncio

import httpx
import pytest

from tests.api.completions.support import body
from tests.support import Json, quiet, scripted, served
from tokenlap.delivery.pace import Clock


class Turns:
    """A clock that counts how often work has let others have their turn, and takes its time."""

    def __init__(self) -> None:
        self.taken = 0
        self.first = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.taken += 1
        self.first.set()
        await asyncio.sleep(max(seconds, 0.001))


LONG: list[tuple[str, Json, int]] = [
    ("/v1/embeddings", {"model": "m", "input": ["a red cat"] * 2000}, 2000),
    ("/v1/completions", body("word " * 64 * 1000, echo=True, logprobs=0, max_tokens=1), 1000),
]


@pytest.mark.parametrize(("path", "asked", "turns"), LONG)
async def test_work_stops_when_its_client_leaves(path: str, asked: Json, turns: int) -> None:
    clock = Turns()
    async with (
        served(quiet(), models=scripted("a"), clock=Clock(sleep=clock.sleep)) as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        asking = asyncio.create_task(client.post(path, json=asked))
        await clock.first.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await asyncio.sleep(0.1)
        taken = clock.taken
        await asyncio.sleep(0.2)

    assert 0 < taken == clock.taken < turns


async def test_work_ends_with_a_503_when_the_server_stops() -> None:
    clock = Turns()
    path, asked, _ = LONG[0]
    async with (
        served(quiet(), clock=Clock(sleep=clock.sleep)) as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        asking = asyncio.create_task(client.post(path, json=asked))
        await clock.first.wait()
        server.server.backend.drain.end_all()
        answer = await asking

    assert answer.status_code == 503
    assert answer.json()["error"]["type"] == "server_error"
