"""The document of a responses request is that of the same chat."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.api.responses.support import GET_PRICE, asked, posted
from tests.support import Json, application, quiet
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import END, o200k


class Reader:
    """Notes what it is to continue, and ends at once."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def start(self, prompt: Sequence[int]) -> None:
        self.read.append(o200k().decode(prompt))

    def next(self, state: None) -> Distribution:
        return Distribution.certain(END)

    def append(self, state: None, token: int) -> None:
        return None


CHAT = "/v1/chat/completions"
USER = {"role": "user", "content": "Price of a quince?"}
CALLED = {"type": "function_call", "call_id": "c1", "name": "get_price", "arguments": '{"a":1}'}
CHAT_CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "get_price", "arguments": '{"a":1}'},
}
ANSWERED = {"type": "function_call_output", "call_id": "c1", "output": "3 euro"}
TOOL = {"name": "get_price", "description": "d", "parameters": {"type": "object"}}


@pytest.mark.parametrize(
    ("response", "chat"),
    [
        pytest.param(
            {"input": USER["content"]},
            {"messages": [USER]},
            id="a text",
        ),
        pytest.param(
            {"input": [{"type": "message", **USER}], "instructions": "Be brief."},
            {"messages": [{"role": "system", "content": "Be brief."}, USER]},
            id="instructions",
        ),
        pytest.param(
            {
                "input": [
                    {"role": "developer", "content": [{"type": "input_text", "text": "So."}]},
                    {"role": "user", "content": "Hi"},
                    {"role": "assistant", "content": "Hello"},
                    {
                        "role": "assistant",
                        "type": "message",
                        "id": "msg_1",
                        "status": "completed",
                        "content": [
                            {
                                "type": "output_text",
                                "text": "there",
                                "annotations": [],
                                "logprobs": [],
                            },
                            {"type": "refusal", "refusal": "no"},
                        ],
                    },
                    USER,
                ]
            },
            {
                "messages": [
                    {"role": "developer", "content": "So."},
                    {"role": "user", "content": "Hi"},
                    {"role": "assistant", "content": "Hello"},
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "text", "text": "there"},
                            {"type": "refusal", "refusal": "no"},
                        ],
                    },
                    USER,
                ]
            },
            id="history",
        ),
        pytest.param(
            {"input": [USER, CALLED, ANSWERED], "tools": [{"type": "function", **TOOL}]},
            {
                "messages": [
                    USER,
                    {"role": "assistant", "tool_calls": [CHAT_CALL]},
                    {"role": "tool", "tool_call_id": "c1", "content": "3 euro"},
                ],
                "tools": [{"type": "function", "function": TOOL}],
            },
            id="a call and its output",
        ),
        pytest.param(
            {
                "input": [
                    USER,
                    CALLED,
                    {**ANSWERED, "output": [{"type": "input_text", "text": "3 euro"}]},
                ]
            },
            {
                "messages": [
                    USER,
                    {"role": "assistant", "tool_calls": [CHAT_CALL]},
                    {"role": "tool", "tool_call_id": "c1", "content": "3 euro"},
                ]
            },
            id="an output in parts",
        ),
        pytest.param(
            {
                "input": [
                    USER,
                    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
                    {
                        "type": "reasoning",
                        "id": "rs_1",
                        "summary": [{"type": "summary_text", "text": "Hm."}],
                    },
                    {"role": "assistant", "content": "Three"},
                    USER,
                ]
            },
            {
                "messages": [
                    USER,
                    {"role": "assistant", "content": "Three", "reasoning_content": "Hm."},
                    USER,
                ]
            },
            id="reasoning, and a hosted tool that is not seen",
        ),
    ],
)
async def test_the_document_is_that_of_the_same_chat(response: Json, chat: Json) -> None:
    reader = Reader()
    async with application(models={"mock-1": reader}) as client:
        usage = (await posted(client, {"model": "mock-1", **response}))["usage"]
        chat_usage = (await posted(client, {"model": "mock-1", **chat}, CHAT))["usage"]

    assert reader.read[0] == reader.read[1]
    assert usage["input_tokens"] == chat_usage["prompt_tokens"]


def call(id: str = "c1") -> Json:
    return {**CALLED, "call_id": id}


def output(id: str = "c1") -> Json:
    return {**ANSWERED, "call_id": id}


@pytest.mark.parametrize(
    ("items", "message"),
    [
        pytest.param(
            [USER, output()],
            "No tool call found for function call output with call_id c1.",
            id="an output without its call",
        ),
        pytest.param(
            [USER, output(), call()],
            "No tool call found for function call output with call_id c1.",
            id="an output before its call",
        ),
        pytest.param(
            [USER, call("c1"), call("c2"), output("c1"), USER],
            "No tool output found for function call c2.",
            id="a call without output",
        ),
    ],
)
async def test_calls_and_outputs_must_belong_together(items: list[Any], message: str) -> None:
    async with application() as client:
        answer = await client.post("/v1/responses", json=asked(items, tools=[GET_PRICE]))

    error = answer.json()["error"]
    assert answer.status_code == 400
    assert (error["message"], error["param"], error["code"]) == (message, "input", None)


async def test_a_json_object_must_be_spoken_of_in_the_input() -> None:
    format = {"text": {"format": {"type": "json_object"}}}
    async with application() as client:
        answer = await client.post("/v1/responses", json=asked("hi", instructions="JSON", **format))

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "input"
    assert "must contain the word 'json'" in answer.json()["error"]["message"]


async def test_truncation_drops_the_oldest_turns_until_the_rest_fits() -> None:
    reader = Reader()
    words = " ".join(["word"] * 30)
    items = [{"role": "user", "content": f"{n} {words}"} for n in range(10)]
    async with application(quiet(context_window=150), models={"mock-1": reader}) as client:
        refused = await client.post("/v1/responses", json=asked(items))
        await posted(client, asked(items, truncation="auto", instructions="Be brief."))

    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "context_length_exceeded"
    assert refused.json()["error"]["param"] == "input"
    [document] = reader.read
    assert "Be brief." in document and "9 word" in document and "0 word" not in document
