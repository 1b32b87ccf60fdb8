"""Words, their stems, and the test for other languages."""

import pytest

from tokenlap.predictors.ngram.words import is_foreign, split_words, stem, stems

KNOWN = frozenset({"token", "commit", "undo"})


def test_words_are_lower_case_without_apostrophes_and_signs() -> None:
    assert split_words("Don't STOP\u2014it\u2019s 2 of them!") == [
        "dont",
        "stop",
        "its",
        "2",
        "of",
        "them",
    ]


@pytest.mark.parametrize(
    "forms",
    [
        pytest.param(("cache", "caches", "caching", "cached"), id="cache"),
        pytest.param(("stop", "stops", "stopped", "stopping"), id="doubled letter"),
        pytest.param(("story", "stories"), id="y and ies"),
        pytest.param(("token", "tokens"), id="plural"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len(set(map(stem, forms))) == 1


def test_short_words_keep_their_endings() -> None:
    assert [stem(word) for word in ("is", "red", "less", "king")] == ["is", "red", "less", "king"]


def test_stems_are_listed_once_in_order() -> None:
    assert stems("token, commit, tokens") == ["token", "commit"]


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        pytest.param("Wie ist das Wetter?", True, id="german"),
        pytest.param("Quelle est la capitale ?", True, id="french"),
        pytest.param("今天天气怎么样？", True, id="chinese"),
        pytest.param("\U0001f99c\U0001f99c", True, id="signs beyond ascii alone"),
        pytest.param("Neden gökyüzü mavidir acaba", True, id="four words, none known"),
        pytest.param("undo commit token undo", False, id="key words without stop words"),
        pytest.param("What does the word Zeitgeist mean?", False, id="english with a guest"),
        pytest.param("What is 今天?", False, id="english about a foreign word"),
        pytest.param("Bonjour!", True, id="greeting"),
        pytest.param("Qual é a capital do Brasil?", True, id="portuguese with english looks"),
        pytest.param("blorb", False, id="one unknown word"),
        pytest.param("", False, id="nothing"),
        pytest.param("!!!", False, id="ascii signs"),
    ],
)
def test_other_languages_are_recognised(text: str, foreign: bool) -> None:
    assert is_foreign(text, KNOWN) is foreign
