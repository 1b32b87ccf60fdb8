"""What the turns of a conversation tell a plan: what is asked, what was called since, what came
back.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tokenlap.engine.template import Turn

_OBSERVED, _CALLING = "Observation:", "Calling tools:"
_CALLED = re.compile(r"['\"]name['\"]: ['\"]([\w-]+)['\"]")
_MOST_READ = 10_000
_MOST_TOLD = 300
_MOST_PAIRS = 12


@dataclass(frozen=True)
class Conversation:
    """A conversation, seen from its last user turn."""

    turns: Sequence[Turn]

    @cached_property
    def asked(self) -> str:
        """The text of the last user turn, "" where there is none."""
        return next((turn.body for turn in reversed(self.turns) if _asks(turn)), "")

    @cached_property
    def system(self) -> str:
        """The system turns, as one text."""
        return "\n".join(turn.body for turn in self.turns if _role(turn) == "system")

    @cached_property
    def since(self) -> Sequence[Turn]:
        """The turns after the last user turn."""
        last = max((i for i, turn in enumerate(self.turns) if _asks(turn)), default=-1)
        return self.turns[last + 1 :]

    @cached_property
    def called(self) -> Sequence[str]:
        """The names of the tools that were called since, in order."""
        names = [word[3:] for t in self.since for word in t.header.split() if word[:3] == "to="]
        written = [t.body for t in self.since if t.body.startswith(_CALLING)]
        return names + [name for body in written for name in _CALLED.findall(body[:_MOST_READ])]

    @cached_property
    def results(self) -> Sequence[str]:
        """What tools have answered since."""
        observed = [t.body.removeprefix(_OBSERVED).strip() for t in self.since if _observes(t)]
        return [t.body for t in self.since if _role(t) in ("tool", "function")] + observed

    def asking(self, question: str) -> "Conversation":
        """Return the conversation with another text as its last user turn."""
        turns = list(self.turns)
        last = max((i for i, turn in enumerate(turns) if _asks(turn)), default=None)
        if last is not None:
            turns[last] = Turn(turns[last].header, question)
        return Conversation(turns)

    @cached_property
    def told(self) -> str:
        """What tools have answered since, in words that fit into a sentence; "" for nothing."""
        return "; ".join(filter(None, (told(result) for result in self.results)))[:_MOST_TOLD]


def told(result: str) -> str:
    """Return a tool's answer in words: a JSON object as its pairs, any other text as it is.

    Example: {"temp_c": 18, "sky": "clear"} -> "temp c: 18, sky: clear"
    """
    try:
        value = json.loads(result)
    except ValueError:
        value = result
    text = _words(value)
    if len(text) > _MOST_TOLD:
        text = text[:_MOST_TOLD].rstrip() + "\u2026"
    return " ".join(text.split()).rstrip(". ")


def _words(value: object) -> str:
    match value:
        case dict():
            pairs = list(value.items())[:_MOST_PAIRS]
            return ", ".join(f"{str(key).replace('_', ' ')}: {_words(v)}" for key, v in pairs)
        case list():
            return ", ".join(_words(part) for part in value[:_MOST_PAIRS])
        case str():
            return value
        case _:
            return json.dumps(value)


def _asks(turn: Turn) -> bool:
    return _role(turn) == "user" and not _observes(turn)


def _observes(turn: Turn) -> bool:
    """Say whether a user turn only brings a tool's answer, as agents that speak in text send it."""
    return _role(turn) == "user" and turn.body.startswith(_OBSERVED)


def _role(turn: Turn) -> str:
    return turn.header.split(" ")[0]
