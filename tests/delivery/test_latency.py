"""Laws of latency: what they mean, that they repeat, and how they are written."""

from itertools import islice
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.delivery.latency import (
    Latency,
    Law,
    Lognormal,
    Noise,
    Normal,
    Replay,
    draws,
    law,
    seconds,
)

LAWS: dict[str, Law] = {
    "constant": 0.02,
    "normal": Normal(0.02, 0.01),
    "lognormal": Lognormal(0.02, 0.5),
    "bounded lognormal": Lognormal(0.02, 1.0, 0.3, 5.0),
    "replay": Replay((0.01, 0.05, 0.02)),
}


def sample(law: Law, count: int, seed: int = 7) -> list[float]:
    return list(islice(draws(law, Noise(seed)), count))


@pytest.mark.parametrize("name", LAWS)
def test_the_same_seed_waits_the_same_times(name: str) -> None:
    latency = Latency(LAWS[name], LAWS[name], LAWS[name])

    first, again, other = (list(islice(latency.waits(seed, 100), 50)) for seed in (1, 1, 2))

    assert first == again
    assert (first == other) is (name in ("constant", "replay"))


@pytest.mark.parametrize("name", LAWS)
def test_no_law_waits_backwards(name: str) -> None:
    assert min(sample(LAWS[name], 5000)) >= 0


def test_the_first_wait_is_the_base_and_the_prefill_of_each_uncached_token() -> None:
    waits = Latency(0.2, 0.02, 0.001).waits(seed=1, uncached_tokens=300)

    assert list(islice(waits, 3)) == pytest.approx([0.5, 0.02, 0.02], abs=1e-9)


def test_a_lognormal_law_made_from_a_mean_preserves_it() -> None:
    made = Lognormal.of_mean(0.02, cv=0.8)

    assert made.mean == pytest.approx(0.02)
    assert fmean(sample(made, 40_000)) == pytest.approx(0.02, rel=0.02)


def test_p50_and_p99_are_the_median_and_the_99th_percentile() -> None:
    drawn = sorted(sample(law("20ms/80ms"), 40_000))

    assert median(drawn) == pytest.approx(0.02, rel=0.02)
    assert drawn[int(0.99 * len(drawn))] == pytest.approx(0.08, rel=0.06)


def test_a_bounded_lognormal_law_stays_within_its_multiples_of_the_median() -> None:
    drawn = sample(LAWS["bounded lognormal"], 5000)

    assert 0.3 * 0.02 <= min(drawn) < 0.31 * 0.02
    assert 4.5 * 0.02 < max(drawn) <= 5 * 0.02


def test_a_normal_law_has_its_mean_and_deviation_where_zero_is_far() -> None:
    drawn = sample(Normal(0.1, 0.01), 20_000)

    assert fmean(drawn) == pytest.approx(0.1, rel=0.01)
    assert fmean((x - 0.1) ** 2 for x in drawn) ** 0.5 == pytest.approx(0.01, rel=0.03)


def test_a_recorded_list_is_replayed_in_its_order_and_then_again() -> None:
    assert sample(LAWS["replay"], 5) == [0.01, 0.05, 0.02, 0.01, 0.05]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("200ms", 0.2, id="milliseconds"),
        pytest.param("1.5s", 1.5, id="seconds"),
        pytest.param("50us", 5e-5, id="microseconds"),
        pytest.param("2m", 120.0, id="minutes"),
        pytest.param("0", 0.0, id="zero"),
        pytest.param(".5", 0.5, id="bare number of seconds"),
    ],
)
def test_a_duration_is_read_with_its_unit(text: str, expected: float) -> None:
    assert seconds(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    ["", "fast", "-1s", "1 2", "20", "20ms/", "/20ms", "80ms/20ms", "0/20ms", "1ms/2ms/3ms", "2h",
     "nan", "inf", "1e3"],
)  # fmt: skip
def test_what_is_no_law_is_refused_with_what_would_be_right(text: str) -> None:
    if text == "20":
        assert law(text) == 20.0  # seconds
        return
    with pytest.raises(ValueError, match=r"200ms|20ms/80ms"):
        law(text)


def test_nobody_waits_longer_than_an_hour() -> None:
    with pytest.raises(ValueError, match="hour"):
        law("61m")


@examples(50)
@given(
    median_=st.floats(1e-6, 10),
    spread=st.floats(1, 50),
)
def test_the_written_percentiles_come_back_out_of_the_law(median_: float, spread: float) -> None:
    made = Lognormal.of_percentiles(median_, median_ * spread)

    assert made.median == median_
    assert made.sigma >= 0


def test_what_is_not_altered_stays() -> None:
    altered = Latency(1.0, 2.0, 3.0).altered(itl=0.5)

    assert altered == Latency(1.0, 0.5, 3.0)
