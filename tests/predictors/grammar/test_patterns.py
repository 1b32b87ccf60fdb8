"""Whether a pattern is found in a text: as a validator says, and soon."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.predictors.grammar.patterns import SHORT, occurs

PATTERNS = ["^[a-z]+$", "[0-9]{2}", "^a?b*$", "x|y", "^$", "a.c", "(?=a)b", "^(?!-)[a-z-]+$"]


@examples(200)
@given(pattern=st.sampled_from(PATTERNS), text=st.text("abcxyz-019 .", max_size=8))
def test_it_says_what_a_validator_says(pattern: str, text: str) -> None:
    assert occurs(pattern, text) is (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        pytest.param("(?<", "a", id="no pattern at all"),
        pytest.param("^\\d$" + "é" * SHORT, "é" * (SHORT + 1), id="engines differ beyond ASCII"),
        pytest.param("(?=a)a", "a" * (SHORT + 1), id="too long for backtracking"),
        pytest.param("(?=a)" + "a?" * 300, "a", id="too long a pattern"),
    ],
)
def test_some_things_are_not_decided(pattern: str, text: str) -> None:
    assert occurs(pattern, text) is None


def test_a_pattern_that_would_backtrack_for_ever_is_answered_at_once() -> None:
    assert occurs("^(a+)+$", "a" * 5000 + "!") is False
