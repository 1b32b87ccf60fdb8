import asyncio
import gzip
import json
from collections.abc import AsyncIterator

import pytest

from tests.support import Json, application, chat, chunks_of, joined, quiet, scripted
from tokenlap.api.body import is_json, parse, unknown_parameters
from tokenlap.api.chat.request import ChatRequest
from tokenlap.errors import BadRequest

HEAD = '{"model":"mock-1","messages":[{"role":"user","content":"hi"}]'
URL = "/v1/chat/completions"


def refusal(body: str | bytes) -> BadRequest:
    """What is answered to a body that must not pass."""
    with pytest.raises(BadRequest) as refused:
        parse(ChatRequest, body if isinstance(body, bytes) else body.encode())
    return refused.value


def test_unknown_parameters_are_found_wherever_they_stand() -> None:
    body: Json = chat(made_up=1, stream_options={"bogus": 1})
    body["messages"][0]["extra"] = None
    body["tools"] = [{"type": "function", "function": {"name": "f", "odd": 1}}]
    asked = parse(ChatRequest, json.dumps(body).encode())

    assert unknown_parameters(asked) == [
        "made_up",
        "messages[0].extra",
        "stream_options.bogus",
        "tools[0].function.odd",
    ]


def test_extensions_of_engines_are_unknown_to_the_platform_alone() -> None:
    body = chat(top_k=5, min_p=None, stream=True, stream_options={"continuous_usage_stats": True})
    asked = parse(ChatRequest, json.dumps(body).encode())

    assert unknown_parameters(asked) == []
    assert unknown_parameters(asked, strict=True) == [
        "stream_options.continuous_usage_stats",
        "top_k",
    ]


@pytest.mark.parametrize(
    ("content_type", "json_like"),
    [
        ("application/json", True),
        ("Application/JSON; charset=utf-8", True),
        ("application/vnd.x+json", True),
        ("application/x-www-form-urlencoded", False),
        ("text/plain", False),
        ("", False),
    ],
)
async def test_the_content_type_matters_with_strict_alone(
    content_type: str, json_like: bool
) -> None:
    assert is_json(content_type) is json_like
    asking = {"content": json.dumps(chat()), "headers": {"content-type": content_type}}
    asking["headers"] |= {"authorization": "Bearer k"}  # type: ignore[operator] # a dict

    async with application(models=scripted("hello")) as client:
        tolerant = await client.post(URL, **asking)  # type: ignore[arg-type] # a table of options
    async with application(quiet(strict=True), models=scripted("hello")) as client:
        strict = await client.post(URL, **asking)  # type: ignore[arg-type] # a table of options

    assert tolerant.status_code == 200
    assert strict.status_code == (200 if json_like else 400)
    if not json_like:
        message = "expected request with Content-Type: application/json"
        assert strict.json()["error"]["message"] == message


async def test_a_compressed_body_is_read_and_bounded() -> None:
    async with application(quiet(max_body_size=10_000), models=scripted("hello")) as client:
        headers = {"content-encoding": "gzip"}
        fitting = gzip.compress(json.dumps(chat()).encode())
        read = await client.post(URL, content=fitting, headers=headers)
        bomb = await client.post(URL, content=gzip.compress(bytes(10_001)), headers=headers)
        unknown = await client.post(URL, content=b"x", headers={"content-encoding": "lzma"})

    assert read.json()["choices"][0]["message"]["content"] == "hello"
    assert bomb.status_code == 413
    assert unknown.status_code == 415
    assert unknown.json()["error"]["type"] == "invalid_request_error"


async def test_a_body_over_the_limit_is_413_whether_announced_or_not() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(11):
            yield b"x" * 1000
            await asyncio.sleep(0)

    async with application(quiet(max_body_size=10_000)) as client:
        announced = await client.post(URL, content=b"x" * 10_001)
        chunked = await client.post(URL, content=pieces())

    for answer in (announced, chunked):
        assert answer.status_code == 413
        assert "at most 10000 bytes" in answer.json()["error"]["message"]
        assert answer.headers["connection"] == "close"


async def test_what_is_ignored_is_named_in_a_header() -> None:
    async with application(models=scripted("hello there")) as client:
        blocking = await client.post(URL, json=chat(made_up=1, naïve=2, stream=False))
        streamed = await client.post(URL, json=chat(made_up=1, stream=True))
        plain = await client.post(URL, json=chat())

    assert blocking.headers["x-tokenlap-ignored"] == "made_up, na?ve"
    assert streamed.headers["x-tokenlap-ignored"] == "made_up"
    assert joined(chunks_of(streamed.text)) == "hello there"
    assert "x-tokenlap-ignored" not in plain.headers


async def test_the_header_of_what_is_ignored_stays_short_and_printable() -> None:
    unknown = {f"odd-{i}": 1 for i in range(100)} | {"x" * 5000: 1, "a\r\nb: c": 1}
    async with application(models=scripted("hello")) as client:
        answer = await client.post(URL, json={**chat(), **unknown})

    assert answer.status_code == 200
    assert len(answer.headers["x-tokenlap-ignored"]) < 2000
    assert "b: c" not in str(answer.headers)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("chat/completions", chat()),
        ("completions", {"prompt": "hi"}),
        ("responses", {"input": "hi"}),
        ("embeddings", {"input": "hi"}),
    ],
)
async def test_the_name_of_a_model_is_bounded(path: str, body: Json) -> None:
    """Every chunk of a stream repeats it."""
    async with application() as client:
        fitting = await client.post(f"/v1/{path}", json={**body, "model": "m" * 1000})
        refused = await client.post(f"/v1/{path}", json={**body, "model": "m" * 1001})

    assert fitting.status_code == 200
    assert refused.json()["error"]["code"] == "string_above_max_length"
    assert refused.json()["error"]["param"] == "model"
