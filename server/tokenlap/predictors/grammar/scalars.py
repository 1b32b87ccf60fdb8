"""Strings and numbers of a demand: bounds joined and tightened, patterns made plain."""

import json
import re
from collections.abc import Callable, Sequence
from itertools import product
from math import ceil, floor, inf, isinf, lcm
from typing import Protocol

from tokenlap.predictors.grammar.demand import Demand
from tokenlap.predictors.grammar.formats import PATTERNS, WIDER
from tokenlap.predictors.grammar.matcher import LONGEST_SOURCE, satisfiable
from tokenlap.predictors.grammar.samples import texts_of
from tokenlap.predictors.grammar.shape import (
    NO_LIMIT,
    Fixed,
    Number,
    SchemaRefused,
    Text,
)
from tokenlap.predictors.grammar.verdict import is_multiple

USUAL_LENGTH = 240
"""How long a string may be, in code points, where its schema would allow more."""
_ROOM = 40
_RANGE = 10_000
_LARGEST = 2**53
"""The largest number that every reader of JSON takes as it is."""
_FARTHEST = 10**300
_MOST_MULTIPLES = 32
_LOOKAHEAD = re.compile(r"\^?\(\?=((?:\\.|\[(?:\\.|[^\]])*\]|[^()\\\[]|\((?:\\.|[^()\\])*\))*)\)")
_NOT_BLANK = re.compile(r"^\^?\(\?!\^?\\s[*+]\$\)")


class Giver(Protocol):
    """Who is told what could not be guaranteed."""

    def give_up(self, keyword: str, /) -> None:
        """Note that something was left out for a keyword."""


def text_of(demand: Demand, giver: Giver) -> Text | Fixed | None:
    """Return the string that a demand describes, None where there is none.

    Raises SchemaRefused for a pattern that can be followed neither by the grammar library nor by
    texts that are known to fit it.
    """
    least = max(map(int, demand.all("minLength")), default=0)
    allowed = min(map(int, demand.all("maxLength")), default=None)
    if allowed is not None and allowed < least:
        return None
    if any(len(pattern) > LONGEST_SOURCE for pattern in demand.all("pattern")):
        raise SchemaRefused(f"'pattern': it is longer than {LONGEST_SOURCE} characters")
    given = tuple(part for pattern in demand.all("pattern") for part in _plain(pattern))
    formats = [name for name in demand.all("format") if name in PATTERNS]
    usual = [PATTERNS[name] for name in formats]
    wider = [WIDER.get(name, PATTERNS[name]) for name in formats]
    most = max(USUAL_LENGTH, least + _ROOM)
    reason = ""
    # The library cannot always tell whether a pattern leaves something within a length.
    for formatted, limit in product((usual, wider), (most, 4 * most, NO_LIMIT)):
        longest = limit if allowed is None else min(allowed, limit)
        patterns = tuple(dict.fromkeys((*given, *formatted)))
        text = Text(patterns, least, longest, demand.note)
        reason = satisfiable(text) if patterns else ""
        if not reason:
            return text
    if "Unsatisfiable" in reason:
        giver.give_up("format" if formats else "pattern")
        return None
    return _sampled(demand, formats, reason)


def _sampled(demand: Demand, formats: Sequence[str], reason: str) -> Fixed:
    """Return texts that are known to fit patterns that cannot be followed; raises SchemaRefused,
    with the reason, where none is.
    """
    least = max(map(int, demand.all("minLength")), default=0)
    most = min(map(int, demand.all("maxLength")), default=USUAL_LENGTH)
    found = texts_of(demand.all("pattern"), formats)
    texts = [json.dumps(text, ensure_ascii=False) for text in found if least <= len(text) <= most]
    if not texts:
        pattern = demand.all("pattern")[0]
        raise SchemaRefused(f"'pattern': {pattern!r:.80} cannot be followed: {reason}")
    return Fixed(tuple(texts), demand.note)


