"""Statements 1-17: what every answer has in common."""

import asyncio
import json
import re

import httpx
import pytest
from openai import APIStatusError

from tests import spec
from tests.conformance.asking import (
    CHAT,
    HELLO,
    KEY,
    RESPONSES,
    TOOL,
    Seen,
    answer,
    chunks,
    completion,
    error,
    official,
    refusal,
)
from tests.support import Json, application, chat, quiet, scripted, served

ASKED: list[tuple[str, str, Json | None]] = [
    ("GET", "/v1/models", None),
    ("POST", CHAT, chat()),
    ("POST", RESPONSES, {"model": "mock-1", "input": "hi"}),
    ("POST", "/v1/completions", {"model": "mock-1", "prompt": "hi"}),
    ("POST", "/v1/embeddings", {"model": "mock-1", "input": "hi"}),
    ("POST", CHAT, {}),
    ("GET", "/v1/nope", None),
    ("GET", "/v1/models/mock-1", None),
    ("DELETE", "/v1/models", None),
    ("POST", CHAT, chat(stream=True)),
    ("POST", RESPONSES, {"model": "mock-1", "input": "hi", "stream": True}),
]
JSON = ASKED[:-2]


async def asked(method: str, path: str, body: Json | None) -> httpx.Response:
    async with application(models=HELLO) as client:
        return await client.request(method, path, json=body, headers=KEY)


@pytest.mark.parametrize("slash", ["", "/"])
async def test_001_the_base_path_is_v1_with_and_without_a_slash(slash: str) -> None:
    async with official() as client:
        client.base_url = f"http://localhost/v1{slash}"
        said = await client.chat.completions.create(**chat())

    assert said.choices[0].message.content == "Hello there, world"


