"""A distribution: what a model says about the next token."""

from collections.abc import Sequence
from itertools import accumulate
from math import exp, log, nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.engine.support import TOKENS, WEIGHTS, distributions, total
from tests.properties import examples
from tokenlap.engine.predictor import LOG_ZERO, NO_TAIL, Distribution, Weighted
from tokenlap.engine.tokenizer import VOCABULARY_SIZE, TokenId

ROLLS = st.floats(0, 1, exclude_max=True)


class Thirds:
    """A tail that names three tokens."""

    commonest: Sequence[TokenId] = (7, 8, 9)

    def probability(self, token: TokenId) -> float:
        return 1e-4 if token in self.commonest else 0.0


@examples(200)
@given(weights=st.dictionaries(TOKENS, st.floats(0, 1e6), min_size=1))
def test_weights_become_probabilities_that_sum_to_one(weights: dict[int, float]) -> None:
    if not any(weights.values()):
        with pytest.raises(ValueError, match="at least one token"):
            Distribution.of(weights)
        return

    distribution = Distribution.of(weights)

    mass = sum(weights.values())
    assert total(distribution) == pytest.approx(1, abs=1e-9)
    assert set(distribution.tokens) == {token for token, weight in weights.items() if weight > 0}
    for token, share in zip(distribution.tokens, distribution.probabilities, strict=True):
        assert share == pytest.approx(weights[token] / mass)


@examples(200)
@given(distribution=distributions())
def test_the_most_likely_comes_first_and_ties_go_to_the_lower_id(
    distribution: Distribution,
) -> None:
    order = [
        (-share, token)
        for share, token in zip(distribution.probabilities, distribution.tokens, strict=True)
    ]

    assert order == sorted(order)


def test_equal_weights_stand_by_id() -> None:
    assert Distribution.of({9: 1, 2: 1, 5: 2}).tokens == (5, 2, 9)


def test_a_certain_token_has_probability_one() -> None:
    certain = Distribution.certain(5, context=3)

    assert (certain.tokens, certain.probabilities, certain.context) == ((5,), (1.0,), 3)
    assert certain.draw(0.99) == 5
    assert certain.logprob(5) == 0


@examples(200)
@given(distribution=distributions(), u=ROLLS)
def test_a_roll_draws_the_token_whose_bar_it_falls_on(distribution: Distribution, u: float) -> None:
    token = distribution.draw(u)

    ends = [0.0, *accumulate(distribution.probabilities)]
    at = list(distribution.tokens).index(token)
    assert ends[at] - 1e-9 <= u <= ends[at + 1] + 1e-9


@examples(100)
@given(distribution=distributions())
def test_the_first_and_the_last_roll_draw_the_first_and_the_last_bar(
    distribution: Distribution,
) -> None:
    assert distribution.draw(0.0) == distribution.tokens[0]
    assert distribution.draw(nextafter(1, 0)) == distribution.tokens[-1]


def test_a_roll_on_the_border_of_two_bars_draws_the_second() -> None:
    assert [Distribution.of({1: 1, 2: 1}).draw(u) for u in (0.0, nextafter(0.5, 0), 0.5)] == [
        1,
        1,
        2,
    ]


@examples(200)
@given(weights=st.dictionaries(TOKENS, st.floats(1e-6, 1e6), min_size=1), u=ROLLS)
@example(weights={0: 1e6, 1: 999999.9999999999, 2: 1e6}, u=0.0)  # of equal shares
@example(weights={0: 999999.9999999999, 1: 1e6, 2: 1e6}, u=0.0)
def test_weights_ranked_only_when_asked_draw_what_ranked_ones_draw(
    weights: dict[int, float], u: float
) -> None:
    lazy, ranked = Weighted(weights, 3, NO_TAIL), Distribution.of(weights, 3)

    drawn = lazy.draw(u)  # before the candidates are asked for
    assert list(lazy.tokens) == list(ranked.tokens)
    assert list(lazy.probabilities) == pytest.approx(list(ranked.probabilities))
    assert drawn == lazy.draw(u)
    assert u > 0 or drawn == ranked.tokens[0]
    ends = [0.0, *accumulate(ranked.probabilities)]
    at = list(ranked.tokens).index(drawn)
    assert ends[at] - 1e-9 <= u <= ends[at + 1] + 1e-9
    assert lazy.lone == ranked.lone == (next(iter(weights)) if len(weights) == 1 else None)


def test_ranking_adds_no_other_names() -> None:
    with pytest.raises(AttributeError, match="shares"):
        _ = Weighted({9: 2.0}, 0, NO_TAIL).shares


def test_equal_heaviest_weights_draw_the_lower_id_first() -> None:
    assert Weighted({9: 2.0, 4: 2.0, 1: 1.0}, 0, NO_TAIL).draw(0.0) == 4


def test_logprobs_are_natural() -> None:
    distribution = Distribution.of({1: 3, 2: 1})

    assert distribution.logprobs == (log(0.75), log(0.25))
    assert distribution.logprob(2) == log(0.25)
    assert exp(distribution.logprob(1)) == pytest.approx(0.75)


def test_a_token_that_cannot_come_has_the_logprob_of_zero() -> None:
    assert Distribution.certain(1).logprob(2) == LOG_ZERO == -9999.0


def test_the_tail_gives_unlisted_tokens_their_probability() -> None:
    distribution = Distribution.of({8: 1}, tail=Thirds())

    assert distribution.logprob(7) == log(1e-4)
    assert distribution.logprob(10) == LOG_ZERO


@pytest.mark.parametrize(
    ("k", "tokens"),
    [(0, []), (1, [8]), (2, [8, 3]), (3, [8, 3, 7]), (4, [8, 3, 7, 9]), (20, [8, 3, 7, 9])],
)
def test_the_tail_fills_up_the_top(k: int, tokens: list[int]) -> None:
    distribution = Distribution.of({8: 2, 3: 1}, tail=Thirds())

    top = distribution.top(k)

    assert [token for token, _ in top] == tokens
    assert [logprob for _, logprob in top] == [distribution.logprob(token) for token in tokens]


@examples(100)
@given(weights=st.dictionaries(TOKENS, WEIGHTS, min_size=1), k=st.integers(0, 20))
def test_the_top_is_ordered_and_as_long_as_asked(weights: dict[int, float], k: int) -> None:
    top = Distribution.of(weights).top(k)

    logprobs = [logprob for _, logprob in top]
    assert len(top) == len({token for token, _ in top}) == k
    assert logprobs == sorted(logprobs, reverse=True)


def test_a_token_of_the_tail_may_be_likelier_than_the_last_ones_of_the_head() -> None:
    distribution = Distribution((1, 2, 3), (0.999998, 1e-6, 1e-6), context=1, tail=Thirds())

    assert [token for token, _ in distribution.top(4)] == [1, 7, 8, 9]
    assert [token for token, _ in distribution.top(6)] == [1, 7, 8, 9, 2, 3]


def test_without_a_tail_all_unlisted_tokens_are_equally_impossible() -> None:
    assert NO_TAIL.probability(3) == 0
    assert len(NO_TAIL.commonest) == VOCABULARY_SIZE
    assert Distribution.certain(0).top(3) == [(0, 0.0), (1, LOG_ZERO), (2, LOG_ZERO)]
