"""Sentences known beforehand, with alternatives that are really drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import PROMPT, reply
from tests.properties import examples
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, o200k
from tokenlap.predictors.sentences import SentencesPredictor, first_token

SLOTS = [[("Yes", 3.0), ("Yesterday", 1.0)], [(".", 1.0), ("!", 1.0)]]
PREDICTOR = SentencesPredictor(SLOTS, o200k())


@examples(60)
@given(seed=st.integers(0, 10_000), temperature=st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_one_text_of_each_slot_is_written(seed: int, temperature: float) -> None:
    written = reply(PREDICTOR, SamplingParams(seed=seed, temperature=temperature))

    assert written.text in {"Yes.", "Yes!", "Yesterday.", "Yesterday!"}
    assert written.finish.reason == "stop"


def test_weights_are_probabilities() -> None:
    said = PREDICTOR.next(PREDICTOR.start(PROMPT))

    assert dict(zip(said.tokens, said.probabilities, strict=True)) == {
        o200k().encode("Yes")[0]: 0.75,
        o200k().encode("Yesterday")[0]: 0.25,
    }


def test_a_text_that_begins_another_may_still_become_it() -> None:
    state = PREDICTOR.append(PREDICTOR.start(PROMPT), o200k().encode("Yes")[0])
    said = PREDICTOR.next(state)

    shares = dict(zip(map(o200k().decode, zip(said.tokens)), said.probabilities, strict=True))
    assert shares == {".": 0.375, "!": 0.375, "ter": 0.25}


def test_it_goes_on_where_the_open_turn_stands() -> None:
    open_turn = render([Turn("user", "?")], o200k(), Turn("assistant", "Yesterday"))
    elsewhere = render([Turn("user", "?")], o200k(), Turn("assistant", "No"))

    assert len(PREDICTOR.next(PREDICTOR.start(open_turn)).tokens) == 2
    assert PREDICTOR.next(PREDICTOR.start(elsewhere)).tokens == (END,)


def test_a_bias_does_not_break_a_text() -> None:
    word = o200k().encode(" Paris")[0]

    written = reply(
        SentencesPredictor.one_of(["Hello there"], o200k()),
        SamplingParams(logit_bias=((word, 100.0), (END, 100.0))),
    )

    assert written.text == "Hello there"


@pytest.mark.parametrize(
    ("raw", "token"),
    [(b"Paris is", b"Paris"), ("é".encode()[1:], b"\xa9"), ("🦜 x".encode(), b"\xf0\x9f")],
)
def test_the_first_token_of_bytes_is_that_of_their_text(raw: bytes, token: bytes) -> None:
    assert o200k().token_bytes(first_token(raw, o200k())) == token
