"""The model's own numbering of tokens."""

from tests.predictors.ngram.small import small_model
from tokenlap.engine.tokenizer import END, o200k
from tokenlap.predictors.ngram.lexicon import (
    ANSWER,
    BULLET,
    DONE,
    FIRST_ORDINARY,
    NUMBER_DOT,
    SPACED_TOPIC,
    Lexicon,
)

LEXICON = Lexicon(small_model().vocabulary, o200k())


def read_all(text: str) -> list[int]:
    before, last, read = ANSWER, ANSWER, []
    for token in o200k().encode(text):
        before, last = last, LEXICON.read(token, before, last)
        read.append(last)
    return read


def test_ordinary_tokens_map_back() -> None:
    token = o200k().encode(" cache")[0]

    assert LEXICON.ids[LEXICON.read(token, ANSWER, ANSWER)] == token
    assert LEXICON.read(END, ANSWER, ANSWER) == DONE


def test_dot_after_a_number_that_begins_a_line_differs_from_others() -> None:
    assert read_all("1. Ask")[1] == NUMBER_DOT
    assert read_all("Ask 1.")[2] >= FIRST_ORDINARY


def test_dash_that_begins_a_line_differs_from_others() -> None:
    assert read_all("- a")[0] == BULLET
    assert read_all("a\n- a")[2] == BULLET
    assert BULLET not in read_all("a-b")


def test_unknown_token_reads_as_a_topic() -> None:
    assert LEXICON.read(o200k().encode(" Zeitgeist")[0], ANSWER, ANSWER) == SPACED_TOPIC
