"""Plans at the edge: what a request asks for is what comes back, streamed as blocking."""

import json

import pytest

from tests.api.plan.support import CITY, WEATHER, answer, choice, format_of, message
from tests.support import Json, application, chunks_of, joined, marked, scripted


async def test_a_tool_is_called_and_its_result_ends_the_loop() -> None:
    asked: list[Json] = [{"role": "user", "content": "What's the weather in Paris?"}]

    first = await choice(asked, tools=[WEATHER])
    call = first["message"]["tool_calls"][0]
    result = {"role": "tool", "tool_call_id": call["id"], "content": '{"sky": "clear"}'}
    second = await choice([*asked, first["message"], result], tools=[WEATHER])

    assert (first["finish_reason"], first["message"]["content"]) == ("tool_calls", None)
    assert json.loads(call["function"]["arguments"]) == {"city": "Paris"}
    assert second["finish_reason"] == "stop" and "tool_calls" not in second["message"]
    assert "clear" in second["message"]["content"]


@pytest.mark.parametrize(
    ("options", "calls"),
    [
        pytest.param({}, 2, id="auto"),
        pytest.param({"parallel_tool_calls": False}, 1, id="one at a time"),
        pytest.param({"tool_choice": "none"}, 0, id="none"),
        pytest.param({"tool_choice": "required"}, 2, id="required"),
        pytest.param(
            {"tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
            1,
            id="named",
        ),
    ],
)
async def test_a_tool_choice_is_kept_to(options: Json, calls: int) -> None:
    found = await choice("Weather in Paris and Rome?", tools=[WEATHER], **options)

    assert len(found["message"].get("tool_calls", ())) == calls
    assert found["finish_reason"] == ("tool_calls" if calls else "stop")


async def test_older_functions_are_called_in_their_own_form() -> None:
    older: Json = {"functions": [WEATHER["function"]], "function_call": {"name": "get_weather"}}

    found = await choice("In Oslo", **older)

    assert found["finish_reason"] == "function_call"
    assert json.loads(found["message"]["function_call"]["arguments"]) == {"city": "Oslo"}


async def test_a_prediction_is_counted() -> None:
    said = (await message("What is a token?"))["content"]
    predicted = said + " And something else."

    body = await answer("What is a token?", prediction={"type": "content", "content": predicted})
    details = body["usage"]["completion_tokens_details"]

    assert details["accepted_prediction_tokens"] == body["usage"]["completion_tokens"]
    assert details["rejected_prediction_tokens"] > 0


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"tools": [WEATHER]}, id="calls"),
        pytest.param({"response_format": format_of(CITY)}, id="schema"),
        pytest.param({"reasoning_effort": "medium"}, id="thinking"),
        pytest.param({"response_format": format_of(CITY), "logprobs": True, "n": 2}, id="logprobs"),
        pytest.param({"functions": [WEATHER["function"]]}, id="functions"),
    ],
)
async def test_a_stream_adds_up_to_the_blocking_answer(options: Json) -> None:
    asked = [{"role": "user", "content": "Weather in Paris and Rome?"}]
    body = {"model": "gpt-4o", "messages": asked, "seed": 5, **options}
    async with application() as client:
        whole = (await client.post("/v1/chat/completions", json=body)).json()["choices"]
        stream = await client.post("/v1/chat/completions", json={**body, "stream": True})
    chunks = chunks_of(stream.content)

    for found in whole:
        deltas = [c["delta"] for k in chunks for c in k["choices"] if c["index"] == found["index"]]
        assert joined(chunks, found["index"]) == (found["message"]["content"] or "")
        assert _arguments(deltas) == _called(found["message"])
        thought = "".join(delta.get("reasoning_content", "") for delta in deltas)
        assert thought == found["message"].get("reasoning_content", "")


def _arguments(deltas: list[Json]) -> list[str]:
    """The arguments that the fragments of a stream add up to, call by call."""
    found: dict[int, str] = {}
    for delta in deltas:
        pieces = [*delta.get("tool_calls", ())]
        pieces += (
            [{"index": 0, "function": delta["function_call"]}] if "function_call" in delta else []
        )
        for piece in pieces:
            found[piece["index"]] = found.get(piece["index"], "") + piece["function"]["arguments"]
    return list(found.values())


def _called(said: Json) -> list[str]:
    calls = [call["function"] for call in said.get("tool_calls", ())]
    calls += [said["function_call"]] if "function_call" in said else []
    return [call["arguments"] for call in calls]


async def test_a_script_says_what_it_says() -> None:
    body = {"model": "mock-1", "messages": [{"role": "user", "content": "weather? json"}]}
    forms: list[Json] = [
        {"tools": [WEATHER], "tool_choice": "required"},
        {"response_format": {"type": "json_object"}},
        {"reasoning_effort": "high"},
    ]
    async with application(models=scripted("just words")) as client:
        for options in forms:
            response = await client.post("/v1/chat/completions", json={**body, **options})
            assert response.json()["choices"][0]["message"]["content"] == "just words"


@pytest.mark.parametrize("model", ["table", "echo"])
async def test_other_models_keep_to_what_is_insisted_on_and_to_nothing_else(model: str) -> None:
    schema, forced = format_of(CITY), {"tools": [WEATHER], "tool_choice": "required"}

    assert json.loads((await message("x", model=model, response_format=schema))["content"])
    assert (await message("x", model=model, **forced))["tool_calls"]
    plain = await message("weather", model=model, tools=[WEATHER], reasoning_effort="high")
    assert "tool_calls" not in plain and "reasoning_content" not in plain


async def test_a_script_may_refuse_or_be_filtered() -> None:
    said = "<|end|><|start|>assistant refusal<|message|>No."
    cut = "Some<|end|><|start|>assistant filtered<|message|>"
    body = {"model": "mock-1", "messages": [{"role": "user", "content": "x"}]}
    async with application(models=marked(said)) as client:
        refused = (await client.post("/v1/chat/completions", json=body)).json()["choices"][0]
    async with application(models=marked(cut)) as client:
        filtered = (await client.post("/v1/chat/completions", json=body)).json()["choices"][0]

    assert refused["message"]["refusal"] == "No." and refused["finish_reason"] == "stop"
    assert filtered["message"]["content"] == "Some"
    assert filtered["finish_reason"] == "content_filter"
