import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.api.responses.support import asked, posted, text_of
from tests.support import HeldTime, Json, Served, application, quiet, scripted, served
from tokenlap.api.calls import Call
from tokenlap.settings import Settings
from tokenlap.store import MemoryStore

CHAT = "/v1/chat/completions"


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"seed": 7, "temperature": 1.3}, id="with a seed"),
        pytest.param({}, id="with the derived seed"),
        pytest.param({"temperature": 0}, id="greedy"),
        pytest.param({"top_p": 0.6, "frequency_penalty": 0.5}, id="nucleus and penalty"),
    ],
)
async def test_the_reply_is_that_of_the_same_chat(options: Json) -> None:
    text = "Tell me about streaming tokens."
    async with application() as client:
        body = {"model": "tokenlap", "input": text, "max_output_tokens": 40, **options}
        response = await posted(client, body)
        messages = [{"role": "user", "content": text}]
        chat = {"model": "tokenlap", "messages": messages, "max_tokens": 40, **options}
        completion = await posted(client, chat, CHAT)

    said = completion["choices"][0]["message"]["content"]
    assert said and text_of(response) == said
    assert response["usage"]["output_tokens"] == completion["usage"]["completion_tokens"]


WEATHER: Json = {
    "name": "get_weather",
    "description": "The weather of a city",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
}
PERSON: Json = {
    "name": "person",
    "schema": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name", "age"],
        "additionalProperties": False,
    },
    "strict": True,
}


@pytest.mark.parametrize(
    ("flat", "nested"),
    [
        pytest.param(
            {"tools": [{"type": "function", **WEATHER}]},
            {"tools": [{"type": "function", "function": WEATHER}]},
            id="tools",
        ),
        pytest.param(
            {
                "tools": [{"type": "web_search"}, {"type": "function", **WEATHER}],
                "tool_choice": {"type": "function", "name": "get_weather"},
                "parallel_tool_calls": False,
            },
            {
                "tools": [{"type": "function", "function": WEATHER}],
                "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
                "parallel_tool_calls": False,
            },
            id="a named tool beside a hosted one",
        ),
        pytest.param(
            {"text": {"format": {"type": "json_schema", **PERSON}}},
            {"response_format": {"type": "json_schema", "json_schema": PERSON}},
            id="a schema",
        ),
        pytest.param({"reasoning": {"effort": "low"}}, {"reasoning_effort": "low"}, id="thinking"),
    ],
)
async def test_tools_formats_and_thinking_shape_the_reply_as_in_a_chat(
    flat: Json, nested: Json
) -> None:
    text = "What is the weather in Paris and in Rome?"
    async with application() as client:
        response = await posted(client, {"model": "tokenlap", "input": text, **flat})
        messages = [{"role": "user", "content": text}]
        chat = await posted(client, {"model": "tokenlap", "messages": messages, **nested}, CHAT)

    message = chat["choices"][0]["message"]
    called = [item["arguments"] for item in response["output"] if item["type"] == "function_call"]
    assert called == [call["function"]["arguments"] for call in message.get("tool_calls", ())]
    assert text_of(response) == (message["content"] or "")
    usage, counted = response["usage"], chat["usage"]
    assert usage["output_tokens"] == counted["completion_tokens"] > 0
    thought = counted["completion_tokens_details"]["reasoning_tokens"]
    assert usage["output_tokens_details"]["reasoning_tokens"] == thought


async def test_an_image_counts_as_in_a_chat() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    words = {"type": "input_text", "text": "What is it?"}
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    async with application() as client:
        response = await posted(
            client, asked([{"role": "user", "content": [words, image]}], max_output_tokens=16)
        )
        chat = await posted(
            client,
            {
                "model": "mock-1",
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "What is it?"}, part]}
                ],
                "max_tokens": 16,
            },
            CHAT,
        )

    assert response["usage"]["input_tokens"] == chat["usage"]["prompt_tokens"] > 85


async def read_until(reader: asyncio.StreamReader, words: bytes) -> bytes:
    """What a socket has received once it has received words."""
    seen = b""
    while words not in seen:
        piece = await asyncio.wait_for(reader.read(65536), 10)
        assert piece, seen
        seen += piece
    return seen


@asynccontextmanager
async def asked_by_hand(server: Served, body: Json) -> AsyncIterator[asyncio.StreamReader]:
    """A socket on which a request has been written."""
    host, port = server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    content = json.dumps(body).encode()
    head = f"POST /v1/responses HTTP/1.1\r\nhost: {host}\r\ncontent-length: {len(content)}\r\n\r\n"
    writer.write(head.encode() + content)
    try:
        yield reader
    finally:
        writer.close()


def held(until: float) -> tuple[HeldTime, Settings]:
    """A clock, and a token a second by it."""
    return HeldTime(until), quiet(latency="natural", ttft="1s", itl="1s")


async def test_the_response_begins_before_its_first_token_is_due() -> None:
    time, settings = held(until=0.5)
    async with (
        served(settings, models=scripted("one two"), clock=time.clock) as server,
        asked_by_hand(server, asked(stream=True)) as reader,
    ):
        begun = await read_until(reader, b"event: response.in_progress")
        time.release()
        rest = await read_until(reader, b"0\r\n\r\n")

    head = begun.partition(b"\r\n\r\n")[0].lower()
    assert b"200 ok" in head and b"content-type: text/event-stream; charset=utf-8" in head
    assert b"output_text.delta" not in begun and b"output_text.delta" in rest
    assert b"event: response.completed\ndata: {" in rest
    assert b"[DONE]" not in begun + rest


class Seen:
    """Tells when so many laps have left, and when the call has ended."""

    def __init__(self, laps: int) -> None:
        self.lapsed, self.over = asyncio.Event(), asyncio.Event()
        self.call: Call | None = None
        self._laps = laps

    def began(self, call: Call) -> None:
        self.call = call

    def lapped(self, call: Call, laps: object) -> None:
        if call.laps >= self._laps:
            self.lapsed.set()

    def ended(self, call: Call) -> None:
        self.over.set()

    def answered(self, exchange: object) -> None: ...


@pytest.mark.parametrize("stream", [True, False], ids=["streaming", "blocking"])
async def test_a_client_that_leaves_stops_the_loop_and_nothing_is_stored(stream: bool) -> None:
    time, settings = held(until=2.5)
    store, seen = MemoryStore(9, 10**6), Seen(laps=2)
    models = scripted("one two three four")
    async with served(
        settings, models=models, clock=time.clock, store=store, observers=[seen]
    ) as server:
        async with asked_by_hand(server, asked(stream=stream)):
            await asyncio.wait_for(seen.lapsed.wait(), 10)
        await asyncio.wait_for(seen.over.wait(), 10)

    assert seen.call is not None
    assert (seen.call.ending, seen.call.laps) == ("client left", 2)
    assert not (await store.page("responses ")).records
