import asyncio
import time
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from tests.support import Json, application, chat, quiet, scripted
from tokenlap.api import generation
from tokenlap.api.generation import LONG, LONGEST_TOKEN
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import TokenId, o200k

URL = "/v1/chat/completions"
PROMPT = 8
"""Tokens of the document that `hi` becomes."""


async def asked(body: Json, **options: Any) -> httpx.Response:
    async with application(quiet(**options), models=scripted("one two three four")) as client:
        return await client.post(URL, json=body)


def error(answer: httpx.Response) -> tuple[str, str, str | None]:
    assert answer.status_code == 400
    told = answer.json()["error"]
    return told["message"], told["param"], told["code"]


async def test_a_prompt_over_the_window_is_told_both_numbers() -> None:
    answer = await asked(chat("hi " * 300), context_window=128)

    tokens = len(o200k().encode("hi " * 300)) + PROMPT - 1
    assert error(answer) == (
        f"This model's maximum context length is 128 tokens. However, your messages resulted in "
        f"{tokens} tokens. Please reduce the length of the messages.",
        "messages",
        "context_length_exceeded",
    )


async def test_a_cap_that_pushes_it_over_is_told_what_counts() -> None:
    answer = await asked(chat(max_tokens=125), context_window=128)

    assert error(answer) == (
        f"This model's maximum context length is 128 tokens. However, you requested "
        f"{PROMPT + 125} tokens ({PROMPT} in the messages, 125 in the completion). "
        "Please reduce the length of the messages or completion.",
        "messages",
        "context_length_exceeded",
    )


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
async def test_a_cap_over_the_window_is_too_large_for_any_prompt(name: str) -> None:
    answer = await asked(chat() | {name: 129}, context_window=128)

    assert error(answer) == (
        f"{name} is too large: 129. This model supports at most 128 completion tokens, "
        "whereas you provided 129.",
        name,
        None,
    )


async def test_a_cap_of_4000_digits_is_only_too_large() -> None:
    async with application() as client:
        body = b'{"model":"m","messages":[{"role":"user"}],"max_tokens":' + b"9" * 300 + b"}"
        message, _, _ = error(await client.post(URL, content=body))

    assert len(message) < 300


async def test_the_window_may_be_filled_to_the_last_token() -> None:
    answer = await asked(chat(max_tokens=128 - PROMPT), context_window=128)
    full = await asked(chat(), context_window=PROMPT + 2)

    assert answer.status_code == 200
    assert full.json()["choices"][0]["finish_reason"] == "length"
    assert full.json()["usage"]["completion_tokens"] == 2


@pytest.mark.parametrize("stream", [False, True])
async def test_every_refusal_comes_before_the_first_byte(stream: bool) -> None:
    long = await asked(chat("hi " * 300, stream=stream), context_window=128)
    cap = await asked(chat(max_tokens=10**6, stream=stream))

    for answer in (long, cap):
        assert answer.status_code == 400
        assert answer.headers["content-type"] == "application/json"


async def test_a_text_that_cannot_fit_is_not_even_cut_into_tokens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(generation, "render")
    answer = await asked(chat("x" * (LONGEST_TOKEN * 1000 + 1)), context_window=1000)

    assert "resulted in more than 1000 tokens" in error(answer)[0]


async def test_a_long_prompt_leaves_the_event_loop_to_others() -> None:
    """Tokens are cut in a thread, so a task beside it is woken while that goes on."""
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0)
            beats += 1

    async with application(quiet(context_window=10_000_000), models=scripted("hello")) as client:
        beside = asyncio.create_task(beat())
        answer = await client.post(URL, json=chat("hello world " * LONG))
        beside.cancel()

    assert answer.status_code == 200
    assert beats > 20


async def test_other_parts_count_and_may_fill_the_window() -> None:
    parts = [{"type": "image_url", "image_url": {"url": "data:,"}}] * 2
    body = {"model": "mock-1", "messages": [{"role": "user", "content": parts}]}
    fitting = await asked(body)
    refused = await asked(body, context_window=170)

    assert fitting.json()["usage"]["prompt_tokens"] == PROMPT - 1 + 2 * 85
    assert error(refused)[2] == "context_length_exceeded"


async def test_both_caps_given_the_newer_one_wins() -> None:
    answer = await asked(chat(max_completion_tokens=1, max_tokens=3))

    assert answer.json()["usage"]["completion_tokens"] == 1
    assert answer.json()["choices"][0]["finish_reason"] == "length"


async def test_the_default_model_has_its_own_wall_whatever_its_name() -> None:
    async with application(quiet(default_max_tokens=3)) as client:
        bodies = [
            {**chat("Tell me about tokens."), "model": name} for name in ("tokenlap", "gpt-4o")
        ]
        answers = [(await client.post(URL, json=body)).json() for body in bodies]

    assert [answer["usage"]["completion_tokens"] for answer in answers] == [3, 3]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"n": 128, "max_tokens": 8192}, 200),
        ({"n": 128, "max_tokens": 8193}, 400),
        ({"n": 128, "max_tokens": 1024, "logprobs": True}, 200),
        ({"n": 128, "max_tokens": 1025, "logprobs": True}, 400),
        ({"n": 1, "max_tokens": 127_000, "logprobs": True}, 200),
    ],
    ids=str,
)
async def test_what_one_request_may_have_written_is_bounded(options: Json, status: int) -> None:
    for stream in (False, True):
        answer = await asked(chat(stream=stream) | options)

        assert answer.status_code == status
        if status == 400:
            assert error(answer)[1] == "n"


async def test_without_a_cap_many_choices_share_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "MOST_TOKENS", 1280)

    class Rambling:
        """Writes without end."""

        def start(self, prompt: Sequence[TokenId]) -> None: ...

        def next(self, state: None) -> Distribution:
            return Distribution.certain(5)

        def append(self, state: None, token: TokenId) -> None: ...

    async with application(quiet(context_window=1000), models={"mock-1": Rambling()}) as client:
        answer = await client.post(URL, json=chat(n=128))

    assert answer.json()["usage"]["completion_tokens"] == 1280


@pytest.mark.parametrize("unit", ["a", "1", "é", "x'", "-1", "give a, ", "a b ", '{"a":', "\n"])
async def test_no_text_holds_the_event_loop_for_long(unit: str) -> None:
    """A pattern that goes back over its text would take minutes for one of these, not a second."""
    begun = time.process_time()
    async with application(quiet(context_window=1_000_000)) as client:
        body = {**chat(unit * (200_000 // len(unit)), max_tokens=2), "model": "tokenlap"}
        answer = await client.post(URL, json=body)

    assert answer.status_code == 200
    assert time.process_time() - begun < 60
