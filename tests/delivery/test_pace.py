"""The clock: when laps leave, and what is computed by then."""

from collections.abc import Iterator
from itertools import accumulate, cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.delivery.latency import Latency
from tokenlap.delivery.pace import BATCH, Clock, pace


class FakeTime:
    """A clock that stands still except while someone sleeps, or works for a known time."""

    def __init__(self, now: float = 100.0) -> None:
        self.now = now
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self.now, sleep=self.sleep)


async def departures(
    time: FakeTime, laps: Iterator[int], waits: Iterator[float], arrived: float = 100.0
) -> list[tuple[float, list[int]]]:
    """When each batch left, and what was in it."""
    return [(time.now, batch) async for batch in pace(laps, waits, arrived, time.clock)]


async def test_each_lap_leaves_at_its_deadline() -> None:
    left = await departures(FakeTime(), iter(range(5)), Latency(0.2, 0.02).waits())

    assert [batch for _, batch in left] == [[i] for i in range(5)]
    assert [at for at, _ in left] == pytest.approx(
        [100.2, 100.22, 100.24, 100.26, 100.28], abs=1e-6
    )


@examples(50)
@given(waits=st.lists(st.floats(1e-3, 2), min_size=1, max_size=60))
async def test_the_schedule_is_the_sum_of_the_waits_to_the_microsecond(waits: list[float]) -> None:
    left = await departures(FakeTime(), iter(range(len(waits))), cycle(waits))

    planned = [100.0 + due for due in accumulate(waits)]
    assert [batch for _, batch in left] == [[i] for i in range(len(waits))]
    assert [at for at, _ in left] == pytest.approx(planned, abs=1e-6)


async def test_the_first_deadline_counts_from_the_arrival() -> None:
    time = FakeTime(now=100.15)  # parsing took 150 ms

    left = await departures(time, iter([0]), Latency(0.2, 0.02).waits(), arrived=100.0)

    assert [at for at, _ in left] == [pytest.approx(100.2)]


async def test_a_late_wake_up_does_not_delay_what_follows() -> None:
    time = FakeTime()

    async def oversleep(seconds: float) -> None:
        time.now += seconds + (0.013 if len(time.slept) == 1 else 0.0)
        time.slept.append(seconds)

    clock = Clock(now=lambda: time.now, sleep=oversleep)
    left = [time.now async for _ in pace(iter(range(4)), Latency(0.1, 0.02).waits(), 100.0, clock)]

    assert left == [
        pytest.approx(100.1),
        pytest.approx(100.133),
        *map(pytest.approx, (100.14, 100.16)),
    ]


async def test_laps_that_are_due_together_leave_together() -> None:
    waits = iter([0.1, 0.0, 0.0, 0.5, 0.0, 9.0])

    left = await departures(FakeTime(), iter(range(5)), waits)

    assert [batch for _, batch in left] == [[0, 1, 2], [3, 4]]


async def test_overdue_laps_leave_together() -> None:
    time = FakeTime(now=100.55)

    left = await departures(time, iter(range(8)), Latency(0.1, 0.1).waits())

    assert [batch for _, batch in left] == [[0, 1, 2, 3, 4], [5], [6], [7]]


async def test_without_waits_at_most_a_batch_leaves_before_others_have_a_turn() -> None:
    time = FakeTime()

    left = await departures(time, iter(range(2 * BATCH + 5)), Latency(0, 0).waits())

    assert [len(batch) for _, batch in left] == [BATCH, BATCH, 5]
    assert time.slept == [0, 0]
    assert BATCH <= 64


async def test_a_reply_of_many_choices_leaves_in_smaller_lists() -> None:
    time = FakeTime()
    paced = pace(iter(range(5)), Latency(0, 0).waits(), 100.0, time.clock, 2)

    assert [batch async for batch in paced] == [[0, 1], [2, 3], [4]]
    assert time.slept == [0, 0]


async def test_a_lap_has_left_before_the_next_is_computed() -> None:
    time, log = FakeTime(), list[str]()

    def laps() -> Iterator[int]:
        for i in range(3):
            log.append(f"compute {i}")
            yield i

    async for batch in pace(laps(), Latency(0.2, 0.02).waits(), 100.0, time.clock):
        log += [f"leave {i}" for i in batch]

    assert log == ["compute 0", "leave 0", "compute 1", "leave 1", "compute 2", "leave 2"]


async def test_who_stops_reading_stops_the_loop() -> None:
    computed: list[int] = []
    time = FakeTime()

    def laps() -> Iterator[int]:
        for i in range(1000):
            computed.append(i)
            yield i

    stream = pace(laps(), Latency(0, 0.02).waits(), 100.0, time.clock)
    await anext(stream)
    await stream.aclose()

    assert computed == [0]


async def test_the_end_is_told_without_another_wait() -> None:
    time = FakeTime()

    await departures(time, iter([0, 1]), iter([0.2, 0.02, 30.0]))

    assert time.now == pytest.approx(100.22)


def test_a_latency_gives_the_ttft_once_and_the_itl_ever_after() -> None:
    assert list(islice(Latency(0.2, 0.02).waits(), 4)) == [0.2, 0.02, 0.02, 0.02]


async def test_without_waits_laps_leave_in_batches_and_others_have_their_turn_between() -> None:
    time = FakeTime()

    left = [batch async for batch in pace(iter(range(150)), None, 100.0, time.clock)]

    assert [len(batch) for batch in left] == [64, 64, 22]
    assert [lap for batch in left for lap in batch] == list(range(150))
    assert time.slept == [0, 0]


@pytest.mark.parametrize(
    ("seconds", "lengths"),
    [
        pytest.param(0.1, [1, 1, 1], id="slower than patience"),
        pytest.param(0.0003, [2, 2, 2], id="two fit into it"),
        pytest.param(0.00002, [32, 32, 32], id="a typical predictor"),
    ],
)
async def test_laps_that_are_slow_to_compute_leave_in_smaller_lists(
    seconds: float, lengths: list[int]
) -> None:
    time = FakeTime()

    def laps() -> Iterator[int]:
        for i in range(1000):
            time.now += seconds
            yield i

    stream = pace(laps(), None, 100.0, time.clock)
    left = [len(await anext(stream)) for _ in range(3)]
    await stream.aclose()

    assert left == lengths
