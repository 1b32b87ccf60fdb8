"""Formats that only the prompt asks for."""

import json

import pytest

from tests.support import Json
from tokenlap.api.plan.conversation import Conversation
from tokenlap.api.plan.prompted import (
    described,
    is_schema,
    keyed,
    of_example,
    prompted_format,
)
from tokenlap.engine.template import Turn

SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
OTHER: Json = {"properties": {"foo": {"type": "array"}}, "required": ["foo"]}


def schema_of(system: str, asked: str = "Paris") -> Json | None:
    found = prompted_format(Conversation([Turn("system", system), Turn("user", asked)]))
    return found.value if found else None


@pytest.mark.parametrize(
    ("system", "asked", "schema"),
    [
        pytest.param(
            f"Respond in JSON of this schema: {json.dumps(SCHEMA)}", "x", SCHEMA, id="one"
        ),
        pytest.param(
            "The output should be formatted as a JSON instance that conforms to the schema below. "
            f"As an example, for the schema {json.dumps(OTHER)} ... Here is the output schema:\n"
            f"```\n{json.dumps(SCHEMA, indent=2)}\n```",
            "x",
            SCHEMA,
            id="the last of two",
        ),
        pytest.param("", f"Return JSON like {json.dumps(SCHEMA)}", SCHEMA, id="in the question"),
        pytest.param(
            'Always answer with a JSON object such as {"name": "Ada", "age": 36}.',
            "x",
            of_example({"name": "Ada", "age": 36}),
            id="an example",
        ),
        pytest.param("Be brief.", "What is JSON?", None, id="a question about it"),
        pytest.param("Be brief.", 'Why is {"a": 1} broken?', None, id="no instruction"),
        pytest.param("Answer in JSON {of some kind}", "x", None, id="braces without JSON"),
    ],
)
def test_a_json_format_is_recognised(system: str, asked: str, schema: Json | None) -> None:
    assert schema_of(system, asked) == schema


def test_the_outermost_objects_are_looked_at_and_not_without_end() -> None:
    assert described('x { y {"a": {"b": 1}} {"c": 2}') == of_example({"c": 2})
    assert described("{" * 10_000) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a JSON object with the keys name, age and city", ["name", "age", "city"]),
        ("JSON with fields `title` and `tags`", ["title", "tags"]),
        ("Extract the name and age as JSON", ["name", "age"]),
        ("Give me some JSON", []),
    ],
)
def test_keys_in_a_list_are_recognised(text: str, names: list[str]) -> None:
    schema = keyed(text)

    assert (schema["required"] if schema else []) == names


def test_keys_have_the_types_that_their_names_suggest() -> None:
    properties = keyed("JSON with keys name, age, is_admin and tags")["properties"]

    assert [part["type"] for part in properties.values()] == [
        *("string", "number", "boolean", "array")
    ]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (True, {"type": "boolean"}),
        (1, {"type": "integer"}),
        (1.5, {"type": "number"}),
        (None, {}),
        (["x"], {"type": "array", "items": {"type": "string"}, "minItems": 1}),
        ([], {"type": "array", "items": {}, "minItems": 1}),
    ],
)
def test_an_example_has_a_schema(value: object, schema: Json) -> None:
    assert of_example(value) == schema
    assert is_schema({"$defs": {}}) and not is_schema({"properties": "x"})


def test_a_note_in_an_example_is_the_schema_of_its_value() -> None:
    produced = "# note: the value you produce must adhere to the JSON schema:"
    note = f'{{tags}}        {produced} {{"type": "array"}}'
    example = {"mood": "{mood} # note: the value you produce must match one of: a; b", "tags": note}

    assert of_example({**example, "name": "{name}"})["properties"] == {
        "mood": {"enum": ["a", "b"]},
        "tags": {"type": "array"},
        "name": {"type": "string"},
    }
