import json

import pytest

from tests.api.responses.support import (
    FEATURES,
    LONG,
    Feature,
    asked,
    posted,
    stream_of,
    streamed,
    text_of,
    types_of,
)
from tests.support import application, scripted


@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES.keys())
async def test_items_open_one_at_a_time_and_close_as_they_stand_in_the_output(
    feature: Feature,
) -> None:
    events = await stream_of(feature)

    items = [event for event in events if "output_item." in event["type"]]
    added, done = items[0::2], items[1::2]
    assert [e["type"].rpartition(".")[2] for e in items] == ["added", "done"] * len(added)
    assert [e["output_index"] for e in added] == list(range(len(added)))
    assert [e["item"]["id"] for e in added] == [e["item"]["id"] for e in done]
    assert [e["item"] for e in done] == events[-1]["response"]["output"]


@pytest.mark.parametrize(
    ("name", "types"),
    [
        pytest.param(
            "text",
            "created in_progress output_item.added content_part.added output_text.delta "
            "output_text.done content_part.done output_item.done completed",
            id="202 text",
        ),
        pytest.param(
            "nothing",
            "created in_progress output_item.added content_part.added "
            "output_text.done content_part.done output_item.done completed",
            id="109 an empty reply is an empty message",
        ),
        pytest.param(
            "call",
            "created in_progress output_item.added function_call_arguments.delta "
            "function_call_arguments.done output_item.done completed",
            id="209 a call has no parts",
        ),
        pytest.param(
            "custom call",
            "created in_progress output_item.added custom_tool_call_input.delta "
            "custom_tool_call_input.done output_item.done completed",
            id="a call of a custom tool",
        ),
        pytest.param(
            "hidden reasoning",
            "created in_progress output_item.added output_item.done output_item.added "
            "content_part.added output_text.delta output_text.done content_part.done "
            "output_item.done completed",
            id="211 reasoning without summary",
        ),
        pytest.param(
            "summary",
            "created in_progress output_item.added reasoning_summary_part.added "
            "reasoning_summary_text.delta reasoning_summary_text.done reasoning_summary_part.done "
            "output_item.done output_item.added content_part.added output_text.delta "
            "output_text.done content_part.done output_item.done completed",
            id="212 reasoning with summary",
        ),
        pytest.param(
            "refusal",
            "created in_progress output_item.added content_part.added refusal.delta refusal.done "
            "content_part.done output_item.done completed",
            id="214 refusal",
        ),
        pytest.param(
            "cap",
            "created in_progress output_item.added content_part.added output_text.delta "
            "output_text.done content_part.done output_item.done incomplete",
            id="215 the cap",
        ),
    ],
)
async def test_the_order_of_events(name: str, types: str) -> None:
    events = await stream_of(FEATURES[name])

    assert types_of(events) == types.split()


async def test_one_token_is_one_delta() -> None:
    async with application(models=scripted("Hello there, my friend.")) as client:
        events = await streamed(client, asked())

    deltas = [event["delta"] for event in events if event["type"].endswith("delta")]
    assert deltas == ["Hello", " there", ",", " my", " friend", "."]


async def test_the_cap_makes_the_response_and_its_item_incomplete() -> None:
    async with application(models=scripted(LONG)) as client:
        response = await posted(client, asked(max_output_tokens=16))

    assert response["status"] == response["output"][-1]["status"] == "incomplete"
    assert response["incomplete_details"] == {"reason": "max_output_tokens"}
    assert response["completed_at"] is None
    assert response["usage"]["output_tokens"] == 16
    assert LONG.startswith(text_of(response))


async def test_each_call_has_an_item_id_and_a_call_id_of_its_own() -> None:
    events = await stream_of(FEATURES["text then calls"])

    calls = events[-1]["response"]["output"][1:]
    assert [json.loads(call["arguments"])["fruit"] for call in calls] == ["fig", "quince"]
    assert len({call[name] for call in calls for name in ("id", "call_id")}) == 4
    assert all(call["id"].startswith("fc_") for call in calls)
    assert all(len(call["call_id"]) == len("call_") + 24 for call in calls)


async def test_arguments_are_done_with_the_name_of_the_function() -> None:
    events = await stream_of(FEATURES["call"])

    [done] = [e for e in events if e["type"] == "response.function_call_arguments.done"]
    assert (done["name"], done["arguments"]) == ("get_price", '{"fruit":"quince"}')


async def test_a_second_channel_of_a_message_is_a_second_part_of_it() -> None:
    events = await stream_of(FEATURES["text then refusal"])

    [item] = events[-1]["response"]["output"]
    assert [part["type"] for part in item["content"]] == ["output_text", "refusal"]
    assert {e["content_index"] for e in events if e["type"] == "response.refusal.delta"} == {1}


async def test_reasoning_counts_though_it_is_not_shown() -> None:
    events = await stream_of(FEATURES["hidden reasoning"])

    response = events[-1]["response"]
    assert response["output"][0]["summary"] == []
    assert response["usage"]["output_tokens_details"]["reasoning_tokens"] > 0
    assert "Think" not in json.dumps(events)
