"""Statements 96-109: stop sequences, length, counting."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.conformance.asking import CHAT, choice, chunks, completion, deltas, error, refusal
from tests.support import Json, application, chat, joined, scripted

LESSON = ["Sure", "!", " Here", " is", " the", " answer", ":", " 42", "\n", "User", ":", " Hi"]


async def both(pieces: str | Sequence[str], **options: Any) -> tuple[str, str]:
    """Text and finish reason of a scripted reply, which must be the same streamed and blocking."""
    first = await choice(scripted(pieces), **options)
    streamed = await chunks(scripted(pieces), **options)
    assert joined(streamed) == first["message"]["content"]
    assert streamed[-1]["choices"][0]["finish_reason"] == first["finish_reason"]
    return first["message"]["content"], first["finish_reason"]


@pytest.mark.parametrize("stop", ["is", ["is"], ["zz", "is"], ["a", "b", "c", "is"]])
async def test_096_a_stop_is_a_string_or_up_to_four(stop: Any) -> None:
    assert await both("the answer is 42", stop=stop) in [("the answer ", "stop"), ("the ", "stop")]


@pytest.mark.parametrize("stop", [None, []])
async def test_096_null_and_an_empty_array_are_no_stop(stop: Any) -> None:
    assert await both("the answer", stop=stop) == ("the answer", "stop")


async def test_096_five_stops_are_too_many() -> None:
    assert await refusal(chat(stop=["a"] * 5)) == error(
        400,
        "Invalid 'stop': array too long. Expected an array with maximum length 4, "
        "but got an array with length 5 instead.",
        "stop",
        "array_above_max_length",
    )


async def test_097_the_stop_text_is_not_in_the_answer() -> None:
    assert await both(LESSON, stop=["\nUser:"]) == ("Sure! Here is the answer: 42", "stop")


@pytest.mark.parametrize(
    "pieces",
    [
        ["abc ", "DEF", "G", "HIJ", " xyz"],
        ["abc DE", "FGHIJ xyz"],
        ["abc ", *"DEFGHIJ", " xyz"],
        ["abc DEFGHIJ xyz"],
    ],
)
async def test_098_a_stop_matches_across_the_borders_of_tokens(pieces: list[str]) -> None:
    assert await both(pieces, stop=["DEFGHIJ"]) == ("abc ", "stop")


async def test_099_what_may_become_a_stop_is_held_back_and_nothing_else() -> None:
    said = await deltas(scripted(["a", "ab", "c", "aab", "x"]), stop=["abX"])
    texts = [delta["content"] for delta in said if delta.get("content")]

    assert texts == ["a", "abc", "a", "abx"]
    assert not any("abX".startswith(text[-1:]) and text.endswith("ab") for text in texts)


async def test_100_at_the_end_the_held_text_is_sent() -> None:
    assert await both(["what colour", "?"], stop=["?!END"]) == ("what colour?", "stop")


@pytest.mark.parametrize("stop", [["gamma", "beta"], ["beta", "gamma"]])
async def test_101_the_earliest_stop_wins_not_the_first_in_the_list(stop: list[str]) -> None:
    assert await both("alpha beta gamma", stop=stop) == ("alpha ", "stop")


async def test_102_the_reason_is_stop_and_the_matched_text_is_not_reported() -> None:
    first = await choice(scripted("a b c"), stop=" b")

    assert first["finish_reason"] == "stop"
    assert "stop_reason" not in first


async def test_103_text_that_runs_past_the_stop_is_dropped() -> None:
    pieces = ["alpha ", "beta", " gammadelta"]

    assert await both(pieces, stop="gamma") == ("alpha beta ", "stop")


async def test_104_tokens_that_are_wholly_cut_have_no_entry() -> None:
    first = await choice(scripted(["ab", " cat", "s", " and"]), stop=["ats"], logprobs=True)
    entries = first["logprobs"]["content"]

    assert first["message"]["content"] == "ab c"
    assert [entry["token"] for entry in entries] == ["ab", " cat"]


async def asked_of_o3(**options: Any) -> Json:
    body = {**chat(), "model": "o3-mini", **options}
    return await refusal(body, strict=True, model_names="o3-mini")


async def test_105_reasoning_models_refuse_a_stop_with_strict() -> None:
    assert await asked_of_o3(stop="x") == error(
        400,
        "Unsupported parameter: 'stop' is not supported with this model.",
        "stop",
        "unsupported_parameter",
    )


@pytest.mark.parametrize(
    "options",
    [
        {"max_tokens": 2},
        {"max_completion_tokens": 2},
        {"max_completion_tokens": 2, "max_tokens": 3},
    ],
)
async def test_106_a_cap_counts_produced_tokens_and_the_newer_one_wins(options: Json) -> None:
    assert await both(["one", " two", " three"], **options) == ("one two", "length")
    usage = (await completion(scripted(["one", " two", " three"]), **options))["usage"]
    assert usage["completion_tokens"] == 2


async def test_107_reasoning_models_refuse_max_tokens_with_strict() -> None:
    assert await asked_of_o3(max_tokens=5) == error(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "max_tokens",
        "unsupported_parameter",
    )


async def test_108_a_last_assistant_message_is_a_past_turn_unless_it_shall_go_on() -> None:
    messages = [
        {"role": "user", "content": "Count"},
        {"role": "assistant", "content": "one two"},
    ]
    goes_on = {"continue_final_message": True, "add_generation_prompt": False}
    async with application(models=scripted(["one", " two", " three", " four"])) as client:
        body = {"model": "mock-1", "messages": messages}
        past = (await client.post(CHAT, json=body)).json()["choices"][0]
        continued = (await client.post(CHAT, json=body | goes_on)).json()["choices"][0]

    assert past["message"]["content"] == "one two three four"
    assert continued["message"]["content"] == " three four"


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
async def test_109_an_empty_answer_has_a_role_and_an_end(text: str) -> None:
    first, *rest = await chunks(scripted(text))

    assert first["choices"][0]["delta"]["role"] == "assistant"
    assert first["choices"][0]["delta"]["content"] == ""
    assert rest[-1]["choices"][0]["finish_reason"] == "stop"
    assert (await choice(scripted(text)))["message"]["content"] == text
