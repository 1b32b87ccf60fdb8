"""n sequences, one token each per lap, from one request."""

import pytest

from tests.engine.support import GREEDY, PROMPT, Chain, replies, reply, script
from tokenlap.engine.batch import GenerationRequest, Model, decode
from tokenlap.engine.event import Finish, Text
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.stopping import StopParams
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, START, TokenId, o200k
from tokenlap.predictors.echo import EchoPredictor
from tokenlap.predictors.table import LESSON, TablePredictor

LETTERS = Chain({}, Distribution.of({64 + i: 1.0 for i in range(20)} | {END: 2.0}))
"""Letters without an order, about ten of them."""


def test_choices_differ_where_the_distribution_allows_it() -> None:
    texts = {written.text for written in replies(LETTERS, SamplingParams(seed=1), n=8)}

    assert len(texts) == 8


def test_choices_are_equal_at_temperature_0() -> None:
    texts = {written.text for written in replies(LETTERS, GREEDY, n=8, max_tokens=12)}

    assert len(texts) == 1


def test_choices_of_a_script_are_equal() -> None:
    texts = [written.text for written in replies(script([64, 65]), SamplingParams(seed=1), n=3)]

    assert texts == ["ab"] * 3


def test_choice_0_is_the_reply_without_n() -> None:
    several = replies(LETTERS, SamplingParams(seed=7), n=3)

    assert several[0].text == reply(LETTERS, SamplingParams(seed=7)).text
    assert [r.text for r in several] == [
        r.text for r in replies(LETTERS, SamplingParams(seed=7), n=5)[:3]
    ]


def test_a_lap_advances_every_choice_by_one_token_until_the_longest_has_ended() -> None:
    request = GenerationRequest(PROMPT, SamplingParams(seed=3), StopParams(50), n=4)

    laps = list(decode(request, Model(o200k(), LETTERS)))

    ends = []
    for choice in range(4):
        events = [lap[choice] for lap in laps]
        [end] = [i for i, of_lap in enumerate(events) if any(isinstance(e, Finish) for e in of_lap)]
        finish = events[end][-1]
        assert isinstance(finish, Finish)
        assert finish.tokens in (end, end + 1)  # the end token itself is not counted
        assert not any(events[end + 1 :])
        ends.append(end)
    assert max(ends) == len(laps) - 1
    assert len(set(ends)) > 1


def test_requests_beside_one_another_are_written_together() -> None:
    first = GenerationRequest(PROMPT, GREEDY, StopParams(9), n=2)
    second = first._replace(prompt=tuple(render([Turn("user", "longer")], o200k())), n=1)
    model = Model(o200k(), EchoPredictor(o200k()))

    both = first._replace(beside=(second,))

    laps = list(decode(both, model))

    assert (first.choices, both.choices, len(laps[0])) == (2, 3, 3)
    texts = [
        "".join(e.text for lap in laps for e in lap[choice] if isinstance(e, Text))
        for choice in range(3)
    ]
    assert texts == ["hi", "hi", "longer"]


def test_no_room_for_a_token_is_a_reply_without_one() -> None:
    assert replies(LETTERS, max_tokens=0, n=2)[1].events == [Finish("length", 0)]


def test_the_lesson_ends_with_the_end_token() -> None:
    prompt = o200k().encode("The capital of France is")

    written = reply(TablePredictor(LESSON, o200k()), prompt=prompt)

    assert (written.text, written.finish) == (" Paris.", Finish("stop", 2))


def test_without_a_seed_of_its_own_a_lesson_still_varies() -> None:
    prompt = o200k().encode("The capital of France is")

    texts = {
        reply(TablePredictor(LESSON, o200k()), SamplingParams(seed=seed), prompt=prompt).text
        for seed in range(60)
    }

    assert " Paris." in texts
    assert len(texts) > 2


@pytest.mark.parametrize("token", [64, 4103, START])
def test_any_token_can_be_forced_without_an_accident(token: TokenId) -> None:
    forced = SamplingParams(logit_bias=((token, 100.0),))

    written = reply(LETTERS, forced, max_tokens=5)

    assert written.finish == Finish("length", 5)
    assert written.text == {64: "aaaaa", 4103: "\ufffd" * 4}.get(token, "")
