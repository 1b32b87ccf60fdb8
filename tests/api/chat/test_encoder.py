"""Chunks as bytes: ready-made around a text that is escaped already, and what JSON would be."""

import json
from collections.abc import Sequence
from itertools import count, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import spec
from tests.properties import examples
from tests.support import Json, application, chat, chunks_of, data_of, marked, scripted
from tokenlap.api.chat.chunks import ChatChunk, ChatEvent, OpenedCall, Opening
from tokenlap.api.chat.encoder import ChatEncoder
from tokenlap.api.chat.frames import Envelope
from tokenlap.engine.batch import Lap
from tokenlap.engine.event import (
    Arguments,
    Channel,
    Event,
    Finish,
    PlainText,
    Score,
    Text,
    ToolCall,
    escape,
)
from tokenlap.engine.tokenizer import o200k
from tokenlap.errors import Overloaded

ODD = st.sampled_from(
    ["\0", "\x1f", "\x7f", "\u0085", "\u2028", "\u2029", "{", "}", '"', "\\", "%"]
)
TEXTS = st.text(st.characters(codec="utf-8") | ODD, min_size=1, max_size=20)
MODELS = TEXTS | st.sampled_from(['"content":""', "{}{0}%s", "a/b:c", "\0", "\u2028"])


def encoder(model: str = "m", **options: bool) -> ChatEncoder:
    envelope = Envelope("chatcmpl-1", 1790000000, model, "fp_0a1b2c3d4e")
    return ChatEncoder(envelope, o200k(), 3, **options)  # type: ignore[arg-type]  # flags alone


def text(content: str, channel: Channel = "content", *scores: Score) -> Text:
    return Text(content, escape(content), channel, scores)


def plain(content: str) -> PlainText:
    return PlainText(content, escape(content))


def chunk(model: str, choice: int, delta: Json, **more: object) -> Json:
    """A chunk as the API reference describes it."""
    part = {"index": choice, "delta": delta, "logprobs": None, "finish_reason": None, **more}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1790000000,
        "model": model,
        "service_tier": "default",
        "system_fingerprint": "fp_0a1b2c3d4e",
        "choices": [part],
    }


@examples(150)
@given(
    model=MODELS,
    said=st.lists(
        st.tuples(st.integers(0, 3), st.lists(TEXTS, min_size=1, max_size=4)), max_size=8
    ),
    include_usage=st.booleans(),
    scored=st.booleans(),
)
def test_ready_made_bytes_say_what_json_says(
    model: str, said: list[tuple[int, list[str]]], include_usage: bool, scored: bool
) -> None:
    runs: list[ChatChunk] = [(choice, tuple(map(plain, texts))) for choice, texts in said]

    frames = encoder(model, include_usage=include_usage, scored=scored).frames(runs)

    usage = {"usage": None} if include_usage else {}
    logprobs: Json = {"logprobs": {"content": [], "refusal": None}} if scored else {}
    expected = [
        {**chunk(model, choice, {"content": content}, **logprobs), **usage}
        for choice, texts in said
        for content in texts
    ]
    assert chunks_of(frames) == expected
    assert frames.isascii()
    assert len(frames.decode().splitlines()) == 2 * len(expected)
    for served in chunks_of(frames):
        spec.check("CreateChatCompletionStreamResponse", served)


@examples(50)
@given(model=MODELS, content=TEXTS, name=st.text(max_size=9))
def test_every_other_chunk_is_what_the_document_wants(model: str, content: str, name: str) -> None:
    score = Score(64, -0.5, ((64, -0.5), (65, -9999.0)))
    chunks: list[ChatChunk] = [
        (0, Opening("content")),
        (0, text(content, "content", score)),
        (0, text(content, "refusal", score)),
        (0, OpenedCall(0, "call_1", name)),
        (0, Arguments(0, content, escape(content))),
        (0, Finish("tool_calls", 5)),
    ]

    for scored in (False, True):
        served = chunks_of(encoder(model, scored=scored).frames(chunks))
        assert len(served) == len(chunks)
        for each in served:
            spec.check("CreateChatCompletionStreamResponse", each)
            assert spec.strangers("CreateChatCompletionStreamResponse", each) == []
            assert each["model"] == model


@pytest.mark.parametrize(
    ("event", "delta", "more"),
    [
        (Opening("content"), {"role": "assistant", "content": "", "refusal": None}, {}),
        (Opening("refusal"), {"role": "assistant", "content": None, "refusal": ""}, {}),
        (Opening("neither"), {"role": "assistant", "content": None, "refusal": None}, {}),
        (text("a"), {"content": "a"}, {}),
        (text("a", "refusal"), {"refusal": "a"}, {}),
        (text("a", "reasoning"), {"reasoning_content": "a", "reasoning": "a"}, {}),
        (
            Arguments(1, "{", b"{"),
            {"tool_calls": [{"index": 1, "function": {"arguments": "{"}}]},
            {},
        ),
        (Finish("stop", 1), {}, {"finish_reason": "stop"}),
        (Finish("length", 1), {}, {"finish_reason": "length"}),
    ],
)
def test_each_event_has_its_delta(event: ChatEvent, delta: Json, more: Json) -> None:
    frames = encoder().frames([(2, event)])

    assert chunks_of(frames) == [chunk("m", 2, delta, **more)]


