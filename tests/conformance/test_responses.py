"""Statements 185-200: response objects."""

import re
from typing import Any

import pytest

from tests import spec
from tests.api.responses.support import GET_PRICE, asked, posted, streamed, text_of
from tests.conformance.asking import RESPONSES, error, official, refusal
from tests.support import Json, application, marked, scripted

CALL = '<|start|>assistant to=get_price<|message|>{"fruit":"fig"}<|call|>'
THOUGHT = "<|start|>assistant reasoning<|message|>Hm.<|start|>assistant<|message|>Fig"
REQUIRED = (
    "id object created_at error incomplete_details instructions model tools output "
    "parallel_tool_calls metadata tool_choice temperature top_p"
)


async def response(script: str = "Hello there", **options: Any) -> Json:
    """The response to a scripted reply."""
    async with application(models=marked(script)) as client:
        return await posted(client, asked(**options))


async def test_185_ids_begin_with_what_they_name() -> None:
    said = await response(f"Well. {THOUGHT}")
    called = await response(CALL, tools=[GET_PRICE])

    assert re.fullmatch(r"resp_\w+", said["id"])
    assert [item["id"].partition("_")[0] for item in said["output"]] == ["msg", "rs", "msg"]
    (call,) = called["output"]
    assert re.fullmatch(r"fc_\w+", call["id"]) and re.fullmatch(r"call_\w+", call["call_id"])
    assert call["id"] != call["call_id"]


async def test_186_every_response_has_the_required_keys() -> None:
    async with application(models=scripted("Hello")) as client:
        events = await streamed(client, asked())

    for event in (events[0], events[1], events[-1]):
        assert set(REQUIRED.split()) <= event["response"].keys()
        spec.check("Response", event["response"])


LIVE = (
    "status background completed_at max_output_tokens max_tool_calls previous_response_id "
    "prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store text "
    "top_logprobs truncation usage"
)


async def test_187_it_tells_what_the_live_one_tells() -> None:
    said = await response()

    for name in LIVE.split():
        assert name in said


async def test_188_defaults_are_echoed() -> None:
    said = await response()

    assert said["temperature"] == said["top_p"] == 1.0
    assert said["store"] is said["parallel_tool_calls"] is True
    assert (said["truncation"], said["tool_choice"]) == ("disabled", "auto")
    assert (said["tools"], said["metadata"]) == ([], {})
    assert said["text"] == {"format": {"type": "text"}, "verbosity": "medium"}
    assert said["top_logprobs"] == 0
    assert said["reasoning"] == {"effort": None, "summary": None}


async def test_189_user_and_usage_are_left_out_until_they_have_a_value() -> None:
    async with application(models=scripted("Hello")) as client:
        events = await streamed(client, asked())
        named = await posted(client, asked(user="u"))

    assert "usage" not in events[0]["response"] and "user" not in events[0]["response"]
    assert events[-1]["response"]["usage"]["total_tokens"] > 0
    assert named["user"] == "u"


async def test_190_output_text_is_left_to_the_clients() -> None:
    assert "output_text" not in await response()
    async with official(models=scripted("Hello there")) as client:
        said = await client.responses.create(**asked())

    assert said.output_text == "Hello there"


async def test_191_a_message_has_its_text_with_annotations_and_logprobs() -> None:
    (message,) = (await response())["output"]

    assert message == {
        "id": message["id"],
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [
            {"type": "output_text", "text": "Hello there", "annotations": [], "logprobs": []}
        ],
    }


async def test_192_usage_has_its_details() -> None:
    usage = (await response(THOUGHT))["usage"]

    assert set(usage["input_tokens_details"]) == {"cached_tokens", "cache_write_tokens"}
    assert usage["output_tokens_details"]["reasoning_tokens"] > 0
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


async def test_193_the_service_tier_is_auto_until_the_end() -> None:
    async with application(models=scripted("Hello")) as client:
        events = await streamed(client, asked())

    tiers = [event["response"]["service_tier"] for event in events if "response" in event]
    assert tiers == ["auto", "auto", "default"]


OUTPUT: Json = {
    "type": "message",
    "id": "msg_1",
    "status": "completed",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "ok", "annotations": []}],
}
FUNCTION: Json = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "get_price",
    "arguments": "{}",
}


