import pytest

from tests.api.responses.support import asked, posted
from tests.support import Json, application, scripted
from tokenlap.api.responses.tools import chat_choice, chat_format

PRICE: Json = {"type": "function", "name": "get_price"}
TYPES = "Supported values are: 'json_object', 'json_schema', and 'text'."


@pytest.mark.parametrize(
    ("sent", "echoed"),
    [
        pytest.param(PRICE, {**PRICE, "parameters": None, "strict": True}, id="filled in"),
        pytest.param(
            {**PRICE, "parameters": {"type": "object"}, "strict": False, "description": "d"},
            {**PRICE, "parameters": {"type": "object"}, "strict": False, "description": "d"},
            id="as sent",
        ),
        pytest.param(
            {"type": "web_search", "search_context_size": "low"},
            {"type": "web_search", "search_context_size": "low"},
            id="hosted",
        ),
        pytest.param(
            {"type": "custom", "name": "run"}, {"type": "custom", "name": "run"}, id="custom"
        ),
    ],
)
async def test_a_tool_is_echoed_as_the_document_demands(sent: Json, echoed: Json) -> None:
    async with application(models=scripted("ok")) as client:
        response = await posted(client, asked(tools=[sent]))

    assert response["tools"] == [echoed]


@pytest.mark.parametrize(
    ("options", "message", "param", "code"),
    [
        pytest.param(
            {"tools": [{"type": "function", "function": {"name": "f"}}]},
            "Missing required parameter: 'tools[0].name'.",
            "tools[0].name",
            "missing_required_parameter",
            id="a tool of a chat",
        ),
        pytest.param(
            {"tools": [{"type": "function", "name": "get price"}]},
            "Invalid 'tools[0].name': string does not match pattern. Expected a string that "
            "matches the pattern '^[a-zA-Z0-9_-]+$'.",
            "tools[0].name",
            "invalid_value",
            id="a name with a blank",
        ),
        pytest.param(
            {"tools": [PRICE], "tool_choice": "any"},
            "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
            "tool_choice",
            "invalid_value",
            id="unknown choice",
        ),
        pytest.param(
            {"tool_choice": {"type": ["function"]}},
            "Invalid type for 'tool_choice.type': expected a string, but got an array instead.",
            "tool_choice.type",
            "invalid_type",
            id="a choice whose type is none",
        ),
        pytest.param(
            {"tools": [PRICE], "tool_choice": {"type": "function"}},
            "Missing required parameter: 'tool_choice.name'.",
            "tool_choice.name",
            "missing_required_parameter",
            id="a choice of no function",
        ),
        pytest.param(
            {"tools": [PRICE], "tool_choice": {"type": "function", "name": "f"}},
            "Tool choice 'f' not found in 'tools' parameter.",
            "tool_choice",
            None,
            id="a choice that is not offered",
        ),
        pytest.param(
            {"tool_choice": "required"},
            "Tool choice 'required' must be specified with 'tools' parameter.",
            "tool_choice",
            None,
            id="required of nothing",
        ),
        pytest.param(
            {"text": {"format": {"type": "yaml"}}},
            f"Invalid value: 'yaml'. {TYPES}",
            "text.format.type",
            "invalid_value",
            id="unknown format",
        ),
        pytest.param(
            {"text": {"format": {"type": "json_schema", "schema": {}}}},
            "Missing required parameter: 'text.format.name'.",
            "text.format.name",
            "missing_required_parameter",
            id="a schema without name",
        ),
        pytest.param(
            {"text": {"format": {"type": "json_schema", "name": "x", "schema": 3}}},
            "Invalid type for 'text.format.schema': expected an object, but got an integer "
            "instead.",
            "text.format.schema",
            "invalid_type",
            id="a schema that is none",
        ),
    ],
)
async def test_a_wrong_tool_choice_or_format_is_refused(
    options: Json, message: str, param: str, code: str | None
) -> None:
    async with application() as client:
        answer = await client.post("/v1/responses", json=asked(**options))

    error = answer.json()["error"]
    assert answer.status_code == 400
    assert (error["message"], error["param"], error["code"]) == (message, param, code)


@pytest.mark.parametrize(
    ("flat", "nested"),
    [
        pytest.param("required", "required", id="a word"),
        pytest.param(PRICE, {"type": "function", "function": {"name": "get_price"}}, id="function"),
        pytest.param(
            {"type": "custom", "name": "run"}, {"type": "custom", "custom": {"name": "run"}}, id="c"
        ),
        pytest.param(
            {"type": "allowed_tools", "mode": "required", "tools": [PRICE, {"type": "mcp"}]},
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required",
                    "tools": [{"type": "function", "function": {"name": "get_price"}}],
                },
            },
            id="allowed tools",
        ),
        pytest.param({"type": "file_search"}, "auto", id="a hosted one is left open"),
    ],
)
def test_a_tool_choice_becomes_that_of_a_chat(flat: object, nested: object) -> None:
    assert chat_choice(flat) == nested


def test_a_format_becomes_that_of_a_chat() -> None:
    schema = {"name": "x", "schema": {"type": "object"}, "strict": True}

    assert chat_format({"type": "json_schema", **schema}) == {
        "type": "json_schema",
        "json_schema": schema,
    }
    assert chat_format({"type": "text"}) == {"type": "text"}
    assert chat_format(None) is None
