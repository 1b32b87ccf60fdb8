"""The ways a reply ends, told token by token."""

from codecs import getincrementaldecoder

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import SURE, pieces, reply, spelled
from tests.engine.test_holdback import reference
from tests.properties import examples
from tokenlap.engine.event import Text
from tokenlap.engine.holdback import HoldBack
from tokenlap.engine.stopping import FinishReason, StopCondition, StopParams
from tokenlap.engine.tokenizer import CALL, END, TokenId, o200k
from tokenlap.engine.transcript import Transcript, pieces_of

A, B, C = o200k().encode_bytes(b"abc")


def told(tokens: list[TokenId], params: StopParams) -> tuple[str, FinishReason | None, int]:
    """The text, why the reply ended, and after how many tokens."""
    holdback = HoldBack(params.sequences, params.include_sequence) if params.sequences else None
    transcript = Transcript(pieces_of(o200k()), holdback)
    condition = StopCondition(params, transcript)
    text, finish, laps = "", None, 0
    for token in tokens:
        finish = condition.reached(token)
        laps += 1
        text += "".join(e.text for e in transcript.ready if isinstance(e, Text))
        if finish:
            break
    text += "".join(e.text for e in transcript.close() if isinstance(e, Text))
    return text, finish, laps


CUT = st.text("ab\nñ🦜", max_size=12).flatmap(spelled)
STOPS = st.lists(st.text("ab\nñ🦜", min_size=1, max_size=4), min_size=1, max_size=4)


@examples(300)
@given(tokens=CUT, stops=STOPS, include=st.booleans(), min_tokens=st.integers(0, 4))
def test_stop_sequences_end_the_text_as_a_slow_search_does(
    tokens: list[TokenId], stops: list[str], include: bool, min_tokens: int
) -> None:
    decoder = getincrementaldecoder("utf-8")()
    texts = [decoder.decode(o200k().token_bytes(token)) for token in tokens]
    params = StopParams(1000, tuple(stops), min_tokens=min_tokens, include_sequence=include)

    text, finish, _ = told(tokens, params)

    assert (text, finish == "stop") == reference(texts, stops, include, min_tokens)


@pytest.mark.parametrize(
    ("tokens", "params", "expected"),
    [
        pytest.param([A, END, B], StopParams(9), ("a", "stop", 2), id="end token"),
        pytest.param([A, B, C], StopParams(2), ("ab", "length", 2), id="length wall"),
        pytest.param([A, END], StopParams(2), ("a", "stop", 2), id="end token at the wall"),
        pytest.param([A, B], StopParams(2, ("b",)), ("a", "stop", 2), id="sequence at the wall"),
        pytest.param([A, B], StopParams(2, ("bc",)), ("ab", "length", 2), id="half a sequence"),
        pytest.param([A, B, C], StopParams(9, token_ids=(B,)), ("a", "stop", 2), id="stop token"),
        pytest.param(
            [A, B, C],
            StopParams(9, token_ids=(B,), include_sequence=True),
            ("ab", "stop", 2),
            id="stop token, shown",
        ),
        pytest.param(
            [A, B, C],
            StopParams(9, ("b",), include_sequence=True),
            ("ab", "stop", 2),
            id="sequence, shown",
        ),
        pytest.param([A, CALL, B], StopParams(9), ("a", "stop", 2), id="end of a tool call"),
        pytest.param(
            [A, END, B], StopParams(3, ignore_eos=True), ("ab", "length", 3), id="end token off"
        ),
        pytest.param(
            [A, END, B, END], StopParams(9, min_tokens=2), ("ab", "stop", 4), id="end too early"
        ),
        pytest.param(
            [A, B, A, B],
            StopParams(9, token_ids=(A,), min_tokens=1),
            ("ab", "stop", 3),
            id="stop token too early",
        ),
        pytest.param([A, B, C], StopParams(9), ("abc", None, 3), id="nothing yet"),
    ],
)
def test_how_a_reply_ends(
    tokens: list[TokenId], params: StopParams, expected: tuple[str, FinishReason | None, int]
) -> None:
    assert told(tokens, params) == expected


def test_the_lesson_stops_before_the_next_user_turn() -> None:
    written = reply(pieces(SURE), sequences=("\nUser:",))

    assert written.text == "Sure! Here is the answer: 42"
    assert written.finish.reason == "stop"
    assert written.finish.tokens == 12  # the three that spell the stop sequence were written, too
    assert written.deltas == [*SURE[:7], " ", "42"]


def test_the_ends_are_the_end_token_the_end_of_a_call_and_what_was_asked_for() -> None:
    assert StopParams(1, token_ids=(7,)).ends == (END, CALL, 7)
    assert StopParams(1, token_ids=(7,), ignore_eos=True).ends == (CALL, 7)
