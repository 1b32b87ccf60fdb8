"""Named profiles, and profiles from a file."""

from itertools import islice
from pathlib import Path
from statistics import fmean, median

import pytest

from tokenlap.delivery.latency import Latency, Lognormal, Normal, Replay
from tokenlap.delivery.load import Load
from tokenlap.delivery.profiles import PROFILES, Profile, profile, read_profile


@pytest.mark.parametrize("name", PROFILES)
def test_a_named_profile_keeps_the_median_it_states(name: str) -> None:
    itl = PROFILES[name].latency.itl
    stated = itl if isinstance(itl, float) else itl.median  # type: ignore[union-attr]  # lognormal

    waits = list(islice(PROFILES[name].latency.waits(seed=3), 1, 20_001))

    assert median(waits) == pytest.approx(stated, rel=0.03)


@pytest.mark.parametrize(
    ("name", "mean"),
    [("8b-h100", 0.012), ("70b-h100x8", 0.025), ("405b-h100x8", 0.080), ("edge-3b", 0.015)],
)
def test_alone_a_stream_has_the_profiles_pace(name: str, mean: float) -> None:
    waits = list(islice(PROFILES[name].latency.waits(seed=3), 1, 20_001))

    assert fmean(waits) == pytest.approx(mean, rel=0.02)


def test_natural_and_none_carry_any_number_of_sequences() -> None:
    assert PROFILES["natural"].load.max_num_seqs is PROFILES["none"].load.max_num_seqs is None
    assert PROFILES["none"].latency.immediate


def test_a_file_says_the_same_words() -> None:
    read = read_profile("""
ttft: 300ms/900ms
itl: {mean: 20ms, cv: 0.5}
prefill: 50us
max_num_seqs: 32
slowdown: 2.5
chunk_tokens: 1024
""")

    assert read.load == Load(32, 2.5, 1024)
    assert read.latency == Latency(
        Lognormal.of_percentiles(0.3, 0.9), Lognormal.of_mean(0.02, 0.5), 5e-5
    )


@pytest.mark.parametrize(
    ("written", "law"),
    [
        pytest.param("0.02", 0.02, id="number"),
        pytest.param("20ms", 0.02, id="duration"),
        pytest.param("{median: 20ms, sigma: 0.2}", Lognormal(0.02, 0.2), id="median and sigma"),
        pytest.param("{mean: 20ms, deviation: 4ms}", Normal(0.02, 0.004), id="normal"),
        pytest.param("{replay: [20ms, 31ms]}", Replay((0.02, 0.031)), id="recorded"),
    ],
)
def test_each_way_to_write_a_law(written: str, law: object) -> None:
    assert read_profile(f"itl: {written}").latency.itl == law


def test_what_a_file_leaves_out_is_natural() -> None:
    assert read_profile("itl: 5ms") == Profile(Latency(0.2, 0.005))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("[1]", "expected a mapping", id="not a mapping"),
        pytest.param("a: [", "not YAML", id="not YAML"),
        pytest.param("delay: 3s", "unknown key 'delay': expected ttft", id="unknown key"),
        pytest.param("ttft: soon", "ttft: 'soon' is not a duration", id="no duration"),
        pytest.param("itl: true", "itl: True is not a duration", id="boolean"),
        pytest.param("itl: {mean: 1ms}", "itl: .* is no law", id="half a law"),
        pytest.param("itl: {replay: []}", "itl: .* is no law", id="empty recording"),
        pytest.param("itl: {mean: 0, cv: 1}", "must be above 0", id="mean of zero"),
        pytest.param("itl: {mean: 1ms, cv: -1}", "number from 0 to 10", id="negative spread"),
        pytest.param("max_num_seqs: 0", "max_num_seqs: 0 is not a whole", id="no slots"),
        pytest.param("max_num_seqs: 1.5", "is not a whole number", id="half a slot"),
        pytest.param("slowdown: 0.5", "slowdown: 0.5 is not a number from 1", id="speed-up"),
    ],
)
def test_a_bad_file_is_refused_with_the_key_named(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_profile(text)


def test_an_unknown_name_lists_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"natural, none, edge-3b, 8b-h100.*FILE\.yaml"):
        profile("fast")
    with pytest.raises(ValueError, match=r"gone\.yaml: .*No such file"):
        profile(str(tmp_path / "gone.yaml"))
