"""Texts for patterns that the grammar library cannot follow: each fits, as validators see it."""

import re

import pytest

from tests.predictors.grammar.support import json_of
from tokenlap.predictors.grammar.samples import MOST_KEPT, texts_of, without_lookaround

ZOD_EMAIL = (
    "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]"
    "@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"
)


@pytest.mark.parametrize(
    ("pattern", "formats"),
    [
        pytest.param(ZOD_EMAIL, ["email"], id="zod's email"),
        pytest.param("^(?!foo)bar", [], id="a word in front"),
        pytest.param("^(?!.*--)[a-z-]{3,10}$", [], id="a slug"),
        pytest.param("(?<!a)b", [], id="look-behind"),
        pytest.param("^(?=.*[A-Z])(?=.*[0-9])(?!.* ).{6,}$", [], id="a password"),
    ],
)
def test_texts_fit_their_pattern(pattern: str, formats: list[str]) -> None:
    texts = texts_of([pattern], formats)

    assert 0 < len(texts) <= MOST_KEPT
    assert all(re.search(pattern, text) for text in texts)


def test_a_schema_with_such_a_pattern_is_kept_to() -> None:
    assert "@" in json_of({"type": "string", "format": "email", "pattern": ZOD_EMAIL})


@pytest.mark.parametrize("pattern", ["(a)\\1{9}", "(?<", "^(?!a)a$"])
def test_where_nothing_is_known_to_fit_there_is_nothing(pattern: str) -> None:
    assert texts_of([pattern], []) == []


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("^(?!foo)[a-z]+(?<!x)$", "[a-z]+"),
        ("(?=(a(b)))c", "c"),
        ("(?![)\\]]x)d", "d"),
        ("\\^[]^$]e\\$", "\\^[]^$]e\\$"),
        ("(?=a", ""),
        ("(?:ab)c", "(?:ab)c"),
    ],
)
def test_lookaround_is_left_out(pattern: str, left: str) -> None:
    assert without_lookaround(pattern) == left
