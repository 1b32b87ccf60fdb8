"""Cases of the kinds lifecycle and docker."""

import asyncio
import gc
import json
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.cases.cases import body_of, cases, models_of, settings_of
from tests.cases.connections import (
    asking,
    first_process,
    open_files,
    resident,
    status,
    until_idle,
    until_refused,
)
from tests.cli.support import PATIENCE, command, started
from tests.conformance.asking import Seen
from tests.properties import EXHAUSTIVE
from tests.support import chat, chunks_of, joined, quiet, scripted, served
from tokenlap.cli.serve import uvicorn_config
from tokenlap.settings import Settings

CHAT = "/v1/chat/completions"
ENDLESS = {"model": "tokenlap", "stream": True, "ignore_eos": True, "max_tokens": 50_000}
ENDLESS |= {"messages": chat()["messages"]}


@pytest.mark.parametrize("stream", [True, False])
async def test_B100_the_loop_ends_with_the_client(stream: bool) -> None:
    case, seen = cases()["B100"], Seen()
    settings = settings_of(case["setup"], api_key="k")
    async with served(settings, models=models_of(case["setup"]), observers=[seen]) as server:
        headers = {"api-key": "k", "origin": "http://app.test"}
        async with httpx.AsyncClient(base_url=server.url, headers=headers) as client:
            asking = asyncio.create_task(client.post(CHAT, json=body_of(case, stream=stream)))
            await asyncio.wait_for(seen.lap.wait(), PATIENCE)
            asking.cancel()
        await asyncio.wait_for(seen.end.wait(), PATIENCE)
        async with httpx.AsyncClient(base_url=server.url) as client:
            health = (await client.get("/health")).json()

    assert health["in_flight"] == 0
    assert seen.laps < 500
    assert [call.ending for call in seen.calls] == ["client left"]


async def test_B102_streams_that_are_left_leave_nothing_behind() -> None:
    case = cases()["B102"]
    times = 1000 if EXHAUSTIVE else 100
    settings = settings_of(case["setup"], max_queued=2000)
    async with served(settings, models=models_of(case["setup"])) as server:
        before = open_files()

        async def leave(client: httpx.AsyncClient) -> None:
            async with client.stream("POST", CHAT, json=chat(stream=True)) as answer:
                await anext(answer.aiter_raw())

        for _ in range(times // 100):
            async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
                await asyncio.gather(*(leave(client) for _ in range(100)))
        await until_idle(server)
        gc.collect()
        after = open_files()
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
            last = await client.post(CHAT, json=chat(max_tokens=2))

    assert after <= before + 5
    assert last.status_code == 200


async def test_B104_a_slow_reader_does_not_fill_the_memory() -> None:
    async with started("--latency", "none") as server, AsyncExitStack() as readers:
        before = resident(server)
        for _ in range(50 if EXHAUSTIVE else 8):
            await readers.enter_async_context(asking(server.url, ENDLESS))
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
            quick = [await client.post(CHAT, json={**chat(), "model": "echo"}) for _ in range(50)]
        growth = resident(server) - before

    assert all(answer.status_code == 200 for answer in quick)
    assert growth < 100_000_000


async def test_B105_a_signal_ends_the_server_within_its_grace() -> None:
    async with (
        started("--grace", "0.3s", "--ttft", "0", "--itl", "50ms") as server,
        asking(server.url, ENDLESS) as reader,
    ):
        await reader.readuntil(b'"delta"')
        server.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            code = await server.process.wait()

    assert Settings().grace <= 5
    assert code in (0, -signal.SIGTERM)


async def test_B105_a_second_signal_ends_it_now() -> None:
    async with (
        started("--grace", "10m", "--ttft", "0", "--itl", "50ms") as server,
        asking(server.url, ENDLESS) as reader,
    ):
        await reader.readuntil(b'"delta"')
        server.process.send_signal(signal.SIGTERM)
        await until_refused(server.url)
        server.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE):
            await server.process.wait()

    assert server.process.returncode is not None


