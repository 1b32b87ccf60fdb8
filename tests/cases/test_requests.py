"""Cases of the kinds params, messages and tool-stream."""

import json
from typing import Any

import pytest

from tests.cases.cases import body_of, cases, run, streamed
from tests.support import Json, application, chat, quiet, scripted

CHAT = "/v1/chat/completions"
USER: Json = {"role": "user", "content": "hi"}
KEY = {"authorization": "Bearer key"}


async def asked(body: Json, **settings: Any) -> Any:
    async with application(quiet(**settings), models=scripted("hello")) as client:
        return await client.post(CHAT, json=body, headers=KEY)


@pytest.mark.parametrize(
    "options",
    [
        {"made_up_field": {"x": 1}},
        {"reasoning_effort": "low", "store": False, "metadata": {"a": "b"}},
        {"messages": [{**USER, "made_up": {"x": [1]}}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a", "odd": 1}]}]},
        {"tools": [{"type": "function", "function": {"name": "f", "odd": 1}, "odd": 2}]},
        {"stream": True, "stream_options": {"made_up": True, "continuous_usage_stats": True}},
        {"ignore_eos": False, "top_k": 5, "min_p": 0.1, "repetition_penalty": 1.1},
        {"chat_template_kwargs": {"enable_thinking": False}, "extra_body": {}, "options": {}},
        {"response_format": {"type": "text", "odd": 1}},
        {"include": [], "reasoning": {"effort": "low"}, "text": {"verbosity": "low"}},
    ],
    ids=str,
)
async def test_B048_unknown_fields_are_ignored(options: Json) -> None:
    assert (await run("B048")).status_code == 200
    assert (await asked({**chat(), **options})).status_code == 200


async def test_B049_null_is_absent() -> None:
    answer = await run("B049")

    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    "nothing",
    [
        {"metadata": None, "store": None, "service_tier": None, "logprobs": None},
        {"max_completion_tokens": None, "parallel_tool_calls": None, "functions": None},
        {"stream": True, "stream_options": {"include_usage": None}},
        {"messages": [{**USER, "name": None, "tool_calls": None, "refusal": None, "audio": None}]},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": None}}]},
        {"made_up": None},
    ],
    ids=str,
)
async def test_B049_so_is_every_other_one(nothing: Json) -> None:
    assert (await asked({**chat(), **nothing})).status_code == 200


@pytest.mark.parametrize("n", [0, -1, True, False, 1.5, 1.0, "1", [], 129, 10**9, 10**30])
async def test_B051_n_is_a_small_integer(n: Any) -> None:
    answer = await run("B051", body_of(cases()["B051"], n=n))

    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "n")


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}],
        [{"type": "input_audio", "input_audio": {}}, {"type": "text", "text": "ab"}],
        [{"type": "video_url", "video_url": {"url": "x"}}, {"type": "text", "text": "ab"}],
        [{"type": "text", "text": "ab", "cache_control": {"type": "ephemeral"}}],
        [{"type": "text", "text": ""}, {"type": "text", "text": "ab"}],
        [{"type": "file", "file": {"file_data": "data:,"}}, {"type": "text", "text": "ab"}],
    ],
    ids=str,
)
async def test_B053_text_parts_are_read_in_order(parts: Any) -> None:
    body = body_of(cases()["B053"], messages=[{"role": "user", "content": parts}])
    answer = await run("B053", body)

    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"] == "ab"
    assert (await run("B053")).json()["choices"][0]["message"]["content"] == "ab"


@pytest.mark.parametrize(
    "content",
    [{"content": None}, {"content": ""}, {}, {"content": []}, {"content": "I look."}],
    ids=str,
)
@pytest.mark.parametrize(
    "answer", ["12:00", "", [{"type": "text", "text": "12"}], None], ids=["text", "", "parts", "no"]
)
async def test_B054_a_turn_of_calls_is_replayed(content: Json, answer: Any) -> None:
    body = body_of(cases()["B054"])
    calling, result = body["messages"][1], body["messages"][2]
    del calling["content"]
    body["messages"][1:] = [{**calling, **content}, {**result, "content": answer}]

    assert (await run("B054", body)).status_code == 200
    assert (await run("B054")).status_code == 200


@pytest.mark.parametrize("settings", [{"strict": True, "model_names": "mock-1"}, {}], ids=str)
async def test_B056_an_orphaned_tool_message_is_refused(settings: Json) -> None:
    """There is no lenient mode for this: see CONFORMANCE.md."""
    answer = await asked(body_of(cases()["B056"]), **settings)
    error = answer.json()["error"]

    assert (answer.status_code, error["type"]) == (400, "invalid_request_error")
    assert error["param"] == "messages.[1].role"


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        ([], "messages"),
        (..., "messages"),
        (None, "messages"),
        ("hi", "messages"),
        ({}, "messages"),
        ([None], "messages[0]"),
        (["hi"], "messages[0]"),
        ([[]], "messages[0]"),
        ([{}], "messages[0].role"),
        ([{"role": None}], "messages[0].role"),
        ([{"role": ""}], "messages[0].role"),
        ([{"role": "bot", "content": "x"}], "messages[0].role"),
        ([USER, {"role": "User", "content": "x"}], "messages[1].role"),
        ([USER, {"content": "x"}], "messages[1].role"),
        ([{"role": "user", "content": 5}], "messages[0].content"),
        ([{"role": "user", "content": {}}], "messages[0].content"),
        ([{"role": "user", "content": [5]}], "messages[0].content[0]"),
        ([{"role": "user", "content": [{}]}], "messages[0].content[0].type"),
        ([{"role": "user", "content": [{"type": 5}]}], "messages[0].content[0].type"),
    ],
    ids=str,
)
async def test_B058_messages_that_are_none_are_refused(messages: Any, param: str) -> None:
    body = body_of(cases()["B058"], messages=messages)
    body = {name: value for name, value in body.items() if value is not ...}
    answer = await run("B058", body)

    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


@pytest.mark.parametrize("content", ["", [], None], ids=["text", "parts", "null"])
async def test_B058_an_echo_of_nothing_is_empty(content: Any) -> None:
    body = body_of(cases()["B058"], messages=[{"role": "user", "content": content}])
    answer = await run("B058", body)

    assert answer.json()["choices"][0]["message"]["content"] == ""
    no_user = body_of(cases()["B058"], messages=[{"role": "system", "content": "s"}])
    assert (await run("B058", no_user)).status_code == 200


async def test_B059_fragments_have_an_index_and_names_once() -> None:
    deltas = [chunk["choices"][0]["delta"] for chunk in await streamed("B059")]
    first, *rest = [fragment for delta in deltas for fragment in delta.get("tool_calls", [])]

    assert (first["index"], first["type"]) == (0, "function")
    assert first["function"] == {"name": "get_time", "arguments": ""}
    for fragment in rest:
        assert set(fragment) == {"index", "function"} and fragment["index"] == 0
        assert set(fragment["function"]) == {"arguments"}
    joined = "".join(each["function"]["arguments"] for each in [first, *rest])
    assert joined == cases()["B059"]["setup"]["tool_call"]["arguments"]
    assert not any(delta.get("content") for delta in deltas)


async def test_B061_a_chunk_has_one_entry_for_an_index() -> None:
    setup = cases()["B059"]["setup"]
    assert json.loads(setup["tool_call"]["arguments"])
    for chunk in await streamed("B059", body_of(cases()["B061"])):
        for each in chunk["choices"]:
            assert len(each["delta"].get("tool_calls", [])) <= 1
