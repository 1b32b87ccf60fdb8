"""What a schema provably refuses: never a value that it allows, and enough for common schemas."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.predictors.grammar.support import MADE_UP, obj, under_shape, write
from tests.properties import examples
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.exclusive import Refuser
from tokenlap.predictors.grammar.refs import Schema
from tokenlap.predictors.grammar.shape import SchemaRefused, Shape

A, B = {"type": "string"}, {"type": "integer"}


def part(schema: Any, refused: Any) -> Shape | None:
    """The part of a schema's shape that another schema refuses."""
    return Refuser(Schema(refused)).narrowed(shape_of(schema), refused)


@examples(150)
@given(schema=MADE_UP, other=MADE_UP, seed=st.integers(0, 99))
def test_what_is_narrowed_fits_the_one_schema_and_not_the_other(
    schema: Any, other: Any, seed: int
) -> None:
    try:
        narrowed = part(schema, other)
    except SchemaRefused:
        narrowed = None
    assume(narrowed is not None)
    assert narrowed is not None

    written = write(under_shape(narrowed), params=SamplingParams(seed=seed), limit=800)
    value = json.loads(o200k().decode(written.tokens))

    assert not Draft202012Validator(other).is_valid(value)
    assert Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "refused"),
    [
        pytest.param(A, B, id="another type"),
        pytest.param({"type": ["string", "integer"]}, A, id="one of the types"),
        pytest.param(A, {"enum": ["a", "bcd"]}, id="longer texts"),
        pytest.param(A, {"maxLength": 5}, id="length"),
        pytest.param(A, {"minLength": 5}, id="shortness"),
        pytest.param(A, {"pattern": "^[A-Z]"}, id="a sample of texts"),
        pytest.param(B, {"maximum": 100}, id="above"),
        pytest.param(B, {"minimum": 100}, id="below"),
        pytest.param(B, {"multipleOf": 2}, id="a sample of numbers"),
        pytest.param({"type": "number"}, B, id="fractions"),
        pytest.param({"enum": [1, 2, 3]}, {"minimum": 2}, id="values"),
        pytest.param(obj({}, properties={"a": A}), {"required": ["a"]}, id="left out"),
        pytest.param(obj({"a": A}), {"required": ["b"]}, id="never there"),
        pytest.param(obj({"a": A}), {"properties": {"a": B}}, id="a property of another type"),
        pytest.param(obj({"a": A}), {"additionalProperties": False}, id="one too many"),
        pytest.param(obj({"a": A}), {"maxProperties": 0}, id="too many"),
        pytest.param(obj({"a": A}), {"minProperties": 2}, id="too few"),
        pytest.param(obj({"k": {"enum": [1, 2]}}), {"properties": {"k": {"const": 1}}}, id="tag"),
        pytest.param({"type": "array"}, {"minItems": 2}, id="few elements"),
        pytest.param({"type": "array"}, {"maxItems": 1}, id="many elements"),
        pytest.param(A, {"allOf": [True, B]}, id="allOf"),
        pytest.param(A, {"anyOf": [B, {"type": "null"}]}, id="anyOf"),
        pytest.param(A, {"$ref": "#/$defs/b", "$defs": {"b": B}}, id="reference"),
        pytest.param(A, False, id="false"),
    ],
)
def test_a_part_that_is_refused_is_found(schema: Any, refused: Any) -> None:
    assert part(schema, refused) is not None


@pytest.mark.parametrize(
    ("schema", "refused"),
    [
        pytest.param(A, True, id="true"),
        pytest.param(A, A, id="itself"),
        pytest.param(B, {"type": "number"}, id="a wider type"),
        pytest.param(obj({"a": A}), {"type": "object"}, id="any object"),
        pytest.param({"type": "array", "items": A}, {"items": A}, id="elements"),
    ],
)
def test_where_nothing_can_be_shown_nothing_is_left(schema: Any, refused: Any) -> None:
    assert part(schema, refused) is None
