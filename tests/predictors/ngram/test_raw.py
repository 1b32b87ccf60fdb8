"""Texts without turns: how far back they are read, and when again."""

import pytest

from tests.predictors.ngram.small import small
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.ngram.raw import forgets, window


@pytest.mark.parametrize(
    ("length", "begin"), [(0, 0), (511, 0), (512, 256), (767, 256), (768, 512), (10_000, 9728)]
)
def test_window_holds_256_to_511_tokens_of_a_long_text(length: int, begin: int) -> None:
    assert window(length) == begin
    assert length < 512 or 256 <= length - begin < 512


def test_window_moves_where_the_text_forgets() -> None:
    for length in range(1, 2000):
        assert forgets(length) == (window(length) != window(length - 1))


def test_query_of_a_text_grows_with_it() -> None:
    predictor = small()
    state = predictor.start(o200k().encode("The capital"))
    for token in o200k().encode(" of France"):
        state = predictor.append(state, token)

    assert state.prefill.matches[0].document == 2
    assert state.prefill.matches[0].score > 0.8


def test_topic_of_a_text_is_taken_from_complete_thoughts() -> None:
    predictor = small()
    state = predictor.start(o200k().encode("Tell me about hats. I like my old"))
    topic = state.prefill.phrase(1, at_start=False)

    assert o200k().decode(topic) == " hats"
