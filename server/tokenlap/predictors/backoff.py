"""A model that never runs dry: where the first predictor has nothing left to say, the default model
goes on.

Used where a request forbids or ignores the end token: then a script or a table rambles on to the
length wall.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.tokenizer import END, START, TokenId


@dataclass(slots=True)
class BackOffState:
    """The whole document and what each predictor makes of it.

    over: an end token has been passed over, so the first has no more to say; then: None until the
    second is asked.
    """

    document: list[TokenId]
    over: bool
    first: Any
    then: Any = None


class BackOffPredictor:
    """Asks `first`; after an end token that did not end the reply, or where all is removed, asks
    `then`.
    """

    def __init__(self, first: Predictor[Any], then: Predictor[Any]) -> None:
        """Take the predictor that was asked for, and the one to fall back to."""
        self._first = first
        self._then = then

    def start(self, prompt: Sequence[TokenId]) -> BackOffState:
        """Read the document with the first predictor, unless it already goes on after an end
        token.
        """
        over = passed_over(prompt)
        return BackOffState(list(prompt), over, None if over else self._first.start(prompt))

    def next(self, state: BackOffState) -> Distribution:
        """Return what the speaking predictor says; its backoff is the default model's view of the
        same document.
        """
        if state.over:
            return self._fallback(state)
        said = self._first.next(state.first)
        return Distribution(
            said.tokens,
            said.probabilities,
            said.context,
            said.tail,
            lambda: self._fallback(state),
        )

    def append(self, state: BackOffState, token: TokenId) -> BackOffState:
        """Take the token; once an end token has been passed over, the default model speaks."""
        state.document.append(token)
        state.over = state.over or token == END
        if not state.over:
            state.first = self._first.append(state.first, token)
        if state.then is not None:
            state.then = self._then.append(state.then, token)
        return state

    def _fallback(self, state: BackOffState) -> Distribution:
        if state.then is None:
            state.then = self._then.start(state.document)
        return self._then.next(state.then)


def passed_over(document: Sequence[TokenId]) -> bool:
    """Whether the open turn of document, or a raw text after its first token, holds an end
    token.
    """
    if END not in document:
        return False
    begin = max((i for i, token in enumerate(document) if token == START), default=0)
    return END in document[begin + 1 :]
