"""Statements 88-95: logprobs."""

import math
from typing import Any

import pytest

from tests.conformance.asking import HELLO, REFUSAL, answer, choice, chunks
from tests.support import Json, bytewise, chat, marked

EMOJI = "ok \U0001f99c\U0001f600 end"


async def entries(models: Any = HELLO, **options: Any) -> list[Json]:
    """The logprobs of a blocking answer's content."""
    content: list[Json] = (await choice(models, logprobs=True, **options))["logprobs"]["content"]
    return content


@pytest.mark.parametrize(("top", "status"), [(0, 200), (20, 200), (21, 400), (-1, 400)])
async def test_088_up_to_20_top_logprobs_may_be_asked_for(top: int, status: int) -> None:
    assert (await answer(chat(logprobs=True, top_logprobs=top))).status_code == status


async def test_088_without_being_asked_for_there_are_none() -> None:
    assert (await choice(logprobs=False))["logprobs"] is None


async def test_089_logprobs_have_both_keys() -> None:
    said = await choice(logprobs=True)
    refused = await choice(marked(REFUSAL), logprobs=True)

    assert set(said["logprobs"]) == {"content", "refusal"}
    assert said["logprobs"]["content"] and said["logprobs"]["refusal"] is None
    assert refused["logprobs"]["refusal"] and refused["logprobs"]["content"] is None


async def test_090_an_entry_has_token_logprob_bytes_and_top() -> None:
    for entry in await entries():
        assert set(entry) == {"token", "logprob", "bytes", "top_logprobs"}
        assert bytes(entry["bytes"]).decode() == entry["token"]
        assert entry["top_logprobs"] == []


async def test_091_top_logprobs_are_ordered_from_the_likeliest_down() -> None:
    body = {**chat("The capital of France is"), "model": "tokenlap"}
    given = await answer(body | {"logprobs": True, "top_logprobs": 5, "max_tokens": 20}, models={})

    for entry in given.json()["choices"][0]["logprobs"]["content"]:
        top = entry["top_logprobs"]
        assert len(top) == 5
        assert all(set(each) == {"token", "logprob", "bytes"} for each in top)
        assert [each["logprob"] for each in top] == sorted(
            (each["logprob"] for each in top), reverse=True
        )
        assert len({tuple(each["bytes"]) for each in top}) == 5


async def test_092_in_a_stream_each_text_brings_its_own() -> None:
    first, *texts, last = [chunk["choices"][0] for chunk in await chunks(logprobs=True)]

    assert first["logprobs"] == {"content": [], "refusal": None}
    assert last["logprobs"] is None
    for text in texts:
        (entry,) = text["logprobs"]["content"]
        assert entry["token"] == text["delta"]["content"]
        assert text["logprobs"]["refusal"] is None


@pytest.mark.parametrize("models", [marked(EMOJI), bytewise(EMOJI)], ids=["tokens", "bytes"])
async def test_093_joined_bytes_are_the_bytes_of_the_content(models: Any) -> None:
    written = [byte for entry in await entries(models) for byte in entry["bytes"]]
    streamed = [
        byte
        for chunk in await chunks(models, logprobs=True)
        for entry in (chunk["choices"][0]["logprobs"] or {"content": ()})["content"]
        for byte in entry["bytes"]
    ]

    assert bytes(written).decode() == EMOJI
    assert streamed == written


async def test_093_the_stop_text_has_none() -> None:
    found = await entries(marked("Sure! 42\nUser: more"), stop="\nUser:")

    assert "".join(entry["token"] for entry in found) == "Sure! 42"


async def test_094_an_impossible_token_has_minus_9999_and_json_no_infinity() -> None:
    given = await answer(chat(logprobs=True, top_logprobs=3))
    found = given.json()["choices"][0]["logprobs"]["content"]

    assert "Infinity" not in given.text and "NaN" not in given.text
    assert [each["logprob"] for each in found[0]["top_logprobs"]] == [0.0, -9999.0, -9999.0]
    assert all(math.isfinite(each["logprob"]) for entry in found for each in entry["top_logprobs"])


async def test_095_a_part_of_a_character_has_its_own_bytes_and_an_escape_for_text() -> None:
    found = await entries(bytewise("\U0001f600"))

    assert [entry["bytes"] for entry in found] == [[0xF0], [0x9F], [0x98], [0x80]]
    assert [entry["token"] for entry in found] == [
        "bytes:\\xf0",
        "bytes:\\x9f",
        "bytes:\\x98",
        "bytes:\\x80",
    ]
