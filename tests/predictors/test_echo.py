"""Echo: what was asked is what is answered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import reply
from tests.properties import examples
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.echo import EchoPredictor

ECHO = EchoPredictor(o200k())


@examples(60)
@given(text=st.text(max_size=20), seed=st.integers())
def test_the_last_user_text_comes_back(text: str, seed: int) -> None:
    turns = [Turn("user", "first"), Turn("assistant", "yes?"), Turn("user", text)]

    written = reply(ECHO, SamplingParams(seed=seed), prompt=render(turns, o200k()))

    assert written.text == text


@pytest.mark.parametrize(
    ("turns", "text"),
    [
        ([Turn("system", "Be brief.")], ""),
        ([Turn("user", "this"), Turn("tool", "42")], "this"),
        ([Turn("user Ann", "named")], "named"),
    ],
)
def test_only_users_are_echoed(turns: list[Turn], text: str) -> None:
    assert reply(ECHO, prompt=render(turns, o200k())).text == text


def test_a_raw_text_is_echoed_whole() -> None:
    assert reply(ECHO, prompt=o200k().encode("Once upon a time")).text == "Once upon a time"


def test_stepping_lap_by_lap_is_the_echo_in_one_go() -> None:
    document = render([Turn("user", "one two 🦜")], o200k())
    begin = len(document)

    while reply(ECHO, prompt=document, max_tokens=1).finish.reason == "length":
        state = ECHO.start(document)
        document.append(ECHO.next(state).tokens[0])

    assert o200k().decode(document[begin:]) == "one two 🦜"
