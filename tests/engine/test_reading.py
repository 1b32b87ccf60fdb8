"""A text that is already there, read token by token."""

from tests.engine.support import Chain
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.reading import read_scores


def test_each_token_is_scored_after_those_before_it() -> None:
    rows = {1: Distribution.of({2: 3, 3: 1}), 2: Distribution.of({1: 1, 3: 1})}
    model = Chain(rows, Distribution.certain(9))

    scores = list(read_scores(model, [1, 2, 3], top=1))

    assert [(s.token, s.logprob, s.top) for s in scores] == [
        (2, rows[1].logprob(2), ((2, rows[1].logprob(2)),)),
        (3, rows[2].logprob(3), ((1, rows[2].logprob(1)),)),
    ]


def test_a_text_of_one_token_has_no_scores() -> None:
    assert list(read_scores(Chain({}, Distribution.certain(9)), [1], top=0)) == []
