"""How running sequences slow each other down: the step of a continuous batch."""

from itertools import islice

import pytest

from tokenlap.delivery.latency import Latency
from tokenlap.delivery.load import UNLIMITED, Batch, Load

LATENCY = Latency(0.03, 0.012, 0.00005)
LOAD = Load(max_num_seqs=16, slowdown=2.0, chunk_tokens=512)


class Engine:
    """A batch on a clock that stands still until it is moved."""

    def __init__(self, load: Load) -> None:
        self.now = 50.0
        self.batch = Batch(load, lambda: self.now)

    def begin(self, latency: Latency = LATENCY, tokens: int = 0) -> "list[float]":
        """Admit a sequence and return its first wait; the others are drawn by `laps`."""
        self.batch.running += 1
        self.waits = self.batch.waits(latency, 1, tokens)
        return [next(self.waits)]

    def lap(self) -> float:
        return next(self.waits)


@pytest.mark.parametrize(
    ("running", "factor"), [(1, 1.0), (2, 1 + 1 / 15), (8, 1 + 7 / 15), (16, 2.0)]
)
def test_a_step_takes_longer_the_more_sequences_run(running: int, factor: float) -> None:
    engine = Engine(LOAD)
    engine.batch.running = running - 1

    assert engine.begin() == [pytest.approx(0.03 * factor)]
    assert engine.lap() == pytest.approx(0.012 * factor)


def test_throughput_grows_up_to_the_knee() -> None:
    throughput = [running / (0.012 * LOAD.factor(running)) for running in range(1, 17)]

    assert throughput == sorted(throughput)
    assert throughput[-1] == pytest.approx(16 / (2.0 * 0.012))  # B / (phi * ITL)


def test_the_slowdown_is_read_at_each_lap() -> None:
    engine = Engine(LOAD)
    engine.begin()
    alone = engine.lap()
    engine.batch.running = 16
    crowded = engine.lap()
    engine.batch.running = 1

    assert (alone, crowded, engine.lap()) == pytest.approx((0.012, 0.024, 0.012))


def test_a_prefill_in_progress_makes_the_steps_of_others_longer() -> None:
    engine = Engine(Load(16, 1.0, 512))
    engine.begin()
    decoding = engine.waits
    quiet = next(decoding)
    engine.begin(tokens=2048)  # 102.4 ms of prefill, 25.6 ms a chunk
    beside = next(decoding)
    engine.now += 0.1
    at_its_end = next(decoding)
    engine.now += 0.0024
    after = next(decoding)

    assert (quiet, beside) == pytest.approx((0.012, 0.012 + 0.0256))
    assert at_its_end == pytest.approx(0.012 + 0.0024)
    assert after == pytest.approx(0.012)


def test_a_cached_prompt_disturbs_nobody() -> None:
    engine = Engine(Load(16, 1.0, 512))
    engine.begin()
    decoding = engine.waits
    engine.begin(tokens=0)

    assert next(decoding) == pytest.approx(0.012)


def test_without_a_limit_nobody_slows_anybody_down() -> None:
    engine = Engine(UNLIMITED)
    engine.batch.running = 1000
    engine.begin(tokens=100)

    assert list(islice(engine.waits, 3)) == [0.012] * 3


def test_a_batch_of_one_does_not_divide_by_zero() -> None:
    assert Load(1, 3.0).factor(1) == 1.0
