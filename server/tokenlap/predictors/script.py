"""A script: a reply that is known beforehand, written by the same loop, one token a lap.

Text is cut by the tokenizer and each token has probability 1; a step may also be a distribution,
and then the loop really draws. After the last step comes the end token.
"""

from collections.abc import Sequence
from functools import lru_cache

from tokenlap.engine.predictor import Distribution
from tokenlap.engine.template import read
from tokenlap.engine.tokenizer import END, TokenId, Tokenizer

ScriptState = int
"""How many steps are written."""


@lru_cache(maxsize=8192)
def certain(token: TokenId) -> Distribution:
    """Return the shared distribution that is certain of token."""
    return Distribution.certain(token)


_OVER = Distribution.certain(END)


class ScriptPredictor:
    """Follows its steps whatever is drawn; the document says only how many are written already."""

    def __init__(self, steps: Sequence[Distribution], tokenizer: Tokenizer) -> None:
        """Take one distribution a lap."""
        self._steps = steps
        self._tokenizer = tokenizer

    @classmethod
    def of_text(cls, text: str, tokenizer: Tokenizer) -> "ScriptPredictor":
        """Return the script that writes text."""
        return cls.of_tokens(tokenizer.encode(text), tokenizer)

    @classmethod
    def of_tokens(cls, tokens: Sequence[TokenId], tokenizer: Tokenizer) -> "ScriptPredictor":
        """Return the script that writes these tokens, so a character can be spelled in byte
        tokens.
        """
        return cls([certain(token) for token in tokens], tokenizer)

    def start(self, prompt: Sequence[TokenId]) -> ScriptState:
        """Return the number of steps that the reply in an open turn already holds; 0 for a raw
        text.

        A script that writes markers opens turns of its own, and so cannot be stepped lap by lap.
        """
        return len(read(prompt, self._tokenizer).reply)

    def next(self, state: ScriptState) -> Distribution:
        """Return the distribution of the next step, the end token after the last."""
        try:
            return self._steps[state]
        except IndexError:
            return _OVER

    def append(self, state: ScriptState, token: TokenId) -> ScriptState:
        """Go on to the next step."""
        return state + 1
