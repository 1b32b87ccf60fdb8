"""A cancellation of what the trampoline runs arrives as it would in a task of its own."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.delivery.running import Notes, Run, both, pauses, turns
from tokenlap.delivery.trampoline import bounce, sleep


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
