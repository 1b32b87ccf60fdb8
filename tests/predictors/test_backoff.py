"""A model that never runs dry: the default model goes on where the first has no more to say."""

from collections.abc import Sequence

import pytest

from tests.engine.support import GREEDY, PROMPT, Chain, Reply, reply, script
from tokenlap.engine.event import Finish
from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.tokenizer import END, MESSAGE, START, TokenId, o200k
from tokenlap.predictors.backoff import BackOffPredictor, passed_over
from tokenlap.predictors.ngram.ngram import NgramPredictor, default_model
from tokenlap.predictors.table import LESSON, TablePredictor

FRANCE = o200k().encode("The capital of France is")
A, B, C = 64, 65, 66
RAMBLE = Chain({}, Distribution.certain(C))
NO_END = SamplingParams(temperature=0, logit_bias=((END, -100.0),))


def test_while_the_first_has_something_to_say_it_speaks() -> None:
    written = reply(BackOffPredictor(script([A, B]), RAMBLE))

    assert (written.text, written.finish) == ("ab", Finish("stop", 2))


@pytest.mark.parametrize(
    ("sampling", "options", "text"),
    [
        pytest.param(GREEDY, {"ignore_eos": True, "max_tokens": 6}, "abccc", id="ignore_eos"),
        pytest.param(NO_END, {"max_tokens": 6}, "abcccc", id="end token removed"),
    ],
)
def test_with_the_end_token_off_it_rambles_to_the_length_wall(
    sampling: SamplingParams, options: dict[str, int], text: str
) -> None:
    written: Reply = reply(BackOffPredictor(script([A, B]), RAMBLE), sampling, **options)

    assert (written.text, written.finish) == (text, Finish("length", 6))


def test_a_removed_token_is_replaced_by_the_default_models_and_then_the_first_goes_on() -> None:
    removed = SamplingParams(logit_bias=((B, -100.0),))

    assert reply(BackOffPredictor(script([A, B, A]), RAMBLE), removed).text == "aca"


def test_before_min_tokens_the_end_is_put_off() -> None:
    banned = SamplingParams(banned_first=(END,), banned_laps=5)

    written = reply(BackOffPredictor(script([A, B]), RAMBLE), banned, min_tokens=5)

    assert (written.text, written.finish) == ("abccc", Finish("stop", 5))


def test_reported_logprobs_stay_those_of_the_model_that_was_asked() -> None:
    written = reply(BackOffPredictor(script([A]), RAMBLE), NO_END, top=1, max_tokens=2)

    assert [(s.token, s.logprob, s.top) for s in written.scores] == [
        (A, 0.0, ((A, 0.0),)),
        (C, -9999.0, ((END, 0.0),)),
    ]


def test_the_second_reads_the_document_once_and_then_follows() -> None:
    started: list[Sequence[TokenId]] = []

    class Watched(Chain):
        def start(self, prompt: Sequence[TokenId]) -> TokenId:
            started.append(list(prompt))
            return super().start(prompt)

    model = BackOffPredictor(script([A]), Watched({}, Distribution.certain(C)))
    reply(model, NO_END, max_tokens=8)

    assert started == [[*PROMPT, A]]


@pytest.mark.parametrize("prompt", [list(PROMPT), FRANCE])
def test_the_state_of_a_longer_document_is_the_appended_state(prompt: list[TokenId]) -> None:
    first: Predictor[TokenId] = TablePredictor(LESSON, o200k())
    then = Chain(
        {END: Distribution.certain(A), A: Distribution.certain(B)}, Distribution.certain(C)
    )
    model = BackOffPredictor(first, then)
    document, state = list(prompt), model.start(prompt)

    for token in (12650, 13, END, A, END, B):
        document.append(token)
        state = model.append(state, token)
        assert model.next(model.start(document)).tokens == model.next(state).tokens


@pytest.mark.parametrize(
    ("document", "over"),
    [
        ([], False),
        ([A, B], False),
        ([END, A], False),  # a raw text may begin with one
        ([A, END], True),
        ([START, A, MESSAGE, B, END], True),
        ([START, A, MESSAGE, END, START, A, MESSAGE, B], False),  # of an earlier turn
    ],
)
def test_an_end_token_that_was_passed_over_is_seen(document: list[TokenId], over: bool) -> None:
    assert passed_over(document) is over


def test_the_lesson_rambles_on_with_the_real_default_model() -> None:
    model = BackOffPredictor(
        TablePredictor(LESSON, o200k()), NgramPredictor(default_model(), o200k())
    )

    written = reply(model, prompt=FRANCE, ignore_eos=True, max_tokens=60)

    assert written.text.startswith(" Paris.")
    assert len(written.text.split()) > 20
    assert written.finish == Finish("length", 60)
