"""Predicted outputs: how many tokens of a prediction a reply has confirmed.

Source: API reference, `prediction` and `completion_tokens_details`; wire checklist 137. Reckoned as
speculative decoding would: the reply is read along the prediction; after a difference both meet
again where two tokens of the reply stand in the prediction.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tokenlap.engine.tokenizer import TokenId

_AHEAD = 256
"""Tokens of the prediction that are searched for the place to go on from."""


def predicted_text(prediction: Mapping[str, Any] | None) -> str | None:
    """Return the text of a prediction, its parts joined; None where there is none."""
    content = (prediction or {}).get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def counts(prediction: Sequence[TokenId], reply: Sequence[TokenId]) -> tuple[int, int]:
    """Return how many tokens of a prediction a reply accepted, and how many it rejected.

    Example: prediction a b c d, reply a b x c d -> 4 accepted, 0 rejected
    """
    at = accepted = 0
    for i, token in enumerate(reply):
        if at < len(prediction) and prediction[at] == token:
            accepted += 1
            at += 1
            continue
        pair = tuple(reply[i : i + 2])
        found = _find(prediction, pair, at) if len(pair) == 2 else -1
        if found >= 0:
            accepted += 1
            at = found + 1
    return accepted, len(prediction) - accepted


def _find(prediction: Sequence[TokenId], pair: tuple[TokenId, ...], begin: int) -> int:
    for at in range(begin, min(begin + _AHEAD, len(prediction) - 1)):
        if (prediction[at], prediction[at + 1]) == pair:
            return at
    return -1
