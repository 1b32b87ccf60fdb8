"""How much documents resemble the words of a prompt."""

import pytest

from tests.predictors.ngram.small import small_model
from tokenlap.predictors.ngram.search import Search, Sums
from tokenlap.predictors.ngram.words import stems


def scores(text: str) -> dict[int, float]:
    search = Search(small_model())
    words = stems(text)
    sums = Sums([search.weight(word) for word in words])
    return search.score(search.find(words), sums, sums)


def test_a_corpus_wording_scores_one() -> None:
    assert max(scores("capital of France").values()) == pytest.approx(1)


def test_the_asked_document_beats_those_that_share_a_word() -> None:
    found = scores("what should I cache")

    assert max(found, key=lambda document: found[document]) == 1
    assert 0 < found[0] < found[1]


def test_a_short_answer_has_to_be_asked_for_in_full() -> None:
    assert scores("capital of Spain")[2] < 0.2


def test_stop_words_alone_find_only_if_there_is_nothing_else() -> None:
    search = Search(small_model())

    assert search.find(["what", "blorb"]).wordings == {}
    assert search.find(["what"]).wordings


def test_unseen_words_weigh_most_and_stop_words_least() -> None:
    search = Search(small_model())

    assert search.weight("blorb") > search.weight("cach") > search.weight("the") > 0


def test_sums_select_by_bits() -> None:
    sums = Sums([1.0, 2.0, 4.0])

    assert (sums[0], sums[0b101], sums[-1]) == (0, 5, 7)
    assert (sums.selected(0), sums.selected(0b011), sums.selected(-1)) == ([], [1, 2], [1, 2, 4])
