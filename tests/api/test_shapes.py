import json
from typing import Any

import pytest

from tests.support import chat
from tokenlap.api.body import parse
from tokenlap.api.chat.request import ChatRequest
from tokenlap.errors import BadRequest

TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}
MISSING = "missing_required_parameter"


def asked(**options: Any) -> ChatRequest:
    body = chat(tools=[TOOL], functions=[{"name": "f"}], **options)
    return parse(ChatRequest, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tool_choice", None),
        ("tool_choice", "none"),
        ("tool_choice", "auto"),
        ("tool_choice", "required"),
        ("tool_choice", {"type": "function", "function": {"name": "f"}}),
        ("tool_choice", {"type": "custom", "custom": {"name": "f"}}),
        (
            "tool_choice",
            {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [TOOL]}},
        ),
        ("function_call", None),
        ("function_call", "none"),
        ("function_call", "auto"),
        ("function_call", {"name": "f"}),
        ("response_format", None),
        ("response_format", {"type": "text"}),
        ("response_format", {"type": "json_object"}),
        (
            "response_format",
            {"type": "json_schema", "json_schema": {"name": "a-1_B", "schema": {}}},
        ),
    ],
    ids=str,
)
def test_every_shape_of_the_reference_passes(name: str, value: Any) -> None:
    assert getattr(asked(**{name: value}), name) == value


SCHEMA = "response_format.json_schema"


@pytest.mark.parametrize(
    ("name", "value", "param", "code"),
    [
        ("tool_choice", "bogus", "tool_choice", "invalid_value"),
        ("tool_choice", 7, "tool_choice", "invalid_type"),
        ("tool_choice", [], "tool_choice", "invalid_type"),
        ("tool_choice", {}, "tool_choice.type", MISSING),
        ("tool_choice", {"type": "function"}, "tool_choice.function", MISSING),
        ("tool_choice", {"type": "bogus"}, "tool_choice.function", MISSING),
        ("tool_choice", {"type": "custom"}, "tool_choice.custom", MISSING),
        ("tool_choice", {"type": "allowed_tools"}, "tool_choice.allowed_tools", MISSING),
        ("tool_choice", {"type": "function", "function": {}}, "tool_choice.function.name", MISSING),
        (
            "tool_choice",
            {"type": "function", "function": "f"},
            "tool_choice.function",
            "invalid_type",
        ),
        (
            "tool_choice",
            {"type": "bogus", "function": {"name": "f"}},
            "tool_choice.type",
            "invalid_value",
        ),
        ("function_call", "required", "function_call", "invalid_value"),
        ("function_call", {}, "function_call.name", MISSING),
        ("function_call", 7, "function_call", "invalid_type"),
        ("response_format", "json", "response_format", "invalid_type"),
        ("response_format", {}, "response_format.type", MISSING),
        ("response_format", {"type": None}, "response_format.type", MISSING),
        ("response_format", {"type": 7}, "response_format.type", "invalid_type"),
        ("response_format", {"type": "bogus"}, "response_format.type", "invalid_value"),
        ("response_format", {"type": "json_schema"}, SCHEMA, MISSING),
        ("response_format", {"type": "json_schema", "json_schema": []}, SCHEMA, "invalid_type"),
        (
            "response_format",
            {"type": "json_schema", "json_schema": {}},
            f"{SCHEMA}.name",
            MISSING,
        ),
        (
            "response_format",
            {"type": "json_schema", "json_schema": {"name": "a b"}},
            f"{SCHEMA}.name",
            "invalid_value",
        ),
        (
            "response_format",
            {"type": "json_schema", "json_schema": {"name": "a" * 65}},
            f"{SCHEMA}.name",
            "string_above_max_length",
        ),
    ],
    ids=str,
)
def test_every_other_shape_is_refused_where_it_goes_wrong(
    name: str, value: Any, param: str, code: str
) -> None:
    with pytest.raises(BadRequest) as refused:
        asked(**{name: value})

    assert (refused.value.param, refused.value.code) == (param, code)
    assert f"'{param}'" in refused.value.message or code == "invalid_value"


def test_values_that_would_be_right_are_listed() -> None:
    with pytest.raises(BadRequest) as choice:
        asked(tool_choice="bogus")
    with pytest.raises(BadRequest) as form:
        asked(response_format={"type": "bogus"})

    supported = "Invalid value: 'bogus'. Supported values are:"
    assert choice.value.message == f"{supported} 'none', 'auto', and 'required'."
    assert form.value.message == f"{supported} 'json_object', 'json_schema', and 'text'."


@pytest.mark.parametrize(
    ("tool", "param", "code"),
    [
        ({}, "tools[0].type", MISSING),
        ({"type": "bogus"}, "tools[0].type", "invalid_value"),
        ({"type": "function"}, "tools[0].function", MISSING),
        ({"type": "custom"}, "tools[0].custom", MISSING),
        ({"type": "function", "function": {}}, "tools[0].function.name", MISSING),
        ({"type": "function", "function": {"name": ""}}, "tools[0].function.name", "empty_string"),
        (
            {"type": "function", "function": {"name": "a b"}},
            "tools[0].function.name",
            "invalid_value",
        ),
        (
            {"type": "function", "function": {"name": "a" * 65}},
            "tools[0].function.name",
            "string_above_max_length",
        ),
    ],
    ids=str,
)
def test_a_tool_says_what_it_is(tool: Any, param: str, code: str) -> None:
    with pytest.raises(BadRequest) as refused:
        parse(ChatRequest, json.dumps(chat(tools=[tool])).encode())

    assert (refused.value.param, refused.value.code) == (param, code)


def test_a_name_with_a_line_end_is_no_name() -> None:
    named = {"type": "json_schema", "json_schema": {"name": "a\n", "schema": {}}}
    with pytest.raises(BadRequest):
        asked(response_format=named)
    with pytest.raises(BadRequest):
        parse(ChatRequest, json.dumps(chat(functions=[{"name": "f\n"}])).encode())
