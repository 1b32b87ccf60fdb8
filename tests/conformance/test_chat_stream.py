"""Statements 52-69: the stream of chat completions."""

import pytest

from tests import spec
from tests.conformance.asking import (
    CALL,
    HELLO,
    REFUSAL,
    TOOL,
    Broken,
    answer,
    chunks,
    completion,
    deltas,
    official,
)
from tests.support import Json, chat, chunks_of, joined, marked, scripted
from tokenlap.engine.predictor import Distribution

USAGE = {"include_usage": True}


async def of_choice(index: int, **options: object) -> list[Json]:
    """What the chunks say of one choice."""
    found = await chunks(**options)
    return [each for chunk in found for each in chunk["choices"] if each["index"] == index]


@pytest.mark.parametrize("n", [1, 3])
async def test_052_the_first_chunk_of_a_choice_brings_its_role(n: int) -> None:
    for index in range(n):
        first, *_ = await of_choice(index, n=n)

        assert first == {
            "index": index,
            "delta": {"role": "assistant", "content": "", "refusal": None},
            "logprobs": None,
            "finish_reason": None,
        }


@pytest.mark.parametrize("script", ["Hello there", "", CALL, REFUSAL])
async def test_053_the_role_occurs_once(script: str) -> None:
    said = await deltas(marked(script), tools=[TOOL])

    assert [delta["role"] for delta in said if "role" in delta] == ["assistant"]
    assert "role" in said[0]


async def test_053_the_helper_of_the_official_client_reads_it() -> None:
    async with official() as client, client.chat.completions.stream(**chat()) as stream:
        final = await stream.get_final_completion()

    assert final.choices[0].message.role == "assistant"
    assert final.choices[0].message.content == "Hello there, world"


async def test_054_all_chunks_say_the_same_of_the_whole() -> None:
    found = await chunks(stream_options=USAGE, n=2)

    for key in ("id", "created", "model", "object", "service_tier", "system_fingerprint"):
        assert len({chunk[key] for chunk in found}) == 1


async def test_055_the_object_is_chat_completion_chunk() -> None:
    assert {chunk["object"] for chunk in await chunks(stream_options=USAGE)} == {
        "chat.completion.chunk"
    }


@pytest.mark.parametrize("script", ["Hello there", "", CALL, REFUSAL])
async def test_056_every_choice_has_its_four_keys(script: str) -> None:
    for chunk in await chunks(marked(script), tools=[TOOL]):
        for each in chunk["choices"]:
            assert set(each) == {"index", "delta", "logprobs", "finish_reason"}
            assert isinstance(each["delta"], dict)


async def test_057_choices_is_always_an_array() -> None:
    assert all(isinstance(chunk["choices"], list) for chunk in await chunks(stream_options=USAGE))


async def test_058_a_chunk_has_one_choice_and_a_text_of_one_token() -> None:
    found = await chunks(scripted("one two three"), n=2)

    assert all(len(chunk["choices"]) == 1 for chunk in found)
    said = [each["delta"]["content"] for each in await of_choice(0) if each["delta"].get("content")]
    assert said == ["Hello", " there", ",", " world"]


@pytest.mark.parametrize("script", ["Hello there", "", CALL, REFUSAL])
async def test_059_the_last_chunk_of_a_choice_has_an_empty_delta(script: str) -> None:
    *before, last = await chunks(marked(script), tools=[TOOL])

    assert last["choices"][0]["delta"] == {}
    assert last["choices"][0]["finish_reason"] in ("stop", "tool_calls")
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in before)


async def test_060_a_cut_is_told_by_an_error_frame() -> None:
    given = await answer(chat(stream=True), models={"mock-1": Broken()})
    *before, last = chunks_of(given.text)

    assert "error" in last
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in before)


@pytest.mark.parametrize("asked", [None, True, False])
async def test_061_obfuscation_is_left_out(asked: bool | None) -> None:
    found = await chunks(stream_options={"include_obfuscation": asked})

    assert not any("obfuscation" in chunk for chunk in found)


