"""The one formula: every place that continues the context votes for its token, by relevance and
match length.

Two kinds of votes: places whose context matches (the table), and the places where any sentence
begins, after a sentence has ended (the joins). The joins are where variety comes from: low orders
may join only there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tokenlap.predictors.ngram.lexicon import DONE
from tokenlap.predictors.ngram.places import PAIR_SHIFT, Corpus
from tokenlap.predictors.ngram.segments import Flag

LONGEST_MATCH = 12
"""The most tokens of context that a place is compared with."""
OUTSIDE = 0.004
"""The relevance of documents that the prompt did not find, within a sentence."""

_OUTSIDE_HEAD, _OUTSIDE_START, _OUTSIDE_OPENING = 0.00012, 0.0005, 0.00003
"""The same near the start of a sentence, at its start, and at the start of an answer."""
_INSIDE = (0.0, 0.05, *(8.0 ** (min(x, 6) - 1) for x in range(2, LONGEST_MATCH + 1)))
_CODE = (0.0, 0.002, 0.016, *(30.0 ** (x - 1) for x in range(3, LONGEST_MATCH + 1)))
_ITEM = (0.0, 0.001, 20.0, 20.0, *(60.0 for _ in range(4, LONGEST_MATCH + 1)))
"""Factor by match length: within a sentence, in code (so that brackets stay balanced), after a list
number.
"""
_FLOWING_FROM, _FLOWING = 3, 1.7
_USED, _OPENED_ALIKE, _WEAK = 2.0, 0.25, 0.15
_EARLY_END, _EARLY_END_TOKENS = 0.5, 50
_OPENING_POWER = 3.0
_SAID_AGAIN, _SAID_LEAST = 0.004, 1e-9
_START, _HEAD, _JOIN = Flag.START, Flag.HEAD, Flag.START | Flag.ITEM


def _rule(flag: int) -> tuple[Sequence[float], float]:
    """Return the factors by match length, and the relevance of documents that are not near, for
    places with these flags.
    """
    if flag & Flag.START:
        return _INSIDE, _OUTSIDE_OPENING if flag & Flag.OPENING else _OUTSIDE_START
    if flag & (Flag.CODE | Flag.ITEM):
        return _CODE if flag & Flag.CODE else _ITEM, OUTSIDE
    return _INSIDE, _OUTSIDE_HEAD if flag & Flag.HEAD else OUTSIDE


_RULES = tuple(_rule(flag) for flag in range(2 * Flag.BORDER))

Join = tuple[int, int, float, int, int, int]
"""A place where a sentence begins: place, local id, weight, document, key of its first two ids,
sentence.
"""


@dataclass(slots=True)
class Memory:
    """What a reply has said so far, as far as the weights depend on it.

    length: tokens of this reply; said: the factor of each sentence already said; used: the
    documents they came from; openings: the key of the first two local ids of each sentence; since:
    tokens since the sentence began.
    """

    length: int = 0
    said: dict[int, float] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    openings: set[int] = field(default_factory=set)
    since: int = 0

    def end_sentence(self, corpus: Corpus, table: Mapping[int, int], longest: int) -> None:
        """Remember the sentences that the longest matches of table have just finished, if they
        finish any.
        """
        over = [place for place, x in table.items() if x == longest and corpus.flags[place] & _JOIN]
        if over or not table:
            self.since = 0
        if longest >= _FLOWING_FROM:
            for place in over:
                self.used.add(corpus.document[place])
                sentence = corpus.sentences[place - 1]
                self.said[sentence] = max(_SAID_LEAST, self.said.get(sentence, 1.0) * _SAID_AGAIN)


def joins(corpus: Corpus, relevance: Sequence[float], places: Iterable[int]) -> list[Join]:
    """Return those of places where a sentence begins, with the part of their weight that no reply
    changes.
    """
    tokens, flags, documents = corpus.tokens, corpus.flags, corpus.document
    found: dict[int, Join] = {}
    for place in places:
        flag = flags[place]
        if not flag & _START:
            continue
        token, document = tokens[place], documents[place]
        weight = relevance[document] or _RULES[flag][1]
        if flag & Flag.OPENING:
            # The answer opens as the best documents do; the others come in later.
            weight **= _OPENING_POWER
        if token == DONE:
            weight *= _EARLY_END
        elif flag & Flag.WEAK:
            weight *= _WEAK
        pair = token << PAIR_SHIFT | tokens[place + 1]
        found[place] = place, token, weight, document, pair, corpus.sentences[place]
    return list(found.values())


def weigh(
    corpus: Corpus,
    relevance: Sequence[float],
    table: Mapping[int, int],
    starts: Sequence[Join],
    memory: Memory,
) -> dict[int, float]:
    """Return the weight of each local id that may come next, all above zero.

    relevance: r of each document, 0 for those that are not near the prompt; table: place to match
    length x, 1 to 12; starts: where a sentence may begin, if one may.
    """
    tokens, flags, documents = corpus.tokens, corpus.flags, corpus.document
    said, sentences = memory.said, corpus.sentences
    weights: dict[int, float] = {}
    for place, x in table.items():
        flag = flags[place]
        factors, outside = _RULES[flag]
        near = relevance[documents[place]] or outside
        if flag & _START:
            weight = _start_weight(corpus, place, x, near, memory)
        elif sentences[place] in said:
            if factors is _INSIDE and flag & _HEAD:
                x = min(x, 2)  # a frame that leads into what has been said leads elsewhere instead
            weight = factors[x] * near * said[sentences[place]]
        else:
            weight = factors[x] * near
        token = tokens[place]
        weights[token] = weights.get(token, 0.0) + weight
    if starts:
        _add_starts(weights, table, starts, memory)
    return weights


def _add_starts(
    weights: dict[int, float], table: Mapping[int, int], starts: Sequence[Join], memory: Memory
) -> None:
    """Add the votes of the places where a sentence begins, but for those that the table has."""
    said, used, openings = memory.said, memory.used, memory.openings
    before = weights.get(DONE, 0.0)
    for place, token, weight, document, pair, sentence in starts:
        if place in table:
            continue
        if document in used:
            weight *= _USED
        if pair in openings:
            weight *= _OPENED_ALIKE
        if sentence in said:
            weight *= said[sentence]
        weights[token] = weights.get(token, 0.0) + weight
    if DONE in weights:
        weights[DONE] = before + (weights[DONE] - before) * _earliness(memory)


def _start_weight(corpus: Corpus, place: int, x: int, weight: float, memory: Memory) -> float:
    """Return the weight of a place in the table where a sentence begins, or the answer ends.

    weight: the relevance of its document.
    """
    flag, token = corpus.flags[place], corpus.tokens[place]
    if x >= _FLOWING_FROM:
        weight *= _FLOWING
    elif token == DONE:
        weight *= _EARLY_END * _earliness(memory)
    elif flag & Flag.WEAK:
        weight *= _WEAK
    if corpus.document[place] in memory.used:
        weight *= _USED
    if token << PAIR_SHIFT | corpus.tokens[place + 1] in memory.openings:
        weight *= _OPENED_ALIKE
    return weight * memory.said.get(corpus.sentences[place], 1.0)


def _earliness(memory: Memory) -> float:
    """Return the factor of an end that nothing but a full stop speaks for: short replies seldom end
    like that.
    """
    return min(1.0, (memory.length + 1) / _EARLY_END_TOKENS) ** 2
