"""The streams of chat completions, as files."""

import json
from typing import Any

import pytest
from openai import AsyncOpenAI

from tests import golden, spec
from tests.support import Json, application, chat, chunks_of, marked, served
from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.script import ScriptPredictor

USAGE = {"include_usage": True}
CALL = '<|start|>assistant to=get_time<|message|>{"tz": "UTC"}'
TOOLS = [{"type": "function", "function": {"name": "get_time", "parameters": {}}}]
DIE = "a fair die"


class Broken:
    """Writes one token and fails at the second."""

    def start(self, prompt: Any) -> int:
        return 0

    def next(self, state: int) -> Distribution:
        if state:
            raise RuntimeError("broken on purpose")
        return Distribution.certain(12650)

    def append(self, state: int, token: int) -> int:
        return state + 1


def model(script: str) -> dict[str, Predictor[Any]]:
    """The model that a case asks for: a script with markers, or one of two that are none."""
    if script == DIE:
        fig, plum = o200k().encode(" fig plum")
        return {"mock-1": ScriptPredictor([Distribution.of({fig: 1, plum: 1})] * 2, o200k())}
    return {"mock-1": Broken()} if script == "broken" else marked(script)


CASES: dict[str, tuple[str, Json]] = {
    "chat_text": ("A fig.", {}),
    "chat_emoji": ("ok 🦜\u2028 end", {}),
    "chat_stop": ("Sure! 42\nUser: hi", {"stop": ["\nUser:"]}),
    "chat_length": ("A fig and a plum", {"max_tokens": 2}),
    "chat_empty": ("", {}),
    "chat_usage": ("A fig.", {"stream_options": USAGE}),
    "chat_n": (DIE, {"n": 2, "seed": 2, "stream_options": USAGE}),
    "chat_logprobs": (DIE, {"seed": 1, "logprobs": True, "top_logprobs": 2}),
    "chat_reasoning": (
        "<|start|>assistant reasoning<|message|>Hm<|start|>assistant<|message|>7",
        {},
    ),
    "chat_refusal": ("<|start|>assistant refusal<|message|>I cannot.", {}),
    "chat_tool_call": (f"{CALL}<|call|>", {"tools": TOOLS}),
    "chat_tool_calls": (f"{CALL}{CALL}<|call|>", {"tools": TOOLS, "stream_options": USAGE}),
    "chat_failure": ("broken", {}),
}


@pytest.mark.parametrize("name", CASES)
async def test_the_stream_is_the_one_in_the_file(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    script, options = CASES[name]
    async with application(
        models=model(script), now=lambda: golden.CREATED, new_id=golden.numbered()
    ) as client:
        answer = await client.post("/v1/chat/completions", json=chat(stream=True, **options))

    golden.check(name, answer.content)
    for chunk in chunks_of(answer.content):
        if "error" in chunk:
            spec.check("ErrorResponse", chunk)
        else:
            spec.check("CreateChatCompletionStreamResponse", chunk)


async def replayed(url: str, asked: Json) -> list[Json]:
    """The chunks as the official client reads them, each held against its types."""
    client = AsyncOpenAI(base_url=url, api_key="k", max_retries=0, _strict_response_validation=True)
    async with client:
        stream = await client.chat.completions.create(**{**asked, "stream": True})
        return [chunk.model_dump(exclude_unset=True) async for chunk in stream]


@pytest.mark.parametrize("name", [name for name in CASES if name != "chat_failure"])
async def test_the_official_client_reads_the_stream_strictly(name: str) -> None:
    script, options = CASES[name]
    async with served(
        models=model(script), now=lambda: golden.CREATED, new_id=golden.numbered()
    ) as server:
        chunks = await replayed(f"{server.url}/v1", chat(**options))

    assert chunks == chunks_of((golden.GOLDEN / f"{name}.sse").read_bytes())
    assert json.dumps(chunks)
