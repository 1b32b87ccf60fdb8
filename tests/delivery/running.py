"""Ways to run a coroutine and to wait in it, for the tests of the trampoline."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from tokenlap.delivery.trampoline import bounce, sleep

Run = Callable[[Coroutine[Any, Any, Any]], Awaitable[Any]]


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
