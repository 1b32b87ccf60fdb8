"""Statements 18-31: how events are framed."""

import json

import httpx
import pytest
from openai import APIError

from tests.conformance.asking import (
    CHAT,
    COMPLETIONS,
    HELLO,
    RESPONSES,
    Broken,
    answer,
    completion,
    deltas,
    official,
)
from tests.support import HeldTime, Json, bytewise, chat, chunks_of, joined, quiet, scripted, served

STREAMS: dict[str, tuple[str, Json]] = {
    "chat": (CHAT, chat(stream=True)),
    "chat with usage": (CHAT, chat(stream=True, stream_options={"include_usage": True})),
    "chat with two choices": (CHAT, chat(stream=True, n=2)),
    "chat with logprobs": (CHAT, chat(stream=True, logprobs=True)),
    "completions": (COMPLETIONS, {"model": "mock-1", "prompt": "hi", "stream": True}),
    "responses": (RESPONSES, {"model": "mock-1", "input": "hi", "stream": True}),
}
CHUNKED = [name for name in STREAMS if name != "responses"]
ODD = "a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg \U0001f99c e\u0301 \r\n end"


async def frames(name: str, models: object = HELLO) -> list[str]:
    """The frames of a stream, without the blank lines that close them."""
    path, body = STREAMS[name]
    text = (await answer(body, path, models=models)).text
    assert text.endswith("\n\n")
    return text.removesuffix("\n\n").split("\n\n")


@pytest.mark.parametrize("name", CHUNKED)
async def test_018_chat_and_completions_send_data_lines_alone(name: str) -> None:
    *data, done = await frames(name)

    assert all(frame.startswith("data: {") and "\n" not in frame for frame in data)
    assert done == "data: [DONE]"
    assert all(isinstance(json.loads(frame.removeprefix("data: ")), dict) for frame in data)


async def test_019_responses_name_each_event_by_its_type() -> None:
    for frame in await frames("responses"):
        event, data = frame.split("\n")

        assert event == "event: " + json.loads(data.removeprefix("data: "))["type"]


@pytest.mark.parametrize("name", STREAMS)
async def test_020_lines_end_with_a_line_feed_alone(name: str) -> None:
    path, body = STREAMS[name]

    assert b"\r" not in (await answer(body, path, models=scripted(ODD))).content


@pytest.mark.parametrize("name", CHUNKED)
async def test_021_chat_and_completions_end_with_done_once(name: str) -> None:
    path, body = STREAMS[name]
    text = (await answer(body, path)).text

    assert text.endswith("\n\ndata: [DONE]\n\n")
    assert text.count("[DONE]") == 1


async def test_022_responses_have_no_done() -> None:
    assert (await frames("responses"))[-1].startswith("event: response.completed\n")


@pytest.mark.parametrize("name", STREAMS)
async def test_023_the_last_frame_is_closed_by_a_blank_line(name: str) -> None:
    path, body = STREAMS[name]

    assert (await answer(body, path)).content.endswith(
        b"}\n\n" if name == "responses" else b"]\n\n"
    )


@pytest.mark.parametrize("name", STREAMS)
async def test_024_nothing_keeps_alive_by_an_event(name: str) -> None:
    assert all("data: " in frame and "ping" not in frame for frame in await frames(name))


@pytest.mark.parametrize("name", STREAMS)
async def test_025_no_frame_has_an_id(name: str) -> None:
    lines = [line for frame in await frames(name) for line in frame.split("\n")]

    assert not [line for line in lines if line.startswith(("id", ":"))]


@pytest.mark.parametrize("name", STREAMS)
async def test_026_no_frame_sets_the_retry_time(name: str) -> None:
    lines = [line for frame in await frames(name) for line in frame.split("\n")]

    assert {line.partition(":")[0] for line in lines} <= {"data", "event"}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("models", [scripted(ODD), bytewise(ODD)], ids=["tokens", "bytes"])
async def test_027_each_event_is_one_line_of_whole_characters(name: str, models: object) -> None:
    path, body = STREAMS[name]
    content = (await answer(body, path, models=models)).content

    for frame in content.removesuffix(b"\n\n").split(b"\n\n"):
        lines = frame.decode("ascii").splitlines()  # escapes alone, so no reader sees a line end
        assert len(lines) == (2 if name == "responses" else 1)
        assert "\ufffd" not in frame.decode()


async def test_027_a_character_is_never_split_between_deltas() -> None:
    said = await deltas(bytewise(ODD))

    assert "".join(delta.get("content") or "" for delta in said) == ODD
    json.dumps(said).encode().decode("unicode_escape").encode("utf-16", "surrogatepass").decode(
        "utf-16"
    )


async def test_028_responses_send_no_event_that_clients_do_not_know() -> None:
    async with (
        official() as client,
        client.responses.stream(model="mock-1", input="hi") as stream,
    ):
        types = [event.type async for event in stream]

    assert types[0] == "response.created" and types[-1] == "response.completed"
    assert "keepalive" not in types


async def test_029_an_error_in_a_stream_is_raised_by_the_client() -> None:
    async with official(models={"mock-1": Broken()}) as client:
        stream = await client.chat.completions.create(**chat(stream=True))
        with pytest.raises(APIError, match="The server had an error while processing"):
            async for _ in stream:
                pass


async def test_030_headers_come_before_the_first_token_and_frames_as_they_are_made() -> None:
    held = HeldTime(until=0.5)
    settings = quiet(latency="natural", ttft="1s", itl="1s")
    async with (
        served(settings, models=scripted("a b c"), clock=held.clock) as server,
        httpx.AsyncClient(base_url=server.url) as client,
        client.stream("POST", CHAT, json=chat(stream=True)) as given,
    ):
        assert given.status_code == 200  # no token is due yet
        held.release()
        parts = [part async for part in given.aiter_raw()]

    assert len(parts) >= 3
    assert joined(chunks_of(b"".join(parts))) == "a b c"


async def test_030_a_stream_is_never_compressed() -> None:
    async with served(models=HELLO) as server, httpx.AsyncClient(base_url=server.url) as client:
        headers = {"accept-encoding": "gzip, deflate, br"}
        given = await client.post(CHAT, json=chat(stream=True), headers=headers)

    assert "content-encoding" not in given.headers
    assert given.headers["x-accel-buffering"] == "no"
    assert given.headers["cache-control"] in ("no-cache", "no-store")


@pytest.mark.parametrize("options", [{"n": 0}, {"temperature": "x"}, {"max_tokens": 10**7}])
async def test_031_what_is_wrong_is_found_before_the_200(options: Json) -> None:
    streamed = await answer({**chat(stream=True), **options})
    blocking = await answer({**chat(), **options})

    assert streamed.status_code == blocking.status_code == 400
    assert streamed.headers["content-type"] == "application/json"
    assert streamed.json() == blocking.json()
    assert (await completion())["object"] == "chat.completion"
