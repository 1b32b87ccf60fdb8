"""What tests share: settings without waits, scripted models, an application without a socket, a
real server with one.
"""

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn

from tests.judge import judge
from tokenlap.app import Server, create_app
from tokenlap.cli.serve import DrainingServer
from tokenlap.delivery.pace import Clock
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.tokenizer import SPECIAL_TOKENS, TokenId, o200k
from tokenlap.predictors.script import ScriptPredictor
from tokenlap.settings import Settings

Json = dict[str, Any]


def quiet(**options: Any) -> Settings:
    """Settings for tests: no waits, no access log; options override."""
    return Settings(**{"latency": "none", "log": "off", "port": 0, **options})


def scripted(text: str | Sequence[str]) -> dict[str, Predictor[Any]]:
    """A model `mock-1` that writes text; given as pieces, each piece is cut into tokens by
    itself.
    """
    pieces = [text] if isinstance(text, str) else text
    tokens = [token for piece in pieces for token in o200k().encode(piece)]
    return {"mock-1": ScriptPredictor.of_tokens(tokens, o200k())}


def bytewise(text: str) -> dict[str, Predictor[Any]]:
    """A model `mock-1` that writes text one byte a token."""
    tokens = o200k().encode_bytes(text.encode())
    return {"mock-1": ScriptPredictor.of_tokens(tokens, o200k())}


def marked(text: str) -> dict[str, Predictor[Any]]:
    """A model `mock-1` that writes text in which markers such as `<|start|>` are those tokens."""
    tokens: list[TokenId] = []
    for piece in re.split(r"(<\|[a-z]+\|>)", text):
        tokens += [SPECIAL_TOKENS[piece]] if piece in SPECIAL_TOKENS else o200k().encode(piece)
    return {"mock-1": ScriptPredictor.of_tokens(tokens, o200k())}


@asynccontextmanager
async def application(
    settings: Settings | None = None, **parts: Any
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application without a socket; bodies arrive whole, so nothing about time can
    be seen. What it is served is held against OpenAI's document.
    """
    server = create_app(settings or quiet(), **parts)
    transport = httpx.ASGITransport(server.app, raise_app_exceptions=False)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", event_hooks={"response": [judge]}
    ) as client:
        yield client


class HeldTime:
    """A clock on which every wait is over at once, up to a moment: what is due later is held back
    until release().

    Shows what has arrived by then without a race: with an itl of 1s, until=1.5 holds the third lap.
    """

    def __init__(self, until: float) -> None:
        """until: seconds after the start, which is 0."""
        self._now = 0.0
        self._until = until
        self._released = asyncio.Event()
        self.clock = Clock(lambda: self._now, self._sleep)

    def release(self) -> None:
        """Let all waits be over."""
        self._released.set()

    async def _sleep(self, seconds: float) -> None:
        if self._now + seconds > self._until:
            await self._released.wait()
        await asyncio.sleep(0)
        self._now += seconds


@dataclass(frozen=True, slots=True)
class Served:
    """A server that listens on a free port of loopback."""

    url: str
    server: Server


@asynccontextmanager
async def served(settings: Settings | None = None, **parts: Any) -> AsyncIterator[Served]:
    """A real server in this event loop, stopped at the end."""
    server = create_app(settings or quiet(), **parts)
    config = uvicorn.Config(server.app, access_log=False, log_level="warning", lifespan="off")
    runner = DrainingServer(config, server)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        task = asyncio.create_task(runner._serve([listening]))
        while not runner.started:  # noqa: ASYNC110 # uvicorn tells in no other way
            await asyncio.sleep(0.001)
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", server)
        runner.should_exit = runner.force_exit = True
        await task


def chat(content: str = "hi", **options: Any) -> Json:
    """The body of a chat request to `mock-1`."""
    return {"model": "mock-1", "messages": [{"role": "user", "content": content}], **options}


def data_of(body: str | bytes) -> list[str]:
    """The data of each event of a stream, [DONE] included."""
    text = body if isinstance(body, str) else body.decode()
    return [event.removeprefix("data: ") for event in text.split("\n\n") if event]


def chunks_of(body: str | bytes) -> list[Json]:
    """The chunks of a chat or completions stream, [DONE] left out."""
    return [json.loads(data) for data in data_of(body) if data != "[DONE]"]


def joined(chunks: Iterable[Json], choice: int = 0) -> str:
    """The content that the deltas of one choice add up to."""
    choices = [c for chunk in chunks for c in chunk["choices"] if c["index"] == choice]
    return "".join(c["delta"].get("content") or "" for c in choices)