EVENTS = st.one_of(
    TEXTS.map(plain),
    st.builds(text, TEXTS, st.sampled_from(["content", "reasoning", "refusal"])),
    st.builds(ToolCall, st.just(0), st.just("f")),
    st.just(Arguments(0, "{", b"{")),
)


@examples(150)
@given(
    laps=st.lists(st.lists(st.lists(EVENTS, max_size=3), min_size=1, max_size=1), max_size=12)
    | st.lists(st.lists(st.lists(EVENTS, max_size=3), min_size=3, max_size=3), max_size=5),
    cuts=st.sets(st.integers(0, 12)),
)
def test_how_many_laps_leave_together_changes_nothing(
    laps: list[list[list[Event]]], cuts: set[int]
) -> None:
    laps.append([[Finish("stop", 5)]] * len(laps[0]) if laps else [[Finish("stop", 5)]])
    ends = [*sorted(cut for cut in cuts if cut < len(laps)), len(laps)]
    parts = [list(map(tuple, laps[a:b])) for a, b in pairwise([0, *ends])]

    def written(*parts: Sequence[Lap]) -> tuple[bytes, Json]:
        whole = ChatEncoder(Envelope("chatcmpl-1", 1, "m", "fp_1"), o200k(), 3, new_id=str)
        chunks = [whole.encode(part) for part in parts]
        frames = b"".join(map(whole.frames, chunks))
        return frames, whole.fold([each for some in chunks for each in some])

    assert written(*parts) == written(list(map(tuple, laps)))


def test_only_the_fragment_that_opens_a_call_has_its_id_type_and_name() -> None:
    frames = encoder().frames([(0, OpenedCall(1, "call_7", "find"))])

    [fragment] = chunks_of(frames)[0]["choices"][0]["delta"]["tool_calls"]
    assert fragment == {
        "index": 1,
        "id": "call_7",
        "type": "function",
        "function": {"name": "find", "arguments": ""},
    }


def test_a_call_gets_an_id_of_29_characters() -> None:
    encoded = encoder().encode([([ToolCall(0, "f")],), ([Finish("tool_calls", 9)],)])

    [call] = [event for _, event in encoded if isinstance(event, OpenedCall)]
    assert call.id.startswith("call_")
    assert len(call.id) == 29


def test_choices_open_in_order_whichever_speaks_first() -> None:
    laps = [([], [text("b")], []), ([text("a")], [], []), ([], [], [Finish("stop", 0)])]

    encoded = encoder().encode(laps)

    assert [(choice, type(event)) for choice, event in encoded] == [
        (0, Opening),
        (1, Opening),
        (1, Text),
        (0, Text),
        (2, Opening),
        (2, Finish),
    ]


def test_the_usage_counts_the_prompt_once_and_every_choice() -> None:
    counting = encoder(include_usage=True)
    counting.encode([([Finish("stop", 4, 1)], [Finish("length", 6, 2)])])

    usage, done = data_of(counting.end())

    assert done == "[DONE]"
    assert json.loads(usage)["choices"] == []
    assert json.loads(usage)["usage"]["completion_tokens_details"]["reasoning_tokens"] == 3
    assert json.loads(usage)["usage"]["total_tokens"] == 3 + 10
    spec.check("CreateChatCompletionStreamResponse", json.loads(usage))


def test_a_failure_is_one_error_frame_and_no_done() -> None:
    [frame] = data_of(encoder().failure(Overloaded("stopping")))

    spec.check("ErrorResponse", json.loads(frame))
    assert json.loads(frame)["error"]["type"] == "server_error"


@pytest.mark.parametrize(
    "model", [scripted("one two"), marked("<|start|>assistant to=f<|message|>{}<|call|>")]
)
async def test_all_chunks_of_an_answer_have_one_id_and_one_time(model: dict[str, object]) -> None:
    clock = count(1790000000)
    options: Json = {"stream": True, "n": 2, "stream_options": {"include_usage": True}}
    async with application(models=model, now=lambda: next(clock)) as client:
        first, second = [
            chunks_of((await client.post("/v1/chat/completions", json=chat(**options))).text)
            for _ in range(2)
        ]

    for chunks in (first, second):
        assert (
            len({(c["id"], c["created"], c["model"], c["system_fingerprint"]) for c in chunks}) == 1
        )
        assert chunks[0]["id"].startswith("chatcmpl-")
    assert first[0]["id"] != second[0]["id"]
