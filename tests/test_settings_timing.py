"""How the settings of time become a profile, whichever way they are given."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from tokenlap.delivery.deployment import Bounds
from tokenlap.delivery.latency import Latency, Lognormal
from tokenlap.delivery.load import Load
from tokenlap.delivery.profiles import PROFILES, Profile
from tokenlap.settings import Settings, read_settings


def test_nothing_said_is_natural() -> None:
    assert read_settings([]).profile == PROFILES["natural"]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param(["--latency", "none"], Profile(Latency(0.0, 0.0)), id="a name"),
        pytest.param(["--ttft", "1s"], Profile(Latency(1.0, 0.02)), id="one law"),
        pytest.param(
            ["--itl", "20ms/80ms", "--prefill", "50us"],
            Profile(Latency(0.2, Lognormal.of_percentiles(0.02, 0.08), 5e-5)),
            id="two laws",
        ),
        pytest.param(["--ttft", "0", "--itl", "0"], Profile(Latency(0.0, 0.0)), id="zeros"),
        pytest.param(
            ["--max-num-seqs", "4", "--slowdown", "2"],
            Profile(Latency(0.2, 0.02), Load(4, 2.0)),
            id="load",
        ),
    ],
)
def test_flags_stand_over_the_named_profile(flags: list[str], expected: Profile) -> None:
    assert read_settings(flags).profile == expected


def test_a_file_may_be_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "slow.yaml"
    file.write_text("ttft: 2s\nitl: 100ms\nmax_num_seqs: 3\n")
    monkeypatch.setenv("TOKENLAP_LATENCY", str(file))

    assert read_settings([]).profile == Profile(Latency(2.0, 0.1), Load(3))


def test_models_may_have_profiles_of_their_own_which_flags_do_not_touch(tmp_path: Path) -> None:
    file = tmp_path / "tokenlap.toml"
    file.write_text('ttft = "9s"\n[latency-for]\n"gpt-4o*" = "hosted-fast"\n"o3" = "none"\n')

    settings = read_settings(["--config", str(file)])

    assert settings.profile.latency.ttft == 9.0
    assert settings.profiles_by_model == {
        "gpt-4o*": PROFILES["hosted-fast"],
        "o3": PROFILES["none"],
    }


def test_the_bounds_of_the_queue_and_the_cache() -> None:
    flags = ["--max-queued", "7", "--queue-full", "503", "--prefix-cache", "32"]

    assert read_settings(flags).bounds == Bounds(7, 503, 32)


@pytest.mark.parametrize(
    "wrong",
    [
        {"latency": "fast"},
        {"latency": "gone.yaml"},
        {"latency_for": {"a": "fast"}},
        {"ttft": "soon"},
        {"itl": "80ms/20ms"},
        {"prefill": "-1"},
        {"max_num_seqs": 0},
        {"slowdown": 0.5},
        {"queue_full": "500"},
        {"workers": 0},
    ],
    ids=str,
)
def test_what_is_no_time_is_refused_at_the_start(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        Settings(**wrong)  # type: ignore[arg-type]  # wrong on purpose
