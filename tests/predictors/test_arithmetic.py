"""The lesson of bought compute: at once and wrong, or written down and right."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, o200k
from tokenlap.predictors.arithmetic import ArithmeticPredictor, Question, guess, question

PREDICTOR = ArithmeticPredictor(o200k())
ASKED = Turn("user", "What is 482 * 194?")
THOUGHT = "assistant reasoning"


def write(opening: Turn, *turns: Turn, limit: int = 300) -> tuple[str, list[Distribution]]:
    """The likeliest continuation, and the laps behind it."""
    state = PREDICTOR.start(render(turns or (ASKED,), o200k(), opening))
    tokens: list[int] = []
    laps: list[Distribution] = []
    while len(tokens) < limit:
        laps.append(PREDICTOR.next(state))
        if laps[-1].tokens[0] == END:
            return o200k().decode(tokens), laps
        tokens.append(laps[-1].tokens[0])
        state = PREDICTOR.append(state, tokens[-1])
    raise AssertionError("it does not end")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What is 482 * 194?", (482, "*", 194)),
        ("482x194 = ?", (482, "*", 194)),
        ("how much is 7 times 8", (7, "*", 8)),
        ("Please calculate 12 plus 30.", (12, "+", 30)),
        ("what's 1000 − 1", (1000, "-", 1)),
        ("Call me at 555-1234", None),
        ("What is 3 + 4 + 5?", None),
        ("version 1.2 - 3", None),
        ("What is 1234567 * 2?", None),
        ("Tell me about 2 * 3 matrices", None),
        ("hello", None),
    ],
)
def test_questions_are_told_from_other_texts(text: str, asked: tuple[int, str, int] | None) -> None:
    assert question(text) == (asked and Question(*asked))


def test_at_once_it_is_plausible_and_wrong_one_token_a_digit() -> None:
    answer, laps = write(Turn("assistant", ""))

    assert answer == "94008"
    assert len(laps) == 6
    assert all(len(lap.tokens) > 1 and lap.probabilities[0] < 1 for lap in laps[:-1])
    assert all(math.isclose(sum(lap.probabilities), 1) for lap in laps)


@examples(200)
@given(left=st.integers(0, 9999), sign=st.sampled_from("*+-"), right=st.integers(0, 9999))
def test_a_guess_has_about_the_right_length_and_the_right_last_digit(
    left: int, sign: str, right: int
) -> None:
    exact = {"*": left * right, "+": left + right, "-": left - right}[sign]

    text = guess(Question(left, sign, right))

    assert abs(len(text) - len(str(exact))) <= 1
    assert abs(int(text)) % 10 == abs(exact) % 10 or len(text.strip("-")) == 1
    assert (int(text) < 0) <= (exact < 0)


@examples(100)
@given(left=st.integers(101, 9999), right=st.integers(101, 9999))
def test_a_guess_of_a_product_is_right_only_where_nothing_carries(left: int, right: int) -> None:
    digits = [[int(d) for d in str(n)] for n in (left, right)]
    carries = max(digits[0]) * max(digits[1]) * min(map(len, digits)) > 9

    assert carries or guess(Question(left, "*", right)) == str(left * right)


def test_with_thinking_it_is_right() -> None:
    thought, _ = write(Turn(THOUGHT, ""))

    assert write(Turn("assistant", ""), ASKED, Turn(THOUGHT, thought))[0] == "93508"


@pytest.mark.parametrize(
    ("thought", "answer"),
    [
        ("482 * 194 = 12345", "12345"),
        ("482 * 4 = 1928\n482 * 90 = 43380", "43380"),
        ("so the sum is = -7", "-7"),
    ],
)
def test_the_answer_is_what_the_text_of_the_thinking_says(thought: str, answer: str) -> None:
    assert write(Turn("assistant", ""), ASKED, Turn(THOUGHT, thought))[0] == answer


def test_thinking_that_was_cut_is_taken_up() -> None:
    whole, _ = write(Turn(THOUGHT, ""))

    for cut in (0, 30, 60, 100):
        assert whole[:cut] + write(Turn(THOUGHT, whole[:cut]))[0] == whole


def test_a_begun_answer_is_completed() -> None:
    thought = Turn(THOUGHT, "482 * 194 = 93508")

    assert write(Turn("assistant", "935"), ASKED, thought)[0] == "08"
    assert write(Turn("assistant", "12"), ASKED, thought)[0] == ""


def test_thoughts_of_an_earlier_question_do_not_count() -> None:
    earlier = (ASKED, Turn(THOUGHT, "482 * 194 = 93508"), Turn("assistant", "93508"))

    assert write(Turn("assistant", ""), *earlier, ASKED)[0] == "94008"


def test_steps_that_are_asked_for_are_the_answer() -> None:
    shown = ArithmeticPredictor(o200k(), shown=True)
    state = shown.start(render([ASKED], o200k()))

    assert o200k().decode([shown.next(state).tokens[0]]) == "4"


def test_without_a_question_there_is_nothing_to_say() -> None:
    assert write(Turn("assistant", ""), Turn("user", "hello"))[0] == ""
