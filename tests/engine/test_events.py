"""From laps to events: text, scores and traces leave together, and Finish comes last."""

from collections.abc import Sequence
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import (
    PROMPT,
    SURE,
    Chain,
    chains,
    distributions,
    pieces,
    replies,
    reply,
    script,
    spelled,
)
from tests.properties import examples
from tokenlap.engine.event import Finish, PlainText, Score, Text
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.tokenizer import CALL, CLOSE, END, MESSAGE, START, TokenId, o200k
from tokenlap.predictors.script import ScriptPredictor

PARROT = [4103, 99, 250]
A, B, C = 64, 65, 66
"""The letters a, b and c."""


def encode(text: str) -> list[TokenId]:
    return o200k().encode(text)


def score_bytes(scores: Sequence[Score]) -> bytes:
    return o200k().decode_bytes([score.token for score in scores])


def test_every_lap_has_its_list_even_when_nothing_may_leave() -> None:
    written = reply(pieces(SURE), sequences=("\nUser:",))

    texts = [[e.text for e in lap if isinstance(e, Text)] for lap in written.laps]
    assert texts == [[t] for t in (*SURE[:7], " ", "42")] + [[], [], []]
    assert written.laps[-1] == [Finish("stop", 12)]


def test_held_text_leaves_with_the_last_lap_before_finish() -> None:
    written = reply(pieces(["colour", "?"]), sequences=("?!END",))

    assert written.deltas == ["colour", "?"]
    assert [type(event) for event in written.laps[-1]] == [PlainText, Finish]


@pytest.mark.parametrize(
    ("tokens", "options", "finish"),
    [
        pytest.param([A, B], {}, Finish("stop", 2), id="the end token is not counted"),
        pytest.param([A, B, C], {"max_tokens": 2}, Finish("length", 2), id="length"),
        pytest.param([A, B], {"token_ids": (B,)}, Finish("stop", 2), id="a stop token is"),
        pytest.param([A], {"max_tokens": 0}, Finish("length", 0), id="no lap at all"),
        pytest.param(
            [A, CLOSE, START, *encode("assistant to=f"), MESSAGE, *encode("{}"), CALL],
            {},
            Finish("tool_calls", 9),
            id="a tool call",
        ),
        pytest.param(
            [A, START, *encode("assistant filtered"), MESSAGE],
            {},
            Finish("content_filter", 5),
            id="a filter",
        ),
        pytest.param(
            [START, *encode("assistant to=f"), MESSAGE, *encode("{")],
            {"max_tokens": 6},
            Finish("length", 6),
            id="a tool call that is cut off",
        ),
        pytest.param(
            [START, *encode("assistant reasoning"), MESSAGE, A, B, START, *encode("assistant")],
            {"max_tokens": 7},
            Finish("length", 7, reasoning_tokens=3),
            id="reasoning",
        ),
    ],
)
def test_how_a_reply_finishes(
    tokens: list[TokenId], options: dict[str, Any], finish: Finish
) -> None:
    assert reply(script(tokens), **options).finish == finish


def test_a_score_is_the_models_own_whatever_the_die_did() -> None:
    model = Chain({}, Distribution.of({A: 6, B: 3, C: 1}))
    shaped = SamplingParams(
        temperature=0.2, top_p=0.5, frequency_penalty=2.0, logit_bias=((C, 100.0), (A, -100.0))
    )

    written = reply(model, shaped, top=2, max_tokens=3)

    assert written.text == "ccc"
    for score in written.scores:
        assert score.logprob == pytest.approx(log(0.1))
        assert dict(score.top) == pytest.approx({A: log(0.6), B: log(0.3)})


def test_a_forced_token_that_the_model_holds_impossible_scores_minus_9999() -> None:
    model = Chain({}, Distribution.certain(A))

    written = reply(model, SamplingParams(logit_bias=((B, 100.0),)), top=0, max_tokens=1)

    assert [(score.token, score.logprob, score.top) for score in written.scores] == [
        (B, -9999.0, ())
    ]


