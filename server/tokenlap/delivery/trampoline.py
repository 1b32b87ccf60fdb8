"""Runs a coroutine by hand, for what waits thousands of times: a stream, one lap after the other.

A task that wakes comes in through the whole server: a timer of its own, a future, a call-back, a
dozen nested awaits. Here the coroutine goes on at once when the wheel says that it is due, and only
its end wakes the task that asked for it.

It rests on asyncio's protocol of awaiting: an awaitable yields the future that it waits for, or
None for one turn of the event loop. Beside these `sleep` yields a moment, a float.
"""

import asyncio
import time
import types
from asyncio.tasks import _enter_task, _leave_task  # Python's documentation: Extending asyncio
from collections.abc import Awaitable, Coroutine, Generator
from contextvars import copy_context
from typing import Any, Generic, TypeVar

from tokenlap.delivery.wheel import LONGEST, wheel

T = TypeVar("T")


async def bounce(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what coroutine returns, as `await coroutine` would; a cancellation reaches it too."""
    task = asyncio.current_task()
    assert task is not None
    run = Trampoline(coroutine, task)
    run.step_within()
    while True:
        try:
            return await run.done
        except asyncio.CancelledError as cancelled:
            if run.ended:
                raise
            run.cancel(cancelled)


def sleep(seconds: float) -> Awaitable[None]:
    """Wait for so many seconds; 0 lets others have their turn. On the wheel, where it can be."""
    if 0 < seconds < LONGEST and wheel().stepping:
        return _until(time.monotonic() + seconds)
    return asyncio.sleep(seconds)


@types.coroutine
def _until(due: float) -> Generator[float, None, None]:
    yield due


class Trampoline(Generic[T]):
    """A coroutine under way, on behalf of a task. done: how it ended; ended: it has, whoever may
    have cancelled done meanwhile; tick: until when it is on the wheel.
    """

    __slots__ = (
        "_awaited", "_coroutine", "_missed", "_run", "_task", "_thrown", "_wheel", "done", "ended",
        "loop", "tick",
    )  # fmt: skip

    def __init__(self, coroutine: Coroutine[Any, Any, T], task: "asyncio.Task[Any]") -> None:
        """Take the context of the task, which must be running; nothing runs yet."""
        self._coroutine = coroutine
        self._task = task
        self._run = copy_context().run
        self._wheel = wheel()
        self._awaited: asyncio.Future[Any] | None = None
        self._thrown: asyncio.CancelledError | None = None
        self._missed = False
        self.loop = self._wheel.loop
        self.done: asyncio.Future[T] = self.loop.create_future()
        self.ended = False
        self.tick = 0

    def step(self, _: object = None) -> None:
        """Let the coroutine run to its next wait."""
        if self.done.done():  # the task has been cancelled: it will say so in a moment
            self._missed = True
            return
        wheel = self._wheel
        wheel.stepping = True
        _enter_task(self.loop, self._task)
        try:
            if self._thrown is None:
                waiting = self._run(self._coroutine.send, None)
            else:
                thrown, self._thrown = self._thrown, None
                waiting = self._run(self._coroutine.throw, thrown)
        except BaseException as error:
            self._end(error)
        else:
            if type(waiting) is float:
                wheel.add(waiting, self)
            else:
                self._wait(waiting)
        finally:
            _leave_task(self.loop, self._task)
            wheel.stepping = False

    def step_within(self) -> None:
        """Step while the task itself runs; in all other steps nobody does."""
        _leave_task(self.loop, self._task)
        self.step()
        _enter_task(self.loop, self._task)

    def cancel(self, cancelled: asyncio.CancelledError) -> None:
        """Let the coroutine go on with an error: the one that came out of `done`, which is new
        now.
        """
        self.done = self.loop.create_future()
        waits = bool(self.tick)
        self.tick = 0
        if self._awaited is not None and self._awaited.cancel(*cancelled.args):
            return  # the future tells the coroutine, as it would a task's
        self._thrown = cancelled
        if waits or self._missed:
            self._missed = False
            self.step_within()

    def _wait(self, awaited: "asyncio.Future[Any] | None") -> None:
        self.tick = 0
        self._awaited = awaited
        if awaited is None:
            self.loop.call_soon(self.step)
        else:
            awaited._asyncio_future_blocking = False
            awaited.add_done_callback(self.step)

    def _end(self, error: BaseException) -> None:
        self.ended = True
        if self.done.done():
            return  # it has cancelled its own task
        if isinstance(error, StopIteration):
            self.done.set_result(error.value)
        else:
            self.done.set_exception(error)
