"""`--workers N`: several processes behind one address."""

import asyncio
import json
import os
import signal
from pathlib import Path

import httpx
import pytest

from tests.cli.support import PATIENCE, started
from tokenlap.cli.serve import listen
from tokenlap.cli.usage import UsageError
from tokenlap.cli.workers import supervise, warning
from tokenlap.settings import Settings, hand_down, handed_down

ASK = {"model": "any", "messages": [{"role": "user", "content": "Tell me about the sea."}]}


def workers_of(parent: int) -> set[int]:
    """The processes that parent has started and that listen."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return {int(pid) for pid in children.split() if "spawn_main" in _command(pid)}


def _command(pid: str) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")
async def test_two_workers_give_the_same_reply_and_end_with_a_farewell() -> None:
    arguments = ("--workers", "2", "--latency", "none", "--grace", "0.1s")
    async with started(*arguments) as server:
        assert "What one has stored another" in await server.log("2 workers")
        async with asyncio.timeout(PATIENCE):
            while len(workers_of(server.process.pid)) < 2:  # noqa: ASYNC110 # nobody tells
                await asyncio.sleep(0.05)
        replies = set()
        for _ in range(8):  # each on a connection of its own: any worker may take it
            async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
                answer = await client.post("/v1/chat/completions", json=ASK)
                replies.add(answer.json()["choices"][0]["message"]["content"])
        assert len(replies) == 1

        endless = {**ASK, "stream": True, "ignore_eos": True, "max_tokens": 100_000}
        async with (
            httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client,
            client.stream(
                "POST", "/v1/chat/completions", json=endless, headers={"x-tokenlap-itl": "50ms"}
            ) as answer,
        ):
            lines = answer.aiter_lines()
            await anext(lines)
            server.process.send_signal(signal.SIGTERM)
            last = [line async for line in lines if line][-1]

        assert json.loads(last.removeprefix("data: "))["error"]["type"] == "server_error"
        assert await asyncio.wait_for(server.process.wait(), PATIENCE) in (0, -signal.SIGTERM)


def test_watching_several_processes_is_refused_with_a_way_out() -> None:
    with listen("127.0.0.1", 0) as listening, pytest.raises(UsageError, match="--watch") as refused:
        supervise(Settings(workers=2, watch=True), listening)

    assert refused.value.code == 2
    assert "--workers" in refused.value.tip


def test_the_warning_names_the_slots_where_there_are_any() -> None:
    assert "slots" not in warning(Settings(workers=2, latency="natural"))
    assert "the 16 slots and the queue" in warning(Settings(workers=2, latency="8b-h100"))


def test_workers_get_the_very_settings_of_their_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    given = Settings(
        workers=3, itl="20ms/80ms", latency_for={"a*": "none"}, api_key=("sk-1", "sk-2"), grace=1.5
    )

    hand_down(given)

    assert handed_down() == given
