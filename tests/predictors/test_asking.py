"""Another question in place of the last one."""

from tests.engine.support import reply
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.asking import AskingPredictor
from tokenlap.predictors.echo import EchoPredictor

ASKING = AskingPredictor(EchoPredictor(o200k()), o200k(), "What is a token?")


def test_the_other_predictor_sees_that_question_alone() -> None:
    prompt = render([Turn("system", "Be odd."), Turn("user", "Something else")], o200k())

    assert reply(ASKING, prompt=prompt).text == "What is a token?"


def test_it_goes_on_where_the_open_turn_stands() -> None:
    prompt = render([Turn("user", "Something else")], o200k(), Turn("assistant", "What is"))

    assert reply(ASKING, prompt=prompt).text == " a token?"
