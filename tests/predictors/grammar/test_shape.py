"""The plain schema of a shape: never more than the shape, as the grammar library reads it."""

import json
from itertools import combinations, product

import pytest

from tokenlap.predictors.grammar.matcher import follow_shape
from tokenlap.predictors.grammar.shape import (
    NO_LIMIT,
    Either,
    Fixed,
    Items,
    Member,
    Note,
    Number,
    Record,
    Text,
    alternatives,
    either,
    plain_schema,
    titled,
)

BOUNDS = [-5, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 10]
NUMBERS = [
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "-0.5",
    "0.25",
    "2",
    "2.0",
    "1.50",
    "0.0",
    "5",
    "10",
    "9.99",
    "0.49",
    "-4.9",
    "-5",
    "0.2499",
    "0.00001",
    "1.001",
]


@pytest.mark.parametrize(("low", "high"), list(combinations(BOUNDS, 2)))
def test_a_number_outside_its_bounds_is_not_allowed(low: float, high: float) -> None:
    for opened_low, opened_high in product((False, True), repeat=2):
        number = Number(low, high, open_low=opened_low, open_high=opened_high)
        beginning = follow_shape(number)
        for text in NUMBERS:
            matcher, value = beginning.copy(), float(text)
            inside = low <= value <= high
            inside &= not (opened_low and value == low) and not (opened_high and value == high)
            assert inside or not (matcher.take(text.encode()) and matcher.accepts()), text


def test_shared_parts_are_written_once() -> None:
    part = Record((Member("a", Text(most=5), True),))
    whole = Items((), Either((part, Items((part, part), None, 2, 2))), 0, 1)

    assert json.dumps(plain_schema(whole)).count('"a"') == 2  # the property, and that it must be


def test_a_text_has_its_patterns_and_lengths() -> None:
    assert plain_schema(Text(("^a", "b$"), 1, NO_LIMIT)) == {
        "type": "string",
        "minLength": 1,
        "allOf": [{"pattern": "^a"}, {"pattern": "b$"}],
        "$defs": {},
    }


def test_alternatives_are_flat_and_each_once() -> None:
    one, two = Fixed(("1",)), Fixed(("2",))

    assert alternatives(either((one, either((two, one))))) == (one, two)
    assert either((one,)) is one


def test_a_title_is_given_to_an_object_that_has_none() -> None:
    plain, named = Record(()), Record((), Note("Event"))
    given = titled(plain, "Person")

    assert isinstance(given, Record) and given.note.title == "Person"
    assert titled(named, "Person") is named
    assert titled(Fixed(("1",)), "Person") == Fixed(("1",))
