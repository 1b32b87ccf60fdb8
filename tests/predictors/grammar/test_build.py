"""From schemas to shapes: what is tightened, what is rewritten, what is refused and how."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.predictors.grammar.support import obj
from tests.support import Json
from tokenlap.predictors.grammar.build import shape_of, written
from tokenlap.predictors.grammar.shape import SchemaRefused, plain_schema

A, B = {"type": "string"}, {"type": "integer"}
ITSELF = {"$ref": "#"}


def flat(schema: Any) -> Any:
    """The plain schema of a schema's shape, references filled in."""
    plain = dict(plain_schema(shape_of(schema)))
    definitions = plain.pop("$defs")

    def filled(part: Any) -> Any:
        if isinstance(part, list):
            return [filled(each) for each in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return filled(definitions[part["$ref"].rpartition("/")[2]])
        return {key: filled(value) for key, value in part.items()}

    return filled(plain)


def names(schema: Any) -> list[list[str]]:
    """The properties of each alternative of an object schema."""
    plain = flat(schema)
    return [list(one["properties"]) for one in plain.get("anyOf", [plain])]


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        pytest.param({"type": "string"}, {"minLength": 0, "maxLength": 240}, id="string"),
        pytest.param({"type": "integer"}, {"minimum": 0, "maximum": 10_000}, id="integer"),
        pytest.param({"type": "integer", "minimum": 70_000}, {"maximum": 80_000}, id="from"),
        pytest.param({"type": "integer", "maximum": -5}, {"minimum": -10_005}, id="below"),
        pytest.param(
            {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 4},
            {"minimum": 2, "maximum": 3},
            id="exclusive",
        ),
        pytest.param({"minimum": 3, "exclusiveMinimum": True}, {"exclusiveMinimum": 3}, id="older"),
        pytest.param({"type": "array", "items": A}, {"minItems": 0, "maxItems": 3}, id="array"),
        pytest.param({"type": "array", "items": A, "minItems": 7}, {"maxItems": 7}, id="minItems"),
        pytest.param({"type": "string", "format": "unheard-of"}, {"maxLength": 240}, id="format"),
    ],
)
def test_what_would_be_endless_gets_bounds(schema: Json, kept: Json) -> None:
    assert kept.items() <= flat(schema).items()


def test_an_object_has_the_properties_that_it_names_and_no_others() -> None:
    assert flat(obj({"a": A}, properties={"a": A, "b": B}, additionalProperties=True)) == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": 0, "maxLength": 240},
            "b": {"type": "integer", "minimum": 0, "maximum": 10_000},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


def test_recursion_ends_after_two_levels() -> None:
    tree = {"type": "object", "properties": {"child": ITSELF}}

    assert json.dumps(flat(tree)).count("child") == 2


def test_recursion_that_must_go_deeper_does() -> None:
    level = {f"L{i}": obj({"next": {"$ref": f"#/$defs/L{i + 1}"}}) for i in range(6)}
    chain = {"$defs": {**level, "L6": {"anyOf": [{"$ref": "#/$defs/L0"}, B]}}, "$ref": "#/$defs/L0"}

    assert json.dumps(flat(chain)).count('"next"') >= 6


