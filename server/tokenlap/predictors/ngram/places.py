"""Where in the corpus a token, or a pair of tokens, is followed by something: the votes for what
comes next.
"""

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, compress

from tokenlap.predictors.ngram.lexicon import BORDER
from tokenlap.predictors.ngram.segments import Flag
from tokenlap.predictors.ngram.store import NgramModel

Places = Sequence[int]
"""Positions in the corpus; each stands for the token there, which follows what was looked up."""

Index = tuple[dict[int, list[int]], dict[int, list[int]]]
"""Places by the local id before them, and by the key of the two local ids before them."""

MOST_PLACES = 16
"""Votes of the whole corpus for one context, evenly spaced; documents near the prompt have no such
limit.
"""
PAIR_SHIFT = 18
"""Bits of a local id: two of them make one key, `before << PAIR_SHIFT | last`."""


class Corpus:
    """The positions of a model, found by the one or two local ids before them."""

    def __init__(self, model: NgramModel) -> None:
        """Index the whole corpus, about 25 ms of CPU for 60,000 positions."""
        self.tokens = model.tokens.tolist()  # a list is read faster than an array
        self.flags = model.flags.tolist()
        self.sentences = model.sentences.tolist()
        self.document = [0]
        self.documents = len(model.kinds)
        self._begins = model.documents
        self._near: dict[int, Index] = {}
        for number, (begin, end) in enumerate(zip(self._begins, self._begins[1:], strict=False)):
            self.document += [number] * (end - begin)
        singles, pairs = self._index(1, len(self.tokens))
        self._singles, self.pairs = _thin(singles), _thin(pairs)
        borders = _marked(model.flags, Flag.BORDER)
        self.going_on = self.tokens.copy()
        for place in compress(range(len(self.tokens)), borders[1:]):
            self.going_on[place] = BORDER
        """The local id of each place, BORDER where nothing follows it."""
        joins = _marked(model.flags, Flag.START | Flag.ITEM)
        self.ends = frozenset(compress(self.tokens, joins[1:]))
        """Local ids after which a sentence or a list item may begin."""

    def after(self, last: int, near: Sequence[Index]) -> Places:
        """Return the places after the local id last: all those in near, some of the others."""
        places = self._singles.get(last, ())
        if len(places) < MOST_PLACES:
            return places
        return list(chain(places, *(singles[last] for singles, _ in near if last in singles)))

    def after_pair(self, key: int, near: Sequence[Index]) -> Places:
        """Return the places after two local ids: all those in near, some of the others."""
        places = self.pairs.get(key, ())
        if len(places) < MOST_PLACES:  # these are all that there are
            return places
        return list(chain(places, *(pairs[key] for _, pairs in near if key in pairs)))

    def index_of(self, document: int) -> Index:
        """Return the places within one document, indexed when first asked for."""
        index = self._near.get(document)
        if index is None:
            begin, end = self._begins[document], self._begins[document + 1]
            index = self._near[document] = self._index(begin, end)
        return index

    def _index(self, begin: int, end: int) -> Index:
        """Return the places between begin and end by the id before them, and by the two ids before
        them.
        """
        singles: defaultdict[int, list[int]] = defaultdict(list)
        pairs: defaultdict[int, list[int]] = defaultdict(list)
        before = last = BORDER
        for place, token in enumerate(self.tokens[begin:end], begin):
            if token != BORDER and last != BORDER:
                singles[last].append(place)
                if before != BORDER:
                    pairs[before << PAIR_SHIFT | last].append(place)
            before, last = last, token
        return dict(singles), dict(pairs)


def _marked(flags: "array[int]", wanted: int) -> bytes:
    """Return for each place whether it has one of the wanted flags: 1 or 0."""
    return flags.tobytes().translate(bytes(bool(flag & wanted) for flag in range(256)))


def _thin(index: dict[int, list[int]]) -> dict[int, list[int]]:
    """Keep at most sixteen places of each context, evenly spaced."""
    for key, places in index.items():
        if len(places) > MOST_PLACES:
            index[key] = [places[i * len(places) // MOST_PLACES] for i in range(MOST_PLACES)]
    return index
