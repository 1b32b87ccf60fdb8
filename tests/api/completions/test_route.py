import asyncio
import json

import httpx
import pytest

from tests.api.completions.support import body, completed, streamed, texts, texts_of
from tests.properties import EXHAUSTIVE
from tests.support import Json, application, quiet, scripted, served
from tokenlap.engine.tokenizer import END, o200k

SEEDS = 500 if EXHAUSTIVE else 50
LAPS = 12
TRACE = {"X-Tokenlap-Trace": "1"}
FRANCE = "The capital of France is"


async def document(client: httpx.AsyncClient, content: str) -> list[int]:
    """The ids of the document that a chat of one user message becomes."""
    messages = [{"role": "user", "content": content}]
    answer = await client.post("/tokenize", json={"messages": messages})
    tokens: list[int] = answer.json()["tokens"]
    return tokens


@pytest.mark.parametrize(
    ("model", "content"),
    [
        pytest.param("table", o200k().encode(FRANCE), id="table"),
        pytest.param("tokenlap", o200k().encode("What is a token?"), id="default, raw text"),
        pytest.param("tokenlap", "What is a token?", id="default, conversation"),
        pytest.param("echo", "Say this 🦜 again.", id="echo, conversation"),
    ],
)
async def test_stepping_one_lap_at_a_time_writes_what_one_go_writes(
    model: str, content: str | list[int]
) -> None:
    async with application() as client:
        prompt = await document(client, content) if isinstance(content, str) else content
        for seed in range(SEEDS):
            asked = {"model": model, "seed": seed, "logprobs": 5}
            whole = await completed(
                client, {**asked, "prompt": prompt, "max_tokens": LAPS}, **TRACE
            )
            stepped = await steps(client, asked, prompt)

            assert stepped == whole["choices"][0], f"seed {seed}"


async def steps(client: httpx.AsyncClient, asked: Json, prompt: list[int]) -> Json:
    """The choice that requests of one lap each add up to, ids fed back, until the end token."""
    choice: Json = {"text": "", "index": 0, "finish_reason": "length", "tokenlap": {"laps": []}}
    names = ("tokens", "token_logprobs", "top_logprobs", "text_offset")
    choice["logprobs"] = {name: [] for name in names}
    tokens = list(prompt)
    for lap in range(1, LAPS + 1):
        step = (await completed(client, {**asked, "prompt": tokens, "max_tokens": 1}, **TRACE))[
            "choices"
        ][0]
        choice["text"] += step["text"]
        for name in names:
            choice["logprobs"][name] += step["logprobs"][name]
        (written,) = step["tokenlap"]["laps"]
        ended = step["finish_reason"] == "stop"
        if lap < LAPS and not ended:
            del written["reason"]  # of a step, not of the whole
        choice["tokenlap"]["laps"].append({**written, "lap": lap})
        tokens.append(written["id"])
        if ended:
            assert written["id"] == END
            choice["finish_reason"] = "stop"
            break
    return choice


async def test_a_character_of_three_tokens_leaves_with_the_step_that_completes_it() -> None:
    async with application() as client:
        prompt = await document(client, "🦜!")
        parrot = o200k().encode("🦜")
        said = [
            (
                await completed(
                    client,
                    {"model": "echo", "prompt": [*prompt, *parrot[:written]], "max_tokens": 1},
                )
            )["choices"][0]["text"]
            for written in range(3)
        ]

    assert said == ["", "", "🦜"]


@pytest.mark.parametrize("max_tokens", [0, 1])
async def test_echo_puts_the_prompt_before_the_text(max_tokens: int) -> None:
    asked = body("hello", echo=True, max_tokens=max_tokens)
    async with application(models=scripted("x y")) as client:
        answer = await completed(client, asked)
        chunks = await streamed(client, asked)

    assert texts(answer) == ["hello" + "x" * max_tokens]
    assert texts_of(chunks) == {0: texts(answer)[0]}
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["usage"]["completion_tokens"] == max_tokens


async def test_a_stop_sequence_over_two_tokens_is_not_shown() -> None:
    asked = body(stop=["DEFGHIJ"])
    async with application(models=scripted(["abc DE", "FGHIJ", " xyz"])) as client:
        answer = await completed(client, asked)
        chunks = await streamed(client, asked)

    assert texts(answer) == ["abc "]
    assert texts_of(chunks) == {0: "abc "}
    assert answer["choices"][0]["finish_reason"] == "stop"


async def test_markers_in_a_raw_text_open_no_channel() -> None:
    async with application(models=scripted("a")) as client:
        prompt = await document(client, "hi")
        answer = await completed(client, body(prompt, echo=True, max_tokens=0))

    assert texts(answer) == ["<|start|>user<|message|>hi<|end|><|start|>assistant<|message|>"]


async def test_an_end_token_that_is_removed_rambles_to_the_length_wall() -> None:
    asked = {"model": "table", "prompt": FRANCE, "max_tokens": 40, "logit_bias": {str(END): -100}}
    async with application() as client:
        answer = await completed(client, asked)

    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["usage"]["completion_tokens"] == 40


async def test_the_same_request_gets_the_same_text_and_another_seed_another() -> None:
    asked = {"model": "tokenlap", "prompt": "What is a token?", "max_tokens": 30}
    async with application() as client, application() as other:
        first = await completed(client, asked)
        second = await completed(other, asked)
        seeded = [await completed(client, {**asked, "seed": seed}) for seed in range(5)]

    assert texts(first) == texts(second)
    assert len({texts(answer)[0] for answer in seeded}) > 1


async def test_reading_a_long_prompt_is_bounded_and_lets_others_in() -> None:
    async with application(quiet(context_window=300), models=scripted("a")) as client:
        prompts = ["word " * 100] * 3
        answer = await client.post(
            "/v1/completions", json=body(prompts, echo=True, logprobs=1, max_tokens=1)
        )
        unscored = await completed(client, body(prompts, echo=True, max_tokens=1))

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "echo"
    assert len(unscored["choices"]) == 3


async def test_a_client_that_leaves_stops_all_prompts() -> None:
    laps = 0

    class Watcher:
        def began(self, call: object) -> None: ...
        def ended(self, call: object) -> None: ...
        def refused(self, refusal: object) -> None: ...
        def lapped(self, call: object, written: list[object]) -> None:
            nonlocal laps
            laps += len(written)

    settings = quiet(ttft="0", itl="20ms")
    async with (
        served(settings, models=scripted("a " * 200), observers=[Watcher()]) as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        asked = body(["x", "y"], stream=True, max_tokens=200)
        async with client.stream("POST", "/v1/completions", json=asked) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    assert json.loads(line[6:])["object"] == "text_completion"
                    break
        await asyncio.sleep(0.1)
        seen = laps
        await asyncio.sleep(0.2)

    assert laps == seen < 100