async def test_062_keys_stand_in_the_order_of_the_live_chunks() -> None:
    order = [
        "id",
        "object",
        "created",
        "model",
        "service_tier",
        "system_fingerprint",
        "choices",
        "usage",
    ]

    for chunk in await chunks(stream_options=USAGE):
        assert list(chunk) == order
        assert all(
            list(each) == ["index", "delta", "logprobs", "finish_reason"]
            for each in chunk["choices"]
        )


@pytest.mark.parametrize("options", [{}, {"stream_options": {"include_usage": False}}])
async def test_063_unasked_there_is_no_usage_key(options: Json) -> None:
    assert not any("usage" in chunk for chunk in await chunks(**options))


@pytest.mark.parametrize("script", ["Hello there", "", CALL, REFUSAL])
async def test_064_usage_comes_in_one_chunk_of_its_own_after_the_end(script: str) -> None:
    *before, finish, last = await chunks(marked(script), tools=[TOOL], stream_options=USAGE)

    assert all(chunk["usage"] is None for chunk in [*before, finish])
    assert finish["choices"][0]["finish_reason"] is not None
    assert last["choices"] == []
    assert last["usage"] == (await completion(marked(script), tools=[TOOL]))["usage"]


async def test_065_nothing_but_done_follows_the_usage() -> None:
    text = (await answer(chat(stream=True, stream_options=USAGE))).text

    assert text.split("\n\n")[-3].count('"usage":{') == 1
    assert text.split("\n\n")[-2:] == ["data: [DONE]", ""]


async def test_066_a_stream_that_fails_has_no_usage() -> None:
    body = chat(stream=True, stream_options=USAGE)
    found = chunks_of((await answer(body, models={"mock-1": Broken()})).text)

    assert not any(chunk.get("usage") for chunk in found)


@pytest.mark.parametrize("n", [2, 5])
async def test_067_choices_are_first_seen_in_order(n: int) -> None:
    seen = [chunk["choices"][0]["index"] for chunk in await chunks(n=n)]

    assert list(dict.fromkeys(seen)) == list(range(n))


class Uneven:
    """A model whose choices end after different numbers of tokens: the die decides each lap."""

    def start(self, prompt: object) -> int:
        return 0

    def next(self, state: int) -> Distribution:
        return Distribution.of({976: 0.7, 199999: 0.3} if state else {976: 1.0})

    def append(self, state: int, token: int) -> int:
        return state + 1


async def test_068_choices_take_turns_and_finish_each_in_its_own_time() -> None:
    found = await chunks({"mock-1": Uneven()}, n=3, seed=7)
    said = [(each["index"], each["delta"]) for chunk in found for each in chunk["choices"]]
    kinds = [
        (index, "role" if "role" in delta else "text" if delta else "end") for index, delta in said
    ]

    assert kinds[:6] == [(i, kind) for i in range(3) for kind in ("role", "text")]
    turns = {i: [at for at, (index, _) in enumerate(kinds) if index == i] for i in range(3)}
    lengths = {i: len(at) for i, at in turns.items()}
    assert len(set(lengths.values())) > 1  # the die has let them end at different laps
    assert [kind for _, kind in kinds].count("end") == 3
    shortest = min(lengths, key=lambda i: lengths[i])
    assert turns[shortest][-1] < max(at[-1] for at in turns.values())


@pytest.mark.parametrize("script", ["Hello \U0001f99c", "", CALL, REFUSAL])
async def test_056_every_chunk_is_what_the_document_describes(script: str) -> None:
    for options in ({}, {"logprobs": True, "top_logprobs": 2}, {"n": 2, "stream_options": USAGE}):
        for chunk in await chunks(marked(script), tools=[TOOL], **options):
            spec.check("CreateChatCompletionStreamResponse", chunk)


async def test_059_the_deltas_add_up_to_the_blocking_answer() -> None:
    blocking = await completion(HELLO, n=2)
    streamed = await chunks(HELLO, n=2)

    for each in blocking["choices"]:
        assert joined(streamed, each["index"]) == each["message"]["content"]
