"""The same request gets the same reply everywhere; what only changes its delivery changes nothing
of it.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.api.chat.support import Models
from tests.engine.support import Chain
from tests.support import Json, application, chat, chunks_of, quiet
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import END

LETTERS = Chain({}, Distribution.of({64 + i: 1.0 for i in range(20)} | {END: 1.0}))
MODELS: Models = {"mock-1": LETTERS, "mock-2": LETTERS}
"""Every lap is drawn, so every lap has its roll."""
REPOSITORY = Path(__file__).parents[3]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


async def answer(asked: Json, **options: Any) -> Json:
    """The blocking answer of an application of its own."""
    async with application(**{"models": MODELS, **options}) as client:
        response = await client.post("/v1/chat/completions", json=asked)
    assert response.status_code == 200, response.text
    answered: Json = response.json()
    return answered


async def rolls(asked: Json, **options: Any) -> list[float]:
    """The rolls of the first choice, lap by lap: a function of its seed."""
    headers = {"X-Tokenlap-Trace": "1"}
    async with application(**{"models": MODELS, **options}) as client:
        response = await client.post("/v1/chat/completions", json=asked, headers=headers)
    parts = (
        [part for chunk in chunks_of(response.text) for part in chunk["choices"]]
        if asked.get("stream")
        else response.json()["choices"]
    )
    first = [
        part["tokenlap"]["laps"] for part in parts if part["index"] == 0 and "tokenlap" in part
    ]
    return [lap["u"] for laps in first for lap in laps]


@pytest.mark.parametrize(
    "asked",
    [chat("Hello", n=3), {**chat("What is a token?", n=2), "model": "tokenlap", "max_tokens": 60}],
)
async def test_the_same_request_gets_the_same_reply_from_another_server(asked: Json) -> None:
    first, second = await answer(asked), await answer(asked)

    assert first["choices"] == second["choices"]
    assert len({choice["message"]["content"] for choice in first["choices"]}) == asked["n"]
    assert first["id"] != second["id"]


@pytest.mark.parametrize(
    "options",
    [
        {"stream": True},
        {"stream": True, "stream_options": {"include_usage": True}},
        {"n": 4},
        {"max_tokens": 5},
        {"max_completion_tokens": 5},
        {"stop": ["zz"]},
        {"logprobs": True, "top_logprobs": 5},
        {"metadata": {"run": "7"}},
        {"user": "ann"},
        {"safety_identifier": "ann"},
        {"store": True},
        {"service_tier": "flex"},
        {"temperature": None, "tools": None},
    ],
    ids=str,
)
async def test_what_only_changes_the_delivery_does_not_change_the_derived_seed(
    options: Json,
) -> None:
    plain, changed = await rolls(chat("Hello")), await rolls(chat("Hello", **options))

    laps = min(len(plain), len(changed))
    assert laps >= 3
    assert changed[:laps] == plain[:laps]


@pytest.mark.parametrize(
    "options",
    [
        {"messages": [{"role": "user", "content": "Hello!"}]},
        {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "Hello"}]},
        {"model": "mock-2"},
        {"tools": [TOOL], "tool_choice": "none"},
        {"temperature": 0.9},
        {"top_p": 0.99},
        {"frequency_penalty": 0.1},
        {"presence_penalty": 0.1},
        {"logit_bias": {"5": 1}},
        {"seed": 1},
    ],
    ids=str,
)
async def test_what_the_reply_depends_on_changes_the_derived_seed(options: Json) -> None:
    assert (await rolls(chat("Hello", **options)))[0] != (await rolls(chat("Hello")))[0]


async def test_a_seed_is_used_as_it_is() -> None:
    hello = await rolls(chat("Hello", seed=5))
    world = await rolls(chat("World", seed=5))  # of the same length in tokens

    laps = min(len(hello), len(world))
    assert hello[:laps] == world[:laps]
    assert hello[0] != (await rolls(chat("Hello", seed=6)))[0]


async def test_random_turns_the_derived_seed_off_and_leaves_an_explicit_one() -> None:
    settings = quiet(random=True)
    derived = [await rolls(chat("Hello"), settings=settings) for _ in range(2)]
    explicit = [await rolls(chat("Hello", seed=5), settings=settings) for _ in range(2)]

    assert derived[0][0] != derived[1][0]
    assert explicit[0] == explicit[1] == await rolls(chat("Hello", seed=5))


async def test_choice_0_is_the_reply_without_n() -> None:
    alone, several = await answer(chat("Hello")), await answer(chat("Hello", n=3))

    assert several["choices"][0] == alone["choices"][0]


async def test_choices_are_equal_at_temperature_0() -> None:
    asked = {**chat("Tell me about tokens", n=4, temperature=0, max_tokens=30), "model": "tokenlap"}

    answered = await answer(asked)

    assert len({choice["message"]["content"] for choice in answered["choices"]}) == 1


PROGRAM = """
import asyncio, httpx
from tests.support import chat, quiet
from tokenlap.app import create_app

async def main():
    transport = httpx.ASGITransport(create_app(quiet()).app)
    asked = {**chat("What is a token?", n=3, max_tokens=40), "model": "tokenlap"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        response = await client.post("/v1/chat/completions", json=asked)
        print(ascii(response.json()["choices"]))

asyncio.run(main())
"""


async def test_the_same_request_gets_the_same_reply_from_another_process() -> None:
    async def run(hash_seed: str) -> bytes:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            PROGRAM,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=REPOSITORY,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
        assert process.returncode == 0
        return out

    first, second = await asyncio.gather(run("1"), run("2"))

    assert first == second
    assert b"assistant" in first
