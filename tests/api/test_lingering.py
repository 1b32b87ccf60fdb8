"""The answer to a body that is too large, over a socket: that is where it gets lost."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from tests.support import quiet, served
from tokenlap.api import lingering

LIMIT = 100_000
HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"


async def talked(url: str, request: bytes, more: int = 0) -> bytes:
    """What a client gets that sends request, then more bytes, and reads to the end."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    for _ in range(more // 10_000):
        writer.write(b"x" * 10_000)
        await writer.drain()
    answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize("chunked", [False, True])
def test_a_client_that_sends_all_before_it_reads_gets_the_answer(chunked: bool) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 100_000

    async def asked() -> httpx.Response:
        async with served(quiet(max_body_size=LIMIT)) as server:
            return await asyncio.to_thread(
                httpx.post,
                f"{server.url}/v1/chat/completions",
                content=pieces() if chunked else b"x" * 10_000_000,
            )

    answer = asyncio.run(asked())

    assert answer.status_code == 413
    assert answer.headers["connection"] == "close"
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_what_is_announced_is_answered_before_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lingering, "SILENCE", 0.1)
    async with served(quiet(max_body_size=LIMIT)) as server:
        announced = HEAD + b"Content-Length: 1000000\r\n"
        silent = await talked(server.url, announced + b"\r\n")
        waiting = await talked(server.url, announced + b"Expect: 100-continue\r\n\r\n")
        sending = await talked(server.url, announced + b"\r\n", more=1_000_000)

    for answer in (silent, waiting, sending):
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert answer.count(b"HTTP/1.1") == 1


async def test_a_client_that_never_stops_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lingering, "LEFT_OVER", 200_000)
    async with served(quiet(max_body_size=LIMIT)) as server:
        with pytest.raises(ConnectionError):
            await talked(server.url, HEAD + b"Content-Length: 9000000000\r\n\r\n", more=2**30)


async def test_a_client_that_leaves_amid_its_body_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with served(quiet()) as server:
        host, port = server.url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(HEAD + b"Content-Length: 100\r\n\r\n{")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        async with httpx.AsyncClient() as client:
            health = await client.get(f"{server.url}/health")

    assert health.json()["in_flight"] == 0
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
