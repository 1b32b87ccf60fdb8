"""What is written before an answer: the question read back, then sentences by effort."""

import pytest

from tests.engine.support import reply
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.thinking import LENGTHS, thinking


def thought(asked: str, effort: str, seed: int = 0, *aims: str) -> str:
    return reply(thinking(asked, effort, o200k(), aims), SamplingParams(seed=seed)).text


def test_it_reads_the_question_back() -> None:
    assert '"Why is the sky blue?"' in thought("Why is\nthe sky blue?", "minimal")
    assert thought("x" * 1000, "minimal").endswith('\u2026"')
    assert thought("", "minimal")


def test_more_effort_is_more_text_and_another_seed_another_text() -> None:
    lengths = [len(thought("Why?", effort)) for effort in LENGTHS]

    assert lengths == sorted(set(lengths))
    assert len({thought("Why?", "high", seed) for seed in range(6)}) > 3


@pytest.mark.parametrize(("effort", "said"), [("minimal", False), ("low", True), ("odd", True)])
def test_it_says_what_the_answer_will_be(effort: str, said: bool) -> None:
    assert ("I call it." in thought("Why?", effort, 0, "I call it.")) is said
