"""Strings and numbers against a schema: which of their values it names, bounds out, or leaves."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import floor

from tokenlap.predictors.grammar.matcher import satisfiable
from tokenlap.predictors.grammar.patterns import occurs
from tokenlap.predictors.grammar.shape import Fixed, Items, Json, Number, Record, Shape, Text

_WORDS = ("blue", "river", "garden", "lamp", "7", "42", "A1", "x-9", "Hello", "World")


def samples(shape: Text | Number) -> Fixed | None:
    """Return some values of a shape, None where none of those tried is one."""
    if isinstance(shape, Number):
        spread = (shape.high - shape.low) / 60
        whole = [floor(shape.low) + i for i in range(40)]
        whole += [floor(shape.low + i * spread) for i in range(60)]
        tried: list[Json] = whole if shape.integer else [*whole, *(n + 0.5 for n in whole)]
        tried = [n for n in tried if not (shape.open_low and n == shape.low)]
        tried = [n for n in tried if not (shape.open_high and n == shape.high)]
        tried = [n for n in tried if not shape.step or n % shape.step == 0]
    else:
        tried = [*_WORDS, *(word * 8 for word in _WORDS), "".join(_WORDS)]
        if any(occurs(pattern, "") is None for pattern in shape.patterns):
            return None
    texts = [json.dumps(value) for value in tried if possible(value, shape)]
    return Fixed(tuple(dict.fromkeys(texts)), shape.note) if texts else None


def examples(shape: Shape) -> tuple[Json, ...]:
    """Return a value of each type that a shape may have."""
    match shape:
        case Text():
            return ("",)
        case Number(integer=True):
            return (1,)
        case Number():
            return (1, 0.5)
        case Record():
            return ({},)
        case _:
            return ([],)


def possible(value: Json, shape: Shape) -> bool:
    """Say whether a value may be one of shape's."""
    match shape:
        case Text(patterns, least, most):
            if not isinstance(value, str) or not least <= len(value) <= most:
                return False
            return all(occurs(pattern, value) is not False for pattern in patterns)
        case Number(low, high):
            return _is_number(value) and bool(low <= value <= high)
        case Items():
            return isinstance(value, list)
        case _:
            return isinstance(value, Mapping)


def out_of_bounds(shape: Number, raw: Mapping[str, Json]) -> bool:
    """Say whether the bounds of raw rule out every number of shape."""
    below = [raw["minimum"]] if "minimum" in raw else []
    above = [raw["maximum"]] if "maximum" in raw else []
    under = [raw[k] for k in ("exclusiveMinimum",) if _is_number(raw.get(k))]
    over = [raw[k] for k in ("exclusiveMaximum",) if _is_number(raw.get(k))]
    high, low = shape.high, shape.low
    return (
        any(high < bound or (shape.open_high and high == bound) for bound in below)
        or any(low > bound or (shape.open_low and low == bound) for bound in above)
        or any(high <= bound for bound in under)
        or any(low >= bound for bound in over)
    )


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def other_texts(shape: Text, view: Mapping[str, Json]) -> Iterable[Text]:
    """Return the texts longer than those that a schema names, and those outside its lengths."""
    named = view.get("enum", [view["const"]] if "const" in view else [])
    lengths = [len(value) for value in named if isinstance(value, str)]
    longer = [max(lengths) + 1] if lengths else []
    longer += [view["maxLength"] + 1] if "maxLength" in view else []
    found = [replace(shape, least=max(shape.least, least)) for least in longer]
    if view.get("minLength", 0) > shape.least:
        found.append(replace(shape, most=min(shape.most, view["minLength"] - 1)))
    possible_ones = (one for one in found if one.least <= one.most)
    return [one for one in possible_ones if not one.patterns or not satisfiable(one)]


def other_numbers(shape: Number, view: Mapping[str, Json]) -> Iterable[Number]:
    """Return the numbers above, and those below, what a schema names."""
    named = [value for value in view.get("enum", [view.get("const")]) if _is_number(value)]
    highest = [
        *named,
        *(view[k] for k in ("maximum", "exclusiveMaximum") if _is_number(view.get(k))),
    ]
    lowest = [
        *named,
        *(view[k] for k in ("minimum", "exclusiveMinimum") if _is_number(view.get(k))),
    ]
    step = 1 if shape.integer else 0
    found = []
    if highest:
        low = max(shape.low, max(highest) + step)
        found.append(replace(shape, low=low, open_low=not step or shape.open_low))
    if lowest:
        high = min(shape.high, min(lowest) - step)
        found.append(replace(shape, high=high, open_high=not step or shape.open_high))
    return [one for one in found if not _is_empty(one)]


def _is_empty(shape: Number) -> bool:
    """Say whether the bounds of a number leave nothing."""
    if shape.low == shape.high:
        return shape.open_low or shape.open_high
    return shape.low > shape.high
