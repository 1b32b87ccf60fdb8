"""The model's own numbering of tokens: seven ids with a meaning of their own, then those of the
vocabulary.

A document is a run of local ids: ANSWER, the tokens, DONE. Slots stand for text of the prompt; the
dot of a numbered line and the dash of a bullet line differ from other dots and dashes, so that list
items can be exchanged.
"""

from collections.abc import Iterable, Sequence

from tokenlap.engine.tokenizer import END, TokenId, Tokenizer

ANSWER, SPACED_TOPIC, TOPIC, PROMPT, DONE, NUMBER_DOT, BULLET, BORDER = range(8)
"""Start of an answer; the slots ` {t}`, `{t}`, `{q}`; the end token; `.` and `-` of list lines;
between segments.
"""
SLOTS = (SPACED_TOPIC, TOPIC, PROMPT)
FIRST_ORDINARY = 8

DOT: TokenId = 13
DASH: TokenId = 12
NEWLINES: TokenId = 279
"""The tokens `.`, `-` and `\\n\\n` of o200k_base."""
AMBIGUOUS = (DOT, DASH)
"""Tokens whose local id depends on what stands before them."""
_FIXED = (NEWLINES, NEWLINES, NEWLINES, NEWLINES, END, DOT, DASH, NEWLINES)
"""The vocabulary's ids of the ids above; those that are never written map to some token all the
same.
"""


class Lexicon:
    """Local ids and what the rules must know of their texts."""

    __slots__ = ("_lines", "_numbers", "ids", "local")

    def __init__(self, ids: Sequence[TokenId], tokenizer: Tokenizer) -> None:
        """Take ids: the vocabulary's id of each local id, from 0 on."""
        self.ids = ids
        self.local = {token: local for local, token in enumerate(ids) if local >= FIRST_ORDINARY}
        self.local[END] = DONE
        self._lines = {ANSWER, BORDER}
        self._numbers: set[int] = set()
        for token, local in self.local.items():
            text = tokenizer.token_bytes(token)
            if text.endswith(b"\n"):
                self._lines.add(local)
            if text.isdigit():
                self._numbers.add(local)

    def read(self, token: TokenId, before: int, last: int) -> int:
        """Return the local id of token after the local ids before and last.

        A token that the corpus does not have reads as a topic, that is, as a noun.
        """
        if token == DOT and last in self._numbers and before in self._lines:
            return NUMBER_DOT
        if token == DASH and last in self._lines:
            return BULLET
        return self.local.get(token, SPACED_TOPIC)

    @classmethod
    def of(cls, tokens: Iterable[TokenId], tokenizer: Tokenizer) -> "Lexicon":
        """Return the lexicon of the distinct tokens of a corpus."""
        return cls((*_FIXED, *sorted({*tokens, DOT, DASH, NEWLINES})), tokenizer)
