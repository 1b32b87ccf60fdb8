"""The only clock: hold each lap back until it is due.

Deadlines are absolute (due = arrival + the sum of the waits so far), so a late wake-up never delays
what follows. What is due together leaves together, at most 64 laps at a time; with no waits the
loop still yields to others in between.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from tokenlap.delivery.trampoline import sleep

BATCH = 64
"""Laps that leave in one write at the most: more makes a newcomer wait, fewer costs writes
(measured: HOT).
"""

BUFFERED = 1024
"""The same of a blocking answer, which writes nothing before its end."""
PATIENCE = 0.0005
"""Seconds of computing after which laps leave although there could be more of them; at most twice
as many pass, since the clock is looked at now and then only.
"""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Clock:
    """now: seconds on a clock that never goes back; sleep: suspends for so many seconds, 0 yields
    to others.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = sleep


async def pace(
    laps: Iterator[T],
    waits: Iterator[float] | None,
    arrived: float,
    clock: Clock,
    most: int = BATCH,
) -> AsyncGenerator[list[T], None]:
    """Yield laps when they are due, those that are due together in one list of at most so many.

    waits: seconds before each lap, the first counted from arrived; without end; None where no lap
    ever waits. The next lap is not computed before this one has left, unless both are due, so
    whoever stops reading stops the loop. What takes longer than PATIENCE to compute leaves in
    smaller lists, so that others have their turn.
    """
    if waits is None:
        more = True
        while more:
            batch, more = _filled(laps, clock.now, most)
            if batch:
                yield batch
            if more:
                await clock.sleep(0)
        return
    look, sleep = clock.now, clock.sleep
    now, due = look(), arrived + next(waits)
    batch = []
    for lap in laps:
        while due > now and due > (now := look()):
            await sleep(due - now)
        batch.append(lap)
        due += next(waits)
        if due <= now and len(batch) < most:
            continue  # the next lap is due as well: they leave together
        yield batch
        batch = []
        if due <= now:
            await sleep(0)
            now = look()
    if batch:
        yield batch


def _filled(laps: Iterator[T], now: Callable[[], float], most: int) -> tuple[list[T], bool]:
    """Return the next laps, at most so many and no more than PATIENCE allows, and whether there may
    be more.
    """
    until = now() + PATIENCE
    batch = list(islice(laps, 1))
    wanted, length = 1, len(batch)
    # Twice as many each time: a look at the clock per lap would cost as much as a cheap lap.
    while length == wanted < most and now() < until:
        wanted = min(2 * length, most)
        batch += islice(laps, wanted - length)
        length = len(batch)
    return batch, length == wanted
