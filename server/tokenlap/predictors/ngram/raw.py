"""A text without turns: what it is about changes as it grows, whoever writes it.

A state must be a function of the document alone, and a text does not say where the prompt ended. So
the text itself is the query, read again at fixed lengths and, while it is short, after each
thought.
"""

from collections.abc import Sequence

from tokenlap.engine.tokenizer import TokenId, Tokenizer
from tokenlap.predictors.ngram.lexicon import ANSWER
from tokenlap.predictors.ngram.places import Corpus
from tokenlap.predictors.ngram.prefill import Prefill, Reader
from tokenlap.predictors.ngram.segments import Flag
from tokenlap.predictors.ngram.state import NgramState

_SHORT_TOKENS = 8
"""Up to here a text is read again at each token."""
_STRIDES = ((48, 16), (128, 32))
"""Up to these lengths, it is read again every so many tokens; in the first part at ends, too."""
_LONG_STRIDE = 64
_QUERY_TOKENS = 64
_FORGET_TOKENS = 256
"""A text is replayed from at most twice as many tokens back."""
FLOWING_FROM = 3
"""A match of so many tokens shows that the text is one that the corpus has."""


def forgets(length: int) -> bool:
    """Say whether a text that reaches this length in tokens is read anew from its window."""
    return length % _FORGET_TOKENS == 0 and length >= 2 * _FORGET_TOKENS


def window(length: int) -> int:
    """Return the token from which a text of this length is replayed."""
    return 0 if length < 2 * _FORGET_TOKENS else (length // _FORGET_TOKENS - 1) * _FORGET_TOKENS


class RawText:
    """Reads a text again as it grows, and opens an answer after a question, a label, or a line of
    its own.
    """

    def __init__(self, reader: Reader, corpus: Corpus, tokenizer: Tokenizer) -> None:
        """Take what reads a query, and the indexed corpus."""
        self._corpus = corpus
        self._reader = reader
        self._tokenizer = tokenizer

    def prefill(self, text: Sequence[TokenId]) -> Prefill:
        """Read the end of a text as a query."""
        return self._reader.read(self._tokenizer.decode(text[-_QUERY_TOKENS:]), is_raw=True)

    def read_on(self, state: NgramState) -> None:
        """Take the latest token of a text into account: what is it about now?

        Text that the corpus does not know counts as a prompt: the reply begins after it.
        """
        text = self._tokenizer.decode(state.document[-1:])
        if self._is_due(len(state.document), text):
            state.prefill = self.prefill(state.document)
        if state.phrase or state.longest >= FLOWING_FROM:
            return
        if state.longest < 2:
            state.memory.length = 0
        if state.longest < 2 or state.before != ANSWER:
            state.continue_text()

    def open_after(self, state: NgramState) -> None:
        """Open an answer after a line, a question, a sentence or a label that nobody but the client
        can have written, since the corpus does not have it.
        """
        if state.phrase or state.longest >= FLOWING_FROM:
            return
        flags = self._corpus.flags
        if any(flags[place] & Flag.CODE for place in state.table):
            return
        text = self._tokenizer.decode(state.document[-1:])
        if text in (":", ".", "!") or text.endswith(("\n", "?")):
            state.open_answer(spaced=not text.endswith("\n"))

    def _is_due(self, length: int, text: str) -> bool:
        """Say whether a text of some length that ends with the token text is read again."""
        if length <= _SHORT_TOKENS:
            return True
        if length <= _STRIDES[0][0] and text.endswith(("\n", "?", ":", ".", "!")):
            return True
        return length % _stride(length) == 0


def _stride(length: int) -> int:
    return next((stride for end, stride in _STRIDES if length <= end), _LONG_STRIDE)
