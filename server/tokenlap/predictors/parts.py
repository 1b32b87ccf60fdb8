"""A reply of several parts, each with a predictor of its own: thinking, then an answer; one tool
call after another; labelled fields.

Where the predictor of a part says the end token, the reply goes on with the lead of the next part:
the markers that close its turn and open another, or a label. Leads are tokens like any other, each
written in a lap of its own, with probability 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tokenlap.engine.predictor import NO_TAIL, Distribution, Predictor
from tokenlap.engine.tokenizer import CLOSE, END, MESSAGE, START, TokenId, Tokenizer


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a reply. lead: the tokens before it, none where the prompt ends with them."""

    predictor: Predictor[Any]
    lead: tuple[TokenId, ...] = ()


@dataclass(slots=True)
class PartsState:
    """Where a reply stands. part: which one; lead: what is still to be written before it; inner:
    None until then.
    """

    document: list[TokenId]
    part: int
    lead: tuple[TokenId, ...]
    inner: Any = None


class PartsPredictor:
    """Writes its parts, one after the other."""

    def __init__(self, parts: Sequence[Part], begin: int, end: TokenId = END) -> None:
        """Take at least one part.

        begin: the length of the prompt, in tokens; end: the token that ends the last part.
        """
        self._parts = parts
        self._begin = begin
        self._end = end

    def start(self, prompt: Sequence[TokenId]) -> PartsState:
        """Read the document, and replay what the reply already holds."""
        state = PartsState(list(prompt[: self._begin]), 0, self._parts[0].lead)
        self._enter(state)
        for token in prompt[self._begin :]:
            state = self.append(state, token)
        return state

    def next(self, state: PartsState) -> Distribution:
        """Return what the present part says; its end token is the first token of the next lead."""
        if state.lead:
            return bound_to(state.lead[0])
        said = self._parts[state.part].predictor.next(state.inner)
        after = self._after(state.part)
        return said if after == END else renamed(said, END, after)

    def append(self, state: PartsState, token: TokenId) -> PartsState:
        """Take a token: of a lead, of a part, or the one between two parts."""
        state.document.append(token)
        if state.lead:
            state.lead = state.lead[1:]
            self._enter(state)
        elif token == self._after(state.part) and state.part + 1 < len(self._parts):
            state.part += 1
            state.lead = self._parts[state.part].lead[1:]
            self._enter(state)
        else:
            state.inner = self._parts[state.part].predictor.append(state.inner, token)
        return state

    def _enter(self, state: PartsState) -> None:
        """Start the predictor of a part, once its lead is written; one that is only labelled reads
        the turn as if it had just begun.
        """
        if state.lead:
            return
        part, document = self._parts[state.part], state.document
        if part.lead and part.lead[-1] != MESSAGE:
            document = document[: _last(document, MESSAGE) + 1]
        state.inner = part.predictor.start(document)

    def _after(self, part: int) -> TokenId:
        return self._parts[part + 1].lead[0] if part + 1 < len(self._parts) else self._end


def turn_lead(header: str, tokenizer: Tokenizer) -> tuple[TokenId, ...]:
    """Return the tokens that close the open turn and open one with this header."""
    return (CLOSE, START, *tokenizer.encode(header), MESSAGE)


@lru_cache(maxsize=4096)
def bound_to(token: TokenId) -> Distribution:
    """Return the distribution of the only token that may come, whatever a request's bias says."""
    return Distribution((token,), (1.0,), 0, NO_TAIL, bound=True)


def renamed(said: Distribution, token: TokenId, other: TokenId) -> Distribution:
    """Return a distribution in which other has the share of token as well."""
    if token not in said.tokens:
        return said
    if len(said.tokens) == 1:
        return bound_to(other)
    shares: dict[TokenId, float] = {}
    for candidate, p in zip(said.tokens, said.probabilities, strict=True):
        written = other if candidate == token else candidate
        shares[written] = shares.get(written, 0.0) + p
    merged = Distribution.of(shares, said.context, said.tail)
    return Distribution(
        merged.tokens, merged.probabilities, said.context, said.tail, said.backoff, said.bound
    )


def _last(document: Sequence[TokenId], token: TokenId) -> int:
    return max((i for i, each in enumerate(document) if each == token), default=-1)
