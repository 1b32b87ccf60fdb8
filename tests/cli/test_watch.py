"""Blocking is a lie, seen from the terminal of the server: `--watch` and the access line."""

import asyncio
import json
from pathlib import Path

import httpx

from tests.cli.support import PATIENCE, started

ASKED = {"model": "any", "messages": [{"role": "user", "content": "Say hello."}]}
URL = "/v1/chat/completions"


async def test_blocking_request_is_typed_while_its_client_waits() -> None:
    async with (
        started("--watch", "--log", "json", "--ttft", "0") as server,
        httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client,
    ):
        held = {"x-tokenlap-itl": "30m"}  # the second lap is due in half an hour
        waiting = asyncio.ensure_future(client.post(URL, json=ASKED, headers=held))
        lap = await server.line("lap 1 ")

        assert "blocking" in lap and lap.endswith("'Hello'")
        assert not waiting.done()

        waiting.cancel()
        assert "client left" in await server.line("blocking")
        assert json.loads(await server.log("blocking"))["ending"] == "client left"


async def test_terminal_is_typed_token_by_token() -> None:
    async with (
        started("--watch", "--log", "off", "--latency", "none", terminal=True) as server,
        httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client,
    ):
        answer = await client.post(URL, json=ASKED)
        text = answer.json()["choices"][0]["message"]["content"]

        typed = await server.line("blocking")

    assert f"blocking {text}  [end]" in typed


async def test_control_characters_of_a_reply_do_not_reach_the_terminal(tmp_path: Path) -> None:
    script = tmp_path / "red.txt"
    script.write_text("a\x1b[31mred\x07\u202eb")
    asked = ("--model", f"script:{script}", "--watch", "--log", "off", "--latency", "none")

    for terminal in (True, False):
        async with (
            started(*asked, terminal=terminal) as server,
            httpx.AsyncClient(base_url=server.url) as client,
        ):
            answer = await client.post(URL, json=ASKED)
            typed = await server.line("blocking", "end") if terminal else await lines_of(server.out)

        assert "\x1b[31m" in answer.json()["choices"][0]["message"]["content"]
        assert "\\x1b" in typed and "\\x07" in typed and "\\u202e" in typed
        assert not {"\x1b", "\x07", "\u202e"} & {*typed}


async def lines_of(out: asyncio.StreamReader) -> str:
    """The lap lines of one reply, to its end."""
    seen = ""
    while not seen.endswith(" end\n"):
        seen += (await out.readline()).decode()
    return seen


async def test_json_log_has_the_fields_of_the_access_line() -> None:
    key = "sk-very-secret-1234"
    async with (
        started("--log", "json", "--latency", "none") as server,
        httpx.AsyncClient(
            base_url=server.url, headers={"authorization": f"Bearer {key}"}
        ) as client,
    ):
        await client.post(URL, json={**ASKED, "stream": True})
        streamed = await server.log("stream")
        await client.post(URL, json={**ASKED, "max_tokens": 3})
        blocking = json.loads(await server.log("blocking"))
        await client.get("/v1/models")
        await client.post(URL, json={**ASKED, "temperature": "hot"})
        others = [json.loads(await server.log("endpoint")) for _ in range(2)]

    line = json.loads(streamed)
    assert (line["status"], line["endpoint"], line["mode"]) == (200, f"POST {URL}", "stream")
    assert (line["ending"], blocking["ending"]) == ("end", "length")
    assert (line["tokens_out"] > 3, blocking["tokens_out"]) == (True, 3)
    assert line["tokens_in"] == blocking["tokens_in"] > 0
    assert {"ttft", "rate", "total", "model", "time"} <= line.keys()
    assert line["key"] == "…1234"
    assert key not in streamed
    assert [other["status"] for other in others] == [200, 400]
    assert "temperature" in others[1]["ending"]


async def test_path_cannot_forge_a_line_of_the_log() -> None:
    async with (
        started("--latency", "none") as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        await client.get("/v1/%1b%5b31m%0a12:00:00 200 forged")
        line = await server.log("GET")

    assert "404" in line and "/v1/\\x1b[31m\\n12:00:00 200 forged" in line
