"""Another question in place of the last one: for a predictor that should not take what a prompt
says of the form of an answer for its subject.
"""

from collections.abc import Sequence
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.template import ASSISTANT, Turn, read, render
from tokenlap.engine.tokenizer import TokenId, Tokenizer


class AskingPredictor:
    """Reads a question, and the reply so far, as if nothing else had been said."""

    def __init__(self, inner: Predictor[Any], tokenizer: Tokenizer, question: str) -> None:
        """Take who answers, and what is asked."""
        self._inner = inner
        self._tokenizer = tokenizer
        self._question = question

    def start(self, prompt: Sequence[TokenId]) -> Any:
        """Read the question and what the open turn holds."""
        asked = render([Turn("user", self._question)], self._tokenizer, Turn(ASSISTANT, ""))
        return self._inner.start([*asked, *read(prompt, self._tokenizer).reply])

    def next(self, state: Any) -> Distribution:
        """Return what the other predictor says."""
        return self._inner.next(state)

    def append(self, state: Any, token: TokenId) -> Any:
        """Take a token."""
        return self._inner.append(state, token)
