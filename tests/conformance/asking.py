"""How the tests of statements ask: one call, one application of its own."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import openai

from tests.support import Json, application, chat, chunks_of, quiet, scripted
from tokenlap.api.calls import Call, Exchange
from tokenlap.engine.batch import Lap
from tokenlap.engine.predictor import Distribution
from tokenlap.settings import Settings

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
COMPLETIONS = "/v1/completions"
KEY = {"authorization": "Bearer sk-test"}
CALL = '<|start|>assistant to=get_time<|message|>{"tz": "UTC"}<|call|>'
CALLS = (
    '<|start|>assistant to=get_time<|message|>{"tz": "UTC"}'
    '<|start|>assistant to=get_time<|message|>{"tz": "CET"}<|call|>'
)
REFUSAL = "<|start|>assistant refusal<|message|>I must decline."
TOOL: Json = {
    "type": "function",
    "function": {
        "name": "get_time",
        "parameters": {"type": "object", "properties": {"tz": {"type": "string"}}},
    },
}
HELLO = scripted("Hello there, world")


async def answer(
    body: Any, path: str = CHAT, settings: Settings | None = None, models: Any = HELLO
) -> httpx.Response:
    """The answer to one POST; body: an object, or the bytes as they are."""
    async with application(settings, models=models) as client:
        sent = body if isinstance(body, bytes | str) else json.dumps(body)
        headers = {"content-type": "application/json", **KEY}
        return await client.post(path, content=sent, headers=headers)


async def completion(models: Any = HELLO, **options: Any) -> Json:
    """A blocking chat completion."""
    given = await answer(chat(**options), models=models)
    assert given.status_code == 200, given.text
    found: Json = given.json()
    return found


async def chunks(models: Any = HELLO, **options: Any) -> list[Json]:
    """The chunks of a streamed chat completion."""
    given = await answer(chat(stream=True, **options), models=models)
    assert given.status_code == 200, given.text
    return chunks_of(given.text)


async def choice(models: Any = HELLO, **options: Any) -> Json:
    """The first choice of a blocking chat completion."""
    first: Json = (await completion(models, **options))["choices"][0]
    return first


async def deltas(models: Any = HELLO, **options: Any) -> list[Json]:
    """The deltas of a streamed chat completion with one choice."""
    return [each["delta"] for chunk in await chunks(models, **options) for each in chunk["choices"]]


async def refusal(body: Any, path: str = CHAT, strict: bool = False, **options: Any) -> Json:
    """The error of a request that is refused, together with its status.

    The same must come with `stream: true`, where the body is an object without it.
    """
    given = await answer(body, path, quiet(strict=strict, **options))
    assert given.status_code >= 400, given.text
    if isinstance(body, dict) and "stream" not in body and "stream_options" not in body:
        streamed = await answer({**body, "stream": True}, path, quiet(strict=strict, **options))
        assert streamed.json() == given.json()
    error: Json = given.json()["error"]
    return {"status": given.status_code, **error}


def error(status: int, message: str, param: str | None = None, code: str | None = None) -> Json:
    """What refusal returns for an invalid_request_error."""
    kind = {"type": "invalid_request_error", "param": param, "code": code}
    return {"status": status, "message": message, **kind}


class Seen:
    """Watches the calls of a server: when the first lap has left, and when a call has ended."""

    def __init__(self) -> None:
        self.lap, self.end = asyncio.Event(), asyncio.Event()
        self.laps = 0
        self.calls: list[Call] = []

    def began(self, call: Call) -> None:
        self.calls.append(call)

    def lapped(self, call: Call, laps: Sequence[Lap]) -> None:
        self.laps += len(laps)
        self.lap.set()

    def ended(self, call: Call) -> None:
        self.end.set()

    def answered(self, exchange: Exchange) -> None: ...


class Broken:
    """A model that writes two tokens and fails at the third."""

    def start(self, prompt: Any) -> int:
        return 0

    def next(self, state: int) -> Any:
        if state == 2:
            raise RuntimeError("broken on purpose")
        return Distribution.certain(12650 if state else 976)

    def append(self, state: int, token: int) -> int:
        return state + 1


@asynccontextmanager
async def official(
    settings: Settings | None = None, models: Any = HELLO, **options: Any
) -> AsyncIterator[Any]:
    """The official client on an application without a socket; of no type, for bodies are plain."""
    async with application(settings, models=models) as client:
        yield openai.AsyncOpenAI(
            base_url="http://localhost/v1",
            api_key="sk-test",
            http_client=client,  # type: ignore[arg-type] # the legacy httpx works at run time
            max_retries=0,
            **options,
        )
