"""Slots and the queue before them: order, bounds, and what a leaver gives back."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.delivery.load import Batch, Load
from tokenlap.delivery.queue import Queue, Refusal, Slot
from tokenlap.errors import ApiError, Overloaded, RateLimited


class Doors:
    """A queue on a clock that counts upwards by one at each look."""

    def __init__(self, slots: int | None, max_queued: int = 100, full: Refusal = 429) -> None:
        self.now = 0.0
        self.batch = Batch(Load(slots), self.tick)
        self.queue = Queue(self.batch, self.tick, max_queued, full)

    def tick(self) -> float:
        self.now += 1
        return self.now


def granted(slots: list[Slot]) -> list[bool]:
    return [slot.granted_at is not None for slot in slots]


def test_so_many_run_as_there_are_slots_and_the_rest_waits() -> None:
    doors = Doors(2)

    slots = [doors.queue.enter() for _ in range(4)]

    assert granted(slots) == [True, True, False, False]
    assert (doors.batch.running, doors.queue.waiting) == (2, 2)


def test_first_in_is_first_out() -> None:
    doors = Doors(1)
    slots = [doors.queue.enter() for _ in range(4)]

    for slot in slots[:3]:
        slot.release()

    times = [slot.granted_at for slot in slots]
    assert all(times) and times == sorted(times)  # type: ignore[type-var]  # none is None


def test_who_leaves_the_queue_is_passed_over() -> None:
    doors = Doors(1)
    first, leaver, last = (doors.queue.enter() for _ in range(3))

    leaver.release()
    first.release()

    assert granted([leaver, last]) == [False, True]
    assert doors.queue.waiting == 0


def test_a_slot_that_is_released_twice_is_given_back_once() -> None:
    doors = Doors(1)
    slot, waiting, last = (doors.queue.enter() for _ in range(3))

    slot.release()
    slot.release()

    assert granted([waiting, last]) == [True, False]
    assert doors.batch.running == 1


def test_choices_take_a_slot_each() -> None:
    doors = Doors(4)

    three, two, one = doors.queue.enter(3), doors.queue.enter(2), doors.queue.enter(1)

    # Nobody overtakes: the one that would fit waits behind the two that do not.
    assert granted([three, two, one]) == [True, False, False]
    three.release()
    assert granted([two, one]) == [True, True]


def test_more_choices_than_slots_take_the_whole_batch() -> None:
    doors = Doors(4)

    large = doors.queue.enter(128)
    small = doors.queue.enter(1)

    assert granted([large, small]) == [True, False]
    large.release()
    assert doors.batch.running == 1


@pytest.mark.parametrize(
    ("full", "error"), [pytest.param(429, RateLimited), pytest.param(503, Overloaded)]
)
def test_one_more_than_may_wait_is_refused_and_told_to_retry(
    full: Refusal, error: type[ApiError]
) -> None:
    doors = Doors(1, max_queued=2, full=full)
    slots = [doors.queue.enter() for _ in range(3)]

    with pytest.raises(error, match="The queue is full: 2 requests wait") as refused:
        doors.queue.enter()

    assert refused.value.status == full
    assert refused.value.headers == {"retry-after": "1"}
    slots[0].release()
    assert doors.queue.enter().granted_at is None  # there is room to wait again


def test_with_no_room_to_wait_a_busy_engine_refuses_at_once() -> None:
    doors = Doors(1, max_queued=0)
    doors.queue.enter()

    with pytest.raises(RateLimited):
        doors.queue.enter()


def test_without_a_limit_nobody_waits() -> None:
    doors = Doors(None, max_queued=0)

    assert all(granted([doors.queue.enter() for _ in range(1000)]))


async def test_waiting_ends_when_the_slot_is_granted() -> None:
    doors = Doors(1)
    first, second = doors.queue.enter(), doors.queue.enter()
    waiting = asyncio.create_task(second.wait())
    await asyncio.sleep(0)
    assert not waiting.done()

    first.release()

    await waiting
    assert second.granted_at is not None


async def test_a_waiter_that_is_cancelled_and_released_holds_nothing() -> None:
    doors = Doors(1)
    first, second = doors.queue.enter(), doors.queue.enter()
    waiting = asyncio.create_task(second.wait())
    await asyncio.sleep(0)

    waiting.cancel()
    first.release()  # grants the slot of the cancelled waiter ...
    second.release()  # ... which gives it back

    assert (doors.batch.running, doors.queue.waiting) == (0, 0)


@examples(50)
@given(
    slots=st.integers(1, 5),
    moves=st.lists(st.one_of(st.integers(1, 6), st.integers(-8, -1)), max_size=60),
)
def test_whatever_happens_the_slots_are_kept_and_none_is_lost(slots: int, moves: list[int]) -> None:
    doors = Doors(slots, max_queued=10)
    held: list[Slot] = []
    for move in moves:
        if move > 0 and doors.queue.waiting < 10:
            held.append(doors.queue.enter(move))
        elif held:
            held.pop(move % len(held)).release()
        running = [slot.sequences for slot in held if slot.granted_at is not None]
        assert doors.batch.running == sum(running) <= slots
        assert doors.queue.waiting == len(held) - len(running)
    for slot in held:
        slot.release()

    assert (doors.batch.running, doors.queue.waiting) == (0, 0)
