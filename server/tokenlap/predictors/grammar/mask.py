"""A grammar over another predictor: it asks what that one would write, strikes out what the grammar
forbids, and shares the rest out anew.

The candidates that the predictor inside lists are tried one by one; the whole mask, as single
bytes, is taken only where none of them is allowed. What the grammar forces is written as the tokens
that its text has by itself. `logprob` and `probabilities` are those of the masked distribution: of
the tokens that are allowed here, after the others were struck out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tokenlap.engine.predictor import NO_TAIL, Distribution, Predictor
from tokenlap.engine.template import read
from tokenlap.engine.tokenizer import END, SPECIAL_TOKENS, TokenId, Tokenizer
from tokenlap.predictors.grammar.matcher import Matcher
from tokenlap.predictors.parts import bound_to
from tokenlap.predictors.sentences import first_token

HARD_BUDGET = 240
"""Tokens after which only what closes is written, wherever something can be closed."""
_CLOSERS = (b'"', b"}", b"]", b"null", b"0", b"true", b'":')
_MARKERS = frozenset(SPECIAL_TOKENS.values())
_UNLISTED = 1e-9
_COMMON = "etaoinshrdlucmfwypvbgkjqxz"


@dataclass(slots=True)
class MaskState:
    """inner: of the predictor inside; broken: a token was written that the grammar forbids."""

    matcher: Matcher
    inner: Any
    written: int = 0
    broken: bool = False


class GrammarPredictor:
    """Keeps a predictor to a grammar."""

    def __init__(
        self,
        beginning: Matcher,
        inner: Predictor[Any],
        tokenizer: Tokenizer,
        *,
        is_json: bool = True,
        closes: bool = False,
    ) -> None:
        """Take the grammar at its beginning.

        is_json: the text is over as soon as it is complete; closes: a long one is brought to its
        end, since the predictor inside does not see to it. Strings must be free to end anywhere.
        """
        self._beginning = beginning
        self._inner = inner
        self._tokenizer = tokenizer
        self._is_json = is_json
        self._closes = closes

    def fits(self, beginning: bytes) -> bool:
        """Say whether a text may begin so."""
        return self._beginning.copy().take(beginning)

    def start(self, prompt: Sequence[TokenId]) -> MaskState:
        """Read the document; what the open turn holds already is taken as the beginning."""
        reply = read(prompt, self._tokenizer).reply
        state = MaskState(self._beginning.copy(), self._inner.start(prompt))
        for token in reply:
            self._follow(state, token)
        return state

    def next(self, state: MaskState) -> Distribution:
        """Return the distribution over what is allowed, renormalised; its logprobs are finite."""
        if state.broken or self._is_over(state.matcher):
            return bound_to(END)
        forced = state.matcher.forced()
        if forced:
            return bound_to(first_token(forced, self._tokenizer))
        if self._closes and state.written > HARD_BUDGET:
            for closer in _CLOSERS:
                if state.matcher.allows(closer):
                    return bound_to(first_token(closer, self._tokenizer))
        return self._allowed(state)

    def append(self, state: MaskState, token: TokenId) -> MaskState:
        """Take a token."""
        self._follow(state, token)
        state.inner = self._inner.append(state.inner, token)
        return state

    def _follow(self, state: MaskState, token: TokenId) -> None:
        state.written += 1
        if token != END and not state.broken:
            state.broken = not state.matcher.take(self._tokenizer.token_bytes(token))

    def _is_over(self, matcher: Matcher) -> bool:
        return matcher.accepts() and (self._is_json or not matcher.options())

    def _allowed(self, state: MaskState) -> Distribution:
        matcher, token_bytes = state.matcher, self._tokenizer.token_bytes
        said = self._inner.next(state.inner)
        kept: dict[TokenId, float] = {}
        for token, p in zip(said.tokens, said.probabilities, strict=True):
            allowed = matcher.accepts() if token == END else matcher.allows(token_bytes(token))
            if allowed:
                kept[token] = p
        if not kept:
            return self._everything(matcher)
        total = sum(kept.values())
        return Distribution(
            tuple(kept),
            tuple(p / total for p in kept.values()),
            said.context,
            MaskTail(state, self._tokenizer),
            lambda: self._everything(matcher),
            bound=True,
        )

    def _everything(self, matcher: Matcher) -> Distribution:
        return _by_byte(matcher.options(), matcher.accepts(), self._tokenizer)


class MaskTail:
    """What a masked distribution gives to unlisted tokens: next to nothing where they are allowed,
    nothing where they are not. It can be asked only until the lap is over.
    """

    commonest: Sequence[TokenId] = NO_TAIL.commonest

    def __init__(self, state: MaskState, tokenizer: Tokenizer) -> None:
        """Take the state at the lap that this is the tail of."""
        self._state = state
        self._lap = state.written
        self._tokenizer = tokenizer
        self._known: dict[TokenId, float] = {}

    def probability(self, token: TokenId) -> float:
        """Return a share above 0 for an allowed token."""
        if token not in self._known and self._lap == self._state.written:
            ordinary = token not in _MARKERS and self._tokenizer.knows(token)
            raw = self._tokenizer.token_bytes(token) if ordinary else b""
            allowed = bool(raw) and self._state.matcher.allows(raw)
            self._known[token] = _UNLISTED if allowed else 0.0
        return self._known.get(token, 0.0)


@lru_cache(maxsize=2048)
def _by_byte(options: bytes, may_end: bool, tokenizer: Tokenizer) -> Distribution:
    """Return the whole mask as single bytes, plain letters first; what is not plain only where
    there is nothing else.
    """
    weights = {tokenizer.encode_bytes(bytes((b,)))[0]: _byte_weight(b) for b in options}
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1.0)
    if may_end:
        weights[END] = max(sum(weights.values()), 1.0)
    if not weights:
        return bound_to(END)
    whole = Distribution.of(weights)
    return Distribution(whole.tokens, whole.probabilities, 0, NO_TAIL, bound=True)


def _byte_weight(byte: int) -> float:
    sign = chr(byte)
    if sign in _COMMON:
        return 1.0 / (3 + _COMMON.index(sign))
    if sign in '"}],':
        return 1.0 if sign != "," else 0.4
    if sign.isdigit() and byte < 128:
        return 0.04 if sign == "0" else 0.1
    if "A" <= sign <= "Z":
        return 0.03
    return {" ": 0.1, "-": 0.01, "_": 0.01, ".": 0.01, "@": 0.01, "/": 0.01, "{": 0.2}.get(
        sign, 0.001 if " " < sign < "\x7f" and sign != "\\" else 0.0
    )
