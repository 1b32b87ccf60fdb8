"""One timer for all that waits a little: a timer wheel with ticks of a millisecond.

A timer for each wait would cost the event loop a handle and a heap of thousands. Ticks round up:
nobody is woken before it is due, and nobody more than a tick late. Waits of a second and more are
the event loop's own, so what is forgotten here is gone after a second.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from heapq import heappop, heappush
from math import ceil
from typing import Protocol

LONGEST = 1.0
"""Seconds from which on a wait does not belong here."""
MOST = 64
"""Waiters that are woken before the event loop has a turn: sockets are written to and accepted in
between.
"""
_TICKS = 1000
"""Ticks a second."""


class Waiter(Protocol):
    """Someone who waits. tick: until when; another value means: no longer."""

    tick: int

    def step(self) -> None:
        """Go on; it must not raise."""


class Wheel:
    """The waiters of one event loop, by tick. stepping: a waiter's coroutine runs just now."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with none. now: the clock of the moments that are given."""
        self.loop = loop
        self._now = now
        self.stepping = False
        self._waiters: dict[int, list[Waiter]] = {}
        self._ticks: list[int] = []  # a heap of the keys of _waiters
        self._timer: asyncio.Handle | None = None
        self._turning = False

    def add(self, due: float, waiter: Waiter) -> None:
        """Let a waiter step when the clock has reached due; it gets its tick."""
        tick = waiter.tick = ceil(due * _TICKS)
        waiting = self._waiters.get(tick)
        if waiting is not None:
            waiting.append(waiter)
            return
        self._waiters[tick] = [waiter]
        heappush(self._ticks, tick)
        if tick == self._ticks[0] and not self._turning:
            self._arm()

    def _arm(self) -> None:
        """Set the timer to the first tick. Event loops count the seconds of time.monotonic();
        uvloop in whole milliseconds, so a tick is met.
        """
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_at(self._ticks[0] / _TICKS, self._turn)

    def _turn(self) -> None:
        """Wake who is due, and set the timer to who is next."""
        self._timer, self._turning, left = None, True, MOST
        now = self._now() * _TICKS
        while left and self._ticks and self._ticks[0] <= now:
            left -= self._wake(self._ticks[0], left)
        self._turning = False
        if self._ticks:
            self._arm()

    def _wake(self, tick: int, most: int) -> int:
        """Wake the waiters of a tick, the first come first; returns how many it was."""
        waiters = self._waiters[tick]
        if len(waiters) > most:
            waiters, self._waiters[tick] = waiters[:most], waiters[most:]
        else:
            heappop(self._ticks)
            del self._waiters[tick]
        for waiter in waiters:
            if waiter.tick == tick:
                waiter.step()
        return len(waiters)


class _Wheels(threading.local):
    """The wheel of each thread: it has one event loop at a time."""

    wheel: Wheel | None = None


_wheels = _Wheels()


def wheel() -> Wheel:
    """Return the wheel of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _wheels.wheel
    if found is None or found.loop is not loop:
        found = _wheels.wheel = Wheel(loop)
    return found