def number_of(demand: Demand, *, integer: bool) -> Number | Fixed | None:
    """Return the number that a demand describes, None where there is none."""
    low, open_low = _bound(demand, 1)
    high, open_high = _bound(demand, -1)
    if low > _LARGEST or high < -_LARGEST:
        bound = "minimum" if low > 0 else "maximum"
        raise SchemaRefused(f"'{bound}': no number beyond {_LARGEST} is written")
    low = low if isinf(low) else max(low, -_LARGEST)
    high = high if isinf(high) else min(high, _LARGEST)
    if integer:
        low, high = _whole(low, open_low, ceil, 1), _whole(high, open_high, floor, -1)
        open_low = open_high = False
    low, high = _sensible(low, high)
    if low > high or (low == high and (open_low or open_high)):
        return None
    steps = demand.all("multipleOf")
    if all(isinstance(step, int) and step > 0 for step in steps):
        return _stepped(Number(low, high, integer, open_low, open_high, note=demand.note), steps)
    return _multiples(Number(low, high, integer, open_low, open_high, note=demand.note), steps)


def _plain(pattern: str) -> tuple[str, ...]:
    """Return patterns without look-ahead that together ask for what a pattern asks, where it only
    looks ahead from its beginning.

    Example: "^(?=.*[0-9]).{8,}$" -> "^.*[0-9]", "^.{8,}$"
    """
    found: list[str] = []
    blank = _NOT_BLANK.match(pattern)
    if blank:
        found, pattern = [r"^\S"], "^" + pattern[blank.end() :]
    while match := _LOOKAHEAD.match(pattern):
        found.append("^" + match[1])
        pattern = "^" + pattern[match.end() :]
    return (*found, pattern) if pattern != "^" or not found else tuple(found)


def _bound(demand: Demand, sign: int) -> tuple[float, bool]:
    """Return the lower bound (sign 1) or the upper one (sign -1), and whether it is excluded;
    infinite where there is none.

    A true `exclusiveMinimum` is the older spelling: it excludes the `minimum` beside it.
    """
    side = "imum"
    plain, exclusive = ("min" + side, "exclusiveMin" + side)
    if sign < 0:
        plain, exclusive = ("max" + side, "exclusiveMax" + side)
    marks = demand.all(exclusive)
    open_plain = any(mark is True for mark in marks)
    bounds = [(sign * _finite(value), open_plain) for value in demand.all(plain)]
    bounds += [(sign * _finite(mark), True) for mark in marks if not isinstance(mark, bool)]
    tightest, excluded = max(bounds, default=(-inf, False))
    return sign * tightest, excluded


def _finite(bound: float) -> float:
    """Return a bound that floating point can hold."""
    return max(-_FARTHEST, min(bound, _FARTHEST))


def _whole(bound: float, excluded: bool, rounded: Callable[[float], int], step: int) -> float:
    """Return the nearest integer inside a bound."""
    if isinf(bound):
        return bound
    whole = rounded(bound)
    return whole + step if excluded and whole == bound else whole


def _sensible(low: float, high: float) -> tuple[float, float]:
    """Return finite bounds: from zero up, where that is allowed."""
    if isinf(low):
        low = 0 if high >= 0 else high - _RANGE
    return low, (low + _RANGE if isinf(high) else high)


def _stepped(number: Number, steps: Sequence[int]) -> Number | None:
    """Return a number that is a multiple of whole steps, None where none lies within its bounds."""
    step = lcm(*steps) if steps else 0
    if not step:
        return number
    low, high = ceil(number.low / step) * step, floor(number.high / step) * step
    low += step if number.open_low and low == number.low else 0
    high -= step if number.open_high and high == number.high else 0
    if low > high:
        return None
    return Number(low, high, integer=True, step=step if step > 1 else 0, note=number.note)


def _multiples(number: Number, steps: Sequence[float]) -> Fixed | None:
    """Return some multiples of fractional steps, as validators reckon them."""
    if any(not step > 0 for step in steps):
        return None
    step = max(steps)
    first, last = ceil(number.low / step), floor(number.high / step)
    stride = max(1, (last - first) // (8 * _MOST_MULTIPLES))
    found: list[str] = []
    for k in range(first, last + 1, stride):
        value = round(k * step, 12)
        value = int(value) if value == int(value) else value
        inside = number.low <= value <= number.high
        ends = (number.open_low and value == number.low, number.open_high and value == number.high)
        whole = isinstance(value, int) or not number.integer
        if inside and whole and not any(ends) and all(is_multiple(value, s) for s in steps):
            found.append(json.dumps(value))
    kept = found[:: len(found) // _MOST_MULTIPLES + 1]
    return Fixed(tuple(kept), number.note) if kept else None
