"""One reply in the making, and how it moves on by one local id."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import TokenId
from tokenlap.predictors.ngram.lexicon import ANSWER, BORDER, SPACED_TOPIC
from tokenlap.predictors.ngram.places import PAIR_SHIFT, Corpus
from tokenlap.predictors.ngram.prefill import Prefill
from tokenlap.predictors.ngram.weights import LONGEST_MATCH, Join, Memory

_LONGER = (0, *(min(x + 1, LONGEST_MATCH) for x in range(1, LONGEST_MATCH + 1)))


@dataclass(slots=True)
class Context:
    """What the corpus has to say here.

    table: place to the length of its match with the context; starts: where a sentence may begin, if
    one may; longest: the longest match in tokens, at least 1 where there is a vote at all.
    """

    table: dict[int, int]
    starts: Sequence[Join]
    longest: int


@dataclass(slots=True)
class NgramState:
    """What the next distribution depends on; a function of the document alone.

    document: every token so far; raw: there are no turns; closed: no turn is open; context,
    previous: here, and one token ago; before, last: the latest two local ids, unknown: the last one
    stands for a token that the corpus does not have; memory: what has been said; phrase: the tokens
    of a slot that are still to be written, slot: which; spaced: the next word gets a leading space;
    distribution, offers: what next said, and the tokens that there stand for something else than
    themselves.
    """

    document: list[TokenId]
    prefill: Prefill
    raw: bool = False
    closed: bool = False
    context: Context = field(default_factory=lambda: Context({}, (), 0))
    previous: Context = field(default_factory=lambda: Context({}, (), 0))
    before: int = BORDER
    last: int = ANSWER
    unknown: bool = False
    memory: Memory = field(default_factory=Memory)
    phrase: Sequence[TokenId] = ()
    slot: int = SPACED_TOPIC
    spaced: bool = False
    distribution: Distribution | None = None
    offers: dict[TokenId, int] = field(default_factory=dict)

    def open_answer(self, spaced: bool = False) -> None:
        """Let the context be the start of an answer."""
        self.before, self.last, self.spaced = BORDER, ANSWER, spaced
        self.context = Context({}, self.prefill.starts(ANSWER), 1)
        self.memory.since = 0

    def continue_text(self) -> None:
        """Let the context be the start of the answers that continue a raw text, if any does."""
        if self.prefill.continuations:
            self.open_answer()
            self.context = Context({}, self.prefill.continuations, 1)

    def advance(self, corpus: Corpus, local: int) -> None:
        """Append a local id to the context: matches grow or fall away, and new ones begin.

        A match of one token counts only where there is none longer, and where a sentence begins.
        """
        tokens, prefill, memory = corpus.tokens, self.prefill, self.memory
        table = {
            place + 1: _LONGER[x]
            for place, x in self.context.table.items()
            if tokens[place] == local and tokens[place + 1] != BORDER
        }
        key = self.last << PAIR_SHIFT | local
        for place in prefill.after_pair(key):
            if place not in table:
                table[place] = 2
        starts: Sequence[Join] = prefill.starts(local) if local in corpus.ends else ()
        if not table and not starts:
            table = dict.fromkeys(prefill.after(local), 1)
        longest = max(table.values()) if table else 1
        self.previous, self.context = self.context, Context(table, starts, longest)
        self.before, self.last, self.spaced = self.last, local, False
        memory.since += 1
        if memory.since == 2:
            memory.openings.add(key)
        if local in corpus.ends:
            memory.end_sentence(corpus, table, longest)
