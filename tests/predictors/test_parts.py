"""A reply of several parts: each by its own predictor, markers between them, one loop."""

import pytest

from tests.engine.support import PROMPT, reply
from tokenlap.engine.event import Arguments, Text, ToolCall
from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.tokenizer import CALL, CLOSE, END, MESSAGE, START, o200k
from tokenlap.predictors.echo import EchoPredictor
from tokenlap.predictors.parts import Part, PartsPredictor, renamed, turn_lead
from tokenlap.predictors.script import ScriptPredictor


def script(text: str) -> Predictor[int]:
    return ScriptPredictor.of_text(text, o200k())


def lead(header: str) -> tuple[int, ...]:
    return turn_lead(header, o200k())


THOUGHT_THEN_CALLS = PartsPredictor(
    [
        Part(script("hm"), lead("assistant reasoning")),
        Part(script('{"a":1}'), lead("assistant to=f")),
        Part(script("{}"), lead("assistant to=g")),
    ],
    len(PROMPT),
    CALL,
)


def test_parts_follow_one_another_through_their_markers() -> None:
    written = reply(THOUGHT_THEN_CALLS)

    assert [(e.channel, e.text) for e in written.events if isinstance(e, Text)] == [
        ("reasoning", "hm")
    ]
    assert [e.name for e in written.events if isinstance(e, ToolCall)] == ["f", "g"]
    assert "".join(e.text for e in written.events if isinstance(e, Arguments)) == '{"a":1}{}'
    assert written.finish.reason == "tool_calls"
    assert written.finish.reasoning_tokens >= 1


def test_every_token_of_a_lead_takes_a_lap() -> None:
    leads = [lead(header) for header in ("assistant reasoning", "assistant to=f", "assistant to=g")]
    texts = [o200k().encode(text) for text in ("hm", '{"a":1}', "{}")]

    assert len(reply(THOUGHT_THEN_CALLS).laps) == sum(map(len, [*leads, *texts])) + 1


def test_the_state_is_a_function_of_the_document() -> None:
    state, document = THOUGHT_THEN_CALLS.start(PROMPT), list(PROMPT)

    while (token := THOUGHT_THEN_CALLS.next(state).tokens[0]) != CALL:
        document.append(token)
        state = THOUGHT_THEN_CALLS.append(state, token)
        fresh = THOUGHT_THEN_CALLS.start(document)
        assert THOUGHT_THEN_CALLS.next(fresh).tokens == THOUGHT_THEN_CALLS.next(state).tokens


def test_a_label_is_text_and_its_part_reads_the_turn_as_new() -> None:
    labelled = PartsPredictor(
        [
            Part(EchoPredictor(o200k()), tuple(o200k().encode("A: "))),
            Part(EchoPredictor(o200k()), tuple(o200k().encode("\nB: "))),
        ],
        len(PROMPT),
    )

    assert reply(labelled).text == "A: hi\nB: hi"


def test_a_bias_does_not_break_markers() -> None:
    wanted = o200k().encode(" Paris")[0]

    written = reply(THOUGHT_THEN_CALLS, SamplingParams(logit_bias=((wanted, 1.0), (CLOSE, -100.0))))

    assert [e.name for e in written.events if isinstance(e, ToolCall)] == ["f", "g"]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        pytest.param({1: 1.0}, {1: 1.0}, id="not there"),
        pytest.param({END: 1.0}, {CLOSE: 1.0}, id="alone"),
        pytest.param({1: 0.5, END: 0.5}, {1: 0.5, CLOSE: 0.5}, id="beside another"),
        pytest.param({1: 0.2, CLOSE: 0.3, END: 0.5}, {CLOSE: 0.8, 1: 0.2}, id="joined"),
    ],
)
def test_the_end_token_is_renamed(weights: dict[int, float], expected: dict[int, float]) -> None:
    said = renamed(Distribution.of(weights), END, CLOSE)

    assert dict(zip(said.tokens, said.probabilities, strict=True)) == pytest.approx(expected)


def test_a_lead_closes_one_turn_and_opens_another() -> None:
    header = o200k().encode("assistant to=f")

    assert turn_lead("assistant to=f", o200k()) == (CLOSE, START, *header, MESSAGE)
