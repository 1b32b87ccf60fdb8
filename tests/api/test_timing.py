"""When tokens leave, seen from a client: headers, models, the queue, the prefix cache."""

import asyncio
import heapq
from collections.abc import Sequence
from itertools import accumulate, islice, pairwise
from typing import Any

import pytest

from tests.support import application, chat, quiet, scripted
from tokenlap.api.calls import Call, Exchange
from tokenlap.delivery.latency import Latency, law
from tokenlap.delivery.pace import Clock
from tokenlap.delivery.profiles import PROFILES
from tokenlap.engine.batch import Lap

TEN = "one two three four five six seven eight nine ten"


class Simulated:
    """Time that jumps to the next deadline once everybody waits for one."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._slept = 0

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return await asyncio.sleep(0)
        woken = asyncio.get_running_loop().create_future()
        self._slept += 1
        heapq.heappush(self._sleepers, (self.now + seconds, self._slept, woken))
        await woken
        return None

    async def run(self) -> None:
        """Move on whenever nothing has happened for a few turns of the event loop."""
        while True:
            for _ in range(300):
                await asyncio.sleep(0)
            if self._sleepers:
                self.now, _, woken = heapq.heappop(self._sleepers)
                if not woken.done():
                    woken.set_result(None)

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self.now, sleep=self.sleep)


class Departures:
    """An observer that notes when the laps of each call leave."""

    def __init__(self, time: Simulated) -> None:
        self.time = time
        self.left: dict[str, list[float]] = {}

    def began(self, call: Call) -> None: ...

    def lapped(self, call: Call, laps: Sequence[Lap]) -> None:
        self.left.setdefault(call.id, []).extend([self.time.now] * len(laps))

    def ended(self, call: Call) -> None: ...

    def answered(self, exchange: Exchange) -> None: ...


async def simulated(
    bodies: Sequence[dict[str, Any]],
    headers: dict[str, str] | None = None,
    text: str = TEN,
    **options: Any,
) -> tuple[list[Any], list[list[float]]]:
    """The answers to bodies, sent at once, and when the laps of each left, from time 0."""
    time = Simulated()
    noted = Departures(time)
    ticking = asyncio.create_task(time.run())
    async with application(
        quiet(**options), models=scripted(text), observers=[noted], clock=time.clock
    ) as client:
        asking = [
            client.post("/v1/chat/completions", json=body, headers=headers) for body in bodies
        ]
        answers = await asyncio.gather(*asking)
    ticking.cancel()
    return answers, [[at - 1000.0 for at in left] for left in noted.left.values()]


def planned(latency: Latency, seed: int, laps: int) -> list[float]:
    return list(accumulate(islice(latency.waits(seed), laps)))


@pytest.mark.parametrize("stream", [True, False], ids=["streaming", "blocking"])
@pytest.mark.parametrize("name", ["natural", "hosted-fast", "hosted-reasoning"])
async def test_the_sum_of_the_waits_is_the_planned_schedule(name: str, stream: bool) -> None:
    (answer,), (left,) = await simulated([chat(seed=5, stream=stream)], latency=name, prefill="0")

    assert answer.status_code == 200
    plan = planned(PROFILES[name].latency.altered(prefill=0.0), 5, len(left))
    assert left == pytest.approx(plan, abs=1e-6)


async def test_headers_set_the_latency_of_one_request() -> None:
    headers = {"x-tokenlap-ttft": "3s", "x-tokenlap-itl": "20ms/80ms", "x-tokenlap-prefill": "0"}

    _, (left,) = await simulated([chat(seed=9)], headers)

    assert left == pytest.approx(planned(Latency(3.0, law("20ms/80ms")), 9, 11), abs=1e-6)


async def test_prefill_is_paid_for_each_prompt_token() -> None:
    (answer,), (left,) = await simulated([chat("hello " * 50)], {"x-tokenlap-prefill": "10ms"})

    assert left[0] == pytest.approx(answer.json()["usage"]["prompt_tokens"] * 0.01, abs=1e-6)


@pytest.mark.parametrize("name", ["ttft", "itl", "prefill"])
@pytest.mark.parametrize("value", ["soon", "-1s", "80ms/20ms", "2h", ""])
async def test_a_header_that_is_no_law_is_refused_and_named(name: str, value: str) -> None:
    header = f"x-tokenlap-{name}"
    async with application(models=scripted(TEN)) as client:
        answer = await client.post("/v1/chat/completions", json=chat(), headers={header: value})

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == header
    assert header in answer.json()["error"]["message"]


async def test_a_model_may_have_a_latency_of_its_own() -> None:
    by_name = {"mock-*": "405b-h100x8", "*": "natural"}

    _, (left,) = await simulated([chat(seed=1)], latency="none", latency_for=by_name)

    assert left[0] > 0.2
    assert left[-1] - left[0] > 10 * 0.3 * 0.08


async def test_flags_alter_the_named_latency() -> None:
    _, (left,) = await simulated([chat()], latency="natural", itl="5ms")

    assert left == pytest.approx([0.2 + 0.005 * lap for lap in range(11)], abs=1e-6)


async def test_what_finds_no_slot_waits_its_turn_and_says_so() -> None:
    answers, left = await simulated([chat()] * 4, latency="natural", max_num_seqs=2)

    whole = 0.2 + 10 * 0.02
    assert sorted(times[0] for times in left) == pytest.approx(
        [0.2, 0.2, whole + 0.2, whole + 0.2], abs=1e-6
    )
    queued = sorted(
        float(answer.headers["server-timing"].split("dur=")[1].split(",")[0]) for answer in answers
    )
    assert queued == pytest.approx([0, 0, whole * 1000, whole * 1000], abs=0.1)


async def test_a_full_batch_runs_at_the_profiles_slowdown() -> None:
    _, left = await simulated([chat()] * 4, latency="natural", max_num_seqs=4, slowdown=3.0)

    first_end = min(times[-1] for times in left)
    pairs = [pair for times in left for pair in pairwise(times)]
    assert {round(b - a, 6) for a, b in pairs if a < first_end} == {0.06}


@pytest.mark.parametrize("status", ["429", "503"])
async def test_a_full_queue_refuses_before_the_first_byte(status: str) -> None:
    answers, _ = await simulated(
        [chat(stream=True)] * 3, latency="natural", max_num_seqs=1, max_queued=1, queue_full=status
    )

    assert sorted(answer.status_code for answer in answers) == [200, 200, int(status)]
    refused = next(answer for answer in answers if answer.status_code != 200)
    assert set(refused.json()["error"]) == {"message", "type", "param", "code"}
    assert refused.headers["retry-after"] == "1"


async def test_a_prompt_seen_before_needs_no_prefill_and_usage_says_so() -> None:
    async with application(models=scripted(TEN)) as client:
        body = chat("the sea is wide " * 400)
        answers = [(await client.post("/v1/chat/completions", json=body)) for _ in range(2)]
        other_key = {"authorization": "Bearer sk-another"}
        another = await client.post("/v1/chat/completions", json=body, headers=other_key)

    first, again, other = (
        answer.json()["usage"]["prompt_tokens_details"]["cached_tokens"]
        for answer in (*answers, another)
    )
    assert first == other == 0
    prompt = answers[0].json()["usage"]["prompt_tokens"]
    assert prompt - 128 - 16 < again <= prompt
    assert again % 128 == 0


async def test_a_short_prompt_shows_no_cached_tokens_but_waits_less() -> None:
    body = chat("the sea is wide " * 40)
    time = Simulated()
    ticking = asyncio.create_task(time.run())
    async with application(quiet(prefill="10ms"), models=scripted(TEN), clock=time.clock) as client:
        answers = [await client.post("/v1/chat/completions", json=body) for _ in range(2)]
    ticking.cancel()

    usages = [answer.json()["usage"] for answer in answers]
    ttfts = [float(a.headers["server-timing"].split("ttft;dur=")[1].split(",")[0]) for a in answers]
    assert [usage["prompt_tokens_details"]["cached_tokens"] for usage in usages] == [0, 0]
    assert ttfts[0] == pytest.approx(usages[0]["prompt_tokens"] * 10)
    assert 10 <= ttfts[1] <= 170  # the last block and what is not a full one