async def test_002_key_organization_and_project_are_accepted() -> None:
    async with official(quiet(api_key="sk-test"), organization="org-1", project="p-1") as client:
        listed = await client.models.list()

    assert listed.data


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream", "*/*", "text/html"])
async def test_003_the_body_alone_decides_on_a_stream(accept: str) -> None:
    async with application(models=HELLO) as client:
        headers = {"accept": accept}
        streamed = await client.post(CHAT, json=chat(stream=True), headers=headers)
        blocking = await client.post(CHAT, json=chat(), headers=headers)

    assert streamed.text.startswith("data: {")
    assert blocking.json()["object"] == "chat.completion"


async def test_004_headers_of_the_clients_change_nothing() -> None:
    names = "lang package-version os arch runtime runtime-version async retry-count read-timeout"
    headers = {f"x-stainless-{name}": "x" for name in [*names.split(), "helper-method"]}
    async with application(models=HELLO) as client:
        plain = await client.post(CHAT, json=chat())
        dressed = await client.post(CHAT, json=chat(), headers={**headers, "idempotency-key": "k"})

    assert dressed.status_code == 200
    assert dressed.json()["choices"] == plain.json()["choices"]


@pytest.mark.parametrize(("method", "path", "body"), ASKED)
async def test_005_every_answer_has_a_request_id(method: str, path: str, body: Json | None) -> None:
    given = await asked(method, path, body)

    assert re.fullmatch(r"req_[0-9a-f]{32}", given.headers["x-request-id"])


async def test_005_the_official_client_shows_the_request_id() -> None:
    async with official() as client:
        said = await client.chat.completions.create(**chat())
        with pytest.raises(APIStatusError) as refused:
            await client.chat.completions.create(**chat(n=0))

    assert said._request_id is not None and said._request_id.startswith("req_")
    assert refused.value.request_id is not None and refused.value.request_id.startswith("req_")


@pytest.mark.parametrize(("method", "path", "body"), ASKED)
async def test_006_answers_tell_processing_time_and_version(
    method: str, path: str, body: Json | None
) -> None:
    headers = (await asked(method, path, body)).headers

    assert re.fullmatch(r"\d+", headers["openai-processing-ms"])
    assert headers["openai-version"] == "2020-10-01"
    assert headers.get("openai-model") == ("mock-1" if path == "/v1/embeddings" else None)


@pytest.mark.parametrize(("method", "path", "body"), ASKED)
async def test_007_rate_headers_are_integers_and_go_durations(
    method: str, path: str, body: Json | None
) -> None:
    headers = (await asked(method, path, body)).headers

    for what in ("requests", "tokens"):
        assert re.fullmatch(r"\d+", headers[f"x-ratelimit-limit-{what}"])
        assert re.fullmatch(r"\d+", headers[f"x-ratelimit-remaining-{what}"])
        reset = headers[f"x-ratelimit-reset-{what}"]
        assert re.fullmatch(r"(\d+h)?(\d+m(?!s))?(\d+(\.\d+)?s|\d+ms)?", reset) and reset


@pytest.mark.parametrize(("method", "path", "body"), JSON)
async def test_008_json_is_application_json(method: str, path: str, body: Json | None) -> None:
    assert (await asked(method, path, body)).headers["content-type"] == "application/json"


@pytest.mark.parametrize(("method", "path", "body"), ASKED[-2:])
async def test_009_a_stream_is_text_event_stream_in_utf_8(
    method: str, path: str, body: Json
) -> None:
    headers = (await asked(method, path, body)).headers

    assert headers["content-type"] == "text/event-stream; charset=utf-8"


@pytest.mark.parametrize(("method", "path", "body"), JSON)
async def test_010_what_clients_must_parse_is_called_json(
    method: str, path: str, body: Json | None
) -> None:
    given = await asked(method, path, body)

    json.loads(given.text)
    assert "application/json" in given.headers["content-type"]


@pytest.mark.parametrize(("method", "path", "body"), JSON)
async def test_011_no_json_answer_is_empty(method: str, path: str, body: Json | None) -> None:
    given = await asked(method, path, body)

    assert given.status_code != 204
    assert int(given.headers["content-length"]) == len(given.content) > 0


async def test_012_another_content_type_is_refused_with_strict() -> None:
    async with application(quiet(strict=True), models=HELLO) as client:
        for content_type in ("application/x-www-form-urlencoded", "text/plain"):
            headers = {"content-type": content_type, **KEY}
            given = await client.post(CHAT, content=json.dumps(chat()), headers=headers)

            assert given.status_code == 400
            message = given.json()["error"]["message"]
            assert message == "expected request with Content-Type: application/json"


@pytest.mark.parametrize("path", ["org%2Fmodel", "org/model"])
async def test_013_model_ids_may_hold_a_slash(path: str) -> None:
    given = await asked("GET", f"/v1/models/{path}", None)

    assert given.json()["id"] == "org/model"


@pytest.mark.parametrize("path", [f"{CHAT}/", "/v1//chat/completions", f"/{CHAT}//"])
async def test_014_a_trailing_slash_is_answered_directly(path: str) -> None:
    given = await answer(chat(), f"http://localhost{path}")

    assert given.status_code == 200
    assert not given.history and "location" not in given.headers


async def test_015_a_stream_ends_with_its_last_event_and_leaves_the_connection() -> None:
    limits = httpx.Limits(max_connections=1)
    async with (
        served(models=HELLO) as server,
        httpx.AsyncClient(base_url=server.url, limits=limits, timeout=10) as client,
    ):
        ports = set()
        for _ in range(3):
            async with client.stream("POST", CHAT, json=chat(stream=True)) as given:
                assert (await given.aread()).endswith(b"data: [DONE]\n\n")
                stream = given.extensions["network_stream"]
                ports.add(stream.get_extra_info("client_addr")[1])

    assert len(ports) == 1


@pytest.mark.parametrize("stream", [True, False])
async def test_016_a_client_that_leaves_stops_the_loop(stream: bool) -> None:
    seen = Seen()
    settings = quiet(latency="natural", ttft="0", itl="20ms")
    async with served(settings, models=scripted("word " * 2000), observers=[seen]) as server:
        async with httpx.AsyncClient(base_url=server.url) as client:
            asking = asyncio.create_task(client.post(CHAT, json=chat(stream=stream)))
            await asyncio.wait_for(seen.lap.wait(), 10)
            asking.cancel()
        await asyncio.wait_for(seen.end.wait(), 10)

    assert seen.laps < 1000


@pytest.mark.parametrize("options", [{}, {"logprobs": True, "top_logprobs": 2}, {"tools": [TOOL]}])
async def test_017_no_answer_has_keys_that_the_document_does_not_know(options: Json) -> None:
    assert spec.strangers("CreateChatCompletionResponse", await completion(**options)) == []
    for chunk in await chunks(stream_options={"include_usage": True}, **options):
        assert spec.strangers("CreateChatCompletionStreamResponse", chunk) == []


async def test_012_without_strict_json_is_read_under_any_content_type() -> None:
    async with application(models=HELLO) as client:
        given = await client.post(CHAT, content=json.dumps(chat()))

    assert given.status_code == 200
    assert await refusal("not json") == error(400, (await refusal("x"))["message"])
