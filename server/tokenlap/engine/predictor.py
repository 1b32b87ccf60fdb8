"""What a model says about the next token (Distribution), and what can say it (Predictor).

A model is a tokenizer and a predictor. The predictor reads the document so far and answers one
question: how likely is each token to come next? It never sees time, the wire or the request.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, islice
from math import log
from typing import Any, Protocol, TypeVar

from tokenlap.engine.tokenizer import VOCABULARY_SIZE, TokenId

LOG_ZERO = -9999.0
"""The logprob that is reported for probability zero: JSON has no infinities (OpenAI API
reference).
"""

Candidate = tuple[TokenId, float]
"""A token and its natural-log probability."""


class Tail(Protocol):
    """What a distribution gives to the tokens that it does not list."""

    @property
    def commonest(self) -> Sequence[TokenId]:
        """Unlisted tokens worth naming, most likely first."""

    def probability(self, token: TokenId) -> float:
        """Return the probability of an unlisted token, 0 where it cannot come."""


class NoTail:
    """The tail of a distribution that lists all it holds possible."""

    commonest: Sequence[TokenId] = range(VOCABULARY_SIZE)  # equally impossible: ties by lower id

    def probability(self, token: TokenId) -> float:
        """Return 0: an unlisted token cannot come."""
        return 0.0


NO_TAIL = NoTail()


class Distribution:
    """The model's own probabilities for the next token: a listed head, most likely first, and a
    tail.

    Build one once and hand out references: it is immutable in effect, and what is derived from it
    is kept on it.
    """

    __slots__ = (
        "_cumulative",
        "_logprobs",
        "backoff",
        "bound",
        "context",
        "lone",
        "probabilities",
        "tail",
        "tokens",
    )

    def __init__(
        self,
        tokens: Sequence[TokenId],
        probabilities: Sequence[float],
        context: int,
        tail: Tail = NO_TAIL,
        backoff: "Callable[[], Distribution] | None" = None,
        bound: bool = False,
    ) -> None:
        """Take a normalised head.

        tokens: ids, most likely first, ties by lower id, at least one.
        probabilities: linear, each > 0, of the same length; they sum to 1 within 1e-6.
        context: how many of the last tokens the predictor really looked at.
        tail: the probabilities of the ids that are not listed, outside that sum.
        backoff: what to ask when a request has removed every listed token; None to fall back to the
        tail.
        bound: what has no probability here is forbidden, as under a grammar: no bias brings it in,
        and a ban that would leave nothing is passed over.
        """
        self.tokens = tokens
        self.probabilities = probabilities
        self.lone = tokens[0] if len(tokens) == 1 else None
        """The only listed token, None where there are several."""
        self.context = context
        self.tail = tail
        self.backoff = backoff
        self.bound = bound
        self._cumulative: list[float] | None = None
        self._logprobs: tuple[float, ...] | None = None

    @classmethod
    def certain(cls, token: TokenId, context: int = 0) -> "Distribution":
        """Return the distribution in which token has probability 1."""
        return cls((token,), (1.0,), context)

    @classmethod
    def of(
        cls, weights: Mapping[TokenId, float], context: int = 0, tail: Tail = NO_TAIL
    ) -> "Distribution":
        """Return the distribution proportional to weights; raises ValueError when none is above
        zero.

        Example: {a: 3, b: 1} -> a .75, b .25
        """
        total = sum(weight for weight in weights.values() if weight > 0)
        if not total > 0:
            raise ValueError("a distribution needs at least one token with a weight above zero")
        # Sorted by share, not by weight: two weights may differ and round to equal shares.
        kept = sorted((-weight / total, token) for token, weight in weights.items() if weight > 0)
        return cls(
            tuple(token for _, token in kept), tuple(-share for share, _ in kept), context, tail
        )

    @property
    def logprobs(self) -> tuple[float, ...]:
        """The natural logs of probabilities."""
        if self._logprobs is None:
            self._logprobs = tuple(map(log, self.probabilities))
        return self._logprobs

    def logprob(self, token: TokenId) -> float:
        """Return the natural-log probability of any token, LOG_ZERO where it is zero."""
        if token in self.tokens:
            return self.logprobs[self.tokens.index(token)]
        p = self.tail.probability(token)
        return log(p) if p > 0 else LOG_ZERO

    def top(self, k: int) -> list[Candidate]:
        """Return the k most likely candidates, most likely first, ties by lower id.

        Some may come from the tail: a token there can be likelier than the last ones of the head.
        """
        listed = islice(zip(self.tokens, self.logprobs, strict=True), k)
        known = set(self.tokens)
        unlisted = islice((token for token in self.tail.commonest if token not in known), k)
        candidates = [*listed, *((token, self.logprob(token)) for token in unlisted)]
        return sorted(candidates, key=lambda candidate: (-candidate[1], candidate[0]))[:k]

    def draw(self, u: float) -> TokenId:
        """Return the token whose bar u falls on, the bars standing most likely first.

        u: 0 <= u < 1.
        """
        if self.lone is not None:
            return self.lone
        tokens = self.tokens
        if self._cumulative is None:
            self._cumulative = list(accumulate(self.probabilities))
        cumulative = self._cumulative
        return tokens[min(bisect_right(cumulative, u * cumulative[-1]), len(tokens) - 1)]


class Weighted(Distribution):
    """The distribution proportional to weights, which ranks its candidates only when asked: mostly
    the roll falls on the first bar, and nobody wants to see the others.
    """

    __slots__ = ("_weights",)

    def __init__(self, weights: Mapping[TokenId, float], context: int, tail: Tail) -> None:
        """Take at least one weight, all above zero, by token; they stay as they are."""
        self._weights = weights
        self.lone = min(weights) if len(weights) == 1 else None
        self.context = context
        self.tail = tail
        self.backoff = None
        self.bound = False
        self._cumulative = self._logprobs = None

    def __getattr__(self, name: str) -> Any:
        """Rank the candidates: their tokens or probabilities have been asked for."""
        if name not in ("tokens", "probabilities"):
            raise AttributeError(name)
        ranked = Distribution.of(self._weights)
        self.tokens, self.probabilities = ranked.tokens, ranked.probabilities
        return getattr(self, name)

    def draw(self, u: float) -> TokenId:
        """Return the token whose bar u falls on, the bars standing most likely first.

        u: 0 <= u < 1.
        """
        weights = self._weights
        total = sum(weights.values())
        most = max(weights.values()) / total
        if u < most:  # several may have the largest share, though their weights differ
            return min([token for token, weight in weights.items() if weight / total == most])
        return super().draw(u)


State = TypeVar("State")


class Predictor(Protocol[State]):
    """A model without its tokenizer: start reads a document, next predicts, append takes the token
    that was written.

    A state belongs to one sequence; append may change it in place, so use only what it returns. The
    state is a function of the document alone: start(prompt + [token]) predicts what
    append(start(prompt), token) predicts.
    """

    def start(self, prompt: Sequence[TokenId], /) -> State:
        """Read the whole document at once (prefill)."""

    def next(self, state: State, /) -> Distribution:
        """Return the distribution of the token that comes next."""

    def append(self, state: State, token: TokenId, /) -> State:
        """Return the state after token has been written."""
