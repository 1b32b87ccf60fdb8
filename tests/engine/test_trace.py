"""The die can be seen: the roll lies in the bar of the token that was drawn."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import Chain, chains, reply, sampling
from tests.properties import examples
from tokenlap.engine.dice import Dice
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.sampler import SamplingParams, sampler_for
from tokenlap.engine.tokenizer import END
from tokenlap.engine.trace import Traced

PARAMS = sampling(
    temperature=st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    top_p=st.sampled_from([0.6, 1.0]),
    frequency_penalty=st.sampled_from([0.0, 1.0]),
    logit_bias=st.sampled_from([(), ((3, 4.0), (END, -100.0))]),
    seed=st.integers(0, 99),
)


@examples(150)
@given(chain=chains(), params=PARAMS)
def test_each_roll_lies_in_the_bar_of_its_token(chain: Chain, params: SamplingParams) -> None:
    traced = reply(chain, params, trace=True, max_tokens=8).traced

    assert [lap.lap for lap in traced] == list(range(1, len(traced) + 1))
    for lap in traced:
        die, u = lap.roll.die, lap.roll.u
        ends = [0.0, *accumulate(die.probabilities)]
        at = list(die.tokens).index(lap.token)
        assert sum(die.probabilities) == pytest.approx(1)
        if u is None:
            assert list(die.tokens) == [lap.token]
        else:
            assert ends[at] - 1e-9 <= u <= ends[at + 1] + 1e-9


@examples(60)
@given(chain=chains(), params=PARAMS)
def test_who_looks_at_the_die_does_not_change_the_reply(
    chain: Chain, params: SamplingParams
) -> None:
    seen = reply(chain, params, trace=True, max_tokens=8)
    unseen = reply(chain, params, max_tokens=8)

    assert seen.text == unseen.text
    assert seen.finish.tokens == unseen.finish.tokens


def test_the_last_lap_says_why_the_reply_ended() -> None:
    script = Chain({13: Distribution.certain(END)}, Distribution.certain(13))

    assert [(lap.token, lap.reason) for lap in reply(script, trace=True).traced] == [
        (13, None),
        (END, "stop"),
    ]


def test_a_roll_keeps_the_models_shares_and_the_dies() -> None:
    model = Distribution.of({1: 3, 2: 1}, context=4)
    sampler = Traced(sampler_for(SamplingParams(temperature=0.5, seed=9), ()), 9)

    sampler.pick(model, 20)

    assert sampler.last is not None
    assert sampler.last.model is model
    assert sampler.last.u == Dice(9).roll(20)
    assert sampler.last.die.probabilities == pytest.approx([0.9, 0.1])
    assert sampler.die(model, 20).probabilities == pytest.approx([0.9, 0.1])
