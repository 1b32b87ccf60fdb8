"""How long a lap takes: time to first token and inter-token latency, in seconds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s|m)?")


@dataclass(frozen=True, slots=True)
class Latency:
    """A law of latency. ttft: seconds from arrival to the first token; itl: seconds between tokens;
    both >= 0.
    """

    ttft: float
    itl: float

    @property
    def immediate(self) -> bool:
        """Whether nothing ever waits."""
        return self.ttft == 0 and self.itl == 0

    def waits(self) -> Iterator[float]:
        """Yield the wait before each lap, the first one counted from the arrival of the request."""
        yield self.ttft
        while True:
            yield self.itl


NONE = Latency(0.0, 0.0)
PROFILES = {"natural": Latency(0.2, 0.02), "none": NONE}


def seconds(text: str) -> float:
    """Read a duration such as `200ms`, `1.5s`, `50us`, `2m` or a bare number of seconds.

    Raises ValueError that shows what would be right.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a duration; write it like 200ms, 1.5s or 0")
    return float(match[1]) * _UNITS[match[2] or "s"]
