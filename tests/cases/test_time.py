"""Cases of the kinds concurrency and timing; where they need a real clock, with wide margins."""

import asyncio
import statistics
from itertools import pairwise
from typing import Any

import httpx
import pytest

from tests.cases.cases import body_of, cases, models_of, settings_of
from tests.cases.connections import asking
from tests.cli.support import started
from tests.properties import EXHAUSTIVE
from tests.support import HeldTime, Json, application, chat, chunks_of, joined, served

CHAT = "/v1/chat/completions"


async def arrivals(client: httpx.AsyncClient, body: Json) -> list[tuple[float, bytes]]:
    """When each part of a stream arrived, in seconds after it was asked for."""
    now = asyncio.get_running_loop().time
    begun, parts = now(), []
    async with client.stream("POST", CHAT, json=body) as answer:
        async for part in answer.aiter_raw():
            parts.append((now() - begun, part))
    assert answer.headers["transfer-encoding"] == "chunked"
    return parts


@pytest.mark.parametrize("stop", [["Z" * 256], ["w1 w2 w3 ZZZZ"], ["Z" * 4096, "w9"]])
async def test_B034_a_long_stop_delays_nothing(stop: list[str]) -> None:
    """With an itl of 0.2 s, what is due by 0.7 s is there before anything that comes later."""
    case, held = cases()["B034"], HeldTime(until=0.7)
    models = models_of(case["setup"])
    async with (
        served(settings_of(case["setup"]), models=models, clock=held.clock) as server,
        httpx.AsyncClient(base_url=server.url) as client,
        client.stream("POST", CHAT, json=body_of(case, stop=["Z" * 256])) as answer,
    ):
        raw, early = answer.aiter_raw(), b""
        async with asyncio.timeout(10):
            while early.count(b'"content":') < 5:  # the role, and the laps at 0, .2, .4 and .6 s
                early += await anext(raw)
        held.release()
        late = b"".join([part async for part in raw])
    texts = [c["choices"][0]["delta"].get("content") for c in chunks_of(early + late)][1:-1]

    assert case["setup"]["reply"].startswith(joined(chunks_of(early)))
    assert joined(chunks_of(early + late)) == case["setup"]["reply"]
    assert "" not in texts
    async with application(models=models) as client:
        found = chunks_of((await client.post(CHAT, json=body_of(case, stop=stop))).content)
    assert "" not in [c["choices"][0]["delta"].get("content") for c in found][1:-1]


async def test_B111_hundreds_of_streams_begin_together() -> None:
    """The margin is for a busy machine, on which the clients of this test wait for one another."""
    many = 500 if EXHAUSTIVE else 100
    body = {**chat("a b c", stream=True), "model": "echo"}
    now = asyncio.get_running_loop().time

    async def first(url: str) -> tuple[float, bytes]:
        begun = now()
        async with asking(url, body) as reader:
            await reader.readuntil(b'"content":"a"')
            return now() - begun, await reader.readuntil(b"[DONE]")

    flags = ("--ttft", "1s", "--itl", "0", "--max-num-seqs", str(many))
    async with (
        started(*flags) as server,
        httpx.AsyncClient(base_url=server.url, timeout=60) as client,
    ):
        asked = [asyncio.create_task(first(server.url)) for _ in range(many)]
        probed = []
        while not all(task.done() for task in asked):
            begun = now()
            assert (await client.get("/health")).status_code == 200
            probed.append(now() - begun)
            await asyncio.sleep(0.05)
        found = sorted([await task for task in asked])

    assert all(b'"content":" b"' in rest and b'"content":" c"' in rest for _, rest in found)
    assert found[0][0] > 0.99 and found[-1][0] < 2.0 + many * 0.01
    assert statistics.median(probed) < 0.25


async def test_B113_a_seed_gives_one_text_whatever_happens_beside_it() -> None:
    times = 100 if EXHAUSTIVE else 10

    async def texts(seed: int, stream: bool, client: httpx.AsyncClient) -> str:
        body: Json = {**chat("Tell me about the loop.", seed=seed), "model": "tokenlap"}
        body |= {"stream": stream, "temperature": 1.5, "max_tokens": 40}
        answer = await client.post(CHAT, json=body)
        if stream:
            return joined(chunks_of(answer.content))
        text: str = answer.json()["choices"][0]["message"]["content"]
        return text

    found: dict[int, set[str]] = {7: set(), 8: set()}
    for _ in range(2):  # a second server stands for a restart
        async with application() as client:
            for seed, said in found.items():
                asked = [texts(seed, bool(i % 2), client) for i in range(times)]
                said.update(await asyncio.gather(*asked))

    assert len(found[7]) == len(found[8]) == 1
    assert found[7] != found[8]


async def test_B115_ttft_is_the_time_of_the_first_content() -> None:
    """The role chunk comes with the first content: see the docstring of api/chat/encoder.py."""
    case = cases()["B115"]
    async with (
        served(settings_of(case["setup"]), models=models_of(case["setup"])) as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        first, _ = (await arrivals(client, body_of(case)))[0]

    assert 0.99 < first < 2.0


async def test_B116_tokens_come_at_their_pace_and_without_drift() -> None:
    case = cases()["B116"]
    async with (
        served(settings_of(case["setup"]), models=models_of(case["setup"])) as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        parts = await arrivals(client, body_of(case))
    times = [at for at, _ in parts]
    gaps = [b - a for a, b in pairwise(times)]

    assert len(parts) >= 150  # on a busy machine a few may share a write
    assert 0.005 < statistics.median(gaps) < 0.02
    assert 1.9 < times[-1] < 3.0


async def test_B116_the_plan_is_kept_to_the_end_on_a_clock_of_our_own() -> None:
    held = HeldTime(until=1.985)
    case = cases()["B116"]
    count = 0

    async def watch(raw: Any) -> None:
        nonlocal count
        async for part in raw:
            count += part.count(b'"delta":{"content":')

    async with (
        served(settings_of(case["setup"]), models=models_of(case["setup"]), clock=held.clock) as s,
        httpx.AsyncClient(base_url=s.url) as client,
        client.stream("POST", CHAT, json=body_of(case)) as answer,
    ):
        watching = asyncio.create_task(watch(answer.aiter_raw()))
        async with asyncio.timeout(10):
            while count < 199:  # noqa: ASYNC110 # laps 0 to 198 are due by 1.98 s
                await asyncio.sleep(0.01)
        assert count == 199
        held.release()
        await watching

    assert count == 200
