"""How long a lap takes: laws of latency, in seconds, drawn from a request's own seed.

    TTFT = queue (queue.py) + base + prefill per uncached prompt token; then one ITL a lap

A law is a number (constant), or a distribution. Its draws come from a die of its own, seeded by the
request's seed: the same request waits the same times, and no token depends on them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, repeat
from math import cos, exp, inf, log, pi, sqrt
from typing import assert_never

from tokenlap.engine.dice import Dice, mixed_seed

_PER_SECOND = {"us": 1e6, "ms": 1e3, "s": 1.0, "m": 1 / 60}
_DURATION = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(us|ms|s|m)?")
_Z99 = 2.3263478740408408
"""The 99th percentile of the standard normal distribution."""
_WAITS = 0x77616974
"""Sets the die of the waits apart from those of the choices, which mix in 1, 2, 3 ..."""
LONGEST = 3600.0
"""The longest duration that may be asked for, in seconds."""


@dataclass(frozen=True, slots=True)
class Normal:
    """A bell curve of this mean and standard deviation, truncated at 0 (a draw below it is drawn
    again).
    """

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Lognormal:
    """A skewed bell: half of the draws are above median; sigma is the deviation of their natural
    log.

    low, high: draws outside these multiples of the median are drawn again.
    """

    median: float
    sigma: float
    low: float = 0.0
    high: float = inf

    @property
    def mean(self) -> float:
        """The mean before low and high cut it."""
        return self.median * exp(self.sigma**2 / 2)

    @classmethod
    def of_mean(cls, mean: float, cv: float) -> "Lognormal":
        """Return the law whose mean is preserved. cv: standard deviation / mean, >= 0."""
        variance = log(1 + cv * cv)
        return cls(mean * exp(-variance / 2), sqrt(variance))

    @classmethod
    def of_percentiles(cls, p50: float, p99: float) -> "Lognormal":
        """Return the law with this median and 99th percentile, 0 < p50 <= p99."""
        return cls(p50, log(p99 / p50) / _Z99)


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded list, in its order, from the beginning again after its end; not empty."""

    recorded: tuple[float, ...]


Law = float | Normal | Lognormal | Replay
"""How a duration is drawn; a number is always itself."""


class Noise:
    """Standard normal draws, one after the other, each a pure function of (seed, how many before
    it).
    """

    def __init__(self, seed: int) -> None:
        """Take the request's seed."""
        self._roll = Dice(mixed_seed(seed, _WAITS)).roll
        self._drawn = 0

    def normal(self) -> float:
        """Return the next draw.

        Source: Box and Muller 1958, doi:10.1214/aoms/1177706645.
        """
        u, v = self._roll(self._drawn), self._roll(self._drawn + 1)
        self._drawn += 2
        return sqrt(-2 * log(1 - u)) * cos(2 * pi * v)


def draws(law: Law, noise: Noise) -> Iterator[float]:
    """Yield durations of a law, in seconds, without end."""
    match law:
        case Normal(mean, deviation):
            while True:
                drawn = mean + deviation * noise.normal()
                if drawn >= 0:
                    yield drawn
        case Lognormal(median, sigma, low, high):
            while True:
                multiple = exp(sigma * noise.normal())
                if low <= multiple <= high:
                    yield median * multiple
        case Replay(recorded):
            while True:
                yield from recorded
        case float() | int():
            yield from repeat(law)
        case _:
            assert_never(law)


@dataclass(frozen=True, slots=True)
class Latency:
    """The latency of a request: three laws, all in seconds.

    ttft: the base of the time to the first token; itl: between tokens; prefill: for each prompt
    token that no cache holds.
    """

    ttft: Law
    itl: Law
    prefill: Law = 0.0

    @property
    def immediate(self) -> bool:
        """Whether nothing ever waits."""
        return self.ttft == 0 and self.itl == 0 and self.prefill == 0

    def waits(self, seed: int = 0, uncached_tokens: int = 0) -> Iterator[float]:
        """Yield the wait before each lap, the first counted from the moment the prompt is read.

        uncached_tokens: how much of the prompt must be computed.
        """
        base, prefill, itl = self.drawn(seed)
        return chain((base + prefill * uncached_tokens,), itl)

    def drawn(self, seed: int) -> tuple[float, float, Iterator[float]]:
        """Return what a seed draws: the base, the prefill time of one token, and the ITLs."""
        if type(self.ttft) is type(self.prefill) is type(self.itl) is float:
            return self.ttft, self.prefill, repeat(self.itl)  # the usual case costs no die
        noise = Noise(seed)
        return (
            next(draws(self.ttft, noise)),
            next(draws(self.prefill, noise)),
            draws(self.itl, noise),
        )

    def altered(
        self, ttft: Law | None = None, itl: Law | None = None, prefill: Law | None = None
    ) -> "Latency":
        """Return this latency with the laws that are given in place of its own."""
        given = {"ttft": ttft, "itl": itl, "prefill": prefill}
        return replace(self, **{name: law for name, law in given.items() if law is not None})


NONE = Latency(0.0, 0.0)


def seconds(text: str) -> float:
    """Read a duration such as `200ms`, `1.5s`, `50us`, `2m` or a bare number of seconds.

    Raises ValueError that shows what would be right.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a duration; write it like 200ms, 1.5s or 0")
    duration = float(match[1]) / _PER_SECOND[match[2] or "s"]
    if duration > LONGEST:
        raise ValueError(f"{text!r} is longer than an hour")
    return duration


def law(text: str) -> Law:
    """Read a law: one duration (`20ms`, constant), or median and 99th percentile (`20ms/80ms`,
    lognormal).

    Raises ValueError that shows what would be right.
    """
    p50, slash, p99 = text.partition("/")
    if not slash:
        return seconds(p50)
    median, high = seconds(p50), seconds(p99)
    if not 0 < median <= high:
        raise ValueError(
            f"{text!r} is not p50/p99: the median must be above 0 and at most the 99th percentile, "
            "as in 20ms/80ms"
        )
    return Lognormal.of_percentiles(median, high)
