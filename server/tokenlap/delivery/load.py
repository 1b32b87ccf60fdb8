"""How requests slow each other down: a continuous-batching engine, one step a token.

All running sequences take part in every step, so the step's time is everybody's ITL:

    step = ITL * f(r) + min(chunk, what is left of the prefill in progress)
    f(r) = 1 + (slowdown - 1) * (r - 1) / (max_num_seqs - 1)

r: running sequences; chunk: the time of the `chunk_tokens` prompt tokens that are computed beside
the decoding of each step (chunked prefill, as vLLM does it). Throughput r / (ITL * f(r)) grows with
r until max_num_seqs, the knee; what comes on top of that waits (queue.py), and only latency grows.
f and the prefill are read at each lap, since others come and go.
Source: llm-d-inference-sim (time factor under load), vLLM's scheduler (token budget), OPS 2.1-2.3.
Differences from an engine: a prefill takes (base + prefill * tokens) * f(r) of its own, however
many run beside it; the cost of the context's length in decoding is left out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tokenlap.delivery.latency import Latency


@dataclass(frozen=True, slots=True)
class Load:
    """What an engine can carry.

    max_num_seqs: sequences that run at once, None for any number; slowdown: how much slower a step
    is when all of them run, >= 1; chunk_tokens: prompt tokens computed beside each step.
    """

    max_num_seqs: int | None = None
    slowdown: float = 1.0
    chunk_tokens: int = 512

    def factor(self, running: int) -> float:
        """Return f(r), 1 for a sequence that runs alone."""
        if self.max_num_seqs is None or self.max_num_seqs == 1:
            return 1.0
        return 1 + (self.slowdown - 1) * (running - 1) / (self.max_num_seqs - 1)


UNLIMITED = Load()


class Batch:
    """The sequences that an engine runs now, and how long their steps take."""

    def __init__(self, load: Load, now: Callable[[], float]) -> None:
        """now: the clock that paces, in seconds."""
        self.load = load
        self.running = 0
        self._now = now
        self._prefilling_until = 0.0
        self._chunk = 0.0  # seconds that the prefill in progress adds to a step

    def fits(self, sequences: int) -> bool:
        """Whether so many more may run."""
        limit = self.load.max_num_seqs
        return limit is None or self.running + min(sequences, limit) <= limit

    def waits(self, latency: Latency, seed: int, uncached_tokens: int) -> Iterator[float]:
        """Yield the wait before each lap of a sequence that runs now, the first from now on."""
        if self.load.max_num_seqs is None:
            return latency.waits(seed, uncached_tokens)  # nobody slows anybody down
        return self._steps(*latency.drawn(seed), uncached_tokens)

    def _steps(
        self, base: float, prefill: float, itls: Iterator[float], tokens: int
    ) -> Iterator[float]:
        factor = self.load.factor(self.running)
        self._prefill(prefill * tokens * factor, prefill * self.load.chunk_tokens)
        yield (base + prefill * tokens) * factor
        for itl in itls:
            left = self._prefilling_until - self._now()
            chunk = min(self._chunk, left) if left > 0 else 0.0
            yield itl * self.load.factor(self.running) + chunk

    def _prefill(self, duration: float, chunk: float) -> None:
        """Let the steps that begin in the next `duration` seconds be longer by up to `chunk`."""
        ends = self._now() + duration
        if ends > self._prefilling_until:
            self._prefilling_until, self._chunk = ends, chunk
