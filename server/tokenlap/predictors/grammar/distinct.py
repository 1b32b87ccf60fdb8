"""`uniqueItems`: places of an array whose shapes have no value in common."""

from collections.abc import Sequence
from dataclasses import replace
from math import floor

from tokenlap.predictors.grammar.shape import (
    Fixed,
    Member,
    Number,
    Record,
    Shape,
    Text,
    alternatives,
    either,
)

_FIRST_LETTERS = {
    1: ("",),
    2: ("^[a-lA-L]", "^[m-zM-Z]"),
    3: ("^[a-hA-H]", "^[i-pI-P]", "^[q-zQ-Z]"),
    4: ("^[a-fA-F]", "^[g-lG-L]", "^[m-rM-R]", "^[s-zS-Z]"),
    5: ("^[a-dA-D]", "^[e-iE-I]", "^[j-nJ-N]", "^[o-rO-R]", "^[s-zS-Z]"),
}
_LISTED = 200
"""How many integers are told apart one by one; more than these by ranges."""


def split(shape: Shape, parts: int) -> Sequence[Shape]:
    """Return shapes within shape that share no value, `parts` of them or as many as can be told
    apart.

    Example: integers from 0 to 99 in 2 parts -> 0 to 49 and 50 to 99
    """
    if parts <= 1:
        return (shape,)
    offered = alternatives(shape)
    if len(offered) > 1:
        return _split_alternatives(offered, parts)
    match shape:
        case Fixed(texts):
            parts = min(parts, len(texts))
            return [replace(shape, texts=texts[i::parts]) for i in range(parts)]
        case Number():
            return _split_number(shape, parts)
        case Text():
            return _split_text(shape, parts) if shape.most else (shape,)
        case Record(members):
            return _split_record(shape, members, parts)
        case _:
            return (shape,)


def _split_alternatives(offered: Sequence[Shape], parts: int) -> Sequence[Shape]:
    """Keep the types apart; alternatives of one type may overlap and stay together."""
    by_type: dict[str, list[Shape]] = {}
    for shape in offered:
        by_type.setdefault(_type(shape), []).append(shape)
    if "mixed" in by_type:
        return (either(tuple(offered)),)
    groups = [either(tuple(group)) for group in by_type.values()]
    if len(groups) >= parts or len(alternatives(groups[0])) > 1:
        return groups[:parts]
    return [*split(groups[0], parts - len(groups) + 1), *groups[1:]]


def _type(shape: Shape) -> str:
    """Return a name for the type of a shape, "mixed" for fixed values of several types."""
    if not isinstance(shape, Fixed):
        return type(shape).__name__
    if all(text.startswith('"') for text in shape.texts):
        return "Text"
    constants = all(text in ("null", "true", "false") for text in shape.texts)
    return "constants" if constants else "mixed"


def _split_number(shape: Number, parts: int) -> Sequence[Shape]:
    width = shape.high - shape.low
    if shape.integer:
        step = max(shape.step, 1)
        if width <= _LISTED * step:
            values = range(int(-(-shape.low // step) * step), int(shape.high) + 1, step)
            return split(Fixed(tuple(map(str, values)), shape.note), parts) if values else ()
        parts = min(parts, int(width // (2 * step)) + 1)
        cuts = [floor(shape.low + width * i / parts) for i in range(1, parts)]
        lows, highs = [shape.low, *(cut + 1 for cut in cuts)], [*cuts, shape.high]
        return [replace(shape, low=a, high=b) for a, b in zip(lows, highs, strict=True)]
    if width <= 0 or shape.step:
        return (shape,)
    points = [round(shape.low + width * i / parts, 3) for i in range(1, parts)]
    if len({shape.low, *points, shape.high}) < parts + 1:
        return (shape,)
    found: list[Shape] = []
    for i, (low, high) in enumerate(zip([shape.low, *points], [*points, shape.high], strict=True)):
        opened = shape.open_low if i == 0 else True
        found.append(replace(shape, low=low, high=high, open_low=opened))
    return found


def _split_text(shape: Text, parts: int) -> Sequence[Shape]:
    """Split by first letter; a text with a pattern or a format of its own stays whole."""
    if shape.patterns:
        return (shape,)
    letters = _FIRST_LETTERS[min(parts, max(_FIRST_LETTERS))]
    return [replace(shape, patterns=(first,), least=max(shape.least, 1)) for first in letters]


def _split_record(shape: Record, members: Sequence[Member], parts: int) -> Sequence[Shape]:
    """Split by the required member that can be told apart best."""
    best: Sequence[Shape] = (shape,)
    for i, member in enumerate(members):
        if member.required and len(best) < parts:
            found = split(member.shape, parts)
            if len(found) > len(best):
                best = [
                    replace(
                        shape,
                        members=(
                            *members[:i],
                            Member(member.name, other, True),
                            *members[i + 1 :],
                        ),
                    )
                    for other in found
                ]
    return best
