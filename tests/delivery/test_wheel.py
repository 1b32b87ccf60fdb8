"""The one timer: who is woken when, in which order, and who is not."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.delivery.wheel import MOST, Wheel, wheel


class Timer:
    """A call that an event loop shall make."""

    def __init__(self, at: float, call: Callable[[], None]) -> None:
        self.at = at
        self.call = call
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Loop:
    """An event loop with a clock that jumps from one timer to the next."""

    def __init__(self) -> None:
        self.now = 100.0
        self.timers: list[Timer] = []
        self.wheel = Wheel(self, lambda: self.now)  # type: ignore[arg-type] # all that it uses

    def call_at(self, when: float, call: Callable[[], None]) -> Timer:
        timer = Timer(when, call)
        self.timers.append(timer)
        return timer

    @property
    def armed(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.cancelled]

    def run(self) -> None:
        """Run until no timer is left; there is never more than one."""
        while self.armed:
            (timer,) = self.armed
            self.timers.clear()
            self.now = max(self.now, timer.at)
            timer.call()


class Sleeper:
    """Someone who waits, and notes when they are woken."""

    tick = 0

    def __init__(self, loop: Loop, then: Callable[[], None] | None = None) -> None:
        self.loop = loop
        self.woken: list[float] = []
        self.then = then

    def until(self, due: float) -> "Sleeper":
        self.loop.wheel.add(due, self)
        return self

    def step(self) -> None:
        self.woken.append(self.loop.now)
        if self.then is not None:
            self.then()


@examples(50)
@given(waits=st.lists(st.floats(0, 0.999), min_size=1, max_size=200))
def test_everybody_is_woken_once_never_early_and_at_most_a_tick_late(waits: list[float]) -> None:
    loop = Loop()
    sleepers = [(100.0 + wait, Sleeper(loop).until(100.0 + wait)) for wait in waits]

    loop.run()

    for due, sleeper in sleepers:
        (woken,) = sleeper.woken
        assert due - 1e-9 <= woken <= due + 0.001 + 1e-9


def test_an_earlier_wait_that_comes_later_is_woken_first() -> None:
    loop, order = Loop(), list[str]()
    Sleeper(loop, lambda: order.append("late")).until(100.5)
    Sleeper(loop, lambda: order.append("early")).until(100.1)
    assert len(loop.armed) == 1

    loop.run()

    assert order == ["early", "late"]


def test_who_waits_for_the_same_tick_is_woken_in_the_order_of_coming() -> None:
    loop, order = Loop(), list[int]()
    for i in range(5):
        Sleeper(loop, lambda i=i: order.append(i)).until(100.1)  # type: ignore[misc] # i is an int

    loop.run()

    assert order == [0, 1, 2, 3, 4]


def test_who_no_longer_waits_is_not_woken() -> None:
    loop = Loop()
    left, stays = Sleeper(loop).until(100.1), Sleeper(loop).until(100.1)
    left.tick = 0

    loop.run()

    assert (len(left.woken), len(stays.woken)) == (0, 1)


def test_who_leaves_and_waits_for_another_moment_is_woken_then_only() -> None:
    loop = Loop()
    sleeper = Sleeper(loop).until(100.1).until(100.3)

    loop.run()

    assert sleeper.woken == [pytest.approx(100.3)]


def test_who_is_woken_may_wait_again() -> None:
    loop = Loop()
    sleeper = Sleeper(loop)

    def again() -> None:
        if len(sleeper.woken) < 3:
            sleeper.until(loop.now + 0.02)

    sleeper.then = again
    sleeper.until(100.02)
    loop.run()

    assert sleeper.woken == [pytest.approx(at) for at in (100.02, 100.04, 100.06)]


def test_the_event_loop_has_a_turn_between_many_that_are_due_together() -> None:
    loop = Loop()
    sleepers = [Sleeper(loop).until(100.1) for _ in range(2 * MOST + 1)]
    turns: list[int] = []
    while loop.armed:
        (timer,) = loop.armed
        loop.timers.clear()
        loop.now = max(loop.now, timer.at)
        timer.call()
        turns.append(sum(len(sleeper.woken) for sleeper in sleepers))

    assert turns == [MOST, 2 * MOST, 2 * MOST + 1]


async def test_each_event_loop_has_a_wheel_of_its_own() -> None:
    async def mine() -> Wheel:
        assert wheel() is wheel()
        return wheel()

    other: Any = await asyncio.to_thread(asyncio.run, mine())

    assert other is not wheel()
    assert wheel().loop is asyncio.get_running_loop()
