"""Reading instead of writing: how likely was each token of a text that is already there?

The same predictor, the same laps, but nobody draws: each token is given, and only looked up.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlap.engine.event import Score
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.tokenizer import TokenId


def read_scores(predictor: Predictor[Any], text: Sequence[TokenId], top: int) -> Iterator[Score]:
    """Yield the score of each token of text after those before it, from the second token on.

    top: how many of the most likely candidates to name, >= 0. Nothing precedes the first token, so
    it has no score. Takes a lap of the predictor per token.
    """
    state = predictor.start(text[:1])
    for token in text[1:]:
        distribution = predictor.next(state)
        yield Score(token, distribution.logprob(token), tuple(distribution.top(top)))
        state = predictor.append(state, token)
