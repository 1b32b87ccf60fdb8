"""Statements 32-51: the blocking answer of chat completions."""

import json
import re

import pytest

from tests import spec
from tests.conformance.asking import (
    CALL,
    CALLS,
    CHAT,
    HELLO,
    REFUSAL,
    TOOL,
    choice,
    chunks,
    completion,
)
from tests.support import Json, application, chat, marked


async def test_032_the_top_level_keys_are_those_of_the_live_answer() -> None:
    assert list(await completion()) == [
        "id",
        "object",
        "created",
        "model",
        "choices",
        "usage",
        "service_tier",
        "system_fingerprint",
    ]


async def test_033_the_id_begins_with_chatcmpl() -> None:
    ids = {(await completion())["id"] for _ in range(20)}

    assert len(ids) == 20 and all(re.fullmatch(r"chatcmpl-\w{20,}", id) for id in ids)


async def test_034_the_object_is_chat_completion() -> None:
    assert (await completion())["object"] == "chat.completion"


async def test_035_created_is_a_whole_number_of_seconds() -> None:
    async with application(models=HELLO, now=lambda: 1790000000.75) as client:
        text = (await client.post(CHAT, json=chat())).text

    assert '"created":1790000000,' in text


@pytest.mark.parametrize("name", ["gpt-5-mini", "team/My Model:v1@eu", "模型", "tokenlap"])
async def test_036_the_model_is_echoed_as_it_was_asked_for(name: str) -> None:
    async with application() as client:
        body = {**chat(), "model": name}
        assert (await client.post(CHAT, json=body)).json()["model"] == name


@pytest.mark.parametrize("n", [1, 2, 5])
async def test_037_there_are_n_choices_in_order(n: int) -> None:
    choices = (await completion(n=n))["choices"]

    assert [each["index"] for each in choices] == list(range(n))


async def test_038_a_choice_has_its_four_keys_and_null_for_no_logprobs() -> None:
    first = await choice()

    assert set(first) == {"index", "message", "finish_reason", "logprobs"}
    assert first["logprobs"] is None


@pytest.mark.parametrize("script", ["Hello", "", CALL, REFUSAL], ids=["text", "", "call", "no"])
async def test_039_a_message_has_role_content_and_refusal(script: str) -> None:
    message = (await choice(marked(script), tools=[TOOL]))["message"]

    assert message["role"] == "assistant"
    assert isinstance(message["content"], str | None)
    assert isinstance(message["refusal"], str | None)
    assert (await choice())["message"]["refusal"] is None


async def test_040_a_message_has_an_empty_list_of_annotations() -> None:
    assert (await choice())["message"]["annotations"] == []


async def test_041_there_is_no_key_for_calls_that_were_not_made() -> None:
    assert not {"tool_calls", "function_call"} & (await choice(tools=[TOOL]))["message"].keys()


async def test_042_beside_tool_calls_content_is_null() -> None:
    message = (await choice(marked(CALL), tools=[TOOL]))["message"]

    assert message["tool_calls"] and message["content"] is None


async def test_043_a_tool_call_has_an_id_a_type_and_arguments_as_text() -> None:
    message = (await choice(marked(CALLS), tools=[TOOL]))["message"]

    assert len({call["id"] for call in message["tool_calls"]}) == 2
    for call, zone in zip(message["tool_calls"], ("UTC", "CET"), strict=True):
        assert set(call) == {"id", "type", "function"}
        assert re.fullmatch(r"call_\w{24}", call["id"])
        assert call["type"] == "function"
        assert call["function"]["name"] == "get_time"
        assert json.loads(call["function"]["arguments"]) == {"tz": zone}


@pytest.mark.parametrize(
    ("script", "options", "reason"),
    [
        ("Hello there", {}, "stop"),
        ("Hello there", {"stop": "there"}, "stop"),
        ("Hello there", {"max_tokens": 1}, "length"),
        (CALL, {"tools": [TOOL]}, "tool_calls"),
        (REFUSAL, {}, "stop"),
    ],
)
async def test_044_the_finish_reason_is_one_of_the_document(
    script: str, options: Json, reason: str
) -> None:
    assert (await choice(marked(script), **options))["finish_reason"] == reason


@pytest.mark.parametrize("options", [{}, {"n": 3}, {"max_tokens": 1}])
async def test_045_usage_is_there_and_adds_up(options: Json) -> None:
    usage = (await completion(**options))["usage"]

    assert usage["prompt_tokens"] > 0 and usage["completion_tokens"] > 0
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


async def test_046_usage_has_its_details_as_integers() -> None:
    usage = (await completion())["usage"]

    assert usage["prompt_tokens_details"] == {"cached_tokens": 0, "audio_tokens": 0}
    assert usage["completion_tokens_details"] == {
        "reasoning_tokens": 0,
        "audio_tokens": 0,
        "accepted_prediction_tokens": 0,
        "rejected_prediction_tokens": 0,
    }


async def test_047_prompt_details_have_no_cache_write_tokens() -> None:
    assert "cache_write_tokens" not in (await completion())["usage"]["prompt_tokens_details"]


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        (None, "default"),
        ("auto", "default"),
        ("default", "default"),
        ("flex", "flex"),
        ("priority", "priority"),
        ("fast", "priority"),
    ],
)
async def test_048_the_service_tier_is_the_one_used(asked: str | None, used: str) -> None:
    assert (await completion(service_tier=asked))["service_tier"] == used
    assert {chunk["service_tier"] for chunk in await chunks(service_tier=asked)} == {used}


async def test_049_the_fingerprint_is_a_string_of_fp_and_ten_digits() -> None:
    assert re.fullmatch(r"fp_[0-9a-f]{10}", (await completion())["system_fingerprint"])


async def test_050_of_n_choices_the_prompt_counts_once() -> None:
    one, three = await completion(), await completion(n=3)

    assert three["usage"]["prompt_tokens"] == one["usage"]["prompt_tokens"]
    assert three["usage"]["completion_tokens"] == 3 * one["usage"]["completion_tokens"]


async def test_051_metadata_stands_in_stored_completions_alone() -> None:
    async with application(models=HELLO) as client:
        body = chat(metadata={"a": "b"})
        plain = (await client.post(CHAT, json=body)).json()
        stored = (await client.post(CHAT, json={**body, "store": True})).json()
        fetched = (await client.get(f"{CHAT}/{stored['id']}")).json()

    assert "metadata" not in plain
    assert fetched["metadata"] == {"a": "b"}


@pytest.mark.parametrize("script", ["Hello \U0001f99c", "", CALLS, REFUSAL])
async def test_039_the_whole_answer_is_what_the_document_describes(script: str) -> None:
    for options in ({}, {"logprobs": True, "top_logprobs": 3}, {"n": 2}):
        given = await completion(marked(script), tools=[TOOL], **options)

        spec.check("CreateChatCompletionResponse", given)
