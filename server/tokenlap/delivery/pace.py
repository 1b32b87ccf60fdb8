"""The only clock: hold each lap back until it is due.

Deadlines are absolute (due = arrival + the sum of the waits so far), so a late wake-up never delays
what follows. What is due together leaves together, at most 64 laps at a time; with no waits the
loop still yields to others in between.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

BATCH = 64
"""Laps that leave in one write at the most: more makes a newcomer wait, fewer costs writes
(measured: HOT).
"""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Clock:
    """now: seconds on a clock that never goes back; sleep: suspends for so many seconds, 0 yields
    to others.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


async def pace(
    laps: Iterator[T], waits: Iterator[float], arrived: float, clock: Clock
) -> AsyncGenerator[list[T], None]:
    """Yield laps when they are due, those that are due together in one list of at most BATCH.

    waits: seconds before each lap, the first counted from arrived; without end. The next lap is not
    computed before this one has left, unless both are due, so whoever stops reading stops the loop.
    """
    now, due = clock.now(), arrived + next(waits)
    batch: list[T] = []
    for lap in laps:
        while due > now and due > (now := clock.now()):
            await clock.sleep(due - now)
        batch.append(lap)
        due += next(waits)
        if len(batch) < BATCH and (due <= now or due <= (now := clock.now())):
            continue  # the next lap is due as well: they leave together
        yield batch
        batch = []
        if due <= now:
            await clock.sleep(0)
            now = clock.now()
    if batch:
        yield batch
