"""A chat is a document: how turns become the one list of tokens that the model continues.

    <|start|>system<|message|>Be
    brief.<|end|><|start|>user<|message|>Hello<|end|><|start|>assistant<|message|>

Each turn is a header (the role, perhaps more words) and a body between markers; the document of a
request ends with an open turn of the assistant, and the reply is what the loop writes after it. The
markers are single tokens that ordinary text cannot spell. The form is our own, after ChatML; the
markers' names and ids are those of o200k_harmony.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tokenlap.engine.tokenizer import CALL, CLOSE, MESSAGE, START, TokenId, Tokenizer

ASSISTANT = "assistant"
_USUAL_HEADER = 64
"""Characters of the longest header whose tokens are remembered."""


class Turn(NamedTuple):
    """One turn of a conversation: `header` is its role, perhaps followed by words such as a
    recipient.
    """

    header: str
    body: str


ANSWERING = Turn(ASSISTANT, "")
"""The open turn of a reply that has not begun."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document as a predictor sees it: what was asked, and how much of the reply is already
    there.

    turns: the closed turns, in order; empty for a raw text without markers.
    opening: the header of the open turn, "" for a raw text.
    query: token ids of the last user turn, or the whole of a raw text.
    reply: token ids after the last open header, the reply so far.
    """

    turns: tuple[Turn, ...]
    opening: str
    query: tuple[TokenId, ...]
    reply: tuple[TokenId, ...]

    @property
    def raw(self) -> bool:
        """Whether this is a plain text to continue, not a conversation."""
        return not self.opening


def render(
    turns: Iterable[Turn], tokenizer: Tokenizer, opening: Turn | None = ANSWERING
) -> list[TokenId]:
    """Return the document of turns, followed by an open turn, whose body (if any) the model
    continues.

    opening: the turn that stays open; None leaves no turn open.
    """
    document: list[TokenId] = []
    for turn in turns:
        document += [
            START,
            *_header(turn.header, tokenizer),
            MESSAGE,
            *tokenizer.encode(turn.body),
            CLOSE,
        ]
    if opening is not None:
        document += [
            START,
            *_header(opening.header, tokenizer),
            MESSAGE,
            *(tokenizer.encode(opening.body) if opening.body else ()),
        ]
    return document


def _header(text: str, tokenizer: Tokenizer) -> Sequence[TokenId]:
    return _known(text, tokenizer) if len(text) <= _USUAL_HEADER else tokenizer.encode(text)


@lru_cache(maxsize=256)
def _known(text: str, tokenizer: Tokenizer) -> tuple[TokenId, ...]:
    return tuple(tokenizer.encode(text))


def read(document: Sequence[TokenId], tokenizer: Tokenizer) -> Document:
    """Take a document apart again; the inverse of render, for predictors.

    Text outside any turn is ignored where there are turns; a turn ends at `<|end|>`, `<|call|>` or
    the start of the next one. The end token closes nothing: with `ignore_eos` a reply goes on after
    it.
    """
    # Each of n choices starts with the same document: it is taken apart once.
    return _read(tuple(document), tokenizer)


@lru_cache(maxsize=4)
def _read(tokens: tuple[TokenId, ...], tokenizer: Tokenizer) -> Document:
    if START not in tokens:
        return Document((), "", tokens, ())
    starts = [*_places(tokens, START), len(tokens)]
    turns: list[Turn] = []
    query: tuple[TokenId, ...] = ()
    for begin, end in pairwise(starts):
        header, body, is_open = _split(tokens[begin + 1 : end])
        words = tokenizer.decode(header)
        if is_open and end == len(tokens):
            return Document(tuple(turns), words or ASSISTANT, query, tuple(body))
        turns.append(Turn(words, tokenizer.decode(body)))
        if words.split(" ")[0] == "user":
            query = tuple(body)
    return Document(tuple(turns), ASSISTANT, query, ())


def _split(
    turn: Sequence[TokenId],
) -> tuple[Sequence[TokenId], Sequence[TokenId], bool]:
    """Return the header, the body and whether the turn is still open, of the tokens after
    `<|start|>`.
    """
    if MESSAGE not in turn:
        return turn, (), True
    at = turn.index(MESSAGE)
    body = turn[at + 1 :]
    end = min(next(_places(body, marker), len(body)) for marker in (CLOSE, CALL))
    return turn[:at], body[:end], end == len(body)


def _places(tokens: Sequence[TokenId], marker: TokenId) -> Iterator[int]:
    """Yield where marker stands; a prompt of 100,000 tokens is searched in 1 ms."""
    at = -1
    with suppress(ValueError):
        while True:
            at = tokens.index(marker, at + 1)
            yield at
