"""The index that finds documents by the words of a prompt, built once when a model is trained."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from tokenlap.predictors.ngram.corpus import Entry
from tokenlap.predictors.ngram.store import Questions
from tokenlap.predictors.ngram.words import (
    REQUEST_SHARE,
    STOP_SHARE,
    STOP_STEMS,
    is_request,
    stem,
    stems,
)


def index_questions(entries: Sequence[Entry]) -> Questions:
    """Return the index of the questions, answers and intents of entries."""
    asked = [
        (number, set(stems(wording)))
        for number, entry in enumerate(entries)
        for wording in entry.wordings
    ]
    answered = [
        set(stems(" ".join((entry.answer, *entry.variants)))) - STOP_STEMS for entry in entries
    ]
    frequency = Counter(word for words in _known(entries, asked, answered) for word in words)
    words = tuple(sorted(frequency))
    weights = {word: _weight(word, frequency[word], len(entries)) for word in words}
    intended = [set(map(stem, entry.intents)) for entry in entries]
    asked_posts, asked_at = _invert(words, [found for _, found in asked])
    answered_posts, answered_at = _invert(words, answered)
    intended_posts, intended_at = _invert(words, intended)
    return Questions(
        words=words,
        weights=array("f", weights.values()),
        wordings=array("I", [number for number, _ in asked]),
        totals=array("f", [sum(weights[word] for word in sorted(found)) for _, found in asked]),
        asked=asked_posts,
        asked_at=asked_at,
        answered=answered_posts,
        answered_at=answered_at,
        intended=intended_posts,
        intended_at=intended_at,
    )


def _known(
    entries: Sequence[Entry], asked: list[tuple[int, set[str]]], answered: list[set[str]]
) -> list[set[str]]:
    """Return for each document the words of its questions and its answer."""
    known = [set(words) for words in answered]
    for number, words in asked:
        known[number] |= words
    for words, entry in zip(known, entries, strict=True):
        words.update(map(stem, entry.intents))
    return known


def _weight(word: str, documents_with_it: int, documents: int) -> float:
    share = STOP_SHARE if word in STOP_STEMS else REQUEST_SHARE if is_request(word) else 1.0
    return log((documents + 1) / documents_with_it) * share


def _invert(words: Sequence[str], lists: Iterable[set[str]]) -> tuple["array[int]", "array[int]"]:
    """Return for each word the numbers of the lists that hold it, one after the other, and where
    each word begins.
    """
    found: dict[str, list[int]] = {word: [] for word in words}
    for number, held in enumerate(lists):
        for word in held:
            found[word].append(number)
    posts, begins = array("I"), array("I", [0])
    for word in words:
        posts.extend(found[word])
        begins.append(len(posts))
    return posts, begins
