"""What a reply consists of, seen from outside: a closed union of small frozen events.

Every endpoint reads this one stream, and none of them knows predictors.
"""

import json
from dataclasses import dataclass
from typing import Literal

from tokenlap.engine.predictor import Candidate
from tokenlap.engine.tokenizer import TokenId
from tokenlap.engine.trace import Roll

Channel = Literal["content", "reasoning", "refusal"]
"""Where text goes: the answer, the thinking before it, or the words that decline it."""
FinalReason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class Score:
    """A token with the model's own natural-log probability, and the most likely candidates of its
    lap.
    """

    token: TokenId
    logprob: float
    top: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class LapTrace:
    """One lap laid open: its number in the reply (from 1), its token, its roll, and why the reply
    ended, if it did.
    """

    lap: int
    token: TokenId
    roll: Roll
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """Whole characters of one channel; `escaped` is the same text as it stands inside a JSON
    string, in ASCII.

    scores: the tokens behind it, where logprobs were asked for; laps: all laps since the last
    event, where traced.
    """

    text: str
    escaped: bytes
    channel: Channel = "content"
    scores: tuple[Score, ...] = ()
    laps: tuple[LapTrace, ...] = ()


class PlainText(Text):
    """Text of the answer of which nothing more is to say, told by its type: the usual case."""

    __slots__ = ()

    def __init__(self, text: str, escaped: bytes) -> None:
        """Take whole characters, plain and escaped."""
        super().__init__(text, escaped)


Run = tuple[PlainText, ...]
"""Plain texts in a row."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call begins; its arguments follow. index counts the calls of a reply from 0."""

    index: int
    name: str
    laps: tuple[LapTrace, ...] = ()


@dataclass(frozen=True, slots=True)
class Arguments:
    """A piece of the arguments of the call with this index."""

    index: int
    text: str
    escaped: bytes
    laps: tuple[LapTrace, ...] = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """The reply has ended. tokens: generated, reasoning included, the end token not (as the
    platform counts).
    """

    reason: FinalReason
    tokens: int
    reasoning_tokens: int = 0
    laps: tuple[LapTrace, ...] = ()


Event = Text | ToolCall | Arguments | Finish


def escape(text: str) -> bytes:
    """Return text as it stands inside a JSON string: ASCII, so no reader can mistake U+2028 for a
    line end.
    """
    return json.dumps(text)[1:-1].encode("ascii")
