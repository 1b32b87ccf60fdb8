"""From tokens to what a reader may see: whole characters, channels, calls."""

from codecs import getincrementaldecoder
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import spelled
from tests.properties import examples
from tokenlap.engine.event import Arguments, Event, Text, ToolCall, escape
from tokenlap.engine.holdback import HoldBack
from tokenlap.engine.tokenizer import CALL, CLOSE, END, MESSAGE, START, TokenId, o200k
from tokenlap.engine.transcript import Transcript, pieces_of

PARROT = [4103, 99, 250]


def encode(text: str) -> list[TokenId]:
    return o200k().encode(text)


def turn(header: str, body: str) -> list[TokenId]:
    return [START, *encode(header), MESSAGE, *encode(body)]


def read(
    tokens: Sequence[TokenId], stops: Sequence[str] = (), **options: object
) -> tuple[Transcript, list[Sequence[Event]]]:
    """The transcript after tokens, and what left with each."""
    holdback = HoldBack(stops) if stops else None
    transcript = Transcript(pieces_of(o200k()), holdback, **options)  # type: ignore[arg-type]  # passed on
    left: list[Sequence[Event]] = []
    for token in tokens:
        transcript.push(token)
        left.append(transcript.ready)
    return transcript, [*left, transcript.close()]


def summed(left: list[Sequence[Event]]) -> list[tuple[str, str]]:
    """Events of one kind in a row, joined: (channel or call, text)."""
    joined: list[tuple[str, str]] = []
    for event in (event for events in left for event in events):
        kind: str
        match event:
            case Text(text, _, channel):
                kind, piece = channel, text
            case ToolCall(index, name):
                kind, piece = f"call {index} to {name}", ""
            case Arguments(index, text):
                kind, piece = f"arguments {index}", text
            case _:
                raise AssertionError(event)
        if joined and joined[-1][0] == kind:
            joined[-1] = (kind, joined[-1][1] + piece)
        else:
            joined.append((kind, piece))
    return joined


def test_an_emoji_of_three_tokens_is_one_delta_after_three_laps() -> None:
    _, left = read([*encode("a"), *PARROT])

    assert [[e.text for e in events if isinstance(e, Text)] for events in left] == [
        ["a"],
        [],
        [],
        ["🦜"],
        [],
    ]


@examples(200)
@given(raw=st.binary(max_size=12), watched=st.booleans())
def test_bytes_in_any_order_leave_as_a_decoder_would_let_them(raw: bytes, watched: bool) -> None:
    decoder = getincrementaldecoder("utf-8")("replace")
    expected = [decoder.decode(raw[i : i + 1]) for i in range(len(raw))]

    _, left = read(o200k().encode_bytes(raw), watched=watched)

    assert ["".join(e.text for e in events if isinstance(e, Text)) for events in left[:-1]] == (
        expected
    )


@examples(200)
@given(
    data=st.data(),
    text=st.text("ab é🦜👩‍🚀\u2028", max_size=12),
    stops=st.sampled_from([(), ("zz",)]),
)
def test_a_text_survives_any_cut_into_tokens(
    data: st.DataObject, text: str, stops: tuple[str, ...]
) -> None:
    _, left = read(data.draw(spelled(text)), stops)

    texts = [event for events in left for event in events if isinstance(event, Text)]
    assert "".join(event.text for event in texts) == text
    assert all(event.escaped == escape(event.text) for event in texts)
    assert all(event.text for event in texts)


def test_an_unfinished_character_at_the_end_is_dropped() -> None:
    _, left = read([*encode("a"), *PARROT[:2]])

    assert summed(left) == [("content", "a")]


