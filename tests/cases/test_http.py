"""Cases of the kind http."""

import asyncio
import json

import httpx
import pytest

from tests.cases.cases import body_of, cases, models_of, request_of, run
from tests.support import (
    HeldTime,
    Json,
    application,
    chat,
    chunks_of,
    joined,
    quiet,
    scripted,
    served,
)

CHAT = "/v1/chat/completions"
ORIGIN = {"origin": "http://app.test"}


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-8",
        "application/vnd.x+json",
        "text/plain",
        "multipart/form-data; boundary=x",
        "nonsense",
        "",
        None,
    ],
)
async def test_B072_json_is_read_under_any_content_type(content_type: str | None) -> None:
    headers = {} if content_type is None else {"content-type": content_type}
    async with application(models=scripted("hello")) as client:
        answer = await client.post(CHAT, content=json.dumps(chat()), headers=headers)

    assert answer.status_code == 200
    assert (await run("B072")).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/v1/chat/completions/",
        "/v1//chat/completions",
        "//v1/chat/completions",
        "/v1/chat//completions//",
        "/v1/chat/completions?api-version=1&x=%2F",
        "/v1/chat/completions/?",
    ],
)
async def test_B073_slashes_and_queries_are_forgiven(path: str) -> None:
    async with application(models=scripted("hello")) as client:
        answer = await client.post(f"http://localhost{path}", json=chat())

    assert answer.status_code == 200
    assert "location" not in answer.headers
    assert (await run("B073")).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/v1/v1/chat/completions",
        "/chat/completions",
        "/v1/chat/completions/chat/completions",
        "/v1",
        "/v1/",
        "/V1/chat/completions",
        "/v1/chat",
        "/v1/nope",
        "/",
        "/v1/../v1/nope",
    ],
)
async def test_B074_an_unknown_path_names_method_and_path(path: str) -> None:
    async with application() as client:
        answer = await client.post(f"http://localhost{path}", json=chat())

    assert answer.status_code in (404, 405)
    assert "POST" in answer.json()["error"]["message"]
    assert "Invalid URL (POST /v1/v1/chat/completions)" in (await run("B074")).text


async def test_B075_a_preflight_needs_no_key() -> None:
    case = cases()["B075"]
    answer = await run("B075")
    asked = case["request"]["headers"]["access-control-request-headers"].split(",")

    assert 200 <= answer.status_code < 300
    assert answer.headers["access-control-allow-origin"] in ("*", "http://app.test")
    assert "POST" in answer.headers["access-control-allow-methods"]
    allowed = answer.headers["access-control-allow-headers"].lower().replace(" ", "").split(",")
    assert set(asked) <= set(allowed)


@pytest.mark.parametrize(
    ("body", "status"), [(chat(), 200), (chat(stream=True), 200), (chat(n=0), 400), ({}, 400)]
)
async def test_B075_answers_errors_and_streams_can_be_read_by_a_page(
    body: Json, status: int
) -> None:
    async with application(models=scripted("hello")) as client:
        answer = await client.post(CHAT, json=body, headers=ORIGIN)

    assert answer.status_code == status
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_B078_a_large_image_is_taken_while_a_stream_keeps_its_pace() -> None:
    """20 MB are read and validated in a few tens of milliseconds; a second is a wide margin."""
    case = cases()["B078"]
    request = request_of(case)
    settings = quiet(latency="natural", ttft="0", itl="20ms")
    models = {**scripted("word " * 150), "mock-2": models_of({"reply": "hello"})["mock-1"]}
    gaps: list[float] = []
    async with (
        served(settings, models=models) as server,
        httpx.AsyncClient(base_url=server.url, timeout=60) as client,
        client.stream("POST", CHAT, json=chat(stream=True)) as paced,
    ):
        chunks = paced.aiter_raw()
        await anext(chunks)

        async def watch() -> None:
            before = asyncio.get_running_loop().time()
            async for _ in chunks:
                now = asyncio.get_running_loop().time()
                gaps.append(now - before)
                before = now

        watching = asyncio.create_task(watch())
        content = request["content"].replace(b"mock-1", b"mock-2")
        answer = await client.post(CHAT, content=content)
        await watching

    assert answer.status_code == 200
    assert max(gaps) < 1.0


async def test_B078_over_the_limit_it_is_413() -> None:
    answer = await run("B078", request_of(cases()["B078"])["content"], {"max_body_size": 1_000_000})

    assert answer.status_code == 413
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}


async def test_B080_who_asks_first_is_told_to_go_on() -> None:
    content = json.dumps(chat(user="x" * 2_000_000)).encode()
    head = (
        f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    async with served(models=scripted("hello")) as server:
        host, port = server.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(head.encode())
        async with asyncio.timeout(10):
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            writer.write(content)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        writer.close()


async def test_B081_a_stream_is_not_compressed_and_comes_piece_by_piece() -> None:
    held = HeldTime(until=0.75)
    case = cases()["B081"]
    settings = quiet(latency="natural", ttft="0", itl="0.3")
    async with (
        served(settings, models=models_of(case["setup"]), clock=held.clock) as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        headers = {"accept-encoding": "gzip, deflate, br"}
        asked = client.stream("POST", CHAT, json=body_of(case), headers=headers)
        async with asked as answer:
            raw = answer.aiter_raw()
            early = b""
            async with asyncio.timeout(10):
                while early.count(b'"content":') < 4:  # the role and the three that are due
                    early += await anext(raw)
            held.release()
            late = b"".join([part async for part in raw])

    assert "content-encoding" not in answer.headers
    assert joined(chunks_of(early)) == "a b c"
    assert joined(chunks_of(early + late)) == "a b c d"


@pytest.mark.parametrize("path", [CHAT, "/v1/completions", "/v1/responses"])
async def test_B082_proxies_are_told_not_to_buffer(path: str) -> None:
    async with application(models=scripted("hello")) as client:
        body = {"model": "mock-1", "stream": True}
        body |= {CHAT: {"messages": chat()["messages"]}, "/v1/completions": {"prompt": "x"}}.get(
            path, {"input": "x"}
        )
        headers = (await client.post(path, json=body)).headers

    assert headers["cache-control"] in ("no-cache", "no-store")
    assert headers["x-accel-buffering"] == "no"
    assert "content-length" not in headers
    assert (await run("B082")).headers["x-accel-buffering"] == "no"
