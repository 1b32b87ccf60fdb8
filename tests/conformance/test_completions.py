"""Statements 172-184: legacy completions."""

from typing import Any

import pytest

from tests import spec
from tests.conformance.asking import COMPLETIONS, HELLO, answer, error
from tests.support import Json, chunks_of, quiet, scripted

PROMPT = "The capital of France is"


def asked(prompt: Any = PROMPT, **options: Any) -> Json:
    return {"model": "mock-1", "prompt": prompt, **options}


async def completion(models: Any = HELLO, **options: Any) -> Json:
    given = await answer(asked(**options), COMPLETIONS, models=models)
    assert given.status_code == 200, given.text
    body: Json = given.json()
    spec.check("CreateCompletionResponse", body)
    return body


async def stream(models: Any = HELLO, **options: Any) -> list[Json]:
    given = await answer(asked(stream=True, **options), COMPLETIONS, models=models)
    assert given.status_code == 200, given.text
    assert given.text.endswith("data: [DONE]\n\n")
    found = chunks_of(given.text)
    for chunk in found:
        spec.check("CreateCompletionResponse", chunk)
    return found


async def test_172_the_object_is_text_completion_and_a_choice_has_four_keys() -> None:
    body = await completion()

    assert body["object"] == "text_completion" and body["id"].startswith("cmpl-")
    assert list(body["choices"][0]) == ["text", "index", "logprobs", "finish_reason"]


@pytest.mark.parametrize(
    ("prompt", "prompts"),
    [("hi", 1), (["hi", "ho"], 2), ([976, 9029], 1), ([[976], [9029, 328]], 2), (["a"] * 3, 3)],
    ids=str,
)
async def test_173_a_prompt_has_four_forms_and_n_choices_each(prompt: Any, prompts: int) -> None:
    body = await completion(prompt=prompt, n=2, echo=True)
    indexes = [choice["index"] for choice in body["choices"]]

    assert indexes == list(range(prompts * 2))
    if prompt == ["hi", "ho"]:
        starts = [choice["text"][:2] for choice in body["choices"]]
        assert starts == ["hi", "hi", "ho", "ho"]


async def test_174_max_tokens_is_16_unless_it_is_given() -> None:
    endless = scripted("word " * 100)

    assert (await completion(endless))["usage"]["completion_tokens"] == 16
    assert (await completion(endless, max_tokens=20))["usage"]["completion_tokens"] == 20


@pytest.mark.parametrize(
    ("options", "reason"),
    [({}, "stop"), ({"stop": "there"}, "stop"), ({"max_tokens": 1}, "length")],
)
async def test_175_the_finish_reason_is_stop_or_length(options: Json, reason: str) -> None:
    assert (await completion(**options))["choices"][0]["finish_reason"] == reason


async def test_176_a_stream_has_texts_then_a_reason_then_usage() -> None:
    *before, last, usage = await stream(stream_options={"include_usage": True})

    assert all(chunk["object"] == "text_completion" for chunk in [*before, last, usage])
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in before)
    assert last["choices"][0]["finish_reason"] == "stop"
    assert all(chunk["usage"] is None for chunk in [*before, last])
    assert usage["choices"] == [] and usage["usage"]["total_tokens"] > 0
    assert not any("usage" in chunk for chunk in await stream())


async def test_177_the_first_chunk_is_the_first_text() -> None:
    first, *_ = await stream()

    assert first["choices"][0] == {
        "text": "Hello",
        "index": 0,
        "logprobs": None,
        "finish_reason": None,
    }


async def test_178_an_echo_begins_with_the_prompt_whose_first_token_has_no_logprob() -> None:
    (choice,) = (await completion(echo=True, logprobs=1))["choices"]

    assert choice["text"] == f"{PROMPT}Hello there, world"
    assert "".join(choice["logprobs"]["tokens"]) == choice["text"]
    assert choice["logprobs"]["token_logprobs"][0] is None
    assert choice["logprobs"]["top_logprobs"][0] is None
    assert all(logprob is not None for logprob in choice["logprobs"]["token_logprobs"][1:])


async def test_178_an_echo_is_streamed_too() -> None:
    texts = [chunk["choices"][0]["text"] for chunk in await stream(echo=True)]

    assert "".join(texts) == f"{PROMPT}Hello there, world"


@pytest.mark.parametrize("asked_for", [1, 5])
async def test_179_logprobs_are_four_lists_of_one_length(asked_for: int) -> None:
    (choice,) = (await completion(logprobs=asked_for))["choices"]
    lists = choice["logprobs"]

    assert set(lists) == {"tokens", "token_logprobs", "top_logprobs", "text_offset"}
    assert len({len(each) for each in lists.values()}) == 1
    for token, top in zip(lists["tokens"], lists["top_logprobs"], strict=True):
        assert token in top and asked_for <= len(top) <= asked_for + 1


@pytest.mark.parametrize("logprobs", [-1, 6])
async def test_179_no_more_than_five(logprobs: int) -> None:
    given = await answer(asked(logprobs=logprobs), COMPLETIONS)

    assert (given.status_code, given.json()["error"]["param"]) == (400, "logprobs")


async def test_180_logprobs_0_still_tells_the_chosen_tokens() -> None:
    (choice,) = (await completion(logprobs=0))["choices"]

    assert choice["logprobs"]["token_logprobs"] == [0.0] * 4
    assert (await completion(logprobs=None))["choices"][0]["logprobs"] is None


async def test_181_offsets_count_from_the_start_of_the_prompt() -> None:
    (choice,) = (await completion(logprobs=1))["choices"]
    begin = len(PROMPT)

    assert choice["logprobs"]["text_offset"] == [begin, begin + 5, begin + 11, begin + 12]


async def test_182_best_of_is_at_least_n_and_not_streamed_and_suffix_is_accepted() -> None:
    assert len((await completion(best_of=3, n=2, suffix="end"))["choices"]) == 2
    assert len((await completion(best_of=1))["choices"]) == 1
    for options in ({"best_of": 1, "n": 2}, {"best_of": 2, "stream": True}):
        given = await answer(asked(**options), COMPLETIONS)
        assert (given.status_code, given.json()["error"]["param"]) == (400, "best_of")


async def test_183_chat_models_are_refused_with_strict() -> None:
    body = {**asked(), "model": "gpt-4o"}
    strict = await answer(body, COMPLETIONS, quiet(strict=True, model_names="gpt-4o"))

    assert strict.status_code == 404
    assert strict.json()["error"]["message"] == (
        "This is a chat model and not supported in the v1/completions endpoint. "
        "Did you mean to use v1/chat/completions?"
    )
    assert (await answer(body, COMPLETIONS)).status_code == 200


async def test_184_stream_options_need_a_stream() -> None:
    given = await answer(asked(stream_options={"include_usage": True}), COMPLETIONS)
    expected = error(
        400,
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        "stream_options",
    )

    assert {"status": given.status_code, **given.json()["error"]} == expected