@examples(150)
@given(
    data=st.data(),
    text=st.text("ab é🦜", max_size=10),
    stops=st.lists(st.text("ab é🦜", min_size=1, max_size=3), max_size=2),
)
def test_the_bytes_of_the_scores_are_the_bytes_of_the_text(
    data: st.DataObject, text: str, stops: list[str]
) -> None:
    tokens = data.draw(spelled(text))

    written = reply(script(tokens), top=0, sequences=tuple(stops))

    scored, shown = score_bytes(written.scores), written.text.encode()
    if any(stop in text for stop in stops):
        # The token in which a stop sequence begins keeps all its bytes.
        assert scored.startswith(shown)
        assert len(score_bytes(written.scores[:-1])) < max(1, len(shown))
    else:
        assert scored == shown == text.encode()


def test_the_scores_of_a_character_leave_together_with_it() -> None:
    written = reply(script([A, *PARROT, B]), top=0)

    scored = [
        (event.text, [score.token for score in event.scores])
        for event in written.events
        if isinstance(event, Text)
    ]
    assert scored == [("a", [A]), ("🦜", PARROT), ("b", [B])]


def test_the_scores_of_held_text_leave_with_it_and_those_of_a_stop_never() -> None:
    held = reply(script([A, B, C]), top=0, sequences=("bd",))
    cut = reply(script([A, B, C]), top=0, sequences=("bc",))

    assert [[s.token for s in e.scores] for e in held.events if isinstance(e, Text)] == [
        [A],
        [B, C],
    ]
    assert [score.token for score in cut.scores] == [A]


def test_an_unfinished_character_at_the_wall_still_has_its_scores() -> None:
    written = reply(script([A, *PARROT]), top=0, max_tokens=3)

    assert written.text == "a"
    assert [score.token for score in written.scores] == [A, *PARROT[:2]]


def test_the_scores_of_an_unfinished_refusal_are_the_refusals() -> None:
    tokens = [START, *encode("assistant refusal"), MESSAGE, *PARROT]

    written = reply(script(tokens), top=0, max_tokens=len(tokens) - 1)

    [text] = [event for event in written.events if isinstance(event, Text)]
    assert (text.channel, text.text, len(text.scores)) == ("refusal", "", 2)


def test_neither_reasoning_nor_arguments_nor_markers_are_scored() -> None:
    tokens = [START, *encode("assistant reasoning"), MESSAGE, A, START, *encode("assistant")]
    tokens += [MESSAGE, B, START, *encode("assistant to=f"), MESSAGE, C]

    assert [score.token for score in reply(script(tokens), top=0).scores] == [B]


def test_the_trace_has_every_lap_once_also_those_without_text() -> None:
    tokens = [A, *PARROT, START, *encode("assistant to=f"), MESSAGE, *encode("{}"), CALL]

    written = reply(script(tokens), trace=True)

    assert [lap.token for lap in written.traced] == tokens
    assert [len(event.laps) for event in written.events][:2] == [1, 3]


@examples(60)
@given(chain=chains(), seed=st.integers(), top=st.none() | st.integers(0, 20))
def test_notes_do_not_change_the_text(chain: Chain, seed: int, top: int | None) -> None:
    params = SamplingParams(seed=seed)

    noted = reply(chain, params, top=top, trace=True, max_tokens=15)
    plain = reply(chain, params, max_tokens=15)

    assert noted.deltas == plain.deltas
    assert noted.finish.tokens == plain.finish.tokens
    assert all(len(score.top) == top for score in noted.scores)


@examples(40)
@given(steps=st.lists(distributions(), min_size=1, max_size=8), seed=st.integers())
def test_a_script_of_distributions_is_drawn_from(steps: list[Distribution], seed: int) -> None:
    model = ScriptPredictor(steps, o200k())

    written = reply(model, SamplingParams(seed=seed), top=0, prompt=PROMPT)

    assert len(written.scores) == len(steps)
    for score, step in zip(written.scores, steps, strict=True):
        assert score.logprob == step.logprob(score.token) > -9999
    assert written.finish == Finish("stop", len(steps))
    assert END not in [score.token for score in written.scores]
    assert replies(model, SamplingParams(seed=seed), top=0, n=2)[0].text == written.text
