from collections.abc import Iterable
from typing import Any

import pytest

from tests import golden
from tests.api.responses.support import (
    CALL,
    FEATURES,
    Feature,
    asked,
    events_of,
    posted,
    stream_of,
    streamed,
)
from tests.support import Json, application, marked, quiet, scripted
from tokenlap.api.responses.encoder import ResponseEncoder
from tokenlap.api.responses.output import Output
from tokenlap.engine.tokenizer import o200k
from tokenlap.errors import Overloaded, RateLimited, ServerError

Table = pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES.keys())


@Table
async def test_sequence_numbers_have_no_gaps(feature: Feature) -> None:
    events = await stream_of(feature)

    assert [event["sequence_number"] for event in events] == list(range(len(events)))


@Table
async def test_the_blocking_answer_is_the_response_of_the_terminal_event(feature: Feature) -> None:
    answers = []
    for stream in (True, False):
        parts: dict[str, Any] = {"now": lambda: 1790000000.5, "new_id": golden.numbered()}
        async with application(models=marked(feature.script), **parts) as client:
            body = asked(**feature.options)
            if stream:
                answers.append((await streamed(client, body))[-1]["response"])
            else:
                answers.append(await posted(client, body))

    assert answers[0] == answers[1]


@Table
async def test_deltas_add_up_to_what_is_told_at_the_end(feature: Feature) -> None:
    events = await stream_of(feature)

    told = {
        (event["item_id"], event.get("content_index"), event.get("summary_index")): next(
            event[name] for name in ("text", "refusal", "arguments", "input") if name in event
        )
        for event in events
        if event["type"].endswith(
            (".text.done", "_text.done", "refusal.done", "arguments.done", "input.done")
        )
    }
    added: dict[Any, str] = dict.fromkeys(told, "")
    for event in events:
        if event["type"].endswith(".delta"):
            place = (event["item_id"], event.get("content_index"), event.get("summary_index"))
            added[place] += event["delta"]
    assert added == told


async def test_logprobs_are_in_each_delta_and_again_in_the_text_and_the_item() -> None:
    events = await stream_of(FEATURES["logprobs"])

    deltas = [e["logprobs"] for e in events if e["type"] == "response.output_text.delta"]
    [done] = [e for e in events if e["type"] == "response.output_text.done"]
    [part] = [e for e in events if e["type"] == "response.content_part.done"]
    [content] = events[-1]["response"]["output"][0]["content"]
    assert [entry for delta in deltas for entry in delta] == done["logprobs"]
    assert done["logprobs"] == content["logprobs"]
    assert part["part"]["logprobs"] == []
    assert (
        bytes(b for entry in content["logprobs"] for b in entry["bytes"]).decode() == done["text"]
    )
    assert [len(entry["top_logprobs"]) for entry in content["logprobs"]] == [2] * len(
        content["logprobs"]
    )


async def test_a_traced_response_tells_every_lap_at_its_end() -> None:
    async with application(models=marked(f"So. {CALL}")) as client:
        headers = {"x-tokenlap-trace": "1"}
        answer = await client.post("/v1/responses", json=asked(stream=True), headers=headers)

    events = events_of(answer.content)
    laps = [lap["lap"] for lap in events[-1]["response"]["tokenlap"]["laps"]]
    shown = [lap["lap"] for e in events[:-1] for lap in e.get("tokenlap", {}).get("laps", ())]
    assert laps == list(range(1, len(laps) + 1))
    assert shown and set(shown) <= set(laps)


@pytest.mark.parametrize(
    ("asked_for", "first", "last"),
    [
        pytest.param(None, "auto", "default", id="absent"),
        pytest.param("auto", "auto", "default", id="auto"),
        pytest.param("default", "default", "default", id="default"),
        pytest.param("flex", "flex", "flex", id="flex"),
        pytest.param("priority", "priority", "priority", id="priority"),
        pytest.param("fast", "fast", "priority", id="fast"),
    ],
)
async def test_the_service_tier_is_the_one_used_once_it_is_known(
    asked_for: str | None, first: str, last: str
) -> None:
    async with application(models=scripted("Hi")) as client:
        events = await streamed(client, asked(service_tier=asked_for))

    assert events[0]["response"]["service_tier"] == first
    assert events[-1]["response"]["service_tier"] == last


def begun() -> ResponseEncoder:
    response = {"id": "resp_1", "status": "in_progress", "service_tier": "auto", "output": []}
    encoder = ResponseEncoder(response, Output("resp_1", o200k()), o200k(), 3, lambda: 0.0)
    encoder.encode(())
    return encoder


@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param(ServerError(), "server_error", id="our fault"),
        pytest.param(RateLimited("slow down"), "rate_limit_exceeded", id="rate limit"),
    ],
)
def test_a_failure_ends_the_stream_with_a_failed_response(error: Any, code: str) -> None:
    encoder = begun()

    [event] = events_of(encoder.failure(error))

    assert event["type"] == "response.failed" and event["sequence_number"] == 2
    assert event["response"]["status"] == "failed"
    assert event["response"]["error"] == {"code": code, "message": error.message}


@pytest.mark.parametrize("ends", ["stop", "cancel"])
def test_a_server_that_stops_and_a_cancel_end_the_stream_with_a_flat_error(ends: str) -> None:
    encoder = begun()

    frames = encoder.failure(Overloaded("stopping")) if ends == "stop" else encoder.cancel()

    [event] = events_of(frames)
    assert event.keys() == {"type", "code", "message", "param", "sequence_number"}
    assert event["type"] == "error" and event["sequence_number"] == 2


class Failing:
    """Writes a token, and then cannot."""

    def start(self, prompt: Iterable[int]) -> int:
        return 0

    def next(self, state: int) -> Any:
        if state:
            raise RuntimeError("broken")
        return next(iter(scripted("Hi").values())).next(0)

    def append(self, state: int, token: int) -> int:
        return state + 1


async def test_a_loop_that_breaks_after_the_first_byte_fails_the_response(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with application(quiet(), models={"mock-1": Failing()}) as client:
        events = await streamed(client, asked())
        blocking = await client.post("/v1/responses", json=asked())

    failed: Json = events[-1]
    assert failed["type"] == "response.failed"
    assert failed["response"]["error"]["code"] == "server_error"
    assert blocking.status_code == 500
    assert blocking.json()["error"]["type"] == "server_error"
