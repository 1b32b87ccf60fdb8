"""Corpus text to arrays: segments, sentences, flags."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.predictors.ngram.small import SMALL, small_model
from tokenlap.engine.tokenizer import END, o200k
from tokenlap.predictors.ngram.lexicon import (
    ANSWER,
    BORDER,
    BULLET,
    DONE,
    NUMBER_DOT,
    PROMPT,
    SPACED_TOPIC,
    TOPIC,
)
from tokenlap.predictors.ngram.segments import Flag
from tokenlap.predictors.ngram.store import NgramModel
from tokenlap.predictors.ngram.train import train, train_files

NAMES = {
    ANSWER: "<a>",
    SPACED_TOPIC: " {t}",
    TOPIC: "{t}",
    PROMPT: "{q}",
    DONE: "<e>",
    NUMBER_DOT: "#",
    BULLET: "*",
}


def segments(model: NgramModel) -> list[list[int]]:
    """The places of each segment."""
    borders = [place for place, token in enumerate(model.tokens) if token == BORDER]
    return [list(range(a + 1, b)) for a, b in pairwise(borders) if b > a + 1]


def spell(model: NgramModel, places: list[int]) -> list[str]:
    tokens = (model.tokens[place] for place in places)
    return [NAMES.get(token) or o200k().decode([model.vocabulary[token]]) for token in tokens]


def flagged(model: NgramModel, places: list[int], flag: int) -> list[str]:
    return spell(model, [place for place in places if model.flags[place] & flag])


def test_answer_stands_between_its_start_and_the_end_token() -> None:
    model = train(["=== a\nYes {t}, {q}."])

    assert spell(model, segments(model)[0]) == ["<a>", "Yes", " {t}", ",", " ", "{q}", ".", "<e>"]
    assert model.vocabulary[DONE] == END


def test_alternative_has_six_tokens_of_context_and_the_numbers_of_its_sentences() -> None:
    model = train(["=== a\nOne two three. A b c d [[small|little]] e f g h. Five six seven."])
    main, side = segments(model)
    numbers = {spell(model, [place])[0]: model.sentences[place] for place in main}

    assert "".join(spell(model, side)) == " three. A b c d little e f g h. Five"
    assert model.sentences[side[6]] == numbers[" A"]
    assert model.sentences[side[-1]] == numbers[" Five"]


def test_sentences_start_after_full_stops_and_paragraphs_but_not_in_code() -> None:
    model = train(
        [
            "=== a\nLook. It works! `Yes` can.\n\n```python\nx = 1. Y\n```\n\n"
            "The end? {t} is. End 3.5 m."
        ]
    )

    assert flagged(model, segments(model)[0], Flag.START) == [
        "Look",
        " It",
        " `",
        "The",
        " {t}",
        " End",
        "<e>",
    ]
    assert flagged(model, segments(model)[0], Flag.WEAK) == [" It"]


def test_list_lines_are_items() -> None:
    model = train(["=== a\nTwo:\n\n1. One day.\n2. Two days.\n\n- red\n- green"])
    places = segments(model)[0]

    assert flagged(model, places, Flag.ITEM) == [" One", " Two", " red", " green"]
    assert [spell(model, [p])[0] for p in places if model.tokens[p] == NUMBER_DOT] == ["#", "#"]
    assert [spell(model, [p])[0] for p in places if model.tokens[p] == BULLET] == ["*", "*"]


def test_json_is_code_from_its_first_token() -> None:
    model = train(['=== a\n{"a": [1, 2]}'])
    places = segments(model)[0]

    assert flagged(model, places, Flag.CODE)[0] == '{"'
    assert flagged(model, places, Flag.OPENING) == ['{"']


def test_equal_sentences_share_a_number() -> None:
    model = train(["=== a\nOne. The end is near.\n=== b\nTwo. The end is near."])
    first, second = segments(model)

    def number_of(places: list[int], word: str) -> int:
        return next(model.sentences[p] for p in places if spell(model, [p])[0] == word)

    assert number_of(first, " near") == number_of(second, " near")
    assert number_of(first, "One") != number_of(second, "Two")


def test_documents_hold_their_segments() -> None:
    model = small_model()

    assert len(model.documents) == len(model.kinds) + 1
    assert all(model.tokens[begin] == ANSWER for begin in model.documents[:-1])


def test_counts_are_those_of_the_first_alternatives() -> None:
    model = train(["=== a\nYes [[yes|no]] yes."])
    counts = dict(zip(model.vocabulary, model.counts, strict=True))

    assert counts[o200k().encode(" yes")[0]] == 2
    assert counts[o200k().encode(" no")[0]] == 0
    assert counts[END] == 1


def test_files_are_trained_in_order(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text(SMALL, encoding="utf-8")
    (tmp_path / "2.txt").write_text("=== x\nGrün ist 1 \U0001f99c.", encoding="utf-8")

    assert train_files([tmp_path / "1.txt", tmp_path / "2.txt"]) == train(
        [SMALL, "=== x\nGrün ist 1 \U0001f99c."]
    )


@pytest.mark.parametrize(
    "texts", [pytest.param([], id="no text"), pytest.param(["# a\n"], id="empty")]
)
def test_corpus_without_documents_is_refused(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="begin one with '=== question'"):
        train(texts)


def test_errors_name_the_file_or_the_number_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("=== a\n", encoding="utf-8")

    with pytest.raises(ValueError, match=r"text 2:1: the answer is empty"):
        train([SMALL, "=== a\n"])
    with pytest.raises(ValueError, match=r"bad\.txt:1: the answer is empty"):
        train_files([tmp_path / "bad.txt"])
