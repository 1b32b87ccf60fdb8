from typing import Any

import pytest

from tests.api.completions.support import body, completed, refused, texts
from tests.support import application, quiet, scripted
from tokenlap.engine.tokenizer import o200k

HELLO = o200k().encode("hello")


@pytest.mark.parametrize(
    ("prompt", "choices"),
    [
        pytest.param("hello", 1, id="a string"),
        pytest.param(["hello", "hello"], 2, id="strings"),
        pytest.param(HELLO, 1, id="token ids"),
        pytest.param([HELLO, HELLO, HELLO], 3, id="arrays of token ids"),
        pytest.param(None, 1, id="null"),
        pytest.param("", 1, id="an empty string"),
    ],
)
async def test_a_prompt_has_four_forms_and_may_be_absent(prompt: Any, choices: int) -> None:
    async with application(models=scripted("a b c")) as client:
        answer = await completed(client, body(prompt))

    assert texts(answer) == ["a b c"] * choices
    assert answer["usage"]["prompt_tokens"] == (choices if prompt else 0)


async def test_the_default_length_wall_is_sixteen_tokens() -> None:
    async with application(models=scripted("a " * 30)) as client:
        answer = await completed(client, body())
        unset = await completed(client, body(max_tokens=None, temperature=0))

    assert answer["usage"]["completion_tokens"] == 16
    assert answer["choices"][0]["finish_reason"] == "length"
    assert texts(unset) == texts(answer)


@pytest.mark.parametrize(
    ("asked", "param", "code"),
    [
        pytest.param(body([]), "prompt", "empty_array", id="no prompt in the array"),
        pytest.param(body([[]]), "prompt[0]", "empty_array", id="an empty array of ids"),
        pytest.param(body({}), "prompt", "invalid_type", id="an object"),
        pytest.param(body(7), "prompt", "invalid_type", id="a number"),
        pytest.param(body(["a", 1]), "prompt[1]", "invalid_type", id="mixed"),
        pytest.param(body([True]), "prompt[0]", "invalid_type", id="a boolean"),
        pytest.param(body([["a"]]), "prompt[0][0]", "invalid_type", id="a text in an array of ids"),
        pytest.param(body([976, -1]), "prompt[1]", "invalid_value", id="a negative id"),
        pytest.param(body([[976], [200_001]]), "prompt[1][0]", "invalid_value", id="an unused id"),
        pytest.param(body([200_019]), "prompt[0]", "invalid_value", id="an id past the vocabulary"),
        pytest.param(body(n=0), "n", "integer_below_min_value", id="n too small"),
        pytest.param(body(n="2"), "n", "invalid_type", id="n a string"),
        pytest.param(body(logprobs=6), "logprobs", "integer_above_max_value", id="logprobs"),
        pytest.param(body(logprobs=True), "logprobs", "invalid_type", id="logprobs as in chat"),
        pytest.param(
            body(best_of=21), "best_of", "integer_above_max_value", id="best_of too large"
        ),
        pytest.param(body(n=3, best_of=2), "best_of", "invalid_value", id="best_of below n"),
        pytest.param(body(max_tokens=-1), "max_tokens", "integer_below_min_value", id="max_tokens"),
        pytest.param(body(["x"] * 65, n=2), "prompt", "too_many_completions", id="too many"),
        pytest.param(body(echo="yes"), "echo", "invalid_type", id="echo a string"),
        pytest.param(
            body(stream=False, stream_options={"include_usage": True}),
            "stream_options",
            None,
            id="stream_options without stream",
        ),
        pytest.param(body(best_of=2, stream=True), "best_of", None, id="a best one, streamed"),
    ],
)
async def test_what_is_wrong_is_named_before_the_first_byte(
    asked: Any, param: str, code: str | None
) -> None:
    async with application(models=scripted("a")) as client:
        error = await refused(client, asked)

    assert (error["param"], error["code"]) == (param, code)
    assert error["type"] == "invalid_request_error"


async def test_a_prompt_and_its_length_wall_must_fit_the_context_window() -> None:
    async with application(quiet(context_window=20), models=scripted("a")) as client:
        error = await refused(client, body("a a a a a a a a"))
        fitting = await completed(client, body("a a a a"))

    assert (error["param"], error["code"]) == ("prompt", "context_length_exceeded")
    assert "24 tokens (8 in the prompt, 16 in the completion)" in error["message"]
    assert fitting["choices"][0]["finish_reason"] == "stop"


async def test_a_suffix_is_accepted_and_changes_nothing() -> None:
    async with application() as client:
        plain = await completed(client, {"model": "tokenlap", "prompt": "What is a token?"})
        suffixed = await completed(
            client, {"model": "tokenlap", "prompt": "What is a token?", "suffix": "The end."}
        )

    assert texts(plain) == texts(suffixed)


async def test_best_of_one_may_be_streamed() -> None:
    async with application(models=scripted("a b")) as client:
        answer = await client.post("/v1/completions", json=body(best_of=1, stream=True))

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("model", "status"),
    [("gpt-4o", 404), ("gpt-5-mini", 404), ("o3", 404), ("gpt-3.5-turbo-instruct", 200)],
)
async def test_with_strict_a_chat_model_is_not_found_here(model: str, status: int) -> None:
    settings = quiet(
        strict=True, model_names=("gpt-4o", "gpt-5-mini", "o3", "gpt-3.5-turbo-instruct")
    )
    headers = {"authorization": "Bearer k"}
    async with application(settings) as client, application() as tolerant:
        asked = {"model": model, "prompt": "hello"}
        answer = await client.post("/v1/completions", json=asked, headers=headers)
        tolerated = await tolerant.post("/v1/completions", json=asked)

    assert answer.status_code == status
    assert tolerated.status_code == 200
    if status == 404:
        assert answer.json()["error"]["message"].startswith("This is a chat model")
