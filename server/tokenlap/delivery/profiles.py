"""Named profiles of latency and load, and profiles from a YAML file.

Each named one is an order of magnitude put together from published figures, not a measurement of
ours; what it stands on is written beside it. `slowdown` is phi: how much slower a step is when the
batch is full, so the ceiling is max_num_seqs / (phi * ITL) tokens a second.

A file holds the same words; durations as in `20ms`, laws also as `20ms/80ms` (median/p99),
`{median: 20ms, sigma: 0.2}`, `{mean: 20ms, cv: 0.3}` (lognormal, the mean preserved),
`{mean: 20ms, deviation: 4ms}` (normal) or `{replay: [20ms, 31ms, 18ms]}`:

    ttft: 300ms
    itl: {median: 15ms, sigma: 0.2}
    prefill: 50us           # for each prompt token that no cache holds
    max_num_seqs: 32
    slowdown: 2
    chunk_tokens: 512       # prompt tokens that are computed beside each decoding step
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from tokenlap.delivery.latency import NONE, Latency, Law, Lognormal, Normal, Replay, law, seconds
from tokenlap.delivery.load import UNLIMITED, Load

_KEYS = ("ttft", "itl", "prefill", "max_num_seqs", "slowdown", "chunk_tokens")


@dataclass(frozen=True, slots=True)
class Profile:
    """How a deployment behaves: the latency of one request, and how requests slow each other
    down.
    """

    latency: Latency
    load: Load = UNLIMITED


def _profile(
    base: float, slope: float, itl: float, sigma: float, batch: int, phi: float
) -> Profile:
    """Return a profile. base, slope (a token), itl (median): milliseconds."""
    bounded = Lognormal(itl / 1000, sigma, 0.3, 5.0)
    return Profile(Latency(base / 1000, bounded, slope / 1000), Load(batch, phi))


PROFILES: Mapping[str, Profile] = {
    # What the server does when nothing is said: a pace that people can watch.
    "natural": Profile(Latency(0.2, 0.02)),
    "none": Profile(NONE),
    # llm-d-inference-sim, docs/latency-profiles.md, profile 3: 1-3B on an L40S, TTFT 80-130 ms and
    # ITL 12-18 ms at 256 tokens of prompt.
    "edge-3b": _profile(20, 0.10, 15, 0.13, 4, 1.5),
    # The same, profile 1: 7-8B on an H100, 60-120 ms and 10-15 ms. Alone it meets MLPerf's
    # llama3.1-8b interactive limits (p99 TTFT 500 ms, TPOT 30 ms: mlcommons/inference,
    # loadgen/mlperf.conf).
    "8b-h100": _profile(30, 0.05, 12, 0.16, 16, 2),
    # The same, profile 2: 70B on 8 H100, 150-250 ms and 18-28 ms. Under full load 75 ms a token,
    # inside MLPerf's llama2-70b server limit (2000 ms, 200 ms).
    "70b-h100x8": _profile(80, 0.06, 25, 0.16, 64, 3),
    # The same, table for 405B FP8 on 8 H100: 600-1400 ms and 60-100 ms. Under full load 160 ms,
    # inside MLPerf's llama3.1-405b limit (6000 ms, 175 ms).
    "405b-h100x8": _profile(200, 0.30, 80, 0.12, 32, 2),
    # Hosted models as clients measure them (artificialanalysis.ai): GPT-4o 0.39 s and 81 tokens/s,
    # GPT-5 minimal 0.89 s and 80; the wide sigma is the bursts that remote clients see.
    "hosted-fast": _profile(400, 0.02, 13, 0.5, 256, 1.3),
    # One user's run of o3, 115 tokens/s (community.openai.com/t/1307310). Its seconds of TTFT come
    # from hidden reasoning tokens at the ITL, never from the base.
    "hosted-reasoning": _profile(900, 0.02, 8.7, 0.5, 256, 1.3),
}


def profile(spec: str) -> Profile:
    """Return a named profile, or the one in a YAML file. Raises ValueError that lists what there
    is.
    """
    if spec in PROFILES:
        return PROFILES[spec]
    if not spec.endswith((".yaml", ".yml")):
        names = ", ".join(PROFILES)
        raise ValueError(f"unknown latency {spec!r}: expected {names}, or a FILE.yaml")
    try:
        return read_profile(Path(spec).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{spec}: {error}") from None


def read_profile(text: str) -> Profile:
    """Return the profile that a YAML text describes; raises ValueError that names the key."""
    import yaml  # not needed at start-up: most servers use a named profile

    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {error}") from None
    if not isinstance(loaded, dict):
        raise ValueError(f"expected a mapping of {', '.join(_KEYS)}, got {type(loaded).__name__}")
    for key in loaded:
        if key not in _KEYS:
            raise ValueError(f"unknown key {key!r}: expected {', '.join(_KEYS)}")
    natural = PROFILES["natural"].latency
    laws = {key: read_law(loaded[key], key) for key in ("ttft", "itl", "prefill") if key in loaded}
    return Profile(natural.altered(**laws), _load(loaded))


def read_law(value: Any, key: str) -> Law:
    """Return the law that a YAML value describes; raises ValueError that begins with key."""
    try:
        match value:
            case bool():
                raise ValueError(f"{value} is not a duration")
            case int() | float() | str():
                return law(str(value))
            case {"median": median, "sigma": sigma, **rest} if not rest:
                return Lognormal(_above_zero(median), _number(sigma))
            case {"mean": mean, "cv": cv, **rest} if not rest:
                return Lognormal.of_mean(_above_zero(mean), _number(cv))
            case {"mean": mean, "deviation": deviation, **rest} if not rest:
                return Normal(seconds(str(mean)), seconds(str(deviation)))
            case {"replay": [_, *_] as recorded, **rest} if not rest:
                return Replay(tuple(seconds(str(one)) for one in recorded))
            case _:
                raise ValueError(
                    f"{value!r} is no law: write 20ms, 20ms/80ms, {{median: 20ms, sigma: 0.2}}, "
                    "{mean: 20ms, cv: 0.3}, {mean: 20ms, deviation: 4ms} or {replay: [20ms, 31ms]}"
                )
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _load(loaded: Mapping[str, Any]) -> Load:
    given = {
        key: loaded[key] for key in ("max_num_seqs", "slowdown", "chunk_tokens") if key in loaded
    }
    for key, value in given.items():
        whole = key != "slowdown"
        if (
            isinstance(value, bool)
            or not isinstance(value, int if whole else int | float)
            or value < 1
        ):
            raise ValueError(f"{key}: {value!r} is not a {'whole ' if whole else ''}number from 1")
    return Load(**given)


def _above_zero(value: Any) -> float:
    duration = seconds(str(value))
    if duration <= 0:
        raise ValueError(f"{value!r} must be above 0")
    return duration


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10:
        raise ValueError(f"{value!r} is not a number from 0 to 10")
    assert isfinite(value)
    return float(value)
