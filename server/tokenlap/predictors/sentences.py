"""Sentences that are known beforehand, with alternatives: at each place one of several texts, drawn
by weight, token by token.

A choice between two texts is a real one: where they part, the distribution lists both tokens.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from tokenlap.engine.predictor import NO_TAIL, Distribution
from tokenlap.engine.template import read
from tokenlap.engine.tokenizer import END, TokenId, Tokenizer

Slot = Sequence[tuple[str, float]]
"""Texts that may stand at one place, with their weights; none is empty."""
_READ = 96
"""Bytes of a text that are enough to tell its first token."""
SentencesState = tuple[int, bytes]
"""Which slot, and what is written of it."""


class SentencesPredictor:
    """Fills its slots one after the other, then ends."""

    def __init__(self, slots: Sequence[Slot], tokenizer: Tokenizer) -> None:
        """Take the slots in order."""
        self._slots = [[(text.encode(), weight) for text, weight in slot] for slot in slots]
        self._tokenizer = tokenizer

    @classmethod
    def one_of(cls, texts: Sequence[str], tokenizer: Tokenizer) -> "SentencesPredictor":
        """Return what writes one of texts, all alike likely."""
        return cls([[(text, 1.0) for text in texts]], tokenizer)

    def start(self, prompt: Sequence[TokenId]) -> SentencesState:
        """Find where the open turn stands."""
        state: SentencesState = (0, b"")
        for token in read(prompt, self._tokenizer).reply:
            state = self.append(state, token)
        return state

    def next(self, state: SentencesState) -> Distribution:
        """Return how likely each token continues a text that fits what is written."""
        weights: dict[TokenId, float] = {}
        for rest, weight in self._rests(*state):
            token = first_token(rest, self._tokenizer) if rest else END
            weights[token] = weights.get(token, 0.0) + weight
        if not weights:
            return _OVER
        said = Distribution.of(weights)
        return Distribution(said.tokens, said.probabilities, 0, NO_TAIL, bound=True)

    def append(self, state: SentencesState, token: TokenId) -> SentencesState:
        """Take a token; a text that is complete, and is not the beginning of another, ends its
        slot.
        """
        slot, written = state
        if token == END or slot >= len(self._slots):
            return state
        written += self._tokenizer.token_bytes(token)
        while slot < len(self._slots):
            fitting = [text for text, _ in self._slots[slot] if text.startswith(written)]
            if fitting and fitting != [written]:
                return slot, written
            complete = [text for text, _ in self._slots[slot] if written.startswith(text)]
            if not complete:
                return slot, written
            written = written[len(max(complete, key=len)) :]
            slot += 1
        return slot, written

    def _rests(self, slot: int, written: bytes) -> Iterator[tuple[bytes, float]]:
        """Yield what may follow, with its share: after a complete text, what the next slot has; b""
        for the end.
        """
        if slot >= len(self._slots):
            yield b"", 1.0
            return
        fitting = [(text, w) for text, w in self._slots[slot] if text.startswith(written)]
        total = sum(weight for _, weight in fitting)
        for text, weight in fitting:
            if len(text) > len(written):
                yield text[len(written) :], weight / total
            else:
                yield from ((rest, w * weight / total) for rest, w in self._rests(slot + 1, b""))


_OVER = Distribution((END,), (1.0,), 0, NO_TAIL, bound=True)


def first_token(raw: bytes, tokenizer: Tokenizer) -> TokenId:
    """Return the token that the text of raw begins with; a single byte where it begins with a part
    of a character.
    """
    return _first_token(raw[:_READ], tokenizer)


@lru_cache(maxsize=16384)
def _first_token(raw: bytes, tokenizer: Tokenizer) -> TokenId:
    text = raw.decode("utf-8", errors="ignore")
    if text and raw.startswith(text[:1].encode()):
        return tokenizer.encode(text)[0]
    return tokenizer.encode_bytes(raw[:1])[0]
