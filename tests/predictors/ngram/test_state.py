"""How matches with the corpus grow, fall away and begin."""

from collections.abc import Iterator, Sequence

import pytest

from tests.predictors.ngram.small import chat, default
from tokenlap.engine.sampler import Plain
from tokenlap.predictors.ngram.places import PAIR_SHIFT
from tokenlap.predictors.ngram.segments import Flag
from tokenlap.predictors.ngram.state import NgramState
from tokenlap.predictors.ngram.weights import LONGEST_MATCH

ASKED = ["What is a token?", "Write a poem about rain", "Tell me about cheese and rivers", "zq vx"]


def states(question: str, seed: int) -> Iterator[NgramState]:
    """The states of a reply of 200 laps; each is the same object, so look at it at once."""
    predictor, die = default(), Plain(seed)
    state = predictor.start(chat(question))
    for position in range(200):
        yield state
        state = predictor.append(state, die.pick(predictor.next(state), position))


def common(corpus: Sequence[int], place: int, history: Sequence[int]) -> int:
    """How many local ids before place are those that end history."""
    length = 0
    while length < len(history) and corpus[place - 1 - length] == history[-1 - length]:
        length += 1
    return length


@pytest.mark.parametrize("question", ASKED)
def test_matches_are_as_long_as_the_texts_are_alike(question: str) -> None:
    corpus = default()._corpus
    exact = 0
    for state in states(question, seed=3):
        for place, x in state.table.items():
            alike = min(LONGEST_MATCH, common(corpus.tokens, place, state.history[1:]))
            is_near = state.prefill.relevance[corpus.document[place]] > 0
            assert x == alike if is_near else x <= alike
            exact += is_near

    assert exact > 200


@pytest.mark.parametrize("question", ASKED)
def test_near_documents_stand_alone_only_within_a_sentence_that_has_not_been_said(
    question: str,
) -> None:
    corpus = default()._corpus
    alone = 0
    for state in states(question, seed=4):
        key = state.before << PAIR_SHIFT | state.last
        if state.table.keys() >= set(state.prefill.after_pair(key)) or not state.memory.since:
            continue
        alone += 1
        assert any(
            x >= 4
            and state.prefill.relevance[corpus.document[place]]
            and not corpus.flags[place] & Flag.START
            and corpus.sentences[place] not in state.memory.said
            for place, x in state.table.items()
        )

    assert alone > 30


@pytest.mark.parametrize("question", ASKED)
def test_who_comes_back_after_such_a_stretch_has_matched_all_the_while(question: str) -> None:
    corpus = default()._corpus
    before: set[int] = set()
    alone = False
    lengths: list[int] = []
    for state in states(question, seed=5):
        came = {place: x for place, x in state.table.items() if place - 1 not in before}
        if alone and not state.settled and state.longest > 1:
            for place, x in came.items():
                assert x == min(LONGEST_MATCH, common(corpus.tokens, place, state.history[1:]))
                lengths.append(x)
        before, alone = set(state.table), state.settled

    assert max(lengths) > 2
