"""One request being answered, seen from outside: what the access line, the live tap and /health
tell of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tokenlap.engine.batch import Lap
from tokenlap.engine.event import Event, Finish

Ending = Literal["end", "length", "client left", "shutdown", "cancelled", "error"]


@dataclass(slots=True, eq=False)
class Call:
    """A request on its way; times are seconds on the server's clock.

    queued: seconds spent waiting for a slot; first: when the first lap left; key: the last
    characters of the API key; endings: of how many choices the last lap has left.
    """

    id: str
    endpoint: str
    stream: bool
    model: str
    prompt_tokens: int
    key: str
    arrived: float
    queued: float = 0.0
    first: float | None = None
    finished: float | None = None
    laps: int = 0
    tokens: int = 0
    ending: Ending | None = None
    endings: int = 0

    def lapped(self, laps: Sequence[Lap]) -> None:
        """Count laps that leave now."""
        self.laps += len(laps)
        last = laps[-1]
        if len(last) == 1:  # nothing follows the end of an only choice
            self._written(last[0])
            return
        for lap in laps:
            for events in lap:
                self._written(events)

    def _written(self, events: Sequence[Event]) -> None:
        if events and type(last := events[-1]) is Finish:
            self.endings += 1
            self.tokens += last.tokens
            self.ending = "length" if last.reason == "length" else "end"

    @property
    def ttft(self) -> float | None:
        """Seconds from arrival to the first lap, None before it."""
        return None if self.first is None else self.first - self.arrived

    @property
    def rate(self) -> float | None:
        """Laps a second after the first one, None where there is no telling."""
        if (
            self.first is None
            or self.finished is None
            or self.laps < 2
            or self.finished <= self.first
        ):
            return None
        return (self.laps - 1) / (self.finished - self.first)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that was answered without a lap: an error, a list of models.

    total: seconds from arrival to the end; message: what was wrong, "" for nothing.
    """

    method: str
    path: str
    status: int
    total: float
    message: str = ""


class Observer(Protocol):
    """Whoever wants to see calls as they happen; called on the event loop, so it must be quick."""

    def began(self, call: Call) -> None:
        """Learn of a call whose loop is about to turn."""

    def lapped(self, call: Call, laps: Sequence[Lap]) -> None:
        """See laps at the moment they leave, streaming or not."""

    def ended(self, call: Call) -> None:
        """Learn how a call ended."""

    def answered(self, exchange: Exchange) -> None:
        """Learn of a request that was answered without a lap."""


@dataclass(slots=True)
class Calls:
    """The calls in flight, and who watches them."""

    now: Callable[[], float]
    observers: Sequence[Observer] = ()
    flying: set[Call] = field(default_factory=set)

    def begin(self, call: Call) -> None:
        """Add a call."""
        self.flying.add(call)
        for observer in self.observers:
            observer.began(call)

    def lapped(self, call: Call, laps: Sequence[Lap]) -> None:
        """Count laps, and show them."""
        if call.first is None:
            call.first = self.now()
        call.lapped(laps)
        for observer in self.observers:
            observer.lapped(call, laps)

    def end(self, call: Call, ending: Ending | None = None) -> None:
        """Remove a call; ending where its laps do not tell."""
        if call not in self.flying:
            return
        self.flying.discard(call)
        call.finished = self.now()
        call.ending = ending or call.ending or "end"
        for observer in self.observers:
            observer.ended(call)

    def answered(self, exchange: Exchange) -> None:
        """Tell of a request that was answered without a lap."""
        for observer in self.observers:
            observer.answered(exchange)
