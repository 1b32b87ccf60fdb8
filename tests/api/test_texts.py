from typing import Any

import pytest

from tests.support import application, quiet
from tokenlap.api.generation import LONG
from tokenlap.api.texts import tokens_of
from tokenlap.engine.tokenizer import o200k
from tokenlap.errors import BadRequest


async def test_a_long_text_becomes_the_tokens_of_a_short_one() -> None:
    text = "one two " * LONG

    assert await tokens_of(text, o200k(), "input", 10**6) == o200k().encode(text)


@pytest.mark.parametrize("text", ["a" * 1281, [1] * 11], ids=["text", "ids"])
async def test_what_is_surely_too_long_is_not_looked_at(text: Any) -> None:
    with pytest.raises(BadRequest) as refused:
        await tokens_of(text, o200k(), "prompt[3]", most=10)

    assert refused.value.code == "context_length_exceeded"
    assert refused.value.param == "prompt[3]"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/completions", {"model": "m", "prompt": [1] * 101}),
        ("/v1/completions", {"model": "m", "prompt": "a" * 12_801}),
        ("/v1/completions", {"model": "m", "prompt": "a " * 120}),
        ("/tokenize", {"prompt": "a" * 12_801}),
        ("/detokenize", {"tokens": [1] * 101}),
    ],
)
async def test_a_text_beyond_the_window_is_refused(path: str, body: dict[str, Any]) -> None:
    async with application(quiet(context_window=100)) as client:
        answer = await client.post(path, json=body)

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "context_length_exceeded"
