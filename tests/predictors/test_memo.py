"""A remembered distribution is the one that would have been predicted."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import TokenId, o200k
from tokenlap.predictors.memo import LONGEST_PROMPT, MemoPredictor
from tokenlap.predictors.ngram.ngram import NgramPredictor, default_model

Document = tuple[TokenId, ...]


class Counting:
    """A model of three tokens whose distributions depend on the whole document; counts."""

    def __init__(self) -> None:
        self.asked: list[Document] = []
        self.read: list[Document] = []

    def start(self, prompt: Sequence[TokenId]) -> Document:
        self.read.append(tuple(prompt))
        return tuple(prompt)

    def next(self, state: Document) -> Distribution:
        self.asked.append(state)
        return self.true(state)

    def append(self, state: Document, token: TokenId) -> Document:
        return (*state, token)

    @staticmethod
    def true(document: Document) -> Distribution:
        dice = random.Random(repr(document))
        return Distribution.of({token: dice.random() for token in range(3)})


def probabilities(distribution: Distribution) -> dict[TokenId, float]:
    return dict(zip(distribution.tokens, distribution.probabilities, strict=True))


def known(memo: MemoPredictor, prompt: Document, reply: Document = ()) -> None:
    """Let a reply be written twice: the second time it is kept."""
    for _ in range(2):
        written(memo, prompt, reply)


def written(memo: MemoPredictor, prompt: Document, reply: Document) -> list[Distribution]:
    """What the predictor says along a reply."""
    state = memo.start(prompt)
    said = []
    for token in reply:
        said.append(memo.next(state))
        state = memo.append(state, token)
    return [*said, memo.next(state)]


texts = st.lists(st.integers(0, 2), max_size=8).map(tuple)


@examples(60)
@given(replies=st.lists(st.tuples(texts, texts), max_size=12), kept=st.integers(1, 30))
def test_it_says_what_the_other_predictor_says(
    replies: list[tuple[Document, Document]], kept: int
) -> None:
    memo = MemoPredictor(Counting(), kept_nodes=kept)

    for prompt, reply in replies:
        said = written(memo, prompt, reply)
        for length, distribution in enumerate(said):
            true = Counting.true((*prompt, *reply[:length]))
            assert probabilities(distribution) == probabilities(true)


def test_a_reply_that_comes_again_asks_and_reads_nothing() -> None:
    inner = Counting()
    memo = MemoPredictor(inner)
    known(memo, (1, 2), (0, 1, 2))
    asked, read = len(inner.asked), len(inner.read)

    written(memo, (1, 2), (0, 1, 2))

    assert (len(inner.asked), len(inner.read)) == (asked, read)


def test_a_reply_that_leaves_the_known_way_reads_the_document_once() -> None:
    inner = Counting()
    memo = MemoPredictor(inner)
    known(memo, (1, 2), (0, 1, 2))
    inner.asked.clear()
    inner.read.clear()

    written(memo, (1, 2), (0, 2, 2, 1))

    assert inner.read == [(1, 2, 0, 2)]
    assert inner.asked == [(1, 2, 0, 2), (1, 2, 0, 2, 2), (1, 2, 0, 2, 2, 1)]


def test_what_was_begun_longest_ago_is_forgotten_first() -> None:
    inner = Counting()
    memo = MemoPredictor(inner, kept_nodes=6)
    known(memo, (1,), (0, 0))
    known(memo, (2,), (0, 0))
    written(memo, (1,), ())  # used again
    known(memo, (3,), (0,))
    inner.read.clear()

    written(memo, (1,), (0, 0))
    written(memo, (2,), ())

    assert inner.read == [(2,)]


@pytest.mark.parametrize("kept", [1, 5])
def test_a_long_reply_is_written_although_not_all_of_it_can_be_kept(kept: int) -> None:
    inner = Counting()
    memo = MemoPredictor(inner, kept)
    written(memo, (1,), ())

    assert len(written(memo, (1,), (0,) * 50)) == 51
    assert len(inner.read) == 2


def test_a_prompt_that_comes_once_leaves_nothing_behind() -> None:
    memo = MemoPredictor(Counting(), kept_nodes=1)
    known(memo, (1,))

    for prompt in range(100):
        written(memo, (2, prompt), (0,) * 10)

    inner = memo._inner
    assert isinstance(inner, Counting)
    read = len(inner.read)
    written(memo, (1,), ())
    assert len(inner.read) == read


def test_a_very_long_prompt_is_not_kept() -> None:
    inner = Counting()
    memo = MemoPredictor(inner)

    for _ in range(3):
        written(memo, (1,) * (LONGEST_PROMPT + 1), ())

    assert len(inner.read) == 3


def test_the_default_model_is_the_same_with_and_without_a_memory() -> None:
    plain = NgramPredictor(default_model(), o200k())
    memo = MemoPredictor(plain)
    prompt = tuple(o200k().encode("The capital of France is"))
    state = plain.start(prompt)
    reply: list[TokenId] = []
    for _ in range(30):
        reply.append(plain.next(state).draw(0.4))
        state = plain.append(state, reply[-1])

    for _ in range(3):
        said = written(memo, prompt, tuple(reply))
        assert [distribution.draw(0.4) for distribution in said[:-1]] == reply
