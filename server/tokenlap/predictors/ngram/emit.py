"""From weights of local ids to a distribution over the vocabulary: slots, the end, and a tail for
every other id.
"""

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from math import exp

from tokenlap.engine.predictor import Distribution, Weighted
from tokenlap.engine.tokenizer import END, VOCABULARY_SIZE, TokenId, Tokenizer
from tokenlap.predictors.ngram.lexicon import (
    ANSWER,
    DONE,
    FIRST_ORDINARY,
    NEWLINES,
    SPACED_TOPIC,
    TOPIC,
    Lexicon,
)
from tokenlap.predictors.ngram.state import NgramState
from tokenlap.predictors.ngram.store import NgramModel

_FLOOR = 2e-5
_UNSEEN_SHARE = 1e-6
_COMMONEST = 64
_CONTEXT_BITS = 4
_PARAGRAPH_SHARE = 0.002
"""The part of the end token's probability that goes to a new paragraph: what remains if the end is
removed.
"""
_HAZARD_FROM, _HAZARD_MIDDLE, _HAZARD_WIDTH = 120, 220, 25
"""Tokens of a reply from which it is urged to end, at which half of its sentence ends do, and how
sharply.
"""


class UnigramTail:
    """The tail of every distribution: the floor times how common a token is in the corpus."""

    __slots__ = ("_counts", "_total", "commonest")

    def __init__(self, counts: Mapping[TokenId, int]) -> None:
        """Take how often each token occurs."""
        self._counts = counts
        self._total = sum(counts.values())
        common = nsmallest(_COMMONEST, counts, key=lambda token: (-counts[token], token))
        self.commonest: Sequence[TokenId] = tuple(common)

    def probability(self, token: TokenId) -> float:
        """Return the probability of any id of the vocabulary, above zero; 0 for others."""
        if not 0 <= token < VOCABULARY_SIZE:
            return 0.0
        return _FLOOR * (self._counts.get(token, 0) or _UNSEEN_SHARE) / self._total


Said = tuple[Distribution, Mapping[TokenId, int]]
"""A distribution, and the tokens that stand for another local id in it; minus one: its rest, see
repair.py.
"""
Draft = dict[TokenId, float]
"""A distribution in the making: weights by token."""
NO_OFFERS: dict[TokenId, int] = {}


class Emitter:
    """Turns weights of local ids into distributions; those of a single candidate are made once."""

    def __init__(self, model: NgramModel, lexicon: Lexicon, tokenizer: Tokenizer) -> None:
        """Take the model with its numbering."""
        self._ids = lexicon.ids
        self._local = lexicon.local
        self._tokenizer = tokenizer
        self._tail = UnigramTail(
            {
                token: count
                for token, count in zip(model.vocabulary, model.counts, strict=True)
                if count
            }
        )
        self._certain: dict[int, Distribution] = {}
        self._spaced: dict[TokenId, TokenId] = {}

    def certain(self, token: TokenId, context: int) -> Distribution:
        """Return the distribution of a single candidate."""
        key = token << _CONTEXT_BITS | context
        found = self._certain.get(key)
        if found is None:
            found = self._certain[key] = Distribution((token,), (1.0,), context, self._tail)
        return found

    def emit(self, state: NgramState, weights: Mapping[int, float]) -> Said:
        """Return the distribution of weights, and the tokens that stand for another local id in it.

        Of these, a slot stands for its phrase (see phrase), ANSWER for a new paragraph.
        """
        longest, ids = state.longest, self._ids
        hurried = state.memory.length > _HAZARD_FROM and state.starts
        if min(weights) >= FIRST_ORDINARY and not state.spaced and not hurried:
            named = {ids[local]: weight for local, weight in weights.items()}
            if len(named) == 1:
                return self.certain(min(named), longest), NO_OFFERS
            return Weighted(named, longest, self._tail), NO_OFFERS
        draft: Draft = {}
        offers: dict[TokenId, int] = {}
        slots: list[int] = []
        for local, weight in weights.items():
            if local > DONE:
                token = ids[local]
                draft[token] = draft.get(token, 0.0) + weight
            elif local < DONE:
                slots.append(local)
        if state.spaced:
            draft = self._with_space(draft, offers)
        for slot in slots:
            self._place_slot(state, slot, weights[slot], draft, offers)
        if DONE in weights or hurried:
            self._place_end(state, weights.get(DONE, 0.0), draft, offers)
        return Weighted(draft, longest, self._tail), offers

    def emit_repaired(self, weights: Mapping[int, float], rests: Mapping[int, TokenId]) -> Said:
        """Return the distribution of what the last token lacks; rests: local id to the token that
        completes it.
        """
        draft: Draft = {}
        offers: dict[TokenId, int] = {}
        for local in sorted(weights, key=lambda local: (weights[local], -local)):
            draft[rests[local]] = draft.get(rests[local], 0.0) + weights[local]
            offers[rests[local]] = -local
        return Weighted(draft, 1, self._tail), offers

    def _with_space(self, draft: Draft, offers: dict[TokenId, int]) -> Draft:
        """Give each word a leading space, where the vocabulary has the word with one."""
        spaced: Draft = {}
        for token, weight in draft.items():
            written = self._spaced.get(token)
            if written is None:
                text = self._tokenizer.decode([token])
                with_space = self._tokenizer.encode(" " + text) if text[:1].isalnum() else [token]
                written = self._spaced[token] = with_space[0] if len(with_space) == 1 else token
            spaced[written] = spaced.get(written, 0.0) + weight
            if written != token:
                offers[written] = self._local[token]
        return spaced

    def phrase(self, state: NgramState, slot: int) -> Sequence[TokenId]:
        """Return the tokens that a slot stands for here."""
        spaced = SPACED_TOPIC if state.spaced and slot == TOPIC else slot
        return state.prefill.phrase(spaced, at_start=state.memory.since == 0)

    def _place_slot(
        self, state: NgramState, slot: int, weight: float, draft: Draft, offers: dict[TokenId, int]
    ) -> None:
        """Give the weight of a slot to the first token of its phrase; the larger share decides what
        it means.
        """
        token = self.phrase(state, slot)[0]
        plain = draft.get(token, 0.0)
        draft[token] = plain + weight
        if weight > plain:
            offers[token] = slot

    def _place_end(
        self, state: NgramState, end: float, draft: Draft, offers: dict[TokenId, int]
    ) -> None:
        """Add the end token, likelier the longer the reply is, and beside it a new paragraph."""
        length = state.memory.length
        if length > _HAZARD_FROM and state.last != ANSWER and (end or state.starts):
            hazard = 1 / (1 + exp((_HAZARD_MIDDLE - length) / _HAZARD_WIDTH))
            others = sum(draft.values())
            end = (1 - hazard) * end + hazard * (end + others)
            for token in draft:
                draft[token] *= 1 - hazard
        if end:
            draft[END] = end * (1 - _PARAGRAPH_SHARE)
            plain = draft.get(NEWLINES, 0.0)
            draft[NEWLINES] = plain + end * _PARAGRAPH_SHARE
            if end * _PARAGRAPH_SHARE > plain:
                offers[NEWLINES] = ANSWER
