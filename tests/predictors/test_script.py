"""A reply that is known beforehand, one token a lap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import PROMPT, reply, total
from tests.properties import examples
from tokenlap.engine.event import Finish
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, o200k
from tokenlap.predictors.script import ScriptPredictor


@examples(60)
@given(text=st.text(max_size=20), temperature=st.sampled_from([0.0, 1.0, 2.0]))
def test_it_writes_its_text_whatever_the_temperature(text: str, temperature: float) -> None:
    tokens = o200k().encode(text)

    written = reply(
        ScriptPredictor.of_text(text, o200k()), SamplingParams(temperature=temperature), top=1
    )

    assert written.text == text
    assert [score.token for score in written.scores] == tokens
    assert {score.logprob for score in written.scores} <= {0.0}
    assert written.finish == Finish("stop", len(tokens))


def test_a_character_may_be_spelled_in_byte_tokens() -> None:
    tokens = o200k().encode_bytes("🦜".encode())

    written = reply(ScriptPredictor.of_tokens(tokens, o200k()))

    assert written.deltas == ["🦜"]
    assert len(written.laps) == 5


def test_a_step_may_be_a_distribution() -> None:
    script = ScriptPredictor([Distribution.of({64: 1, 65: 1})], o200k())

    texts = {reply(script, SamplingParams(seed=seed)).text for seed in range(20)}

    assert texts == {"a", "b"}


def test_after_the_last_step_comes_the_end_token_for_ever() -> None:
    script = ScriptPredictor.of_text("a", o200k())

    assert script.next(0).tokens == (64,)
    for state in (1, 2, 99):
        assert script.next(state).tokens == (END,)
        assert total(script.next(state)) == 1


def test_steps_are_followed_whatever_was_drawn() -> None:
    script = ScriptPredictor.of_text("one two three", o200k())

    forced = SamplingParams(logit_bias=((o200k().encode(" two")[0], -100.0),))

    assert reply(script, forced).text == "one! three"  # the commonest of an empty tail is "!"


@pytest.mark.parametrize(
    ("begun", "rest"), [("", "one two three"), ("one", " two three"), ("one two three", "")]
)
def test_an_open_turn_that_has_begun_is_gone_on_with(begun: str, rest: str) -> None:
    prompt = render([Turn("user", "count")], o200k(), Turn("assistant", begun))

    assert reply(ScriptPredictor.of_text("one two three", o200k()), prompt=prompt).text == rest


def test_a_raw_text_is_followed_by_the_script_from_its_beginning() -> None:
    script = ScriptPredictor.of_text("one two", o200k())

    assert reply(script, prompt=o200k().encode("one")).text == "one two"


def test_the_state_of_a_longer_document_is_the_appended_state() -> None:
    script = ScriptPredictor.of_text("one two three", o200k())
    document, state = list(PROMPT), script.start(PROMPT)

    for token in o200k().encode("one two"):
        document.append(token)
        state = script.append(state, token)
        assert script.start(document) == state
