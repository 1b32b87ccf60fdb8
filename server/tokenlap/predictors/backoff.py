"""A model that never runs dry: where the first predictor has nothing left to say, the default model
goes on.

Used where a request forbids or ignores the end token: then a script or a table rambles on to the
length wall.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.tokenizer import END, TokenId


@dataclass(slots=True)
class BackOffState:
    """The whole document, the state of the predictor that speaks, and which one that is."""

    document: list[TokenId]
    inner: Any
    predictor: Predictor[Any]


class BackOffPredictor:
    """Asks `first`; after an end token that did not end the reply, or where all is removed, asks
    `then`.
    """

    def __init__(self, first: Predictor[Any], then: Predictor[Any]) -> None:
        """Take the predictor that was asked for, and the one to fall back to."""
        self._first = first
        self._then = then

    def start(self, prompt: Sequence[TokenId]) -> BackOffState:
        """Read the document with the first predictor."""
        return BackOffState(list(prompt), self._first.start(prompt), self._first)

    def next(self, state: BackOffState) -> Distribution:
        """Return what the speaking predictor says; its backoff is the default model's view of the
        same document.
        """
        said = state.predictor.next(state.inner)
        if state.predictor is self._then:
            return said
        return Distribution(
            said.tokens,
            said.probabilities,
            said.context,
            said.tail,
            lambda: self._fallback(state.document),
        )

    def append(self, state: BackOffState, token: TokenId) -> BackOffState:
        """Take the token; once an end token has been passed over, the default model speaks."""
        state.document.append(token)
        if token == END and state.predictor is not self._then:
            state.predictor = self._then
            state.inner = self._then.start(state.document)
        else:
            state.inner = state.predictor.append(state.inner, token)
        return state

    def _fallback(self, document: list[TokenId]) -> Distribution:
        return self._then.next(self._then.start(document))
