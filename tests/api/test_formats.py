"""The parameters that give an answer a form: OpenAI's, and the engines' own."""

from typing import Any

import pytest
from pydantic import ValidationError

from tests.support import Json
from tokenlap.api.formats import Structured, format_of, one_format
from tokenlap.api.plan.asked import Format
from tokenlap.errors import BadRequest

SCHEMA: Json = {"type": "object"}
JSON_SCHEMA: Json = {"type": "json_schema", "json_schema": {"name": "it", "schema": SCHEMA}}


@pytest.mark.parametrize(
    ("given", "format"),
    [
        (None, None),
        ({"type": "text"}, None),
        ({"type": "json_object"}, Format("object")),
        (JSON_SCHEMA, Format("schema", SCHEMA, "it")),
        ({"type": "json_schema", "json_schema": {"name": "it"}}, Format("schema", {}, "it")),
    ],
)
def test_a_response_format_is_read(given: Json | None, format: Format | None) -> None:
    assert format_of(given) == format


@pytest.mark.parametrize(
    ("given", "format"),
    [
        ({}, None),
        ({"structured_outputs": {}}, None),
        ({"structured_outputs": {"json": SCHEMA}}, ("schema", SCHEMA, "structured_outputs.json")),
        ({"structured_outputs": {"regex": "a"}}, ("regex", "a", "structured_outputs.regex")),
        ({"structured_outputs": {"choice": ["a"]}}, ("one_of", ["a"], "structured_outputs.choice")),
        ({"structured_outputs": {"grammar": "g"}}, ("lark", "g", "structured_outputs.grammar")),
        (
            {"structured_outputs": {"json_object": True}},
            ("object", True, "structured_outputs.json_object"),
        ),
        ({"structured_outputs": {"json_object": False}}, None),
        ({"guided_json": '{"type": "object"}'}, ("schema", SCHEMA, "guided_json")),
        ({"guided_choice": ["a", "b"]}, ("one_of", ["a", "b"], "guided_choice")),
        ({"guided_regex": "a+"}, ("regex", "a+", "guided_regex")),
        ({"guided_grammar": "g"}, ("lark", "g", "guided_grammar")),
    ],
)
def test_the_engines_parameters_are_read(given: Json, format: tuple[Any, ...] | None) -> None:
    found = one_format(None, Structured.model_validate(given))

    assert (found and (found.kind, found.value, found.param)) == format


@pytest.mark.parametrize(
    "given",
    [
        {"guided_regex": "a", "guided_choice": ["a"]},
        {"structured_outputs": {"regex": "a", "choice": ["a"]}},
    ],
)
def test_two_forms_at_once_are_refused(given: Json) -> None:
    with pytest.raises(BadRequest, match="Give one of them"):
        one_format(None, Structured.model_validate(given))


@pytest.mark.parametrize(
    "given",
    [
        {"guided_choice": []},
        {"guided_choice": [""]},
        {"guided_regex": ""},
        {"guided_json": "no JSON"},
        {"guided_regex": "a" * 20_001},
        {"structured_outputs": {"choice": "a"}},
    ],
)
def test_what_is_no_form_is_refused(given: Json) -> None:
    with pytest.raises(ValidationError):
        Structured.model_validate(given)
