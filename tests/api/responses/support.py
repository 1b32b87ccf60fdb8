"""What the tests of /v1/responses share: bodies, events, scripts for each kind of item."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.support import Json, application, marked

GET_PRICE: Json = {"type": "function", "name": "get_price"}
THOUGHT = "<|start|>assistant reasoning<|message|>Think of fruit.<|start|>assistant<|message|>Fig"
CALL = '<|start|>assistant to=get_price<|message|>{"fruit":"quince"}<|call|>'
CALLS = (
    '<|start|>assistant to=get_price<|message|>{"fruit":"fig"}'
    '<|start|>assistant to=get_price<|message|>{"fruit":"quince"}<|call|>'
)
LONG = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen 16 17"
)


@dataclass(frozen=True, slots=True)
class Feature:
    """A reply that is scripted, and what is asked beside it."""

    script: str
    options: Json = field(default_factory=dict)


FEATURES = {
    "text": Feature("Hello there."),
    "nothing": Feature(""),
    "emoji": Feature("A parrot \U0001f99c\u2028 and more"),
    "cap": Feature(LONG, {"max_output_tokens": 16}),
    "call": Feature(CALL, {"tools": [GET_PRICE]}),
    "custom call": Feature(
        CALL.replace("get_price", "run"), {"tools": [{"type": "custom", "name": "run"}]}
    ),
    "text then calls": Feature(f"Let me see.{CALLS}", {"tools": [GET_PRICE]}),
    "capped call": Feature(CALL.replace("quince", LONG), {"max_output_tokens": 16}),
    "hidden reasoning": Feature(THOUGHT),
    "summary": Feature(THOUGHT, {"reasoning": {"effort": "low", "summary": "auto"}}),
    "encrypted reasoning": Feature(THOUGHT, {"include": ["reasoning.encrypted_content"]}),
    "capped reasoning": Feature(
        THOUGHT.replace("Think", LONG), {"max_output_tokens": 16, "reasoning": {"summary": "auto"}}
    ),
    "text, thought, text": Feature(f"First. {THOUGHT}"),
    "refusal": Feature("<|start|>assistant refusal<|message|>I must decline."),
    "text then refusal": Feature("Well. <|start|>assistant refusal<|message|>I must decline."),
    "logprobs": Feature(
        "Hi, \U0001f99c!", {"include": ["message.output_text.logprobs"], "top_logprobs": 2}
    ),
    "stop": Feature("Sure! 42\nUser: more", {"stop": ["\nUser:"]}),
    "everything said": Feature(
        "{}",
        {
            "instructions": "Be brief.",
            "metadata": {"a": "b"},
            "user": "u",
            "service_tier": "flex",
            "temperature": 0,
            "top_p": 0.5,
            "tools": [{**GET_PRICE, "parameters": {"type": "object"}, "strict": False}],
            "tool_choice": {"type": "function", "name": "get_price"},
            "parallel_tool_calls": False,
            "max_tool_calls": 2,
            "text": {"format": {"type": "json_schema", "name": "x", "schema": {"type": "object"}}},
            "truncation": "auto",
            "prompt_cache_key": "k",
            "safety_identifier": "s",
        },
    ),
}
"""A table over which the properties of every response are held."""


def asked(input: Any = "hi", **options: Any) -> Json:
    """The body of a responses request to `mock-1`."""
    return {"model": "mock-1", "input": input, **options}


def events_of(body: str | bytes) -> list[Json]:
    """The data of the events of a stream, whose frames are as the wire demands."""
    text = body if isinstance(body, str) else body.decode()
    *frames, rest = text.split("\n\n")
    assert rest == ""
    events = []
    for frame in frames:
        name, data = frame.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        events.append(event)
    return events


def types_of(events: list[Json]) -> list[str]:
    """The types of events, without their common beginning, repeated deltas once."""
    types = [event["type"].removeprefix("response.") for event in events]
    return [
        type for i, type in enumerate(types) if not type.endswith("delta") or types[i - 1] != type
    ]


def text_of(response: Json) -> str:
    """The text of a response, as the clients compute `output_text`."""
    parts = [part for item in response["output"] for part in item.get("content") or ()]
    return "".join(part.get("text", "") for part in parts)


async def posted(client: httpx.AsyncClient, body: Json, path: str = "/v1/responses") -> Json:
    """The JSON of a request that succeeds."""
    answer = await client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


async def streamed(client: httpx.AsyncClient, body: Json) -> list[Json]:
    """The events of a stream that begins."""
    answer = await client.post("/v1/responses", json={**body, "stream": True})
    assert answer.status_code == 200, answer.text
    return events_of(answer.content)


async def stream_of(feature: Feature) -> list[Json]:
    """The events with which a feature is answered."""
    async with application(models=marked(feature.script)) as client:
        return await streamed(client, asked(**feature.options))
