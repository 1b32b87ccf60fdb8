"""OpenAI's own client for Python, as strict as it can be, with a server of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests import spec
from tests.support import Json, quiet, served
from tokenlap.engine.predictor import Predictor

Models = dict[str, Predictor[Any]]
TEXT = "Sure! Here is the answer: 42"
ASKED: Any = {"model": "mock-1", "messages": [{"role": "user", "content": "hi"}]}
T = TypeVar("T")


@asynccontextmanager
async def client(models: Models | None = None, **settings: Any) -> AsyncIterator[AsyncOpenAI]:
    """The client, with a server of its own."""
    async with (
        served(quiet(**settings), models=models) as server,
        AsyncOpenAI(
            base_url=f"{server.url}/v1",
            api_key="sk-test-0123456789",
            max_retries=0,
            timeout=20,
            _strict_response_validation=True,
        ) as connected,
    ):
        yield connected


async def in_a_thread(asking: AsyncOpenAI, use: Callable[[OpenAI], T]) -> T:
    """What the client without async makes of the same server."""

    def run() -> T:
        with OpenAI(
            base_url=str(asking.base_url),
            api_key=asking.api_key,
            max_retries=0,
            timeout=20,
            _strict_response_validation=True,
        ) as plain:
            return use(plain)

    return await asyncio.to_thread(run)


def checked(answer: ChatCompletion | ChatCompletionChunk) -> Json:
    """The object as it was served, if OpenAI's document allows it."""
    schema = {
        "chat.completion": "CreateChatCompletionResponse",
        "chat.completion.chunk": "CreateChatCompletionStreamResponse",
    }[answer.object]
    value: Json = answer.to_dict(mode="json", exclude_unset=True)
    spec.check(schema, value)
    assert spec.strangers(schema, value) == []
    return value
