"""Which bars temperature, top_p and min_p leave."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import WEIGHTS
from tests.properties import examples
from tokenlap.engine.cuts import min_p, tempered, top_p
from tokenlap.engine.predictor import Distribution


@examples(150)
@given(weights=st.lists(WEIGHTS, min_size=1, max_size=15), p=st.floats(0, 1))
def test_top_p_keeps_the_least_set_that_reaches_the_mass(weights: list[float], p: float) -> None:
    weights.sort(reverse=True)

    kept = top_p(weights, p)

    exact = [Fraction(weight) for weight in weights]
    goal, slack = Fraction(p) * sum(exact), sum(exact) / 10**11
    assert sum(exact[:kept]) >= goal - slack
    assert kept == 1 or sum(exact[: kept - 1]) < goal


@pytest.mark.parametrize(
    ("weights", "p", "kept"),
    [
        pytest.param([6, 3, 1], 0.7, 2, id="the docstring's"),
        pytest.param([0.75, 0.18, 0.07], 0.93, 2, id="a sum that floats miss by a hair"),
        pytest.param([0.92, 0.05, 0.03], 0.92, 1, id="the first is enough"),
        pytest.param([0.5, 0.5], 0.0, 1, id="zero keeps the first"),
        pytest.param([0.5, 0.3, 0.2], 1.0, 3, id="one keeps all"),
    ],
)
def test_top_p_of_known_weights(weights: list[float], p: float, kept: int) -> None:
    assert top_p(weights, p) == kept


@examples(100)
@given(weights=st.lists(WEIGHTS, min_size=1, max_size=15), p=st.floats(0, 1))
def test_min_p_keeps_what_weighs_that_share_of_the_best(weights: list[float], p: float) -> None:
    weights.sort(reverse=True)

    assert min_p(weights, p) == len([w for w in weights if w >= p * weights[0]])


def test_temperature_1_leaves_the_weights_as_they_are() -> None:
    assert tempered(Distribution.of({1: 3, 2: 1}), 1.0) == [0.75, 0.25]


@pytest.mark.parametrize("temperature", [5e-324, 1e-310, 1e-30, 1e-5])
def test_the_smallest_temperatures_leave_only_the_best(temperature: float) -> None:
    assert tempered(Distribution.of({1: 3, 2: 1}), temperature) == [1.0, 0.0]
