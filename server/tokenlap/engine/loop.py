"""The autoregressive loop: predict, sample, append, stop? One token a lap, and nothing else writes
a word.

Everything a client receives comes from here. A stream shows the laps; a blocking answer buffers the
very same laps.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.sampler import Sampler
from tokenlap.engine.stopping import FinishReason, StopCondition
from tokenlap.engine.tokenizer import TokenId

Step = tuple[TokenId, Distribution, FinishReason | None]
"""One lap: the token that was written, the distribution it was drawn from, and why the reply ends
with it (or None).
"""


def generate(
    predictor: Predictor[Any], sampler: Sampler, stop: StopCondition, prompt: Sequence[TokenId]
) -> Iterator[Step]:
    """Write the continuation of prompt, one token a lap, until something stops it.

    The prompt is read in one go (prefill); each further token is read as it is written (decode).
    """
    state = predictor.start(prompt)
    position = len(prompt)
    finish = None
    while finish is None:
        # 1. predict: how likely is each token to come next, given everything so far?
        distribution = predictor.next(state)
        # 2. sample: one of them is drawn.
        token = sampler.pick(distribution, position)
        # 3. append: it becomes a part of the document, and the next lap reads it.
        state = predictor.append(state, token)
        position += 1
        # 4. stop? the end token, a stop sequence, or the length wall.
        finish = stop.reached(token)
        # 5. yield: the lap is over, and whoever waits for it sees the token now.
        yield token, distribution, finish
