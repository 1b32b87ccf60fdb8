"""Logprobs as the wire spells them: the model's own natural-log probabilities, with the bytes of
each token.

A token that is a part of a character has no text of its own: it is spelled `bytes:\\xf0\\x9f`, as
the platform does.
"""

from collections.abc import Iterable
from typing import Any

from tokenlap.engine.event import LapTrace, Score
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import TokenId, Tokenizer

KEPT = 20
"""How many candidates a traced lap names at the most."""


def token_text(tokenizer: Tokenizer, token: TokenId) -> str:
    """Return the text of a token, its bytes spelled out where they are no whole characters."""
    raw = tokenizer.token_bytes(token)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "bytes:" + "".join(f"\\x{byte:02x}" for byte in raw)


def entries(tokenizer: Tokenizer, scores: Iterable[Score]) -> list[dict[str, Any]]:
    """Return ChatCompletionTokenLogprob objects."""
    return [
        {
            **_entry(tokenizer, score.token, score.logprob),
            "top_logprobs": [_entry(tokenizer, token, logprob) for token, logprob in score.top],
        }
        for score in scores
    ]


def _entry(tokenizer: Tokenizer, token: TokenId, logprob: float) -> dict[str, Any]:
    raw = tokenizer.token_bytes(token)
    return {"token": token_text(tokenizer, token), "logprob": logprob, "bytes": list(raw)}


def trace(tokenizer: Tokenizer, laps: Iterable[LapTrace]) -> dict[str, Any]:
    """Return the `tokenlap` object of the X-Tokenlap-Trace header: each lap with its die."""
    return {"laps": [_lap(tokenizer, lap) for lap in laps]}


def _lap(tokenizer: Tokenizer, lap: LapTrace) -> dict[str, Any]:
    """Return one lap: kept is [id, text, the model's share, the die's share], rest what is not
    named.

    The bars of the die come first and in its order: where u falls on them is the token.
    """
    model, die = lap.roll.model, lap.roll.die
    shares = dict(zip(die.tokens, die.probabilities, strict=True))
    named = list(dict.fromkeys((*die.tokens[:KEPT], *model.tokens[:KEPT])))[:KEPT]
    own = _shares(model)
    kept = [
        [
            token,
            token_text(tokenizer, token),
            own.get(token, model.tail.probability(token)),
            shares.get(token, 0.0),
        ]
        for token in named
    ]
    return {
        "lap": lap.lap,
        "id": lap.token,
        "text": token_text(tokenizer, lap.token),
        "bytes": list(tokenizer.token_bytes(lap.token)),
        "u": lap.roll.u,
        "kept": kept,
        "rest": _rest(model, die, frozenset(named)),
        "context": model.context,
        **({"reason": lap.reason} if lap.reason else {}),
    }


def _shares(distribution: Distribution) -> dict[TokenId, float]:
    return dict(zip(distribution.tokens, distribution.probabilities, strict=True))


def _rest(model: Distribution, die: Distribution, named: frozenset[TokenId]) -> dict[str, Any]:
    """Return how many listed tokens are not named, and their shares."""
    own, shares = _shares(model), _shares(die)
    unnamed = [token for token in {**own, **shares} if token not in named]
    return {
        "n": len(unnamed),
        "p_model": sum(own.get(token, 0.0) for token in unnamed),
        "p_die": sum(shares.get(token, 0.0) for token in unnamed),
    }
