"""Fold the pieces of a text into a choice of the blocking answer; of several texts take the best.

Differences from OpenAI: the mean that best_of compares leaves the end token out, and a text of no
tokens comes last.
"""

from collections.abc import Sequence
from math import inf
from typing import Any

from tokenlap.api.completions.logprobs import Echo, Ledger, Piece, joined
from tokenlap.api.logprobs import trace
from tokenlap.engine.event import Finish, LapTrace, Text
from tokenlap.engine.tokenizer import Tokenizer


def folded(
    index: int, pieces: Sequence[Piece], ledger: Ledger | None, tokenizer: Tokenizer
) -> dict[str, Any]:
    """Return the choice that pieces add up to. ledger: None where no logprobs are shown."""
    texts: list[str] = []
    logprobs: list[dict[str, Any]] = []
    laps: list[LapTrace] = []
    reason = ""
    for piece in pieces:
        match piece:
            case Echo(text):
                texts.append(text)
                logprobs += [ledger.echo()] if ledger else []
            case Text(text):
                texts.append(text)
                logprobs += [ledger.reply(piece.scores)] if ledger else []
                laps += piece.laps
            case Finish():
                reason = piece.reason
                laps += piece.laps
    body = {
        "text": "".join(texts),
        "index": index,
        "logprobs": joined(logprobs) if ledger else None,
        "finish_reason": reason,
    }
    return {**body, "tokenlap": trace(tokenizer, laps)} if laps else body


def chosen(texts: Sequence[Sequence[Piece]], candidates: int, n: int) -> list[int]:
    """Return which texts are shown, prompt-major: for each prompt the n with the best mean logprob,
    the best first; in the order of writing where all are shown.

    texts: candidates for the first prompt, then for the next; ties go to the earlier text.
    """
    shown: list[int] = []
    for first in range(0, len(texts), candidates):
        group = list(range(first, first + candidates))
        if n < candidates:
            group = sorted(group, key=lambda i: -mean_logprob(texts[i]))[:n]
        shown += group
    return shown


def mean_logprob(pieces: Sequence[Piece]) -> float:
    """Return the mean natural-log probability of the tokens of a text; one without tokens comes
    last.
    """
    texts = [piece for piece in pieces if isinstance(piece, Text)]
    logprobs = [score.logprob for text in texts for score in text.scores]
    return sum(logprobs) / len(logprobs) if logprobs else -inf
