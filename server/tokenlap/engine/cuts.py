"""What temperature, top_p and min_p do to the bars of a distribution.

Weights are unnormalised, largest first, at least one; a cut says how many of them to keep.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import exp

from tokenlap.engine.predictor import Distribution

_ROUNDING = 1e-12
"""By what share a sum of probabilities may miss what it stands for: .7 + .2 is below .9."""


def tempered(distribution: Distribution, temperature: float) -> list[float]:
    """Return the weights p ** (1 / temperature), relative to the best: below 1 sharpens, above 1
    flattens.
    """
    if temperature == 1:
        return list(distribution.probabilities)
    best = distribution.logprobs[0]
    # Divided, since 1 / temperature is infinite for the smallest temperatures.
    return [exp((logprob - best) / temperature) for logprob in distribution.logprobs]


def top_p(weights: Sequence[float], p: float) -> int:
    """Return how many of the most likely tokens to keep: the fewest whose share reaches p (nucleus
    sampling).

    weights: unnormalised, largest first, at least one. p: 0..1; 0 keeps the first alone.
    Example: [6, 3, 1], p=.7 -> 2
    Source: Holtzman et al. 2020, arXiv:1904.09751, section 3.1.
    """
    goal = p * sum(weights) * (1 - _ROUNDING)
    return min(bisect_left(list(accumulate(weights)), goal) + 1, len(weights))


def min_p(weights: Sequence[float], p: float) -> int:
    """Return how many tokens weigh at least p times the best one.

    weights: unnormalised, largest first, at least one. p: 0..1.
    Source: Nguyen et al. 2024, arXiv:2407.01082.
    """
    return sum(weight >= p * weights[0] for weight in weights)
