"""Sums on paper: right for all numbers, and made of nothing but the text so far."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.predictors.working import working

NUMBERS = st.integers(0, 9999)
EXACT = {"*": lambda a, b: a * b, "+": lambda a, b: a + b, "-": lambda a, b: a - b}
PRODUCT = """482 * 194 = 482 * 4 + 482 * 90 + 482 * 100
482 * 4 = 1928
482 * 90 = 43380
482 * 100 = 48200
1928 + 43380 = 45308
45308 + 48200 = 93508"""


def worked(left: int, sign: str, right: int, text: str = "") -> str:
    """The whole working, written one character at a time: each from the text before it alone."""
    while rest := working(left, sign, right, text):
        text += rest[0]
    return text


def result(text: str) -> int:
    return int(re.findall(r"= (-?\d+)", text)[-1])


@examples(300)
@example(3, "-", 12)
@example(0, "*", 0)
@given(left=NUMBERS, sign=st.sampled_from("*+-"), right=NUMBERS)
def test_any_product_sum_or_difference_of_four_digits_is_right(
    left: int, sign: str, right: int
) -> None:
    text = worked(left, sign, right)

    assert result(text) == EXACT[sign](left, right)
    assert len(text.splitlines()) <= 9


@pytest.mark.parametrize(
    ("left", "sign", "right", "text"),
    [
        pytest.param(482, "*", 194, PRODUCT, id="product"),
        pytest.param(7, "*", 8, "7 * 8 = 56", id="by heart"),
        pytest.param(
            482, "+", 194, "2 + 4 = 6\n8 + 9 = 17\n4 + 1 + 1 = 6\n482 + 194 = 676", id="sum"
        ),
        pytest.param(
            482,
            "-",
            194,
            "12 - 4 = 8, borrow 1\n18 - 10 = 8, borrow 1\n4 - 2 = 2\n482 - 194 = 288",
            id="difference",
        ),
        pytest.param(3, "-", 12, "12 - 3 = 9, borrow 1\n1 - 1 = 0\n3 - 12 = -9", id="below zero"),
    ],
)
def test_it_is_written_so(left: int, sign: str, right: int, text: str) -> None:
    assert worked(left, sign, right) == text


@examples(100)
@given(left=NUMBERS, right=NUMBERS, data=st.data())
def test_a_text_that_was_cut_is_completed_to_the_same(
    left: int, right: int, data: st.DataObject
) -> None:
    whole = worked(left, "*", right)
    cut = data.draw(st.integers(0, len(whole)))

    assert worked(left, "*", right, whole[:cut]) == whole


@pytest.mark.parametrize(
    ("altered", "total"),
    [
        pytest.param(PRODUCT.splitlines()[0] + "\n482 * 4 = 1000\n", 92580, id="partial product"),
        pytest.param(
            "\n".join(PRODUCT.splitlines()[:5]).replace("45308", "45000"), 93200, id="sum"
        ),
        pytest.param("482 * 194 = 482 * 4 + 482 * 90 + 482 * 200", 141708, id="decomposition"),
        pytest.param(PRODUCT.splitlines()[0] + "\n482 * 5 = ", 93990, id="left side"),
    ],
)
def test_later_lines_follow_an_altered_one(altered: str, total: int) -> None:
    assert result(worked(482, "*", 194, altered)) == total


def test_a_text_that_is_no_working_ends() -> None:
    assert working(482, "*", 194, "I think it is large.") == ""
