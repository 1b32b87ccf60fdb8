"""The corpus format: what a file says, and what errors say."""

import pytest

from tokenlap.predictors.ngram.corpus import code_spans, parse
from tokenlap.predictors.ngram.store import Kind


def test_document_has_wordings_intents_and_answer() -> None:
    (entry,) = parse("=== Write a +poem | +poem for me\nRoses are red.\n")

    assert entry.wordings == ("Write a poem", "poem for me")
    assert entry.intents == {"poem"}
    assert entry.answer == "Roses are red."
    assert entry.kind is Kind.SPECIFIC


def test_plus_between_numbers_marks_no_intent() -> None:
    (entry,) = parse("=== What is 2 + 2? | 2+2\n2 + 2 is 4.")

    assert entry.intents == frozenset()
    assert entry.wordings == ("What is 2 + 2?", "2+2")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("=== *\nYes.", Kind.GENERIC, id="any prompt"),
        pytest.param("=== @\nNo.", Kind.FOREIGN, id="other languages"),
        pytest.param("=== Once\n upon a time.", Kind.CONTINUATION, id="opens with a blank"),
        pytest.param("=== def\nadd(a, b):", Kind.CONTINUATION, id="opens with a small letter"),
    ],
)
def test_kind_follows_from_question_and_answer(text: str, kind: Kind) -> None:
    assert parse(text)[0].kind is kind


def test_answer_keeps_inner_blank_lines_and_leading_blank() -> None:
    first, second = parse("=== a\n\n x\n\ny\n\n=== b\nz\n")

    assert first.answer == " x\n\ny"
    assert second.answer == "z"


def test_each_other_alternative_is_one_variant() -> None:
    (entry,) = parse("=== a\nA [[small|little|tiny]] step [[helps|is good]].")

    assert entry.answer == "A small step helps."
    assert entry.variants == (
        "A little step helps.",
        "A tiny step helps.",
        "A small step is good.",
    )


def test_alternative_may_be_empty() -> None:
    assert parse("=== a\nA[[ very|]] good step.")[0].variants == ("A good step.",)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Here:\n\n```python\nx = [[1, 2], [3, 4]]\n```", id="fence"),
        pytest.param('{"rows": [[1, 2], [3, 4]]}', id="json object"),
        pytest.param("[ [[1], [2]], [3] ]", id="json list"),
    ],
)
def test_code_has_no_alternatives(answer: str) -> None:
    (entry,) = parse(f"=== a\n{answer}")

    assert entry.answer == answer.strip()
    assert entry.variants == ()


def test_braces_in_code_are_no_slots() -> None:
    assert parse('=== a\n```python\nprint(f"{name}")\n```')[0].answer
    assert parse('=== a\nWrite `f"{name}"` here.')[0].answer


def test_code_spans_are_fences_or_the_whole_of_json() -> None:
    assert code_spans("Look:\n```\nx\n```\nDone.") == [(6, 15)]
    assert code_spans('{"a": 1}') == [(0, 8)]
    assert code_spans("{t} is wide.") == []
    assert code_spans("So:\n\n| a | b |\n| - | - |\n\nDone.") == [(5, 24)]


@pytest.mark.parametrize(
    ("text", "line", "advice"),
    [
        pytest.param("hello\n=== a\nb", 1, "write '=== question' above it", id="no question"),
        pytest.param("=== a\nb\n=== c\n\n", 3, "the answer is empty", id="empty answer"),
        pytest.param("===\nb", 1, "write '=== question'", id="empty question"),
        pytest.param("=== a\nb [[c|d", 2, "write [[a|b]], not nested", id="left open"),
        pytest.param("=== a\nb c|d]]", 2, "write [[a|b]], not nested", id="never opened"),
        pytest.param("=== a\n\nOne.\n[[b|[[c|d]]]]", 4, "write [[a|b]], not nested", id="nested"),
        pytest.param("=== a\nx\n\nb [[c]]", 4, "write [[c|another]]", id="one alternative"),
        pytest.param("=== a\nb\n{topic}", 3, "write {t} for the topic", id="unknown slot"),
    ],
)
def test_error_names_file_line_and_what_would_be_right(text: str, line: int, advice: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(text, "mine.txt")

    assert str(caught.value).startswith(f"mine.txt:{line}: ")
    assert advice in str(caught.value)