async def test_B107_an_idle_connection_stays_open() -> None:
    assert uvicorn_config("app", Settings()).timeout_keep_alive >= 90
    assert uvicorn_config("app", Settings(keep_alive=7)).timeout_keep_alive == 7
    async with (
        started("--latency", "none") as server,
        httpx.AsyncClient(
            base_url=server.url, limits=httpx.Limits(keepalive_expiry=None, max_connections=1)
        ) as client,
    ):
        ports = set()
        for idle in (0, 6, 20) if EXHAUSTIVE else (0, 0.1):
            await asyncio.sleep(idle)
            answer = await client.post(CHAT, json={**chat(), "model": "echo"})
            stream = answer.extensions["network_stream"]
            ports.add(stream.get_extra_info("client_addr")[1])

    assert len(ports) == 1


async def test_B109_a_connection_lives_on_after_an_error_and_answers_in_order() -> None:
    def request(body: bytes, path: str = CHAT, extra: str = "") -> bytes:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        return f"{head}{extra}\r\n".encode() + body

    good = json.dumps(chat()).encode()
    streamed = json.dumps(chat(stream=True)).encode()
    settings = quiet(max_body_size=10_000, api_key="k")
    key = "api-key: k\r\n"
    async with served(settings, models=scripted("hello")) as server:
        sent = [
            (request(b'{"model":', extra=key), b"400"),
            (request(good + b" " * 5000), b"401"),
            (request(good, "/v1/nope"), b"404"),
            (request(good, "/v1/models", key), b"405"),
            (request(good, extra=key), b"200"),
            (request(good, extra=key), b"200"),
            (request(streamed, extra=key), b"200"),
            (request(good, extra=key), b"200"),
            (request(b" " * 20_000, extra=key), b"413"),
        ]
        host, port = server.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for bytes_, _ in sent[:5]:
            writer.write(bytes_)
            assert await status(reader)
        writer.write(b"".join(bytes_ for bytes_, _ in sent))  # pipelined
        async with asyncio.timeout(PATIENCE):
            everything = await reader.read()
        writer.close()

    statuses = [part[:3] for part in everything.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [status for _, status in sent]
    assert everything.count(b"[DONE]") == 1


def test_B110_servers_in_several_loops_have_nothing_in_common() -> None:
    async def once(times: int) -> list[str]:
        async with (
            served(models=scripted("hello there")) as server,
            httpx.AsyncClient(base_url=server.url) as client,
        ):
            answers = [await client.post(CHAT, json=chat(stream=True)) for _ in range(times)]
        return [joined(chunks_of(answer.content)) for answer in answers]

    async def two_at_once() -> None:
        async with served(models=scripted("one")) as a, served(models=scripted("two")) as b:
            assert a.server.backend is not b.server.backend
            async with httpx.AsyncClient() as client:
                first = await client.post(f"{a.url}{CHAT}", json=chat())
                second = await client.post(f"{b.url}{CHAT}", json=chat())
        assert first.json()["choices"][0]["message"]["content"] == "one"
        assert second.json()["choices"][0]["message"]["content"] == "two"

    for _ in range(3):
        assert asyncio.run(once(2)) == ["hello there"] * 2
    asyncio.run(two_at_once())


async def test_B118_as_pid_1_it_stops_when_it_is_told_to() -> None:
    async with first_process() as (server, pid), asking(server.url, ENDLESS) as reader:
        await reader.readuntil(b'"delta"')
        os.kill(pid, signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            code = await server.process.wait()

    assert code in (0, 143, -signal.SIGTERM)


async def test_B119_a_container_is_reachable_and_knows_its_health() -> None:
    image = (Path(__file__).parent.parent.parent / "Dockerfile").read_text(encoding="utf-8")
    assert 'CMD ["serve", "--host", "0.0.0.0"]' in image
    assert "HEALTHCHECK" in image and '["tokenlap", "health"]' in image
    assert "USER 10001" in image
    async with started("--host", "0.0.0.0") as server:
        port = server.url.rpartition(":")[2]
        async with httpx.AsyncClient() as client:
            elsewhere = await client.get(
                f"http://127.0.0.2:{port}/health", headers={"host": "mock.internal"}
            )
        asked = await asyncio.create_subprocess_exec(*command("health", "--url", server.url))
        assert await asked.wait() == 0

    assert elsewhere.status_code == 200
