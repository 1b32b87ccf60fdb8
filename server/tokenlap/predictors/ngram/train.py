"""Corpus text to model: every answer as a run of local ids, with what each position means.

The corpus itself is the model: nothing is counted here. Each answer becomes a segment ANSWER,
tokens, DONE; each other alternative a side segment of the same document, with some context either
side.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tokenlap.engine.tokenizer import END, TokenId, Tokenizer, o200k
from tokenlap.predictors.ngram.corpus import Entry, code_spans, parse
from tokenlap.predictors.ngram.lexicon import (
    ANSWER,
    BORDER,
    DONE,
    PROMPT,
    SPACED_TOPIC,
    TOPIC,
    Lexicon,
)
from tokenlap.predictors.ngram.questions import index_questions
from tokenlap.predictors.ngram.segments import Flag, mark, sentence_numbers
from tokenlap.predictors.ngram.store import NgramModel

_SIDE_CONTEXT = 6
"""Tokens of context on either side of an alternative."""
_SLOT = re.compile(r"( ?\{t\}|\{q\})")
_SLOT_IDS = {" {t}": SPACED_TOPIC, "{t}": TOPIC, "{q}": PROMPT}


@dataclass(slots=True)
class _Text:
    """An answer text as tokens: a slot is minus its local id; code: which tokens lie in code."""

    tokens: list[TokenId]
    code: list[bool]


@dataclass(slots=True)
class _Segment:
    """A run of local ids with the number of the sentence and the flags of each."""

    tokens: list[int]
    sentences: list[int]
    flags: list[int]


def train(corpus: Iterable[str]) -> NgramModel:
    """Return the model of some corpus texts (format: see corpus.py).

    Raises ValueError naming text and line where a text breaks the format, or if there is no
    document at all.
    """
    return _train(
        [entry for number, text in enumerate(corpus, 1) for entry in parse(text, f"text {number}")]
    )


def train_files(paths: Iterable[Path]) -> NgramModel:
    """Return the model of some corpus files, UTF-8, in the order given; errors as train, naming the
    file.
    """
    return _train(
        [entry for path in paths for entry in parse(path.read_text(encoding="utf-8"), str(path))]
    )


def _train(entries: list[Entry]) -> NgramModel:
    if not entries:
        raise ValueError(
            "the corpus has no document; begin one with '=== question' and write its answer below"
        )
    tokenizer = o200k()
    texts = [
        [_encode(text, tokenizer) for text in (entry.answer, *entry.variants)] for entry in entries
    ]
    counts = Counter(token for document in texts for token in document[0].tokens if token >= 0)
    counts[END] = len(texts)
    used = {token for document in texts for text in document for token in text.tokens if token >= 0}
    lexicon = Lexicon.of(used, tokenizer)
    said: dict[tuple[str | int, ...], int] = {}
    positions = _Segment([BORDER], [0], [Flag.BORDER])
    offsets = array("I")
    for document in texts:
        offsets.append(len(positions.tokens))
        for segment in _segments(document, lexicon, tokenizer, said):
            positions.tokens += [*segment.tokens, BORDER]
            positions.sentences += [*segment.sentences, 0]
            positions.flags += [*segment.flags, Flag.BORDER]
    offsets.append(len(positions.tokens))
    return NgramModel(
        vocabulary=array("I", lexicon.ids),
        counts=array("I", [counts[token] for token in lexicon.ids]),
        tokens=_narrow(positions.tokens),
        sentences=_narrow(positions.sentences),
        flags=array("B", positions.flags),
        documents=offsets,
        kinds=array("B", [entry.kind for entry in entries]),
        questions=index_questions(entries),
    )


def _narrow(values: list[int]) -> "array[int]":
    """Return values as 16-bit numbers if they fit, else as 32-bit numbers."""
    return array("H" if max(values) < 1 << 16 else "I", values)


def _encode(text: str, tokenizer: Tokenizer) -> _Text:
    """Tokenize text between its slots, and say of each token whether its first character lies in
    code.
    """
    code = bytearray(len(text.encode()) + 1)
    for begin, end in code_spans(text):
        first, last = len(text[:begin].encode()), len(text[:end].encode())
        code[first:last] = b"\1" * (last - first)
    encoded = _Text([], [])
    at = 0
    for index, part in enumerate(_SLOT.split(text)):
        tokens = [-_SLOT_IDS[part]] if index % 2 else tokenizer.encode(part)
        for token in tokens:
            encoded.tokens.append(token)
            encoded.code.append(bool(code[at]))
            at += len(part) if token < 0 else len(tokenizer.token_bytes(token))
    return encoded


def _segments(
    texts: list[_Text],
    lexicon: Lexicon,
    tokenizer: Tokenizer,
    said: dict[tuple[str | int, ...], int],
) -> Iterator[_Segment]:
    """Yield the main segment of a document, then one side segment for each other alternative.

    said: the numbers of the sentences met so far; a sentence that two documents share has one
    number.
    """
    main = _localise(texts[0], lexicon)
    flags = mark(main, texts[0].code, lexicon, tokenizer)
    sentences = sentence_numbers(main, flags, said, lexicon, tokenizer)
    yield _Segment(main, sentences, flags)
    for text in texts[1:]:
        side = _localise(text, lexicon)
        before, after = _common(main, side)
        begin, end = (
            max(0, before - _SIDE_CONTEXT),
            min(len(side), len(side) - after + _SIDE_CONTEXT),
        )
        longer = len(side) - len(main)
        numbers = [
            sentences[at if at < before else at - longer if at >= len(side) - after else before]
            for at in range(begin, end)
        ]
        yield _Segment(
            side[begin:end], numbers, mark(side, text.code, lexicon, tokenizer)[begin:end]
        )


def _localise(text: _Text, lexicon: Lexicon) -> list[int]:
    """Return the local ids of a text, between ANSWER and DONE."""
    local = [BORDER, ANSWER]
    for token in text.tokens:
        local.append(-token if token < 0 else lexicon.read(token, local[-2], local[-1]))
    return [*local[1:], DONE]


def _common(one: list[int], other: list[int]) -> tuple[int, int]:
    """Return how many ids two runs share at the start, and how many of the rest at the end."""
    shortest = min(len(one), len(other))
    before = next((i for i in range(shortest) if one[i] != other[i]), shortest)
    rest = shortest - before
    after = next((i for i in range(rest) if one[-1 - i] != other[-1 - i]), rest)
    return before, after
