"""One reply in the making, and how it moves on by one local id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import TokenId
from tokenlap.predictors.ngram.lexicon import ANSWER, BORDER, SPACED_TOPIC
from tokenlap.predictors.ngram.places import MOST_PLACES, PAIR_SHIFT, Corpus
from tokenlap.predictors.ngram.prefill import Prefill
from tokenlap.predictors.ngram.segments import Flag
from tokenlap.predictors.ngram.weights import LONGEST_MATCH, Join, Memory

_LONGER = (0, *(min(x + 1, LONGEST_MATCH) for x in range(1, LONGEST_MATCH + 1)))
_SETTLED = 4
"""Where a near document has matched so many tokens, within a sentence that has not been said, no
others join in: the share of one would be OUTSIDE over that document's relevance, or far less.
"""

Context = tuple[dict[int, int], Sequence[Join], int, bool]
"""What the corpus has to say somewhere: table, starts, longest and settled of a state."""


@dataclass(slots=True)
class NgramState:
    """What the next distribution depends on; a function of the document alone.

    document: every token so far; raw: there are no turns; closed: no turn is open.
    table: place to the length of its match with the context; starts: where a sentence may begin, if
    one may; longest: the longest match in tokens, at least 1 where there is a vote at all; settled:
    only near documents are in the table; previous: the same one token ago.
    history: BORDER, ANSWER and the local ids of the answer so far; unknown: the last one stands for
    a token that the corpus does not have; memory: what has been said; phrase: the tokens
    of a slot that are still to be written, slot: which; spaced: the next word gets a leading space;
    distribution, offers: what next said, and the tokens that there stand for something else than
    themselves.
    """

    document: list[TokenId]
    prefill: Prefill
    raw: bool = False
    closed: bool = False
    table: dict[int, int] = field(default_factory=dict)
    starts: Sequence[Join] = ()
    longest: int = 0
    settled: bool = False
    previous: Context = field(default_factory=lambda: ({}, (), 0, False))
    history: list[int] = field(default_factory=lambda: [BORDER, ANSWER])
    unknown: bool = False
    memory: Memory = field(default_factory=Memory)
    phrase: Sequence[TokenId] = ()
    slot: int = SPACED_TOPIC
    spaced: bool = False
    distribution: Distribution | None = None
    offers: Mapping[TokenId, int] = field(default_factory=dict)

    @property
    def before(self) -> int:
        """The local id before the last one."""
        return self.history[-2]

    @property
    def last(self) -> int:
        """The latest local id."""
        return self.history[-1]

    def open_answer(self, starts: Sequence[Join] | None = None, spaced: bool = False) -> None:
        """Let the context be the start of an answer: of any, or of some."""
        self.history = [BORDER, ANSWER]
        self.spaced = spaced
        self.table, self.longest, self.settled = {}, 1, False
        self.starts = self.prefill.starts(ANSWER) if starts is None else starts
        self.memory.since = 0

    def continue_text(self) -> None:
        """Let the context be the start of the answers that continue a raw text, if any does."""
        if self.prefill.continuations:
            self.open_answer(self.prefill.continuations)

    def go_back(self) -> None:
        """Take the latest local id off the context, before another takes its place."""
        self.table, self.starts, self.longest, self.settled = self.previous
        self.history.pop()

    def advance(self, corpus: Corpus, local: int) -> None:
        """Append a local id to the context: matches grow or fall away, and new ones begin.

        A match of one token counts only where there is none longer, and where a sentence begins.
        """
        going_on, prefill, memory = corpus.going_on, self.prefill, self.memory
        longer = {
            place + 1: _LONGER[x] for place, x in self.table.items() if going_on[place] == local
        }
        history = self.history
        key = history[-1] << PAIR_SHIFT | local
        history.append(local)
        self.previous = self.table, self.starts, self.longest, self.settled
        known = corpus.pairs.get(key, ())
        if len(known) == len(longer) < MOST_PLACES:  # all that there are
            table = longer
        else:
            table = self._joined(corpus, key, longer)
        ends = local in corpus.ends
        starts: Sequence[Join] = prefill.starts(local) if ends else ()
        if not table and not starts:
            table = dict.fromkeys(prefill.after(local), 1)
        self.table, self.starts = table, starts
        self.longest = longest = max(table.values()) if table else 1
        self.spaced = False
        memory.since += 1
        if memory.since == 2:
            memory.openings.add(key)
        if ends:
            memory.end_sentence(corpus, table, longest)

    def _joined(self, corpus: Corpus, key: int, longer: dict[int, int]) -> dict[int, int]:
        """Return the table of longer matches and those that begin with the pair of key."""
        prefill = self.prefill
        for place, x in longer.items():
            if (
                x >= _SETTLED
                and prefill.relevance[corpus.document[place]]
                and not corpus.flags[place] & Flag.START
                and corpus.sentences[place] not in self.memory.said
            ):
                self.settled = True
                table = dict.fromkeys(prefill.near_after_pair(key), 2)
                break
        else:
            places = prefill.after_pair(key)
            if self.settled:  # they have not been followed for a while
                self.settled = False
                table = {place: self._length(corpus.tokens, place) for place in places}
            else:
                table = dict.fromkeys(places, 2)
        table.update(longer)
        return table

    def _length(self, tokens: Sequence[int], place: int) -> int:
        """Return the length of the match of a place whose last two tokens are known to match."""
        history = self.history
        longest = min(LONGEST_MATCH, len(history) - 1)
        x = 2
        while x < longest and tokens[place - 1 - x] == history[-1 - x]:
            x += 1
        return x
