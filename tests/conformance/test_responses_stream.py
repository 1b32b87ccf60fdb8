"""Statements 201-222: the events of a response."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from tests import spec
from tests.api.responses.support import (
    CALL,
    CALLS,
    FEATURES,
    GET_PRICE,
    LONG,
    THOUGHT,
    asked,
    events_of,
    stream_of,
    streamed,
    types_of,
)
from tests.conformance.asking import Broken, official
from tests.support import HeldTime, Json, application, marked, quiet, scripted, served

SUMMARY: Json = {"reasoning": {"summary": "auto"}}


async def events(script: str = "Hello there", models: Any = None, **options: Any) -> list[Json]:
    """The events of a scripted reply."""
    async with application(models=models or marked(script)) as client:
        return await streamed(client, asked(**options))


Streams = dict[str, list[Json]]


@pytest.fixture(scope="module")
def streams() -> Streams:
    """The events of every feature, asked for once."""

    async def all_of_them() -> Streams:
        return {name: await stream_of(feature) for name, feature in FEATURES.items()}

    return asyncio.run(all_of_them())


def of(found: Sequence[Json], *kinds: str) -> list[Json]:
    return [event for event in found if event["type"].removeprefix("response.") in kinds]


@pytest.mark.parametrize("name", FEATURES)
def test_201_sequence_numbers_rise_from_0_without_gaps(streams: Streams, name: str) -> None:
    found = streams[name]

    assert [event["sequence_number"] for event in found] == list(range(len(found)))


async def test_202_a_text_has_its_nine_kinds_of_events_in_order() -> None:
    found = await events()

    assert types_of(found) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    (added,), (done,) = of(found, "output_item.added"), of(found, "output_item.done")
    assert (added["item"]["status"], added["item"]["content"]) == ("in_progress", [])
    assert done["item"]["status"] == "completed"
    (part,), (text,) = of(found, "content_part.added"), of(found, "output_text.done")
    assert (part["part"]["text"], text["text"]) == ("", "Hello there")


@pytest.mark.parametrize("name", FEATURES)
def test_203_created_comes_first(streams: Streams, name: str) -> None:
    found = streams[name]

    assert found[0]["type"] == "response.created"


@pytest.mark.parametrize("name", FEATURES)
def test_204_items_and_parts_are_added_before_their_deltas(streams: Streams, name: str) -> None:
    items, parts = set(), set()
    for event in streams[name]:
        if event["type"] == "response.output_item.added":
            items.add(event["item"]["id"])
        elif event["type"].endswith("part.added"):
            parts.add((event["item_id"], event.get("content_index", event.get("summary_index"))))
        elif event["type"].endswith(".delta"):
            assert event["item_id"] in items
            place = event.get("content_index", event.get("summary_index"))
            assert place is None or (event["item_id"], place) in parts


@pytest.mark.parametrize("name", FEATURES)
def test_205_the_id_of_the_response_does_not_change(streams: Streams, name: str) -> None:
    found = [event for event in streams[name] if "response" in event]

    assert len({event["response"]["id"] for event in found}) == 1


@pytest.mark.parametrize("name", FEATURES)
def test_206_every_item_that_is_added_is_done(streams: Streams, name: str) -> None:
    found = streams[name]

    added = [event["item"]["id"] for event in of(found, "output_item.added")]
    done = [event["item"] for event in of(found, "output_item.done")]
    assert [item["id"] for item in done] == added
    assert found[-1]["response"]["output"] == done


@pytest.mark.parametrize("name", FEATURES)
def test_207_output_indexes_count_items_from_0(streams: Streams, name: str) -> None:
    added = of(streams[name], "output_item.added")

    assert [event["output_index"] for event in added] == list(range(len(added)))


async def test_208_text_events_carry_logprobs() -> None:
    found = of(await events(), "output_text.delta", "output_text.done")

    assert found and all(event["logprobs"] == [] for event in found)


async def test_209_a_call_has_its_arguments_and_no_content_parts() -> None:
    found = await events(CALL, tools=[GET_PRICE])

    assert types_of(found) == [
        "created",
        "in_progress",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    (added,) = of(found, "output_item.added")
    assert (added["item"]["arguments"], added["item"]["name"]) == ("", "get_price")
    (done,) = of(found, "function_call_arguments.done")
    assert (done["arguments"], done["name"]) == ('{"fruit":"quince"}', "get_price")


async def test_210_several_calls_are_items_one_after_the_other() -> None:
    found = await events(CALLS, tools=[GET_PRICE])

    order = [e["output_index"] for e in of(found, "output_item.added", "output_item.done")]
    assert order == [0, 0, 1, 1]


async def test_211_reasoning_without_a_summary_is_an_empty_item() -> None:
    found = await events(THOUGHT)

    assert types_of(found)[2:5] == ["output_item.added", "output_item.done", "output_item.added"]
    reasoning, message = of(found, "output_item.done")
    assert (reasoning["item"]["type"], reasoning["item"]["summary"]) == ("reasoning", [])
    assert (reasoning["output_index"], message["output_index"]) == (0, 1)


async def test_212_a_summary_has_parts_of_its_own() -> None:
    found = await events(THOUGHT, **SUMMARY)

    assert types_of(found)[2:8] == [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
    ]
    for event in of(found, "reasoning_summary_text.delta", "reasoning_summary_part.done"):
        assert {"item_id", "output_index", "summary_index"} <= event.keys()


async def test_214_a_refusal_has_a_part_of_its_own() -> None:
    found = await events("<|start|>assistant refusal<|message|>I must decline.")

    assert types_of(found)[3:7] == [
        "content_part.added",
        "refusal.delta",
        "refusal.done",
        "content_part.done",
    ]
    (part,) = of(found, "content_part.added")
    assert part["part"] == {"type": "refusal", "refusal": ""}


async def test_215_the_cap_makes_it_incomplete() -> None:
    found = await events(LONG, max_output_tokens=16)
    last = found[-1]

    assert last["type"] == "response.incomplete"
    assert not of(found, "completed")
    assert last["response"]["status"] == "incomplete"
    assert last["response"]["incomplete_details"] == {"reason": "max_output_tokens"}
    assert last["response"]["completed_at"] is None
    assert last["response"]["usage"]["output_tokens"] == 16
    assert last["response"]["output"][0]["status"] == "incomplete"


async def test_216_a_failure_is_told_by_response_failed() -> None:
    failed = (await events(models={"mock-1": Broken()}))[-1]

    assert failed["type"] == "response.failed"
    assert failed["response"]["status"] == "failed"
    assert failed["response"]["error"]["code"] == "server_error"
    spec.check("ResponseFailedEvent", failed)


async def test_217_a_server_that_stops_says_so_in_a_flat_error_event() -> None:
    held = HeldTime(until=1.5)
    paced = quiet(latency="natural", ttft="1s", itl="1s")
    async with (
        served(paced, models=scripted("one two three"), clock=held.clock) as server,
        httpx.AsyncClient(base_url=server.url) as client,
        client.stream("POST", "/v1/responses", json=asked(stream=True)) as answer,
    ):
        server.server.backend.drain.end_all()
        last = events_of(await answer.aread())[-1]

    assert last["type"] == "error"
    assert {"code", "message", "param", "sequence_number"} <= last.keys()
    assert isinstance(last["message"], str) and "error" not in last
    spec.check("ResponseErrorEvent", last)


async def test_218_in_the_background_a_response_is_queued_first() -> None:
    found = await events(background=True)

    assert types_of(found)[:3] == ["created", "queued", "in_progress"]
    assert found[0]["response"]["status"] == "queued"


async def test_221_obfuscation_is_left_out() -> None:
    assert not any("obfuscation" in event for event in await events())


async def test_222_logprobs_are_in_each_delta_in_the_text_and_in_the_item() -> None:
    found = await events(include=["message.output_text.logprobs"], top_logprobs=2)
    deltas = of(found, "output_text.delta")
    (done,), (part,) = of(found, "output_text.done"), of(found, "content_part.done")
    (item,) = of(found, "output_item.done")

    entries = [entry for delta in deltas for entry in delta["logprobs"]]
    assert [entry["token"] for entry in entries] == ["Hello", " there"]
    assert all(len(entry["top_logprobs"]) == 2 for entry in entries)
    assert [entry["token"] for entry in done["logprobs"]] == ["Hello", " there"]
    assert item["item"]["content"][0]["logprobs"] == entries
    assert part["part"]["logprobs"] == []


@pytest.mark.parametrize("name", FEATURES)
async def test_206_the_helper_of_the_official_client_reads_it_to_its_end(name: str) -> None:
    feature = FEATURES[name]
    async with official(models=marked(feature.script)) as client:
        stream = await client.responses.create(**asked(), stream=True, extra_body=feature.options)
        found = [event.type async for event in stream]

    assert found[-1] in ("response.completed", "response.incomplete")
