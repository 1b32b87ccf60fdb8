"""The one formula, on places of a small corpus."""

from collections.abc import Sequence

import pytest

from tests.predictors.ngram.small import small_model
from tokenlap.predictors.ngram.lexicon import DONE
from tokenlap.predictors.ngram.places import Corpus
from tokenlap.predictors.ngram.segments import Flag
from tokenlap.predictors.ngram.weights import LONGEST_MATCH, Memory, joins, weigh

CORPUS = Corpus(small_model())
DOCUMENTS = len(small_model().kinds)
NEAR = [1.0, *[0.0] * (DOCUMENTS - 1)]
PLACES = range(small_model().documents[0], small_model().documents[1])


def inside() -> int:
    """A place of document 0 within a sentence, beyond its first words."""
    special = Flag.START | Flag.HEAD | Flag.BORDER | Flag.CODE
    return next(
        place for place in PLACES if place > PLACES[1] and not CORPUS.flags[place] & special
    )


def starts() -> list[int]:
    return [place for place in PLACES[2:] if CORPUS.flags[place] & Flag.START]


def weight_of(place: int, x: int, memory: Memory, relevance: Sequence[float] = NEAR) -> float:
    return weigh(CORPUS, relevance, {place: x}, (), memory)[CORPUS.tokens[place]]


def test_longer_matches_weigh_more_up_to_six_tokens() -> None:
    weights = [weight_of(inside(), x, Memory()) for x in range(1, LONGEST_MATCH + 1)]

    assert weights[:6] == sorted(set(weights[:6]))
    assert len(set(weights[5:])) == 1


def test_relevance_is_a_factor_and_other_documents_weigh_little() -> None:
    assert (
        weight_of(inside(), 3, Memory(), [r / 2 for r in NEAR])
        == weight_of(inside(), 3, Memory()) / 2
    )
    assert weight_of(inside(), 3, Memory(), [0.0] * DOCUMENTS) < 0.01 * weight_of(
        inside(), 3, Memory()
    )


def test_said_sentence_weighs_less() -> None:
    place = inside()
    memory = Memory(said={CORPUS.sentences[place]: 0.004})

    assert weight_of(place, 3, memory) == pytest.approx(0.004 * weight_of(place, 3, Memory()))


def test_sentence_of_a_document_in_use_weighs_double() -> None:
    (start, *_) = starts()

    assert weight_of(start, 2, Memory(used={0})) == 2 * weight_of(start, 2, Memory())


def test_end_without_a_match_grows_likelier_with_the_reply() -> None:
    end = next(place for place in starts() if CORPUS.tokens[place] == DONE)
    found = joins(CORPUS, NEAR, [end])
    weights = [weigh(CORPUS, NEAR, {}, found, Memory(length=n))[DONE] for n in (0, 10, 49, 80)]

    assert 0 < weights[0] < weights[1] < weights[2] == weights[3]


def test_joins_are_sentence_starts_each_once() -> None:
    found = joins(CORPUS, NEAR, [*PLACES, *PLACES])

    assert [join[0] for join in found] == [p for p in PLACES if CORPUS.flags[p] & Flag.START]


def test_ended_sentence_is_remembered() -> None:
    start = starts()[0]
    memory = Memory(since=9)
    memory.end_sentence(CORPUS, {start: 5}, 5)

    assert memory.since == 0
    assert memory.used == {0}
    assert memory.said == {CORPUS.sentences[start - 1]: pytest.approx(0.004)}


def test_sentence_that_no_long_match_ends_is_not_remembered() -> None:
    memory = Memory(since=9)
    memory.end_sentence(CORPUS, {starts()[0]: 2}, 2)

    assert (memory.since, memory.used, memory.said) == (0, set(), {})
