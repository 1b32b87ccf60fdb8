"""Numbers worth writing: those of the conversation, those usual for the name, and a spread between
the bounds.
"""

import json
from collections.abc import Mapping, Sequence

from tokenlap.predictors.grammar.facts import Facts
from tokenlap.predictors.grammar.shape import Number
from tokenlap.predictors.grammar.steer import split_name
from tokenlap.predictors.ngram.words import split_words

_USUAL: Mapping[str, Sequence[float]] = {
    "year years": (2026, 2025, 2027, 2024),
    "age": (25, 31, 42, 57),
    "temperature temp degrees": (18, 21.5, 12, 24),
    "humidity percent percentage": (45, 60, 72.5, 30),
    "price cost amount total subtotal sum budget": (19.99, 42.5, 8, 120),
    "salary income revenue": (52000, 48000, 61500),
    "rating stars": (4, 5, 3, 4.5),
    "score": (0.9, 8, 85, 7.5, 0.75),
    "confidence probability likelihood ratio fraction": (0.9, 0.85, 0.7, 0.95),
    "latitude lat": (52.52, 38.72, 59.91),
    "longitude lon lng": (13.4, -9.14, 10.75),
    "population": (8400, 2500, 9100),
    "duration minutes": (30, 45, 60, 15),
    "hours hour": (2, 8, 12),
    "days day": (3, 7, 2, 5),
    "month": (12, 3, 6),
    "height width length distance weight size": (1.75, 12, 20.5, 80),
    "port": (8080, 8000, 443),
    "id number": (7, 42, 101),
    "speed": (50, 30, 12.5),
}
_SMALL: Sequence[float] = (3, 1, 2, 5, 4)
"""What is counted is few."""


def is_counted(words: Sequence[str]) -> bool:
    """Say whether the words of a name mean a number."""
    known = {word for triggers in _USUAL for word in triggers.split()} | {"count", "quantity"}
    return bool(known.intersection(words) - {"id", "number"})


def numbers(name: str, shape: Number, facts: Facts, index: int) -> list[tuple[str, float]]:
    """Return JSON texts of numbers within shape, with their weights.

    index: how many numbers the same record has already; the n-th takes the n-th mentioned.
    """
    found: dict[str, float] = {}
    mentioned = facts.numbers[index:] + facts.numbers[:index][::-1]
    for rank, text in enumerate(mentioned[:4]):
        _offer(found, float(text), shape, 1000.0 / 30**rank)
    for value in _usual(name, shape):
        _offer(found, value, shape, 1.0)
    if not found:
        for value in _spread(shape):
            _offer(found, value, shape, 1.0)
    return list(found.items())


def _usual(name: str, shape: Number) -> Sequence[float]:
    said = [*split_name(name), *split_words(shape.note.description)[:8]]
    for word in said:
        for triggers, values in _USUAL.items():
            if word in triggers.split():
                return values
    return _SMALL


def _spread(shape: Number) -> Sequence[float]:
    """Return a few numbers from one bound to the other, near the lower one first."""
    step = float(shape.step or (1 if shape.integer else 0))
    width = shape.high - shape.low
    if step:
        places = (0, 1, 2, width // step // 2, width // step)
        return [shape.low + place * step for place in places]
    return [*(shape.low + width * part for part in (0.5, 0.25, 0.75, 0.1)), shape.low, shape.high]


def _offer(found: dict[str, float], value: float, shape: Number, weight: float) -> None:
    """Add the nearest number of the shape's kind, if it lies within the bounds."""
    if shape.integer and value != int(value):
        return
    written = round(value, 2) if shape.high - shape.low > 1 else round(value, 6)
    for candidate in dict.fromkeys((written, value)):
        below = candidate < shape.low or (shape.open_low and candidate == shape.low)
        above = candidate > shape.high or (shape.open_high and candidate == shape.high)
        if not below and not above and not (shape.step and candidate % shape.step):
            found.setdefault(_text(candidate), weight)
            return


def _text(value: float) -> str:
    return json.dumps(int(value) if value == int(value) and abs(value) < 2**63 else value)
