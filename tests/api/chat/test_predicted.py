"""Predicted outputs: how much of a prediction a reply confirms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tests.support import Json
from tokenlap.api.chat.predicted import Predicted, counts
from tokenlap.engine.event import Finish, PlainText, Text
from tokenlap.engine.tokenizer import o200k

TOKENS = st.lists(st.integers(0, 5), max_size=30)


@pytest.mark.parametrize(
    ("prediction", "reply", "accepted"),
    [
        pytest.param("abcd", "abcd", 4, id="the same"),
        pytest.param("abcd", "abxcd", 4, id="one more"),
        pytest.param("abcde", "abde", 4, id="one less"),
        pytest.param("abcd", "", 0, id="nothing"),
        pytest.param("abcd", "wxyz", 0, id="another"),
        pytest.param("", "abcd", 0, id="no prediction"),
        pytest.param("abcd", "abcdefg", 4, id="longer"),
    ],
)
def test_a_reply_is_read_along_its_prediction(prediction: str, reply: str, accepted: int) -> None:
    ids = [list(map(ord, text)) for text in (prediction, reply)]

    assert counts(*ids) == (accepted, len(prediction) - accepted)


@examples(100)
@given(prediction=TOKENS, reply=TOKENS)
def test_no_more_is_accepted_than_was_predicted_and_said(
    prediction: list[int], reply: list[int]
) -> None:
    accepted, rejected = counts(prediction, reply)

    assert 0 <= accepted <= min(len(prediction), len(reply))
    assert accepted + rejected == len(prediction)
    assert counts(prediction, prediction) == (len(prediction), 0)


def test_the_content_of_all_choices_counts_and_nothing_else_does() -> None:
    predicted = Predicted.of({"type": "content", "content": "one two"}, o200k())
    assert predicted is not None

    predicted.read([(0, (PlainText("one", b""), PlainText(" two", b""))), (0, Finish("stop", 2))])
    predicted.read([(1, Text("one", b"")), (1, Text(" two", b"", "reasoning"))])
    predicted.read([(2, Finish("stop", 0))])

    assert predicted.counts() == (3, 1)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, None),
        ({"type": "content"}, None),
        ({"content": "a"}, "a"),
        ({"content": [{"type": "text", "text": "a"}, {"text": "b"}, {"type": "text"}, 1]}, "ab"),
    ],
)
def test_a_prediction_is_a_text_or_parts(given: Json | None, text: str | None) -> None:
    predicted = Predicted.of(given, o200k())

    assert (predicted and predicted.text) == text


def test_without_a_reply_all_is_rejected() -> None:
    assert Predicted("one two", o200k()).counts() == (0, 2)
