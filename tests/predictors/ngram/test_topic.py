"""What a prompt is about."""

import pytest

from tokenlap.predictors.ngram.topic import gerund, topic

LIGHT = {"poem": 0.0, "list": 0.0, "email": 0.0, "function": 1.0, "python": 2.0, "plan": 0.0}


def about(text: str) -> str:
    return topic(text, lambda word: LIGHT.get(word.lower(), 5.0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("How do I repair a bicycle?", "repairing a bicycle", id="verb after do I"),
        pytest.param("I want to learn the guitar", "learning the guitar", id="verb after want to"),
        pytest.param("Why is the sky blue?", "the sky", id="adjective dropped"),
        pytest.param("How is glass made?", "glass", id="participle dropped"),
        pytest.param("How do black holes form?", "black holes", id="subject of do"),
        pytest.param("Why does machine learning work?", "machine learning", id="work dropped"),
        pytest.param("Can plants hear music?", "plants", id="subject of can"),
        pytest.param("Who invented the zipper?", "the zipper", id="object of who"),
        pytest.param("Write a poem about autumn rain", "autumn rain", id="form left out"),
        pytest.param("Plan a trip to Rome", "a trip to Rome", id="link inside"),
        pytest.param("Explain my code to me", "your code", id="persons turned"),
        pytest.param("a function that sorts numbers", "sorting numbers", id="third person"),
        pytest.param('What does "carpe diem" mean?', "carpe diem", id="quoted"),
        pytest.param("email to invite a friend", "inviting a friend", id="verb before an article"),
        pytest.param("x" * 1000 + " and cats", "cats", id="no endless word"),
        pytest.param("Hello!", "", id="nothing"),
        pytest.param("", "", id="empty"),
    ],
)
def test_topic_fits_after_about(text: str, expected: str) -> None:
    assert about(text) == expected


def test_topic_has_at_most_five_words_and_an_article() -> None:
    assert len(about("the old red brick house garden wall corner " * 5).split()) <= 6


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("make", "making"),
        ("run", "running"),
        ("tie", "tying"),
        ("see", "seeing"),
        ("play", "playing"),
        ("look", "looking"),
        ("training", "training"),
    ],
)
def test_gerund(verb: str, expected: str) -> None:
    assert gerund(verb) == expected
