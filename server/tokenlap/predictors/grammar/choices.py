"""What a value that begins may be: complete JSON texts with their weights, or the first sign of one
that is written freely.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokenlap.predictors.grammar.cursor import Cursor, Frame
from tokenlap.predictors.grammar.facts import Facts
from tokenlap.predictors.grammar.numbers import numbers
from tokenlap.predictors.grammar.shape import (
    NO_NOTE,
    Fixed,
    Items,
    Note,
    Number,
    Record,
    Shape,
    Text,
)
from tokenlap.predictors.grammar.steer import is_prose, mentioned, texts

SHORTEST_PROSE = 60
"""The least room, in characters, for which sentences are written."""
_NULL_SHARE = 0.15
_MENTIONED = 50.0
_FAR_AHEAD = 30.0
_MORE, _ENOUGH = 0.95, 0.03
_USUAL_MORE = (0.8, 0.45, 0.2)
"""How likely an array goes on: while something mentioned is missing, when nothing is, and after so
many elements where nothing was mentioned.
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """A JSON text that may be written from the present value's beginning. open: it only begins the
    value.
    """

    text: bytes
    weight: float
    open: bool = False


@dataclass(frozen=True, slots=True)
class Chooser:
    """Knows what a conversation mentions, and what values of a name look like."""

    facts: Facts

    def choices(self, cursor: Cursor) -> Sequence[Choice]:
        """Return what the present value may be; an element of an array differs from those before,
        where it can.
        """
        frame = cursor.frame
        found = [one for shape in cursor.shapes for one in self._of_shape(shape, cursor)]
        if frame is None or not frame.is_array:
            return found
        return [one for one in found if one.open or one.text not in frame.used] or found

    def more(self, frame: Frame) -> float:
        """Return how likely an array goes on after a complete element."""
        notes = [part.note for part in frame.elements() if isinstance(part, Text)]
        known = [text for note in notes for text in mentioned(frame.key, note, self.facts)]
        if known:
            missing = any(quoted(text).encode() not in frame.used for text in known)
            return _MORE if missing else _ENOUGH
        return _USUAL_MORE[min(frame.seen - 1, 2)]

    def _of_shape(self, shape: Shape, cursor: Cursor) -> Iterable[Choice]:
        frame, name = cursor.frame, cursor.name
        match shape:
            case Fixed(fixed, note):
                yield from self._fixed(fixed, name, note)
            case Number():
                offered = numbers(name, shape, self.facts, frame.numbers if frame else 0)
                yield from _scaled(self._known(name, shape.note), offered)
            case Text():
                yield from self._text(shape, name, frame)
            case Record():
                yield Choice(b"{", 1.0, open=True)
            case Items():
                yield Choice(b"[", 1.0, open=True)

    def _fixed(self, fixed: Sequence[str], name: str, note: Note) -> Iterable[Choice]:
        known = self._known(name, note)
        for text in fixed:
            weight = (_NULL_SHARE if text == "null" else 1.0) / len(fixed)
            weight *= 1.5 if text == "true" else 1.0
            if text in known or (text[:1] == '"' and self.facts.mentions(text)):
                weight *= _MENTIONED
            yield Choice(text.encode(), weight)

    def _text(self, shape: Text, name: str, frame: Frame | None) -> Iterable[Choice]:
        """Yield short texts of the right length, or the beginning of sentences."""
        owner = _owner(frame)
        listed = frame is not None and frame.is_array
        known = [text for text in self._known(name, shape.note) if text.startswith('"')]
        prosaic = is_prose(name, shape.note, owner) and not shape.patterns
        if prosaic and shape.most >= SHORTEST_PROSE:
            known += [quoted(self.facts.summary)] if self.facts.summary else []
            yield from _scaled(known, ()) if known else (Choice(b'"', 1.0, open=True),)
            return
        offered = [
            (quoted(text), weight)
            for text, weight in texts(name, shape.note, owner, self.facts, listed=listed)
            if shape.least <= len(text) <= shape.most
        ]
        yield from _scaled(known, offered)
        if not known and not offered:
            yield Choice(b'"', 1.0, open=not shape.patterns)

    def _known(self, name: str, note: Note) -> Sequence[str]:
        """Return values that are known for a property: from a tool's result, or the schema."""
        plain = name.lower()
        results = self.facts.results or {}
        found = results.get(plain) or results.get(plain.replace("_", "")) or ()
        return (*found[:3], *note.examples[:4])


def _owner(frame: Frame | None) -> Note:
    """Return what is said of the object that a value belongs to, else the name of its property."""
    if frame is None or not frame.records:
        return NO_NOTE
    note = frame.records[0].note
    return note if note.title else Note(frame.owner)


def quoted(text: str) -> str:
    """Return a text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)


def _scaled(known: Sequence[str], offered: Sequence[tuple[str, float]]) -> Iterable[Choice]:
    """Yield known texts far ahead of the offered ones; together they weigh 1."""
    weights = dict(offered)
    best = max(weights.values(), default=1.0)
    for rank, text in enumerate(known):
        weights[text] = best * _FAR_AHEAD ** (1 - rank)
    total = sum(weights.values())
    for text, weight in weights.items():
        yield Choice(text.encode(), weight / total)
