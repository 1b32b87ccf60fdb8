"""From a distribution to one token: the weighted die, and the parameters that reshape it.

The order is that of the engines (vLLM): penalties and bias, temperature, min_p, top_k, top_p. The
die is a pure function of (seed, position in the document), so a reply that is stepped one lap at a
time is the reply that is streamed in one go.
"""

from collections import Counter
from collections.abc import Sequence
from math import exp
from typing import NamedTuple, Protocol

from tokenlap.engine.cuts import min_p, tempered, top_p
from tokenlap.engine.dice import Dice
from tokenlap.engine.predictor import LOG_ZERO, Distribution
from tokenlap.engine.tokenizer import TokenId

REMOVED = -100.0
"""A logit_bias this low takes the token off the die (OpenAI: "result in a ban")."""
_IMPOSSIBLE = -60.0
"""The logprob a bias starts from where the model holds a token impossible: +100 lifts it above any
other.
"""


class SamplingParams(NamedTuple):
    """How the next token is drawn; the defaults leave the model's distribution as it is.

    temperature: 0..2, 0 is greedy; top_p: 0..1, 1 keeps all; top_k: 0 keeps all; min_p: 0..1,
    relative to the best. frequency_penalty, presence_penalty: -2..2, on the tokens of the reply;
    repetition_penalty: > 0, 1 is none, on the tokens of prompt and reply (as vLLM). logit_bias:
    (token, -100..100), REMOVED takes it off the die. banned_first: tokens that cannot be drawn in
    the first `banned_laps` laps (min_tokens).
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    repetition_penalty: float = 1.0
    logit_bias: tuple[tuple[TokenId, float], ...] = ()
    banned_first: tuple[TokenId, ...] = ()
    banned_laps: int = 0
    seed: int = 0

    @property
    def cuts(self) -> bool:
        """Whether temperature, top_p, top_k or min_p change the die."""
        return (self.temperature, self.top_p, self.top_k, self.min_p) != (1.0, 1.0, 0, 0.0)

    @property
    def adjusts(self) -> bool:
        """Whether some tokens are treated unlike others: penalties, bias, bans."""
        penalties = (self.frequency_penalty, self.presence_penalty, self.repetition_penalty)
        return penalties != (0.0, 0.0, 1.0) or bool(self.logit_bias or self.banned_laps)


class Sampler(Protocol):
    """Picks the token of a lap."""

    def pick(self, distribution: Distribution, position: int, /) -> TokenId:
        """Return the token drawn for this position in the document, counted from the prompt's first
        token.
        """

    def die(self, distribution: Distribution, position: int, /) -> Distribution:
        """Return the shares that the next pick draws from."""


class Greedy:
    """Temperature 0: no die, the largest wins; ties go to the lower id."""

    def pick(self, distribution: Distribution, position: int) -> TokenId:
        """Return the most likely token."""
        return distribution.tokens[0]

    def die(self, distribution: Distribution, position: int) -> Distribution:
        """Return the distribution that is certain of the most likely token."""
        return Distribution.certain(distribution.tokens[0], distribution.context)


class Plain:
    """Temperature 1 and no cuts: the model's distribution is the die."""

    def __init__(self, seed: int) -> None:
        """Take the seed of this choice."""
        self._roll = Dice(seed).roll

    def pick(self, distribution: Distribution, position: int) -> TokenId:
        """Return the token the roll falls on; a lone candidate needs no roll."""
        lone = distribution.lone
        return distribution.draw(self._roll(position)) if lone is None else lone

    def die(self, distribution: Distribution, position: int) -> Distribution:
        """Return the model's distribution."""
        return distribution


class Shaped:
    """Temperature and cuts, the same for every token."""

    def __init__(self, params: SamplingParams) -> None:
        """Take params with a temperature above 0."""
        self._params = params
        self._roll = Dice(params.seed).roll

    def pick(self, distribution: Distribution, position: int) -> TokenId:
        """Return the token the roll falls on; a lone candidate needs no roll."""
        if distribution.lone is not None:
            return distribution.lone
        return shape(distribution, self._params).draw(self._roll(position))

    def die(self, distribution: Distribution, position: int) -> Distribution:
        """Return the reshaped distribution."""
        return shape(distribution, self._params)


