import json
from typing import Any

import pytest

from tests.support import Json, application, chat, chunks_of, quiet, scripted
from tokenlap.api.body import parse
from tokenlap.api.chat.request import ChatRequest
from tokenlap.errors import BadRequest

URL = "/v1/chat/completions"
TOOL = {"type": "function", "function": {"name": "f"}}


def asked(**options: Any) -> ChatRequest:
    return parse(ChatRequest, json.dumps(chat(**options)).encode())


@pytest.mark.parametrize(
    ("options", "message", "param"),
    [
        (
            {"top_logprobs": 1},
            "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
            "top_logprobs",
        ),
        (
            {"top_logprobs": 0, "logprobs": False},
            "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
            "top_logprobs",
        ),
        (
            {"stream_options": {"include_usage": True}},
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            "stream_options",
        ),
        (
            {"stream_options": {}, "stream": False},
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            "stream_options",
        ),
        (
            {"tool_choice": "auto"},
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "
            "specified.",
            "tool_choice",
        ),
        (
            {"parallel_tool_calls": False},
            "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when "
            "'tools' are specified.",
            "parallel_tool_calls",
        ),
        (
            {"function_call": "auto"},
            "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' "
            "are specified.",
            "function_call",
        ),
        (
            {"response_format": {"type": "json_object"}},
            "'messages' must contain the word 'json' in some form, to use 'response_format' of "
            "type 'json_object'.",
            "messages",
        ),
    ],
)
def test_what_is_wrong_together_is_told_in_the_platforms_words(
    options: Json, message: str, param: str
) -> None:
    with pytest.raises(BadRequest) as refused:
        asked(**options).check()

    assert (refused.value.message, refused.value.param, refused.value.code) == (
        message,
        param,
        None,
    )


@pytest.mark.parametrize(
    "options",
    [
        {"top_logprobs": 0, "logprobs": True},
        {"stream_options": {"include_usage": True}, "stream": True},
        {"stream_options": None, "stream": False},
        {"tool_choice": "auto", "parallel_tool_calls": False, "tools": [TOOL]},
        {"function_call": "auto", "functions": [{"name": "f"}]},
        {"response_format": {"type": "json_object"}, "content": "Answer in JSON"},
        {"response_format": {"type": "text"}},
        {"tools": []},
    ],
    ids=str,
)
def test_what_is_right_together_passes(options: Json) -> None:
    asked(**options).check()


def test_the_word_json_may_stand_in_any_message() -> None:
    messages = [{"role": "system", "content": [{"type": "text", "text": "As json, please"}]}]
    body = {**chat(response_format={"type": "json_object"}), "messages": messages}

    parse(ChatRequest, json.dumps(body).encode()).check()


@pytest.mark.parametrize(
    ("sent", "used"),
    [
        (None, "default"),
        ("auto", "default"),
        ("default", "default"),
        ("scale", "default"),
        ("flex", "flex"),
        ("priority", "priority"),
        ("fast", "priority"),
    ],
)
async def test_an_answer_tells_the_tier_that_was_used(sent: str | None, used: str) -> None:
    assert asked(service_tier=sent).tier == used
    async with application(models=scripted("hello")) as client:
        blocking = await client.post(URL, json=chat(service_tier=sent))
        streamed = await client.post(URL, json=chat(service_tier=sent, stream=True))

    assert blocking.json()["service_tier"] == used
    assert {chunk["service_tier"] for chunk in chunks_of(streamed.text)} == {used}


REFUSED: dict[str, Json] = {
    "a type": chat(n="2"),
    "a bound": chat(temperature=3),
    "two together": chat(top_logprobs=1),
    "no messages": {"model": "m"},
    "an answer to nothing": {
        "model": "m",
        "messages": [{"role": "tool", "tool_call_id": "x", "content": "r"}],
    },
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("strict", [False, True])
async def test_a_refusal_is_the_same_for_a_stream(body: Json, strict: bool) -> None:
    key = {"authorization": "Bearer x"}
    async with application(quiet(strict=strict), models=scripted("hello")) as client:
        blocking = await client.post(URL, json={**body, "stream": False}, headers=key)
        streamed = await client.post(URL, json={**body, "stream": True}, headers=key)

    assert (blocking.status_code, streamed.status_code) == (400, 400)
    assert streamed.headers["content-type"] == "application/json"
    assert blocking.json() == streamed.json()
