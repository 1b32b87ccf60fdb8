"""The name of a property, or what is said of it, chooses the kind of its texts."""

import re

import pytest

from tokenlap.predictors.grammar.facts import NOTHING, facts_of
from tokenlap.predictors.grammar.formats import PATTERNS
from tokenlap.predictors.grammar.kinds import FORMATS, KINDS
from tokenlap.predictors.grammar.shape import NO_NOTE, Note
from tokenlap.predictors.grammar.steer import is_prose, kind_of, mentioned, split_name, texts


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("userFirst_name", ["user", "first", "name"]),
        ("HTTPStatus", ["httpstatus"]),
        ("zip-code", ["zip", "code"]),
    ],
)
def test_names_are_split_into_words(name: str, words: list[str]) -> None:
    assert split_name(name) == words


@pytest.mark.parametrize(
    ("name", "note", "first"),
    [
        pytest.param("city", NO_NOTE, "Lisbon", id="name"),
        pytest.param("city_name", NO_NOTE, "Lisbon", id="a name of a city"),
        pytest.param("emailAddress", NO_NOTE, "alex@example.com", id="an address of another kind"),
        pytest.param("file_name", NO_NOTE, "notes.txt", id="file"),
        pytest.param("user_id", NO_NOTE, "a1b2c3", id="the last word decides"),
        pytest.param("participants", NO_NOTE, "Alex", id="plural"),
        pytest.param("x", Note(description="Which country to visit"), "Portugal", id="description"),
        pytest.param("x", Note(title="Due date"), "2026-12-04", id="title"),
        pytest.param("x", Note(format="uri"), "https://example.com", id="format"),
    ],
)
def test_a_kind_is_found(name: str, note: Note, first: str) -> None:
    kind = kind_of(name, note)

    assert kind is not None and kind.usual[0] == first


def test_the_object_may_decide_what_a_name_is() -> None:
    assert texts("name", NO_NOTE, Note("Product"), NOTHING)[0][0] == "notebook"
    assert texts("name", NO_NOTE, NO_NOTE, NOTHING)[0][0] == "Alex"


@pytest.mark.parametrize(
    ("name", "prose"),
    [("summary", True), ("city_description", True), ("anything_else", True), ("city", False)],
)
def test_some_names_mean_sentences(name: str, prose: bool) -> None:
    assert is_prose(name, NO_NOTE) is prose


def test_what_was_said_weighs_most_and_once() -> None:
    found = texts("city", NO_NOTE, NO_NOTE, facts_of("from Oslo to Rome"))

    assert [text for text, _ in found][:2] == ["Oslo", "Rome"]
    assert len({text for text, _ in found}) == len(found)
    assert found[0][1] > 100 * found[1][1] > 500 * found[2][1]


def test_a_later_call_begins_with_what_was_said_later() -> None:
    assert mentioned("city", NO_NOTE, facts_of("Oslo, Rome and Bonn", turn=1)) == [
        *("Rome", "Bonn", "Oslo")
    ]


def test_every_kind_has_its_texts_and_every_formats_texts_fit_it() -> None:
    assert all(kind.triggers and all(kind.usual) for kind in KINDS)
    for name, kind in FORMATS.items():
        for text in kind.usual:
            assert re.search(PATTERNS[name], text), (name, text)
