import pytest

from tests.api.responses.support import asked, posted
from tests.support import Json, application, scripted

USER = {"role": "user", "content": "hi"}
PARTS = (
    "'input_text', 'input_image', 'input_audio', 'output_text', 'refusal', 'input_file', "
    "'computer_screenshot', 'summary_text', and 'encrypted_content'"
)


def part(**fields: object) -> list[Json]:
    return [{"role": "user", "content": [fields]}]


@pytest.mark.parametrize(
    ("sent", "message", "param", "code"),
    [
        pytest.param(
            3,
            "Invalid type for 'input': expected one of a string or array of input items, but got "
            "an integer instead.",
            "input",
            "invalid_type",
            id="not items",
        ),
        pytest.param(
            [USER] * 4097,
            "Invalid 'input': array too long. Expected an array with maximum length 4096, but got "
            "an array with length 4097 instead.",
            "input",
            "array_above_max_length",
            id="more items than are read at once",
        ),
        pytest.param(
            ["hi"],
            "Invalid type for 'input[0]': expected an object, but got a string instead.",
            "input[0]",
            "invalid_type",
            id="not an item",
        ),
        pytest.param(
            [USER, {"role": "tool", "content": "x"}],
            "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and "
            "'user'.",
            "input[1].role",
            "invalid_value",
            id="unknown role",
        ),
        pytest.param(
            [{"role": "user"}],
            "Missing required parameter: 'input[0].content'.",
            "input[0].content",
            "missing_required_parameter",
            id="no content",
        ),
        pytest.param(
            [{"type": "message", "content": "hi"}],
            "Missing required parameter: 'input[0].role'.",
            "input[0].role",
            "missing_required_parameter",
            id="no role",
        ),
        pytest.param(
            [{"role": "user", "content": 3}],
            "Invalid type for 'input[0].content': expected one of a string or array of objects, "
            "but got an integer instead.",
            "input[0].content",
            "invalid_type",
            id="content of a wrong type",
        ),
        pytest.param(
            part(type="text", text="hi"),
            f"Invalid value: 'text'. Supported values are: {PARTS}.",
            "input[0].content[0].type",
            "invalid_value",
            id="a part of a chat",
        ),
        pytest.param(
            part(type="input_text"),
            "Missing required parameter: 'input[0].content[0].text'.",
            "input[0].content[0].text",
            "missing_required_parameter",
            id="a text part without text",
        ),
        pytest.param(
            [{"role": "assistant", "content": [{"type": "input_text", "text": "hi"}]}],
            "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
            "input[0].content[0]",
            "invalid_value",
            id="an input text of the assistant",
        ),
        pytest.param(
            [{"type": "function_call", "call_id": "c", "name": "f"}],
            "Missing required parameter: 'input[0].arguments'.",
            "input[0].arguments",
            "missing_required_parameter",
            id="a call without arguments",
        ),
        pytest.param(
            [{"type": "function_call_output", "output": "x"}],
            "Missing required parameter: 'input[0].call_id'.",
            "input[0].call_id",
            "missing_required_parameter",
            id="an output without call_id",
        ),
        pytest.param(
            [{"type": ["message"], "role": "user"}],
            "Invalid type for 'input[0].type': expected a string, but got an array instead.",
            "input[0].type",
            "invalid_type",
            id="a type that is none",
        ),
        pytest.param(
            [{"type": "item_reference"}],
            "Missing required parameter: 'input[0].id'.",
            "input[0].id",
            "missing_required_parameter",
            id="a reference to nothing",
        ),
    ],
)
async def test_a_wrong_item_is_refused_in_the_words_of_the_platform(
    sent: object, message: str, param: str, code: str
) -> None:
    async with application() as client:
        answer = await client.post("/v1/responses", json=asked(sent, stream=True))

    assert answer.status_code == 400
    assert answer.json()["error"] == {
        "message": message,
        "type": "invalid_request_error",
        "param": param,
        "code": code,
    }


async def test_an_item_of_an_unknown_type_is_refused_with_those_there_are() -> None:
    async with application() as client:
        answer = await client.post("/v1/responses", json=asked([{"type": "pigeon"}]))

    error = answer.json()["error"]
    assert (error["param"], error["code"]) == ("input[0].type", "invalid_value")
    assert error["message"].startswith("Invalid value: 'pigeon'. Supported values are: ")
    assert all(f"'{type}'" in error["message"] for type in ("message", "reasoning"))


@pytest.mark.parametrize(
    ("sent", "listed"),
    [
        pytest.param(
            "hi",
            {
                "type": "message",
                "role": "user",
                "status": "completed",
                "content": [{"type": "input_text", "text": "hi"}],
            },
            id="a text",
        ),
        pytest.param(
            [{"role": "assistant", "content": "yes"}],
            {
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {"annotations": [], "logprobs": [], "type": "output_text", "text": "yes"}
                ],
            },
            id="history",
        ),
        pytest.param(
            part(type="input_image", image_url="https://localhost/a.png"),
            {
                "type": "message",
                "role": "user",
                "status": "completed",
                "content": [
                    {
                        "detail": "auto",
                        "type": "input_image",
                        "image_url": "https://localhost/a.png",
                    }
                ],
            },
            id="an image",
        ),
        pytest.param(
            [
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": "x"},
            ],
            {
                "type": "function_call_output",
                "call_id": "c",
                "output": "x",
                "status": "completed",
            },
            id="an output",
        ),
        pytest.param(
            [{"type": "reasoning", "id": "rs_1", "summary": [], "status": None}],
            {"type": "reasoning", "summary": []},
            id="reasoning",
        ),
        pytest.param(
            [{"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"a": 1}}],
            {"type": "web_search_call", "status": "completed", "action": {"a": 1}},
            id="a hosted tool",
        ),
    ],
)
async def test_an_item_is_listed_with_all_that_the_document_demands(
    sent: object, listed: Json
) -> None:
    async with application(models=scripted("ok")) as client:
        id = (await posted(client, asked(sent)))["id"]
        [item, *_] = (await client.get(f"/v1/responses/{id}/input_items")).json()["data"]

    assert item.pop("id")
    assert item == listed
