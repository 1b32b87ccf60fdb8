"""`tokenlap serve` as a process: its address, its files, its signals."""

import asyncio
import json
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.cli.support import PATIENCE, Started, started
from tokenlap.cli.serve import listen
from tokenlap.cli.usage import UsageError

ENDLESS = {
    "model": "any",
    "stream": True,
    "ignore_eos": True,
    "max_tokens": 100_000,
    "messages": [{"role": "user", "content": "hi"}],
}


async def test_port_0_prints_the_port_that_answers() -> None:
    async with started() as server, httpx.AsyncClient() as client:
        answer = await client.get(f"{server.url}/health")

        assert answer.json() == {"status": "ok", "in_flight": 0}
        assert not server.url.endswith((":0", ":8000"))


async def test_address_is_told_only_when_connections_are_taken() -> None:
    """Whoever waits for the first line is not refused, however fast."""
    async with started() as server:
        port = int(server.url.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        await writer.wait_closed()


async def test_config_file_environment_and_flags_reach_the_server(tmp_path: Path) -> None:
    file = tmp_path / "tokenlap.toml"
    file.write_text('strict = true\nlatency = "none"\ncontext-window = 1234\n')

    async with (
        started("--config", str(file), "--api-key", "a,b", TOKENLAP_CONTEXT_WINDOW="777") as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        unlisted = {"model": "gpt-9", "messages": ENDLESS["messages"]}
        listed = await client.get("/v1/models/tokenlap", headers={"authorization": "Bearer b"})
        refused = await client.post(
            "/v1/chat/completions", json=unlisted, headers={"authorization": "Bearer c"}
        )
        unknown = await client.post(
            "/v1/chat/completions", json=unlisted, headers={"authorization": "Bearer a"}
        )

    assert listed.json()["tokenlap"]["context_window"] == 777
    assert (refused.status_code, unknown.status_code) == (401, 404)


def test_taken_port_is_told_with_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} is taken") as refused:
            listen("127.0.0.1", port)

    assert "--port 0" in refused.value.tip


async def open_stream(client: httpx.AsyncClient) -> tuple[httpx.Response, AsyncIterator[str]]:
    """A stream that would not end by itself, of which the first line has come."""
    request = client.build_request("POST", "/v1/chat/completions", json=ENDLESS)
    answer = await client.send(request, stream=True)
    lines = answer.aiter_lines()
    assert (await anext(lines)).startswith("data: ")
    return answer, lines


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
async def test_signal_ends_an_open_stream_with_an_error_frame(sent: signal.Signals) -> None:
    async with (
        started("--grace", "0.1s", "--itl", "50ms", "--ttft", "0") as server,
        httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client,
    ):
        _, lines = await open_stream(client)
        server.process.send_signal(sent)
        last = [line async for line in lines if line][-1]
        code = await server.process.wait()

        assert json.loads(last.removeprefix("data: "))["error"]["type"] == "server_error"
        assert code in (0, -sent)
        assert "Traceback" not in (await server.err.read()).decode()


async def test_signal_lets_a_short_answer_come_to_its_end() -> None:
    async with (
        started("--grace", "1m", "--itl", "20ms", "--ttft", "0") as server,
        httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client,
    ):
        body = {**ENDLESS, "max_tokens": 30}
        async with client.stream("POST", "/v1/chat/completions", json=body) as answer:
            lines = answer.aiter_lines()
            await anext(lines)
            server.process.send_signal(signal.SIGTERM)
            rest = [line async for line in lines if line]

        assert rest[-1] == "data: [DONE]"
        assert await server.process.wait() in (0, -signal.SIGTERM)


async def test_second_signal_exits_without_waiting_for_the_grace_period() -> None:
    async with (
        started("--grace", "60m", "--itl", "50ms", "--ttft", "0") as server,
        httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client,
    ):
        await open_stream(client)
        server.process.send_signal(signal.SIGTERM)
        await until_refused(server)
        server.process.send_signal(signal.SIGTERM)

        assert await server.process.wait() in (0, -signal.SIGTERM)


async def until_refused(server: Started) -> None:
    """Wait until the server takes no new connections: it has seen the first signal."""
    port = int(server.url.rpartition(":")[2])
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return
        writer.close()
        await asyncio.sleep(0.01)
