"""Whether a value fits a schema: never another answer than a validator's, though sometimes none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.predictors.grammar.support import MADE_UP
from tests.properties import examples
from tokenlap.predictors.grammar.refs import Schema
from tokenlap.predictors.grammar.verdict import has_type, is_multiple, type_of, verdict

VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2.5, -3, 7, "", "x", "abc", "A1", "2026-12-04"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "city"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@examples(300)
@given(schema=MADE_UP, value=VALUES)
def test_it_agrees_with_a_validator_or_is_silent(schema: Any, value: object) -> None:
    said = verdict(value, schema, Schema(schema))

    assert said is None or said == Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("value", "schema", "said"),
    [
        pytest.param({"a": 1}, {"patternProperties": {"^a": {"type": "string"}}}, False, id="name"),
        pytest.param({"b": 1}, {"additionalProperties": False}, False, id="other names"),
        pytest.param([1, "x"], {"items": [{}, {"type": "null"}]}, False, id="older items"),
        pytest.param([1, 2], {"contains": {"const": 1}}, None, id="contains"),
        pytest.param("x@y", {"format": "email"}, None, id="a format that is not known to fit"),
        pytest.param("alex@example.com", {"format": "email"}, True, id="one that is"),
        pytest.param("a", {"pattern": "(?<"}, None, id="a pattern of another language"),
        pytest.param(5, {"exclusiveMaximum": True, "maximum": 5}, None, id="draft 4"),
        pytest.param({"a": 1}, {"patternProperties": {"(?<": {}}}, None, id="unknown name"),
    ],
)
def test_it_decides_these_so(value: Any, schema: Any, said: bool | None) -> None:
    assert verdict(value, schema, Schema(schema)) is said


def test_a_reference_is_followed_but_not_for_ever() -> None:
    schema = {
        "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}},
        "$ref": "#/$defs/a",
    }
    endless = {"$ref": "#"}

    assert verdict([[], [[]]], schema, Schema(schema)) is True
    assert verdict([[1]], schema, Schema(schema)) is False
    assert verdict(1, endless, Schema(endless)) is None


def test_types_are_those_of_json_schema() -> None:
    values: list[object] = [True, 1, 2.0, 2.5, None, "", [], {}]

    assert [type_of(value) for value in values] == [
        *("boolean", "integer", "integer", "fraction", "null", "string", "array", "object")
    ]
    assert has_type(2.5, "number") and has_type(1, ["null", "number"]) and not has_type(1, "null")


@pytest.mark.parametrize(
    ("value", "step", "fits"), [(0.3, 0.1, False), (0.2, 0.1, True), (7, 7, True), (2.5, 1, False)]
)
def test_multiples_are_reckoned_as_validators_do(value: float, step: float, fits: bool) -> None:
    assert is_multiple(value, step) is fits
    assert Draft202012Validator({"multipleOf": step}).is_valid(value) is fits
