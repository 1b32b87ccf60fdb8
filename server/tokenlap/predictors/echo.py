"""Echo: a script of the last user text, or of the whole prompt where there is no conversation."""

from collections.abc import Sequence

from tokenlap.engine.predictor import Distribution
from tokenlap.engine.template import read
from tokenlap.engine.tokenizer import END, TokenId, Tokenizer
from tokenlap.predictors.script import certain

EchoState = tuple[tuple[TokenId, ...], int]
"""The tokens to repeat, and how many are written."""


class EchoPredictor:
    """Repeats what was asked, token by token."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Take the tokenizer that reads the document."""
        self._tokenizer = tokenizer

    def start(self, prompt: Sequence[TokenId]) -> EchoState:
        """Find the last user text; what an open reply already holds counts as written."""
        document = read(prompt, self._tokenizer)
        return document.query, len(document.reply)

    def next(self, state: EchoState) -> Distribution:
        """Return the next token of the text with probability 1, the end token after the last."""
        query, written = state
        return certain(query[written] if written < len(query) else END)

    def append(self, state: EchoState, token: TokenId) -> EchoState:
        """Go on to the next token."""
        return state[0], state[1] + 1
