"""A coroutine that is run by hand behaves as one that a task awaits: both are tried on all."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from tokenlap.delivery.trampoline import bounce, sleep

Run = Callable[[Coroutine[Any, Any, Any]], Awaitable[Any]]
word = ContextVar("word", default="")


async def awaited(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return await coroutine


both = pytest.mark.parametrize("run", [bounce, awaited])
pauses = pytest.mark.parametrize(
    "pause",
    [
        pytest.param(lambda: sleep(0), id="a turn"),
        pytest.param(lambda: sleep(0.002), id="the wheel"),
        pytest.param(lambda: sleep(0.002), id="the wheel again"),
        pytest.param(lambda: sleep(30), id="the event loop's timer"),
        pytest.param(lambda: asyncio.Event().wait(), id="an event"),
        pytest.param(lambda: asyncio.create_task(asyncio.sleep(30)), id="a task"),
        pytest.param(lambda: asyncio.get_running_loop().create_future(), id="a future"),
    ],
)


class Notes(list[str]):
    """What happens, in order."""


async def turns(number: int = 10) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


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
@pauses
async def test_a_cancellation_reaches_the_coroutine_wherever_it_waits(
    run: Run, pause: Callable[[], Awaitable[Any]]
) -> None:
    notes = Notes()

    async def work() -> None:
        try:
            while True:
                await pause()
        except asyncio.CancelledError:
            await sleep(0.001)
            notes.append("tidied up")
            raise

    task = asyncio.ensure_future(run(work()))
    await turns(3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert notes == ["tidied up"]


@both
@pauses
async def test_a_coroutine_may_go_on_after_a_cancellation(
    run: Run, pause: Callable[[], Awaitable[Any]]
) -> None:
    async def work() -> str:
        try:
            while True:
                await pause()
        except asyncio.CancelledError:
            for seconds in (0, 0.001, 0):
                await sleep(seconds)
            return "went on"

    task = asyncio.ensure_future(run(work()))
    await turns(3)
    task.cancel()

    assert await task == "went on"


@both
async def test_a_second_cancellation_reaches_the_tidying_up(run: Run) -> None:
    notes = Notes()

    async def work() -> None:
        for stage in ("first", "second"):
            try:
                await sleep(0.5)
            except asyncio.CancelledError:
                notes.append(stage)

    task = asyncio.ensure_future(run(work()))
    for _ in range(2):
        await turns(3)
        task.cancel()
    await task

    assert notes == ["first", "second"]


@both
async def test_what_was_due_when_the_cancellation_came_is_not_lost(run: Run) -> None:
    """Both come in one turn of the event loop, in either order."""
    for first in ("due", "cancelled"):
        future = asyncio.get_running_loop().create_future()
        notes = Notes()

        async def work(future: asyncio.Future[None] = future, notes: Notes = notes) -> None:
            try:
                await future
                await sleep(0.5)
            except asyncio.CancelledError:
                notes.append("cancelled")
                raise

        task = asyncio.ensure_future(run(work()))
        await turns(2)
        if first == "due":
            future.set_result(None)
            task.cancel()
        else:
            task.cancel()
            if not future.done():
                future.set_result(None)
        with pytest.raises(asyncio.CancelledError):
            await task

        assert notes == ["cancelled"]


async def test_a_wait_on_the_wheel_that_ends_with_the_cancellation_is_not_lost() -> None:
    notes = Notes()

    async def work() -> None:
        try:
            while True:
                await sleep(0.001)
        except asyncio.CancelledError:
            notes.append("cancelled")
            raise

    task = asyncio.ensure_future(bounce(work()))
    await turns(2)
    task.cancel()
    time.sleep(0.005)  # noqa: ASYNC251 # the tick has come before the task hears of it
    with pytest.raises(asyncio.CancelledError):
        await task

    assert notes == ["cancelled"]


@both
async def test_who_cancels_its_own_task_hears_of_it_at_the_next_wait(run: Run) -> None:
    notes = Notes()

    async def work() -> None:
        task = asyncio.current_task()
        assert task is not None
        await sleep(0)
        task.cancel()
        try:
            await sleep(0.5)
        except asyncio.CancelledError:
            notes.append("cancelled")
            raise

    with pytest.raises(asyncio.CancelledError):
        await asyncio.ensure_future(run(work()))

    assert notes == ["cancelled"]


@both
async def test_who_cancels_its_own_task_and_ends_is_cancelled(run: Run) -> None:
    async def work() -> None:
        await sleep(0)
        task = asyncio.current_task()
        assert task is not None
        task.cancel()

    async def outside() -> None:
        await run(work())
        await asyncio.sleep(0)  # where a task that only awaits hears of it

    with pytest.raises(asyncio.CancelledError):
        await asyncio.ensure_future(outside())


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
