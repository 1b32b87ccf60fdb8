"""Numbers worth writing: mentioned, usual, or spread between the bounds; always within them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.predictors.grammar.facts import NOTHING, facts_of
from tokenlap.predictors.grammar.numbers import is_counted, numbers
from tokenlap.predictors.grammar.shape import Note, Number


@examples(200)
@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(0, 1e5),
    integer=st.booleans(),
    opened=st.booleans(),
    name=st.sampled_from(["age", "price", "x", "year"]),
)
def test_all_lie_within_the_bounds(
    low: float, width: float, integer: bool, opened: bool, name: str
) -> None:
    low, high = (float(int(low)), float(int(low + width))) if integer else (low, low + width)
    shape = Number(low, high, integer, open_low=opened)

    for text, weight in numbers(name, shape, facts_of("about 7 or 12.5"), 0):
        value = json.loads(text)
        assert weight > 0
        assert low <= value <= high and not (opened and value == low)
        assert isinstance(value, int) or not integer


@pytest.mark.parametrize(
    ("shape", "index", "first"),
    [
        pytest.param(Number(0, 100, integer=True), 0, "3", id="first mentioned"),
        pytest.param(Number(0, 100, integer=True), 1, "40", id="second mentioned"),
        pytest.param(Number(10, 100, integer=True), 0, "40", id="the one that fits"),
        pytest.param(Number(0, 100), 2, "7.5", id="third mentioned"),
        pytest.param(Number(500, 600, integer=True), 0, "500", id="none fits"),
    ],
)
def test_what_was_said_comes_first(shape: Number, index: int, first: str) -> None:
    said = facts_of("3 and 40 and 7.5")

    assert max(numbers("x", shape, said, index), key=lambda found: found[1])[0] == first


def test_names_and_descriptions_have_usual_numbers() -> None:
    described = Number(0, 9999, note=Note(description="The year of birth"))

    assert numbers("age", Number(0, 120, integer=True), NOTHING, 0)[0][0] == "25"
    assert numbers("x", described, NOTHING, 0)[0][0] == "2026"


def test_multiples_are_multiples() -> None:
    shape = Number(0, 1000, integer=True, step=7)

    assert all(int(text) % 7 == 0 for text, _ in numbers("x", shape, facts_of("8"), 0))


def test_some_names_mean_numbers() -> None:
    assert is_counted(["unit", "price"]) and not is_counted(["city"]) and not is_counted(["id"])
