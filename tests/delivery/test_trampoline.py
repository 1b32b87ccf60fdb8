"""A coroutine that is run by hand behaves as one that a task awaits: both are tried on all."""

import asyncio
import time
from contextvars import ContextVar

import anyio
import pytest

from tests.delivery.running import Notes, Run, both
from tokenlap.delivery.trampoline import bounce, sleep

word = ContextVar("word", default="")


@both
async def test_it_returns_what_the_coroutine_returns(run: Run) -> None:
    async def work() -> str:
        await sleep(0)
        await sleep(0.002)
        await asyncio.to_thread(time.sleep, 0.001)
        await asyncio.create_task(asyncio.sleep(0))
        await asyncio.sleep(0.002)
        return "done"

    assert await run(work()) == "done"


@both
async def test_what_never_waits_returns_at_once(run: Run) -> None:
    async def work() -> int:
        return 5

    assert await run(work()) == 5


@both
@pytest.mark.parametrize("waits", [True, False])
async def test_it_raises_what_the_coroutine_raises(run: Run, waits: bool) -> None:
    async def work() -> None:
        if waits:
            await sleep(0.001)
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        await run(work())


@both
async def test_an_error_of_what_is_awaited_arrives_in_the_coroutine(run: Run) -> None:
    async def broken() -> None:
        raise LookupError("gone")

    async def work() -> str:
        try:
            await asyncio.create_task(broken())
        except LookupError as error:
            return str(error)
        return ""

    assert await run(work()) == "gone"


@both
async def test_it_runs_as_the_task_that_asked_for_it_and_in_its_context(run: Run) -> None:
    async def work() -> list[tuple[object, str]]:
        seen = []
        for seconds in (0, 0.002, 0):
            seen.append((asyncio.current_task(), word.get()))
            await sleep(seconds)
        return [*seen, (asyncio.current_task(), word.get())]

    word.set("here")
    task = asyncio.current_task()

    assert await run(work()) == [(task, "here")] * 4
    assert asyncio.current_task() is task


async def test_a_wait_is_never_too_short() -> None:
    async def work() -> list[float]:
        early = []
        for seconds in (0.0003, 0.001, 0.0015, 0.007):
            until = time.monotonic() + seconds
            await sleep(seconds)
            early.append(until - time.monotonic())
        return early

    assert max(await bounce(work())) <= 0


async def test_a_wait_outside_of_it_is_the_event_loops() -> None:
    began = time.monotonic()
    await sleep(0.002)

    assert time.monotonic() - began > 0.001


async def test_many_wait_side_by_side() -> None:
    async def work(number: int) -> int:
        for _ in range(5):
            await sleep(0.001 * (number % 7))
        return number

    assert await asyncio.gather(*(bounce(work(i)) for i in range(300))) == [*range(300)]


@both
async def test_timeouts_work_inside(run: Run) -> None:
    async def work() -> list[str]:
        notes = Notes()
        try:
            async with asyncio.timeout(0.002):
                await sleep(0.5)
        except TimeoutError:
            notes.append("asyncio")
        with anyio.move_on_after(0.002):
            await sleep(0.5)
        notes.append("anyio")
        await sleep(0.001)
        return notes

    assert await run(work()) == ["asyncio", "anyio"]


async def test_each_run_of_an_event_loop_begins_afresh() -> None:
    async def work() -> str:
        await sleep(0.001)
        return "done"

    async def left_waiting() -> None:
        waiting = asyncio.ensure_future(bounce(work()))
        await asyncio.sleep(0)
        del waiting

    def runs() -> str:
        asyncio.run(left_waiting())
        return asyncio.run(bounce(work()))

    assert await asyncio.to_thread(runs) == "done"
