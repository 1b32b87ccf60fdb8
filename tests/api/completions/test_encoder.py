"""Text completions as bytes: the streams as files, and what OpenAI's document says of them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI

from tests import golden, spec
from tests.api.completions.support import body, completed
from tests.properties import examples
from tests.support import Json, application, chunks_of, scripted, served
from tokenlap.api.chat.frames import Envelope
from tokenlap.api.completions.encoder import CompletionEncoder
from tokenlap.api.completions.logprobs import Prompt
from tokenlap.engine.event import Text, escape
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import o200k
from tokenlap.errors import Overloaded
from tokenlap.predictors.script import ScriptPredictor

USAGE = {"include_usage": True}
FRUIT = o200k().encode(" fig plum")
CASES: dict[str, Json] = {
    "completions_text": {},
    "completions_usage": {"stream_options": USAGE},
    "completions_stop": {"stop": ["plum"]},
    "completions_length": {"max_tokens": 1},
    "completions_prompts": {"prompt": ["Fruit:", "Food:"], "n": 2, "stream_options": USAGE},
    "completions_echo": {"echo": True},
    "completions_echo_only": {"echo": True, "max_tokens": 0},
    "completions_logprobs": {"logprobs": 1},
    "completions_echo_logprobs": {"echo": True, "logprobs": 1, "stream_options": USAGE},
}


def parts() -> dict[str, Any]:
    """An application in which nothing is left to chance: ` fig` or ` plum`, twice."""
    steps = [Distribution.of({FRUIT[0]: 1, FRUIT[1]: 3})] * 2
    return {
        "models": {"mock-1": ScriptPredictor(steps, o200k())},
        "now": lambda: golden.CREATED,
        "new_id": golden.numbered(),
    }


def asked(name: str) -> Json:
    return body(**{"prompt": "Fruit:", "seed": 26, **CASES[name]})


@pytest.mark.parametrize("name", CASES)
async def test_the_stream_is_the_one_in_the_file(name: str) -> None:
    async with application(**parts()) as client:
        answer = await client.post("/v1/completions", json={**asked(name), "stream": True})

    golden.check(name, answer.content)
    for chunk in chunks_of(answer.content):
        spec.check("CreateCompletionResponse", chunk)
        assert spec.strangers("CreateCompletionResponse", chunk) == []


@pytest.mark.parametrize("name", CASES)
async def test_the_blocking_answer_is_what_the_document_says(name: str) -> None:
    blocking = {key: value for key, value in asked(name).items() if key != "stream_options"}
    async with application(**parts()) as client:
        answer = await completed(client, blocking)

    spec.check("CreateCompletionResponse", answer)
    assert spec.strangers("CreateCompletionResponse", answer) == []
    assert answer["id"].startswith("cmpl-")
    assert all(choice["finish_reason"] in ("stop", "length") for choice in answer["choices"])


@pytest.mark.parametrize("name", CASES)
async def test_the_official_client_reads_the_stream(name: str) -> None:
    async with served(**parts()) as server:
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0)
        async with client:
            stream = await client.completions.create(**{**asked(name), "stream": True})
            chunks = [chunk.model_dump(exclude_unset=True) async for chunk in stream]

    assert chunks == chunks_of((golden.GOLDEN / f"{name}.sse").read_bytes())


async def test_the_official_client_reads_a_blocking_answer_strictly() -> None:
    async with served(models=scripted("one two")) as server:
        client = AsyncOpenAI(
            base_url=f"{server.url}/v1",
            api_key="k",
            max_retries=0,
            _strict_response_validation=True,
        )
        async with client:
            answer = await client.completions.create(
                model="mock-1", prompt=["a", "b"], logprobs=1, n=2
            )

    assert [choice.text for choice in answer.choices] == ["one two"] * 4
    assert answer.usage is not None and answer.usage.total_tokens == 2 + 8


def encoder(model: str, prompts: int = 1, **options: Any) -> CompletionEncoder:
    prompt = Prompt.of(tuple(o200k().encode("hello")), o200k())
    envelope = Envelope("cmpl-1", 1790000000, model, "fp_0a1b2c3d4e")
    return CompletionEncoder(envelope, o200k(), [prompt] * prompts, **options)


TEXTS = st.text(min_size=1, max_size=20) | st.sampled_from(['"text":""', "\u2028", "%s{}", '"'])


@examples(100)
@given(
    model=TEXTS,
    said=st.lists(st.tuples(st.integers(0, 3), TEXTS), min_size=1, max_size=6),
    include_usage=st.booleans(),
)
def test_ready_made_bytes_say_what_json_says(
    model: str, said: list[tuple[int, str]], include_usage: bool
) -> None:
    frames = encoder(model, 4, include_usage=include_usage).frames(
        [(choice, Text(text, escape(text))) for choice, text in said]
    )

    assert frames.isascii()
    usage = {"usage": None} if include_usage else {}
    assert chunks_of(frames) == [
        {
            "id": "cmpl-1",
            "object": "text_completion",
            "created": 1790000000,
            "model": model,
            "system_fingerprint": "fp_0a1b2c3d4e",
            "choices": [{"index": choice, "text": text, "logprobs": None, "finish_reason": None}],
            **usage,
        }
        for choice, text in said
    ]


def test_a_failure_is_one_error_frame_without_a_done() -> None:
    frames = encoder("m").failure(Overloaded("The server is shutting down."))

    (error,) = chunks_of(frames)
    spec.check("ErrorResponse", error)
    assert b"[DONE]" not in frames


def test_cached_tokens_are_told_where_there_are_any() -> None:
    knowing = encoder("m", cached_tokens=128)

    assert knowing.usage()["prompt_tokens_details"] == {"cached_tokens": 128}
    assert "prompt_tokens_details" not in encoder("m").usage()
