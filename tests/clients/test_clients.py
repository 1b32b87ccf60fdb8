"""Every program in clients/ does what it says, against a real server."""

import asyncio
import json
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Require
from tests.support import HeldTime, Served, chunks_of, data_of, joined, quiet, scripted, served
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.tokenizer import o200k

CLIENTS = REPOSITORY / "clients"
REPLY = "one two three four"
PATIENCE = 60.0


def spoken(text: str = REPLY) -> dict[str, Predictor[object]]:
    """The model that the clients ask for, with a reply that is known."""
    return {"tokenlap": scripted(text)["mock-1"]}


async def run(server: Served, *command: str | Path) -> Process:
    """A client under way, with the two variables that a user sets."""
    return await asyncio.create_subprocess_exec(
        *command,
        stdout=PIPE,
        stderr=PIPE,
        stdin=DEVNULL,
        env={
            "PATH": os.environ["PATH"],
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "OPENAI_API_KEY": "sk-clients",
        },
    )


async def until(process: Process, words: str) -> str:
    """What a client has printed once it has printed words; fails where it ends before."""
    assert process.stdout
    seen = b""
    while words not in seen.decode(errors="ignore"):
        piece = await process.stdout.read(65536)
        if not piece:
            _, complaints = await process.communicate()
            raise AssertionError(f"{words!r} not in {seen!r}\n{complaints.decode()}")
        seen += piece
    return seen.decode()


PYTHON = (sys.executable, CLIENTS / "python/stream.py")
BY_HAND = (sys.executable, CLIENTS / "python/by_hand.py")
LIE = (sys.executable, CLIENTS / "python/blocking_is_a_lie.py")
STREAM_SH = ("sh", CLIENTS / "curl/stream.sh")
BLOCKING_SH = ("sh", CLIENTS / "curl/blocking.sh")


@pytest.mark.parametrize("client", [PYTHON, BY_HAND, "node"], ids=["python", "by hand", "node"])
async def test_streaming_client_prints_tokens_as_they_arrive(
    client: str | tuple[str | Path, ...], require: Require
) -> None:
    command = (require("node"), CLIENTS / "node/stream.mjs") if client == "node" else client
    time = HeldTime(until=1.5)

    async with (
        asyncio.timeout(PATIENCE),
        served(quiet(itl="1s"), models=spoken(), clock=time.clock) as server,
    ):
        process = await run(server, *command)
        early = await until(process, "one two")
        held = len(server.server.backend.calls.flying)
        time.release()
        late, complaints = await process.communicate()

    assert (early, held) == ("one two", 1)
    assert early + late.decode() == REPLY + "\n"
    assert (process.returncode, complaints.decode()) == (0, "")


async def test_curl_shows_events_as_they_arrive() -> None:
    time = HeldTime(until=1.5)

    async with (
        asyncio.timeout(PATIENCE),
        served(quiet(itl="1s"), models=spoken(), clock=time.clock) as server,
    ):
        process = await run(server, *STREAM_SH)
        early = await until(process, '"content":" two"')
        time.release()
        late, _ = await process.communicate()

    assert joined(chunks_of(early)) == "one two"
    assert joined(chunks_of(early + late.decode())) == REPLY
    assert data_of(early + late.decode())[-1] == "[DONE]"


async def test_curl_shows_the_blocking_answer_and_its_times() -> None:
    async with asyncio.timeout(PATIENCE), served(models=spoken()) as server:
        process = await run(server, *BLOCKING_SH)
        body, head = await process.communicate()

    assert json.loads(body)["choices"][0]["message"]["content"] == REPLY
    assert re.search(rb"server-timing: queue;dur=\S+, ttft;dur=\S+, decode;dur=\S+", head)


async def test_both_time_lines_are_drawn() -> None:
    reply = " ".join(f"word{i}" for i in range(20))

    async with (
        asyncio.timeout(PATIENCE),
        served(quiet(ttft="50ms", itl="10ms"), models=spoken(reply)) as server,
    ):
        process = await run(server, *LIE, "anything")
        drawn, complaints = await process.communicate()

    lines = drawn.decode().splitlines()
    tokens = len(o200k().encode(reply))
    assert (process.returncode, complaints.decode(), lines[0]) == (0, "", reply)
    assert f"same tokens: {tokens} and {tokens}" in lines[-1]
    streamed, blocking = (line.split()[1] for line in lines[2:4])
    assert len(streamed) == len(blocking) == 60
    assert set(streamed) <= {"·", "▪"} and streamed.count("▪") > 1
    assert re.fullmatch("·+▫+·*█·*", blocking)
    assert streamed.index("▪") <= blocking.index("█")
