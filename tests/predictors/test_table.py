"""The transition table: the lesson's, and a user's own."""

from pathlib import Path

import pytest

from tests.engine.support import reply, total
from tokenlap.engine.event import Finish
from tokenlap.engine.tokenizer import END, o200k
from tokenlap.predictors.table import END_NAME, LESSON, TablePredictor, read_table, token_of

FRANCE = o200k().encode("The capital of France is")


def table(text: str, tmp_path: Path) -> TablePredictor:
    path = tmp_path / "table.yaml"
    path.write_text(text, encoding="utf-8")
    return TablePredictor(read_table(path), o200k())


def test_the_lessons_rows_sum_to_one_and_are_what_the_lesson_says() -> None:
    lesson = TablePredictor(LESSON, o200k())

    for text, row in LESSON.items():
        distribution = lesson.next(lesson.start(o200k().encode(text)))
        assert total(distribution) == pytest.approx(1)
        assert distribution.context == 1
        assert {
            END_NAME if token == END else o200k().decode([token]): share
            for token, share in zip(distribution.tokens, distribution.probabilities, strict=True)
        } == pytest.approx(dict(row))


def test_only_the_last_token_counts() -> None:
    lesson = TablePredictor(LESSON, o200k())

    assert lesson.start(FRANCE) == lesson.start([1, 2, FRANCE[-1]])
    assert lesson.append(lesson.start(FRANCE), 13) == 13


@pytest.mark.parametrize("prompt", [[], o200k().encode("Nobody knows this")])
def test_what_the_table_does_not_list_is_followed_by_the_end(prompt: list[int]) -> None:
    written = reply(TablePredictor(LESSON, o200k()), prompt=prompt)

    assert written.events == [Finish("stop", 0)]


def test_a_table_is_read_from_yaml(tmp_path: Path) -> None:
    drinks = table(
        """
        " like": {" tea": 3, " coffee": 1}
        " tea": {"!": 1, ".": 0}
        "!": {<end>: 1}
        """,
        tmp_path,
    )

    row = drinks.next(drinks.start(o200k().encode("I like")))
    assert row.probabilities == (0.75, 0.25)
    assert reply(drinks, prompt=o200k().encode("I like")).text == " tea!"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("- a\n- b", "expected a mapping of token texts to rows, got list", id="list"),
        pytest.param("", "expected a mapping of token texts to rows, got NoneType", id="empty"),
        pytest.param("{}", "expected a mapping of token texts to rows", id="no rows"),
        pytest.param("a: {b: 1", r"not YAML in UTF-8: .*(?s:.*)line 1", id="no YAML"),
        pytest.param("a: b", "the row of 'a' must map token texts to weights, such as", id="text"),
        pytest.param("a: {}", "the row of 'a' must map token texts to weights", id="empty row"),
        pytest.param("a: {b: -1}", "'b' after 'a' must be a number >= 0, but it is -1", id="minus"),
        pytest.param("a: {b: much}", "must be a number >= 0, but it is 'much'", id="word"),
        pytest.param("a: {b: true}", "must be a number >= 0, but it is True", id="truth"),
        pytest.param("a: {b: .nan}", "must be a number >= 0, but it is nan", id="nan"),
        pytest.param("a: {b: .inf}", "must be a number >= 0, but it is inf", id="inf"),
        pytest.param("a: {b: 0, c: 0}", "the row of 'a' needs a weight above zero", id="zeros"),
        pytest.param("yes: {b: 1}", "True must be a text; put quotes around it", id="yes"),
        pytest.param("a: {1: 1}", "1 must be a text; put quotes around it", id="number"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(
    text: str, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=complaint) as wrong:
        table(text, tmp_path)

    assert str(wrong.value).startswith(str(tmp_path / "table.yaml"))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.yaml"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ValueError, match="not YAML in UTF-8"):
        read_table(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (" Parisian dream", r"is 3: \[' Paris', 'ian', ' dream'\]"),
        ("", r"'' is 0: \[\]"),
    ],
)
def test_an_entry_that_is_not_one_token_is_shown_in_its_pieces(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        token_of(text, o200k())


def test_the_end_token_has_a_name() -> None:
    assert token_of("<end>", o200k()) == END
    assert token_of(" Paris", o200k()) == 12650
