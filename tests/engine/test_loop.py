"""The loop itself, and the lessons that show it."""

import inspect
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.support import GREEDY, SURE, Chain, chains, pieces, script
from tests.properties import examples
from tokenlap.engine import loop
from tokenlap.engine.loop import Step, generate
from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.sampler import SamplingParams, sampler_for
from tokenlap.engine.stopping import StopCondition, StopParams
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, TokenId, o200k
from tokenlap.engine.transcript import Transcript, pieces_of
from tokenlap.predictors.table import LESSON, TablePredictor

FRANCE = [976, 9029, 328, 10128, 382]
"""The capital of France is"""


def steps(
    predictor: Predictor[Any], sampling: SamplingParams, prompt: list[TokenId], max_tokens: int
) -> list[Step]:
    transcript = Transcript(pieces_of(o200k()))
    stop = StopCondition(StopParams(max_tokens), transcript)
    return list(generate(predictor, sampler_for(sampling, prompt), stop, prompt))


def stepped(
    predictor: Predictor[Any], sampling: SamplingParams, prompt: list[TokenId], max_tokens: int
) -> list[TokenId]:
    """One request a lap: what was written is the prompt of the next one."""
    document = list(prompt)
    for _ in range(max_tokens):
        [(token, _, finish)] = steps(predictor, sampling, document, 1)
        document.append(token)
        if finish == "stop":
            break
    return document[len(prompt) :]


def test_the_capital_of_france_is_paris() -> None:
    table = TablePredictor(LESSON, o200k())

    laps = steps(table, GREEDY, FRANCE, 10)

    assert o200k().decode([token for token, _, _ in laps[:-1]]) == " Paris."
    assert [finish for _, _, finish in laps] == [None, None, "stop"]
    shares = [
        {
            o200k().decode([token]): share
            for token, share in zip(d.tokens, d.probabilities, strict=True)
        }
        for _, d, _ in laps
    ]
    assert shares == [
        pytest.approx({" Paris": 0.92, " located": 0.05, " the": 0.03}),
        pytest.approx({".": 0.85, ",": 0.10, " a": 0.05}),
        pytest.approx({"<|endoftext|>": 0.99, "\n": 0.01}),
    ]


@examples(60)
@given(
    chain=chains(),
    seed=st.integers(),
    temperature=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
    top_p=st.sampled_from([0.5, 1.0]),
)
def test_a_reply_stepped_lap_by_lap_is_the_reply_written_in_one_go(
    chain: Chain, seed: int, temperature: float, top_p: float
) -> None:
    sampling = SamplingParams(temperature=temperature, top_p=top_p, seed=seed)

    in_one_go = [token for token, _, _ in steps(chain, sampling, FRANCE, 12)]

    assert stepped(chain, sampling, FRANCE, 12) == in_one_go


def test_a_script_and_the_table_can_be_stepped_too() -> None:
    chat = render([Turn("user", "hi")], o200k())
    for predictor, prompt in ((pieces(SURE), chat), (TablePredictor(LESSON, o200k()), FRANCE)):
        sampling = SamplingParams(seed=5)

        in_one_go = [token for token, _, _ in steps(predictor, sampling, prompt, 20)]

        assert stepped(predictor, sampling, prompt, 20) == in_one_go
        assert in_one_go[-1] == END


@examples(40)
@given(chain=chains(), seed=st.integers())
def test_the_same_seed_writes_the_same_tokens(chain: Chain, seed: int) -> None:
    sampling = SamplingParams(seed=seed)

    first, second = (
        [token for token, _, _ in steps(chain, sampling, FRANCE, 20)] for _ in range(2)
    )

    assert first == second


def test_a_lap_is_not_taken_before_it_is_asked_for() -> None:
    asked: list[int] = []

    class Watched(Chain):
        def next(self, state: TokenId) -> Distribution:
            asked.append(state)
            return super().next(state)

    chain = Watched({}, Distribution.certain(13))
    stop = StopCondition(StopParams(100), Transcript(pieces_of(o200k())))
    laps = generate(chain, sampler_for(GREEDY, FRANCE), stop, FRANCE)
    next(laps)
    next(laps)

    assert asked == [382, 13]


def test_after_the_last_lap_the_predictor_is_not_asked_again() -> None:
    laps = steps(script([1, 2, 3]), GREEDY, FRANCE, 3)

    assert [token for token, _, _ in laps] == [1, 2, 3]
    assert laps[-1][2] == "length"


def test_the_lesson_fits_on_a_page() -> None:
    source = Path(inspect.getsourcefile(loop) or "").read_text(encoding="utf-8")

    assert len(inspect.getsource(generate).splitlines()) <= 40
    assert len(source.splitlines()) <= 80
    steps_of_the_lesson = ["predict", "sample", "append", "stop", "yield"]
    places = [source.index(f"# {i}. {step}") for i, step in enumerate(steps_of_the_lesson, 1)]
    assert places == sorted(places)
