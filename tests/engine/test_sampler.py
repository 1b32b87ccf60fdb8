"""The die: what temperature, cuts, penalties and bias make of a distribution, and how it is
rolled.
"""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import distributions, sampling, total
from tests.properties import examples
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.sampler import (
    Adjusted,
    Greedy,
    Plain,
    Sampler,
    SamplingParams,
    Shaped,
    sampler_for,
    shape,
)
from tokenlap.engine.tokenizer import TokenId

FRANCE = Distribution.of({12650: 0.92, 7567: 0.05, 290: 0.03})


def shares(distribution: Distribution) -> dict[TokenId, float]:
    return dict(zip(distribution.tokens, distribution.probabilities, strict=True))


def picks(params: SamplingParams, distribution: Distribution, count: int) -> list[TokenId]:
    sampler = sampler_for(params, ())
    return [sampler.pick(distribution, position) for position in range(count)]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (SamplingParams(), Plain),
        (SamplingParams(temperature=0), Greedy),
        (SamplingParams(temperature=0, top_p=0.5), Greedy),
        (SamplingParams(temperature=0.7), Shaped),
        (SamplingParams(top_p=0.9), Shaped),
        (SamplingParams(top_k=2), Shaped),
        (SamplingParams(min_p=0.1), Shaped),
        (SamplingParams(temperature=0, presence_penalty=1), Adjusted),
        (SamplingParams(frequency_penalty=-1), Adjusted),
        (SamplingParams(repetition_penalty=1.1), Adjusted),
        (SamplingParams(logit_bias=((1, 2.0),)), Adjusted),
        (SamplingParams(banned_first=(1,), banned_laps=2), Adjusted),
    ],
)
def test_the_simplest_sampler_that_will_do_is_chosen(
    params: SamplingParams, expected: type[Sampler]
) -> None:
    assert type(sampler_for(params, ())) is expected


@examples(100)
@given(distribution=distributions(), position=st.integers(0, 9))
def test_greedy_takes_the_largest_and_of_equals_the_lower_id(
    distribution: Distribution, position: int
) -> None:
    best = max(distribution.probabilities)
    expected = min(token for token, share in shares(distribution).items() if share == best)

    for params in (SamplingParams(temperature=0), SamplingParams(temperature=0, min_p=0.1)):
        assert sampler_for(params, ()).pick(distribution, position) == expected
    adjusted = sampler_for(SamplingParams(temperature=0, logit_bias=((9999, -1.0),)), ())
    # Logs round: what differs by no more than that may count as equal here.
    picked = adjusted.pick(distribution, position)
    assert shares(distribution)[picked] == pytest.approx(best, rel=1e-12)
    assert picked <= expected or shares(distribution)[picked] == best


def test_without_parameters_tokens_come_as_often_as_the_model_says() -> None:
    counts = Counter(picks(SamplingParams(seed=11), FRANCE, 10_000))

    assert {token: count / 10_000 for token, count in counts.items()} == pytest.approx(
        shares(FRANCE), abs=0.01
    )


def test_temperature_sharpens_and_flattens() -> None:
    paris = {
        temperature: shape(FRANCE, SamplingParams(temperature=temperature)).probabilities[0]
        for temperature in (0.1, 0.5, 1.0, 1.5, 2.0)
    }

    assert all(sharper > flatter for (_, sharper), (_, flatter) in pairwise(paris.items()))
    assert paris[0.1] > 0.999999
    assert paris[1.0] == pytest.approx(0.92)
    assert paris[2.0] == pytest.approx(0.92**0.5 / sum(p**0.5 for p in (0.92, 0.05, 0.03)))


@examples(200)
@given(distribution=distributions(), temperature=st.floats(0.05, 2))
def test_temperature_raises_probabilities_to_its_inverse(
    distribution: Distribution, temperature: float
) -> None:
    weights = [p ** (1 / temperature) for p in distribution.probabilities]

    die = shape(distribution, SamplingParams(temperature=temperature))

    assert list(die.probabilities) == pytest.approx(
        [w / sum(weights) for w in weights][: len(die.tokens)], rel=1e-6, abs=1e-12
    )
    assert total(die) == pytest.approx(1)


@pytest.mark.parametrize("temperature", [5e-324, 1e-310, 1e-30, 1e-5])
def test_the_smallest_temperatures_are_as_good_as_greedy(temperature: float) -> None:
    assert shares(shape(FRANCE, SamplingParams(temperature=temperature))) == {12650: 1.0}


@examples(200)
@given(
    distribution=distributions(),
    params=sampling(
        temperature=st.floats(0.05, 2),
        top_p=st.floats(0, 1),
        top_k=st.integers(0, 5),
        min_p=st.floats(0, 1),
    ),
)
def test_cuts_keep_the_most_likely_and_sum_to_one(
    distribution: Distribution, params: SamplingParams
) -> None:
    die = shape(distribution, params)

    assert list(die.tokens) == list(distribution.tokens[: len(die.tokens)])
    assert total(die) == pytest.approx(1)
    assert params.top_k == 0 or len(die.tokens) <= params.top_k
    assert all(share > 0 for share in die.probabilities)
    assert Shaped(params).die(distribution, 0).tokens == die.tokens


def test_cuts_act_one_after_another() -> None:
    distribution = Distribution.of({1: 0.4, 2: 0.3, 3: 0.2, 4: 0.1})

    die = shape(distribution, SamplingParams(min_p=0.3, top_k=2, top_p=0.6))

    # min_p leaves 1, 2, 3; top_k 1, 2; of their .7 the first has .57, less than .6
    assert shares(die) == pytest.approx({1: 4 / 7, 2: 3 / 7})
