"""The typed chunks of a chat completion: the engine's events, an opening for the role, an id for
each tool call.
"""

from dataclasses import dataclass
from typing import Literal

from tokenlap.engine.event import Arguments, Event, Finish, LapTrace, Run, Text, ToolCall

Kind = Literal["content", "refusal", "neither"]


@dataclass(frozen=True, slots=True)
class OpenedCall:
    """A tool call begins; id is `call_` and 24 more characters, index counts from 0."""

    index: int
    id: str
    name: str
    laps: tuple[LapTrace, ...] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """A choice begins: its role, before anything else. kind: what its first event is; call: one
    that opens together with the choice.
    """

    kind: Kind
    call: OpenedCall | None = None


Said = Text | OpenedCall | Arguments | Finish
ChatEvent = Said | Opening | Run
ChatChunk = tuple[int, ChatEvent]
"""Which choice, and what happened to it. Of a run each text is a chunk of its own on the wire."""


def opening(first: Event) -> Kind:
    """Return how a choice opens whose first event this is: reasoning may yet be followed by a
    call.
    """
    match first:
        case ToolCall() | Arguments() | Text(channel="reasoning"):
            return "neither"
        case Text(channel="refusal"):
            return "refusal"
        case _:
            return "content"
