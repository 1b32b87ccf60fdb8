"""Sentences inside a JSON string, written by the default model.

It reads the conversation and everything it has written into strings so far, so one reply does not
say a thing twice. What would have to be escaped is left out.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.tokenizer import END, SPECIAL_TOKENS, TokenId, Tokenizer

_MARKERS = frozenset(SPECIAL_TOKENS.values())
_ENDS = (".", "!", "?")
HASTY = 1.5
_CLOSE_AFTER = (0.0, 0.55, 0.85, 1.0)
"""How likely a string ends after so many sentences."""
_ROOM = 24
"""Characters before the longest length at which a string ends with a word."""


class Prose:
    """The sentences of one reply, over all its strings."""

    def __init__(
        self, model: Predictor[Any], conversation: Sequence[TokenId], tokenizer: Tokenizer
    ) -> None:
        """Take the model, and a document that ends with an open turn of the assistant; nothing is
        read before it is needed.
        """
        self._model = model
        self._document = list(conversation)
        self._tokenizer = tokenizer
        self._state: Any = None
        self._text = ""  # of the present string
        self._sentences = 0
        self._prepared = self._begins = False

    def weights(self, haste: float, least: int, most: int) -> dict[TokenId, float]:
        """Return how likely each token continues the string, the quotation mark ends it.

        haste: above 1, end with the sentence, above HASTY with the word; least, most: how long the
        string may be, in characters.
        """
        said = self._prepare(least)
        if self._begins:
            return {token: p for token, (_, p) in self._openings(said).items()}
        found: dict[TokenId, float] = {}
        for token, p in zip(said.tokens, said.probabilities, strict=True):
            written = token if is_plain(token, self._tokenizer) else self._quote
            found[written] = found.get(written, 0.0) + p
        if len(self._text) < least:
            return {token: p for token, p in found.items() if token != self._quote}
        close = self._closing(haste, most)
        if close:
            total = sum(found.values())
            found = {token: p / total * (1 - close) for token, p in found.items()}
            found[self._quote] = found.get(self._quote, 0.0) + close
        return found

    def take(self, token: TokenId, least: int, *, still_open: bool) -> None:
        """Take a token of the string, or the one that ended it."""
        if not still_open:
            self._text, self._sentences, self._prepared = "", 0, False
            return
        said, meant = self._prepare(least), token
        if self._begins:
            meant = self._openings(said).get(token, (token, 0.0))[0]
        self._text += self._tokenizer.decode((token,))
        self._sentences += self._text.endswith(_ENDS)
        self._append(meant)
        self._prepared = False

    def _prepare(self, least: int) -> Distribution:
        """Return what the model says next; where it would only end, and the string may not, it is
        let begin anew.
        """
        if self._state is None:
            self._state = self._model.start(self._document)
        said: Distribution = self._model.next(self._state)
        if self._prepared:
            return said
        self._prepared, self._begins = True, not self._text
        goes_on = any(is_plain(token, self._tokenizer) for token in said.tokens)
        if not goes_on and len(self._text) < max(least, 1):
            self._append(END)
            self._begins = True
            said = self._model.next(self._state)
        return said

    def _append(self, token: TokenId) -> None:
        self._document.append(token)
        self._state = self._model.append(self._state, token)

    def _openings(self, said: Distribution) -> dict[TokenId, tuple[TokenId, float]]:
        """Return the tokens that may begin a sentence, each with the model's own token for it: at
        the beginning of a string it has no blank, further on it has one.
        """
        found: dict[TokenId, tuple[TokenId, float]] = {}
        for token, p in zip(said.tokens, said.probabilities, strict=True):
            text = self._tokenizer.decode((token,)).lstrip()
            if text and is_plain(token, self._tokenizer):
                first = self._tokenizer.encode(" " + text if self._text else text)[0]
                meant, share = found.get(first, (token, 0.0))
                found[first] = meant, share + p
        return found

    def _closing(self, haste: float, most: int) -> float:
        """Return how likely the string ends here, by its sentences and its length."""
        if haste > HASTY:
            return 1.0
        if self._text.endswith(_ENDS):
            return 1.0 if haste > 1 else _CLOSE_AFTER[min(self._sentences, 3)]
        return 0.9 if len(self._text) > most - _ROOM else 0.0

    @property
    def _quote(self) -> TokenId:
        return self._tokenizer.encode('"')[0]


@lru_cache(maxsize=16384)
def is_plain(token: TokenId, tokenizer: Tokenizer) -> bool:
    """Say whether a token may stand in a JSON string as it is: no quotation mark, no backslash, no
    control character, no marker, whole characters.
    """
    if token in _MARKERS:
        return False
    try:
        text = tokenizer.token_bytes(token).decode("utf-8")
    except (UnicodeDecodeError, KeyError):
        return False
    return not any(sign in '"\\' or sign < " " for sign in text)