def test_a_character_that_is_broken_off_becomes_a_replacement() -> None:
    _, left = read([*PARROT[:2], *encode("a")])

    assert summed(left) == [("content", "\ufffda")]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        pytest.param(
            [CLOSE, *turn("assistant reasoning", "Hmm."), CLOSE, *turn("assistant", "Yes.")],
            [("reasoning", "Hmm."), ("content", "Yes.")],
            id="reasoning",
        ),
        pytest.param(
            turn("assistant refusal", "I will not."), [("refusal", "I will not.")], id="refusal"
        ),
        pytest.param(
            [
                *encode("Let me look."),
                CLOSE,
                *turn("assistant to=find", '{"q":'),
                CLOSE,
                *turn("assistant to=add", "{}"),
                CALL,
            ],
            [
                ("content", "Let me look."),
                ("call 0 to find", ""),
                ("arguments 0", '{"q":'),
                ("call 1 to add", ""),
                ("arguments 1", "{}"),
            ],
            id="tool calls",
        ),
        pytest.param(turn("assistant to=", "x"), [("content", "x")], id="a call to nobody"),
        pytest.param(turn("", "x"), [("content", "x")], id="no header"),
        pytest.param([MESSAGE, *encode("x")], [("content", "x")], id="a stray marker"),
        pytest.param(
            [*encode("a"), END, *encode("b")], [("content", "ab")], id="the end token passed over"
        ),
        pytest.param([*encode("a"), *turn("assistant", "b")[:-2]], [("content", "a")], id="header"),
        pytest.param([*PARROT[:2], END, *encode("b")], [("content", "b")], id="a marker cuts"),
    ],
)
@pytest.mark.parametrize("stops", [(), ("zz",)], ids=["", "watching for a stop"])
def test_markers_lead_to_channels_and_calls(
    tokens: list[TokenId], expected: list[tuple[str, str]], stops: tuple[str, ...]
) -> None:
    _, left = read(tokens, stops)

    assert summed(left) == expected


def test_held_text_leaves_before_another_channel_begins() -> None:
    _, left = read([*encode("a\n"), *turn("assistant refusal", "No.")], ["\nUser:"])

    assert summed(left) == [("content", "a\n"), ("refusal", "No.")]


def test_a_stop_sequence_is_found_across_a_marker_that_nobody_sees() -> None:
    transcript, left = read([*encode("abc"), END, *encode("def")], ["cd"])

    assert transcript.matched
    assert summed(left) == [("content", "ab")]


def test_stop_sequences_are_looked_for_in_the_answer_alone() -> None:
    transcript, left = read(turn("assistant refusal", "stop it"), ["stop"])

    assert not transcript.matched
    assert summed(left) == [("refusal", "stop it")]


def test_tokens_of_reasoning_are_counted() -> None:
    thought = encode("one two three")

    transcript, _ = read([*turn("assistant reasoning", ""), *thought])

    assert transcript.reasoning_tokens == len(thought)


def test_it_tells_where_text_goes_and_whether_a_tool_was_called() -> None:
    answer, _ = read(encode("hi"))
    refusal, _ = read(turn("assistant refusal", "no"))
    call, _ = read(turn("assistant to=f", "{}"))

    assert [(t.channel, t.called, t.scored) for t in (answer, refusal, call)] == [
        ("content", False, True),
        ("refusal", False, True),
        ("content", True, False),
    ]


def test_a_stop_token_shows_nothing() -> None:
    transcript, _ = read(encode("hi"))

    transcript.skip()

    assert (transcript.ready, transcript.scored) == ((), False)


def test_the_reply_continues_the_channel_that_is_open() -> None:
    _, left = read(encode("No."), opening="assistant refusal")

    assert summed(left) == [("refusal", "No.")]


def test_a_call_that_the_prompt_has_opened_begins_with_the_first_lap() -> None:
    transcript, left = read(encode("{}"), opening="assistant to=find")

    assert summed(left[:1]) == [("call 0 to find", ""), ("arguments 0", "{}")]
    assert transcript.called


def test_a_call_that_the_prompt_has_opened_is_one_though_nothing_is_written() -> None:
    transcript, _ = read([], opening="assistant to=find")

    transcript.skip()

    assert transcript.ready == (ToolCall(0, "find"),)


def test_in_a_raw_text_markers_mean_nothing() -> None:
    _, left = read([*encode("a"), *turn("assistant refusal", "b")], opening="")

    assert summed(left) == [("content", "aassistant refusalb")]
