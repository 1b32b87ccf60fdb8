"""Where a text ends within a token of the corpus: `{` is continued as the corpus continues `{"`.

Only for punctuation that matches nothing longer than itself, wherever it stands, so that a reply
stepped token by token meets the same repair as one that is written in one go.
"""

from collections.abc import Mapping
from functools import lru_cache

from tokenlap.engine.tokenizer import TokenId, Tokenizer
from tokenlap.predictors.ngram.lexicon import ANSWER, FIRST_ORDINARY, Lexicon
from tokenlap.predictors.ngram.places import Corpus
from tokenlap.predictors.ngram.state import NgramState
from tokenlap.predictors.ngram.weights import OUTSIDE, weigh

_KEPT_TEXTS = 256


class Repair:
    """Finds corpus tokens that begin with the last token of a document."""

    def __init__(self, corpus: Corpus, lexicon: Lexicon, tokenizer: Tokenizer) -> None:
        """Take the corpus and its numbering."""
        self._corpus = corpus
        self._lexicon = lexicon
        self._tokenizer = tokenizer
        self._longer = lru_cache(maxsize=_KEPT_TEXTS)(self._find_longer)

    def complete(self, state: NgramState) -> tuple[dict[int, float], dict[int, TokenId]]:
        """Return what the last token may be the beginning of: local id to weight, and local id to
        the token it lacks.

        Mostly there is nothing.
        """
        if state.last == ANSWER or (state.longest > 1 and not state.unknown):
            return {}, {}
        longer = self._longer(state.document[-1])
        if not longer:
            return {}, {}
        table, starts, *_ = state.previous
        weights = weigh(self._corpus, state.prefill.relevance, table, starts, state.memory)
        found = {local: weights[local] for local in longer if local in weights}
        return found or self._anywhere(state, longer), longer

    def _anywhere(self, state: NgramState, longer: Mapping[int, TokenId]) -> dict[int, float]:
        """Return the weights by how often the near documents have each of the longer tokens."""
        relevance, documents = state.prefill.relevance, self._corpus.document
        found = {
            local: sum(
                relevance[documents[place]] or OUTSIDE for place in state.prefill.after(local)
            )
            for local in longer
        }
        return {local: weight for local, weight in found.items() if weight > 0}

    def _find_longer(self, token: TokenId) -> dict[int, TokenId]:
        """Return each local id whose text begins with that of token, and the one token that is the
        rest.
        """
        text = self._tokenizer.token_bytes(token)
        if (
            any(sign.isalnum() or sign > "\x7f" for sign in text.decode("utf-8", "replace"))
            or not text.strip()
        ):
            return {}
        found: dict[int, TokenId] = {}
        for local, other in enumerate(self._lexicon.ids[FIRST_ORDINARY:], FIRST_ORDINARY):
            whole = self._tokenizer.token_bytes(other)
            if whole.startswith(text) and whole != text:
                rest = self._tokenizer.encode(whole[len(text) :].decode("utf-8", "replace"))
                if len(rest) == 1:
                    found[local] = rest[0]
        return found
