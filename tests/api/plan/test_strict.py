"""Schemas that claim to be strict, held against the platform's rules with --strict alone."""

from typing import Any

import pytest

from tests.api.plan.support import CITY, format_of
from tests.support import Json, application, quiet
from tokenlap.api.plan.strict import complaint

TEXT: Json = {"type": "string"}
CLOSED: Json = {**CITY, "additionalProperties": False}


FORM = format_of(CITY, strict=True)


def closed(**properties: Any) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        pytest.param(closed(a=TEXT, b={"type": ["string", "null"]}), "", id="strict"),
        pytest.param(closed(), "", id="empty"),
        pytest.param({"type": "array"}, "got 'type: \"array\"'", id="no object"),
        pytest.param({"anyOf": []}, "got 'type: \"None\"'", id="no type"),
        pytest.param(
            {**closed(a=TEXT), "additionalProperties": True},
            "In context=(), 'additionalProperties' is required to be supplied and to be false.",
            id="open",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": False},
            "In context=(), object schema missing properties.",
            id="no properties",
        ),
        pytest.param(
            {**closed(a=TEXT, b=TEXT), "required": ["a"]},
            "In context=(), 'required' is required to be supplied and to be an array including "
            "every key in properties. Missing 'b'.",
            id="optional",
        ),
        pytest.param(
            {**closed(a=TEXT), "required": ["a", "z"]}, "Extra required key 'z'", id="one too many"
        ),
        pytest.param(
            closed(a={"type": "array", "items": {"type": "object", "properties": {}}}),
            "In context=('properties', 'a', 'items'), 'additionalProperties'",
            id="in an array",
        ),
        pytest.param(
            closed(a={"anyOf": [TEXT, {"properties": {"x": TEXT}}]}),
            "In context=('properties', 'a', 'anyOf', '1'), 'additionalProperties'",
            id="in an alternative",
        ),
        pytest.param(
            {**closed(), "$defs": {"d": {"type": "object"}}},
            "In context=('$defs', 'd'), 'additionalProperties'",
            id="in a definition",
        ),
    ],
)
def test_the_first_thing_that_is_not_strict_is_named(schema: Json, words: str) -> None:
    found = complaint(schema)

    assert words in found and bool(words) == bool(found)


def tool(schema: Json, strict: bool) -> Json:
    return {"type": "function", "function": {"name": "f", "parameters": schema, "strict": strict}}


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        pytest.param({"tools": [tool(CITY, True)]}, "tools[0].function.parameters", id="tool"),
        pytest.param({"tools": [tool(CITY, False)]}, None, id="tool that is not strict"),
        pytest.param({"tools": [tool(CLOSED, True)]}, None, id="strict tool"),
        pytest.param(
            {"response_format": format_of(CITY, strict=True)}, "response_format", id="form"
        ),
        pytest.param({"response_format": format_of(CITY)}, None, id="form that is not strict"),
        pytest.param({"response_format": format_of(CLOSED, strict=True)}, None, id="strict form"),
    ],
)
@pytest.mark.parametrize("strict", [True, False], ids=["--strict", "tolerant"])
async def test_it_is_checked_with_strict_alone(
    options: Json, refused: str | None, strict: bool
) -> None:
    body = {"model": "tokenlap", "messages": [{"role": "user", "content": "x"}], **options}
    async with application(quiet(strict=strict)) as client:
        response = await client.post(
            "/v1/chat/completions", json=body, headers={"authorization": "Bearer k"}
        )

    if refused and strict:
        assert response.status_code == 400 and response.json()["error"]["param"] == refused
    else:
        assert response.status_code == 200, response.text