@pytest.mark.parametrize(
    "items",
    [
        "hi",
        [{"role": "user", "content": "hi"}],
        [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
        [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "hi"},
                    {"type": "input_image", "image_url": "data:,", "detail": "auto"},
                    {"type": "input_file", "file_id": "file-1"},
                ],
            }
        ],
        [OUTPUT, {"role": "user", "content": "hi"}],
        [
            FUNCTION,
            {"type": "function_call_output", "call_id": "call_1", "output": "3"},
            {"role": "user", "content": "hi"},
        ],
    ],
    ids=["text", "message", "parts", "other parts", "history", "call"],
)
async def test_194_input_is_a_text_or_items(items: Any) -> None:
    async with application() as client:
        said = await posted(client, {"model": "echo", "input": items})

    assert text_of(said) == "hi"


async def test_194_an_item_may_be_referred_to() -> None:
    async with application() as client:
        first = await posted(client, {"model": "echo", "input": "hi"})
        items = [
            {"type": "item_reference", "id": first["output"][0]["id"]},
            {"role": "user", "content": "ho"},
        ]
        second = await posted(client, {"model": "echo", "input": items})

    assert text_of(second) == "ho"
    assert second["usage"]["input_tokens"] > first["usage"]["input_tokens"]


async def test_194_instructions_are_for_this_call_alone() -> None:
    async with application(models=scripted("Hello")) as client:
        first = await posted(client, asked(instructions="Be brief."))
        second = await posted(client, asked(previous_response_id=first["id"]))
        plain = await posted(client, asked())

    assert (first["instructions"], second["instructions"]) == ("Be brief.", None)
    assert first["usage"]["input_tokens"] > plain["usage"]["input_tokens"]


async def test_195_a_json_schema_stands_flat_in_text_format() -> None:
    form = {"type": "json_schema", "name": "x", "schema": {"type": "object"}, "strict": True}
    said = await response("{}", text={"format": form})

    assert said["text"]["format"] == form


async def test_196_tools_stand_flat_and_are_echoed_filled_in() -> None:
    (tool,) = (await response(tools=[GET_PRICE]))["tools"]

    assert tool["strict"] is True and "parameters" in tool
    assert tool["name"] == "get_price"


async def test_197_max_output_tokens_is_at_least_16() -> None:
    assert await refusal(asked(max_output_tokens=8), RESPONSES) == error(
        400,
        "Invalid 'max_output_tokens': integer below minimum value. "
        "Expected a value >= 16, but got 8 instead.",
        "max_output_tokens",
        "integer_below_min_value",
    )


async def test_198_an_unknown_previous_response_is_400() -> None:
    refused = await refusal(asked(previous_response_id="resp_nope"), RESPONSES)

    assert refused["status"] == 400
    assert refused["code"] == "previous_response_not_found"
    assert refused["message"] == "Previous response with id 'resp_nope' not found."


@pytest.mark.parametrize("strict", [False, True])
async def test_199_include_usage_is_refused(strict: bool) -> None:
    body = asked(stream=True, stream_options={"include_usage": True})
    refused = await refusal(body, RESPONSES, strict=strict)
    allowed = asked(stream=True, stream_options={"include_obfuscation": False})
    async with application(models=scripted("Hello")) as client:
        assert await streamed(client, allowed)

    assert (refused["status"], refused["code"]) == (400, "unknown_parameter")
    assert refused["param"] == "stream_options.include_usage"


async def test_200_a_response_is_fetched_replayed_listed_cancelled_and_deleted() -> None:
    async with application(models=scripted("Hello there")) as client:
        said = await posted(client, asked())
        url = f"{RESPONSES}/{said['id']}"
        fetched = (await client.get(url)).json()
        replay = (await client.get(url, params={"stream": "true", "starting_after": 3})).text
        items = (await client.get(f"{url}/input_items")).json()
        cancelled = await client.post(f"{url}/cancel")
        deleted = await client.delete(url)
        gone = await client.get(url)

    assert fetched == said
    assert '"sequence_number":4' in replay and '"sequence_number":3' not in replay
    assert [item["content"][0]["text"] for item in items["data"]] == ["hi"]
    assert cancelled.status_code == 400  # it was no background response
    assert deleted.status_code == 200
    assert gone.status_code == 404
