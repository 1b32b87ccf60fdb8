"""Penalties, bias and bans: tokens that are treated unlike others."""

from math import exp, log

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.engine.support import TOKENS, distributions
from tests.properties import examples
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.sampler import Adjusted, SamplingParams, sampler_for
from tokenlap.engine.tokenizer import VOCABULARY_SIZE, TokenId

PENALTIES = st.floats(-2, 2)
FRANCE = Distribution.of({12650: 0.92, 7567: 0.05, 290: 0.03})


def shares(distribution: Distribution) -> dict[TokenId, float]:
    return dict(zip(distribution.tokens, distribution.probabilities, strict=True))


@examples(200)
@given(
    distribution=distributions(),
    prompt=st.lists(TOKENS, max_size=6),
    reply=st.lists(TOKENS, max_size=12),
    frequency=PENALTIES,
    presence=PENALTIES,
    repetition=st.floats(0.1, 3),
    bias=st.dictionaries(TOKENS, st.floats(-20, 20), max_size=4),
)
def test_penalties_and_bias_follow_their_formula(
    distribution: Distribution,
    prompt: list[TokenId],
    reply: list[TokenId],
    frequency: float,
    presence: float,
    repetition: float,
    bias: dict[TokenId, float],
) -> None:
    params = SamplingParams(
        frequency_penalty=frequency,
        presence_penalty=presence,
        repetition_penalty=repetition,
        logit_bias=tuple(bias.items()),
    )
    sampler = Adjusted(params, prompt)
    for position, token in enumerate(reply):
        assume(sampler.pick(Distribution.certain(token), position) == token)

    die = shares(sampler.die(distribution, 99))

    logits = {token: log(share) for token, share in shares(distribution).items()}
    logits |= {t: -60.0 for t, lift in bias.items() if lift > 0 and t not in logits}
    for token in logits:
        count = reply.count(token)
        logits[token] *= repetition if token in (*prompt, *reply) else 1
        logits[token] -= frequency * count + presence * (count > 0)
        logits[token] += bias.get(token, 0)
    mass = sum(map(exp, logits.values()))
    assert die == pytest.approx({t: exp(logit) / mass for t, logit in logits.items()}, abs=1e-9)
    assert sum(die.values()) == pytest.approx(1)


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
def test_minus_100_removes_a_token(temperature: float) -> None:
    params = SamplingParams(temperature=temperature, logit_bias=((12650, -100.0),), seed=3)
    sampler = sampler_for(params, ())

    drawn = {sampler.pick(FRANCE, position) for position in range(200)}

    assert 12650 not in drawn
    assert 7567 in drawn


def test_minus_100_removes_a_token_that_the_model_is_certain_of() -> None:
    sampler = sampler_for(SamplingParams(logit_bias=((13, -100.0),)), ())

    assert sampler.pick(Distribution.certain(13), 0) == 0  # the commonest of the tail


@pytest.mark.parametrize("token", [290, 5, VOCABULARY_SIZE - 1])
@pytest.mark.parametrize("temperature", [0.0, 1.0, 2.0])
def test_plus_100_all_but_forces_a_token_even_one_held_impossible(
    token: TokenId, temperature: float
) -> None:
    params = SamplingParams(temperature=temperature, logit_bias=((token, 100.0),), seed=3)
    sampler = sampler_for(params, ())

    assert {sampler.pick(FRANCE, position) for position in range(100)} == {token}


def test_a_small_bias_shifts_and_does_not_force() -> None:
    sampler = sampler_for(SamplingParams(logit_bias=((7567, 2.0),)), ())

    lifted = 0.05 * exp(2)
    assert shares(sampler.die(FRANCE, 0))[7567] == pytest.approx(lifted / (0.95 + lifted))


def test_penalties_count_the_reply_and_repetition_the_prompt_too() -> None:
    prompt, at = [12650] * 9, 9
    presence = sampler_for(SamplingParams(presence_penalty=2.0), prompt)
    repetition = sampler_for(SamplingParams(repetition_penalty=2.0), prompt)

    assert shares(presence.die(FRANCE, at)) == pytest.approx(shares(FRANCE))
    assert shares(repetition.die(FRANCE, at))[12650] < 0.92


def test_banned_tokens_cannot_be_drawn_in_the_first_laps() -> None:
    params = SamplingParams(temperature=0, banned_first=(12650,), banned_laps=2)
    sampler = sampler_for(params, [1, 2, 3])

    assert [sampler.pick(FRANCE, position) for position in (3, 4, 5)] == [7567, 7567, 12650]


def test_where_all_is_removed_the_backoff_speaks_then_its_tail() -> None:
    end = Distribution.certain(13)
    spare = Distribution((5, 6), (0.5, 0.5), 0)
    backed = Distribution(end.tokens, end.probabilities, 0, backoff=lambda: spare)

    def picked(*removed: TokenId) -> TokenId:
        params = SamplingParams(temperature=0, logit_bias=tuple((t, -100.0) for t in removed))
        return sampler_for(params, ()).pick(backed, 0)

    assert picked(13) == 5
    assert picked(13, 5) == 6
    assert picked(13, 5, 6, 0, 1) == 2


def test_where_the_whole_vocabulary_is_removed_it_says_so() -> None:
    class Two:
        commonest = (1, 2)

        def probability(self, token: TokenId) -> float:
            return 0.0

    model = Distribution((1,), (1.0,), 0, Two())
    sampler = sampler_for(SamplingParams(logit_bias=((1, -100.0), (2, -100.0))), ())

    with pytest.raises(ValueError, match="every token"):
        sampler.pick(model, 0)


def test_what_a_grammar_has_bound_neither_bias_nor_ban_can_loosen() -> None:
    brace = Distribution((90,), (1.0,), 0, bound=True)
    lifted = SamplingParams(logit_bias=((5, 100.0),))
    banned = SamplingParams(banned_first=(90,), banned_laps=9, logit_bias=((90, -100.0),))

    for params in (lifted, banned):
        assert sampler_for(params, ()).pick(brace, 0) == 90


def test_among_what_a_grammar_allows_a_bias_acts() -> None:
    either = Distribution((90, 91), (0.9, 0.1), 0, bound=True)

    for bias in ((91, 100.0), (90, -100.0)):
        assert sampler_for(SamplingParams(logit_bias=(bias,)), ()).pick(either, 0) == 91


@pytest.mark.parametrize("penalty", [1e308, 1e-308])
def test_the_largest_penalties_are_harmless(penalty: float) -> None:
    sampler = sampler_for(SamplingParams(repetition_penalty=penalty), FRANCE.tokens)

    assert sum(shares(sampler.die(FRANCE, 3)).values()) == pytest.approx(1)


def test_penalties_make_a_reply_vary() -> None:
    even = Distribution.of({token: 1.0 for token in range(50)})
    sampler = sampler_for(SamplingParams(temperature=0, presence_penalty=1.0), ())

    assert sorted(sampler.pick(even, position) for position in range(50)) == list(range(50))