class Adjusted:
    """Penalties, bias and bans, then temperature and cuts; remembers what it has picked."""

    def __init__(self, params: SamplingParams, prompt: Sequence[TokenId]) -> None:
        """Take the prompt for the repetition penalty and for where the reply begins."""
        self._params = params
        self._roll = Dice(params.seed).roll
        self._written: Counter[TokenId] = Counter()
        self._prompt = frozenset(prompt) if params.repetition_penalty != 1.0 else frozenset()
        self._bias = dict(params.logit_bias)
        self._first_free = len(prompt) + params.banned_laps

    def pick(self, distribution: Distribution, position: int) -> TokenId:
        """Return the token drawn, and count it."""
        die = self.die(distribution, position)
        token = die.draw(self._roll(position)) if die.lone is None else die.lone
        self._written[token] += 1
        return token

    def die(self, distribution: Distribution, position: int) -> Distribution:
        """Return the adjusted and reshaped distribution; backs off where no listed token
        remains.
        """
        removed = {token for token, bias in self._bias.items() if bias <= REMOVED}
        if position < self._first_free:
            removed.update(self._params.banned_first)
        adjusted = self._adjusted(distribution, removed)
        while not adjusted:
            if distribution.bound and distribution.backoff is None:
                removed = set()  # a grammar leaves no other token: structure wins over a ban
            else:
                distribution = _backed_off(distribution, removed)
            adjusted = self._adjusted(distribution, removed)
        # Shifted so that the best is 0: a bias of +100 must not overflow, nor -99 make everything
        # zero.
        best = max(adjusted.values())
        weights = {token: exp(max(logit - best, -700.0)) for token, logit in adjusted.items()}
        model = Distribution.of(weights, distribution.context)
        if self._params.temperature == 0:
            return Distribution.certain(model.tokens[0], model.context)
        return shape(model, self._params)

    def _adjusted(self, distribution: Distribution, removed: set[TokenId]) -> dict[TokenId, float]:
        """Return the logits after penalties and bias of the listed and the positively biased
        tokens.
        """
        logits = dict(zip(distribution.tokens, distribution.logprobs, strict=True))
        for token, bias in self._bias.items():
            if bias > 0 and token not in logits:
                logprob = distribution.logprob(token)
                if logprob > LOG_ZERO or not distribution.bound:
                    logits[token] = max(logprob, _IMPOSSIBLE)
        return {
            token: self._penalised(token, logit) + self._bias.get(token, 0.0)
            for token, logit in logits.items()
            if token not in removed
        }

    def _penalised(self, token: TokenId, logit: float) -> float:
        params, count = self._params, self._written[token]
        if count or token in self._prompt:
            # Engines multiply a negative logit and divide a positive one; a logprob is never
            # positive.
            logit = max(logit * params.repetition_penalty, LOG_ZERO)
        return logit - count * params.frequency_penalty - (count > 0) * params.presence_penalty


def _backed_off(distribution: Distribution, removed: set[TokenId]) -> Distribution:
    """Return what to draw from when every listed token has been removed: the model's backoff, else
    its tail.
    """
    if distribution.backoff is not None:
        return distribution.backoff()
    tail = distribution.tail
    for token in tail.commonest:
        if token not in removed and token not in distribution.tokens:
            return Distribution.certain(token)
    raise ValueError("logit_bias removes every token of the vocabulary")


def shape(distribution: Distribution, params: SamplingParams) -> Distribution:
    """Return the die: temperature, then min_p, top_k and top_p, renormalised.

    The head alone is on the die; temperature must be above 0.
    """
    if not params.cuts:
        return distribution
    weights = tempered(distribution, params.temperature)
    kept = len(weights)
    if params.min_p > 0:
        kept = min_p(weights, params.min_p)
    if 0 < params.top_k < kept:
        kept = params.top_k
    if params.top_p < 1:
        kept = top_p(weights[:kept], params.top_p)
    weights = [weight for weight in weights[:kept] if weight > 0]  # a low temperature rounds to 0
    total = sum(weights)
    return Distribution(
        distribution.tokens[: len(weights)], [w / total for w in weights], distribution.context
    )


def sampler_for(params: SamplingParams, prompt: Sequence[TokenId]) -> Sampler:
    """Choose the sampler once per request: the simplest that does what params ask for."""
    if params.adjusts:
        return Adjusted(params, prompt)
    if params.temperature == 0:
        return Greedy()
    return Shaped(params) if params.cuts else Plain(params.seed)
