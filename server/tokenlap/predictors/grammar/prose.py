"""Sentences inside a JSON string, written by the default model.

It reads the conversation and everything it has written into strings so far, so one reply does not
say a thing twice. What would have to be escaped is left out.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.tokenizer import END, TokenId, Tokenizer

_ENDS = (".", "!", "?")
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
        self._meant: dict[TokenId, TokenId] = {}  # the model's own token for one without its blank

    def weights(self, late: bool, most: int) -> dict[TokenId, float]:
        """Return how likely each token continues the string, the quotation mark ends it.

        late: end soon; most: the longest that the string may be.
        """
        if self._state is None:
            self._state = self._model.start(self._document)
        if not self._text:
            return self._openings()
        found: dict[TokenId, float] = {}
        said: Distribution = self._model.next(self._state)
        for token, p in zip(said.tokens, said.probabilities, strict=True):
            written = token if is_plain(token, self._tokenizer) else self._quote
            found[written] = found.get(written, 0.0) + p
        close = self._closing(late, most)
        if close:
            total = sum(found.values())
            found = {token: p / total * (1 - close) for token, p in found.items()}
            found[self._quote] = found.get(self._quote, 0.0) + close
        return found

    def take(self, token: TokenId, *, still_open: bool) -> None:
        """Take a token of the string, or the one that ended it."""
        if not still_open:
            self._text, self._sentences = "", 0
            return
        meant = token if self._text else self._meant.get(token, token)
        self._text += self._tokenizer.decode((token,))
        self._sentences += self._text.endswith(_ENDS)
        self._document.append(meant)
        if self._state is not None:
            self._state = self._model.append(self._state, meant)

    def _openings(self) -> dict[TokenId, float]:
        """Return how likely each token begins a string: a sentence goes on without its blank, and
        after the last one the model begins anew.
        """
        found: dict[TokenId, float] = {}
        for _ in range(2):
            said: Distribution = self._model.next(self._state)
            for token, p in zip(said.tokens, said.probabilities, strict=True):
                text = self._tokenizer.decode((token,)).lstrip()
                if token != END and text and is_plain(token, self._tokenizer):
                    first = self._tokenizer.encode(text)[0]
                    self._meant.setdefault(first, token)
                    found[first] = found.get(first, 0.0) + p
            if found:
                return found
            self._document.append(END)
            self._state = self._model.append(self._state, END)
        return {}

    def _closing(self, late: bool, most: int) -> float:
        """Return how likely the string ends here, by its sentences and its length."""
        if self._text.endswith(_ENDS):
            return 1.0 if late else _CLOSE_AFTER[min(self._sentences, 3)]
        return 0.9 if len(self._text) > most - _ROOM else 0.0

    @property
    def _quote(self) -> TokenId:
        return self._tokenizer.encode('"')[0]


@lru_cache(maxsize=16384)
def is_plain(token: TokenId, tokenizer: Tokenizer) -> bool:
    """Say whether a token may stand in a JSON string as it is: no quotation mark, no backslash, no
    control character, whole characters.
    """
    try:
        text = tokenizer.token_bytes(token).decode("utf-8")
    except (UnicodeDecodeError, KeyError):
        return False
    return not any(sign in '"\\' or sign < " " for sign in text)