@pytest.mark.parametrize(
    ("schema", "alternatives"),
    [
        pytest.param(
            {"allOf": [obj({"a": A}), obj({"b": B})]}, [["a", "b"]], id="allOf joins properties"
        ),
        pytest.param(
            obj({}, properties={"a": A, "b": B}, oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
            [["a"], ["b"]],
            id="oneOf keeps the others out",
        ),
        pytest.param(
            obj({"k": {"enum": ["x", "y"]}}, properties={"k": {"enum": ["x", "y"]}, "a": A})
            | {"if": {"properties": {"k": {"const": "x"}}}, "then": {"required": ["a"]}},
            [["k", "a"], ["k", "a"]],
            id="if",
        ),
        pytest.param(
            obj({"a": A}, properties={"a": A, "b": B}, **{"not": {"required": ["b"]}}),
            [["a"]],
            id="not",
        ),
        pytest.param(
            {"properties": {"a": A, "b": B}, "dependentRequired": {"a": ["b"]}},
            [["a", "b"], ["b"]],
            id="dependentRequired",
        ),
        pytest.param(
            {"additionalProperties": B, "propertyNames": {"enum": ["p", "q"]}, "minProperties": 2},
            [["p", "q"]],
            id="propertyNames",
        ),
        pytest.param({"properties": {"a": A, "b": False}}, [["a"]], id="impossible property"),
        pytest.param({"patternProperties": {"^x_": A}}, [["x_alpha", "x_beta"]], id="pattern"),
        pytest.param(obj({"a": A, "b": A}, maxProperties=2), [["a", "b"]], id="maxProperties"),
    ],
)
def test_objects_are_rewritten(schema: Json, alternatives: list[list[str]]) -> None:
    assert names(schema) == alternatives


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        pytest.param({"enum": [1, "a", None]}, [1, "a", None], id="enum"),
        pytest.param({"enum": [1, "a", None], "type": "string"}, ["a"], id="enum of a type"),
        pytest.param({"enum": [1, 5, 9], "maximum": 6, "not": {"const": 5}}, [1], id="not"),
        pytest.param({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, ["b"], id="both"),
        pytest.param({"enum": ["x", 2], "if": B, "then": {"minimum": 3}}, ["x"], id="if"),
        pytest.param({"const": {"a": [1]}}, [{"a": [1]}], id="const object"),
        pytest.param({"oneOf": [{"enum": [1, 2]}, {"enum": [2, 3]}]}, None, id="oneOf"),
    ],
)
def test_listed_values_are_kept_where_everything_else_allows_them(
    schema: Json, values: list[Any] | None
) -> None:
    plain = flat(schema)
    listed = [each for one in plain.get("anyOf", [plain]) for each in one["enum"]]

    assert listed == (values or [1, 3])
    assert all(Draft202012Validator(schema).is_valid(value) for value in listed)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        pytest.param({"type": "string", "pattern": "(a)\\1"}, "'pattern'", id="backreference"),
        pytest.param(
            obj({"a": {"not": {"multipleOf": 7, "type": ["string", "integer"]}, "type": "string"}}),
            "'not'",
            id="not",
        ),
        pytest.param({"type": "array", "uniqueItems": True, "minItems": 9}, "unique", id="set"),
        pytest.param(
            {"type": "array", "items": A, "contains": B}, "'contains'", id="contains another type"
        ),
        pytest.param({"type": "string", "format": "ipv6", "maxLength": 1}, "'format'", id="format"),
        pytest.param({"$ref": "#/$defs/gone"}, "'$ref'", id="dangling"),
        pytest.param({"$ref": "https://example.com/s.json"}, "'$ref'", id="elsewhere"),
        pytest.param(obj({"a": ITSELF}), "no finite JSON value", id="endless"),
        pytest.param(False, "no finite JSON value", id="false"),
        pytest.param({"type": "integer", "minimum": 5, "maximum": 4}, "no finite", id="bounds"),
        pytest.param({"type": "thing"}, "'type'", id="type"),
        pytest.param({"required": "a"}, "'required' must be an array", id="wrong keyword"),
        pytest.param({"properties": {"a": []}}, "an object or a boolean", id="wrong schema"),
        pytest.param({"minimum": 2**70}, "'minimum'", id="huge number"),
        pytest.param({"type": "array", "minItems": 5000}, "'minItems'", id="huge array"),
        pytest.param({"type": "string", "minLength": 10**6}, "characters", id="huge string"),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_name(schema: Any, words: str) -> None:
    with pytest.raises(SchemaRefused, match=words.replace("$", "\\$")):
        flat(schema)


def test_an_optional_property_that_cannot_be_honoured_is_left_out() -> None:
    hopeless = {"type": "array", "items": A, "contains": B}

    assert names({"properties": {"a": A, "b": hopeless}}) == [["a"]]


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.5, "0.5"), ("é", '"é"'), ({"a": [1, None]}, '{"a":[1,null]}')],
)
def test_values_are_written_without_blanks(value: object, text: str) -> None:
    assert written(value) == text
