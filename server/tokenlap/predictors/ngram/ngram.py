"""The default model: predicts from every place of its corpus that continues the context.

    p(next) ~ sum over places of (how much its document resembles the prompt) x (how well it fits)

One loop over places, match lengths 1 to 12. Masks, bias, penalties and temperature act on the
result as on any model's.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from tokenlap.engine.predictor import Distribution
from tokenlap.engine.template import ASSISTANT, read
from tokenlap.engine.tokenizer import CALL, CLOSE, END, MESSAGE, START, TokenId, Tokenizer
from tokenlap.predictors.ngram.emit import NO_OFFERS, Emitter, Said
from tokenlap.predictors.ngram.lexicon import (
    AMBIGUOUS,
    ANSWER,
    FIRST_ORDINARY,
    SLOTS,
    SPACED_TOPIC,
    Lexicon,
)
from tokenlap.predictors.ngram.places import Corpus
from tokenlap.predictors.ngram.prefill import Reader
from tokenlap.predictors.ngram.raw import FLOWING_FROM, RawText, forgets, window
from tokenlap.predictors.ngram.repair import Repair
from tokenlap.predictors.ngram.state import NgramState
from tokenlap.predictors.ngram.store import NgramModel
from tokenlap.predictors.ngram.weights import weigh

_TURN_MARKERS = frozenset((START, CLOSE, CALL))
_EARLIER_TURNS = 2
_QUERY_TOKENS = 600
"""Tokens of the last user turn that are read; what it asks for mostly stands at its end."""


class NgramPredictor:
    """Predicts along a model; safe to share between threads."""

    def __init__(self, model: NgramModel, tokenizer: Tokenizer) -> None:
        """Index the corpus of a model: about 25 ms for 60,000 positions."""
        self._tokenizer = tokenizer
        self._corpus = Corpus(model)
        self._lexicon = Lexicon(model.vocabulary, tokenizer)
        self._reader = Reader(model, self._corpus, tokenizer)
        self._emitter = Emitter(model, self._lexicon, tokenizer)
        self._raw = RawText(self._reader, self._corpus, tokenizer)
        self._repair = Repair(self._corpus, self._lexicon, tokenizer)

    def start(self, prompt: Sequence[TokenId]) -> NgramState:
        """Find what the prompt asks for, and replay the reply so far."""
        if START not in prompt:
            return self._start_raw(list(prompt))
        document = read(prompt, self._tokenizer)
        asked = [turn.body for turn in document.turns if turn.header.split(" ")[0] == "user"]
        earlier = tuple(reversed(asked[:-1]))[:_EARLIER_TURNS]
        query = self._tokenizer.decode(document.query[-_QUERY_TOKENS:])
        prefill = self._reader.read(query, earlier, document.opening.strip() != ASSISTANT)
        before_reply = len(prompt) - len(document.reply)
        closed = not document.reply and not _is_open(prompt)
        state = NgramState(list(prompt[:before_reply]), prefill, closed=closed)
        state.open_answer()
        return state if closed else self._replay(state, document.reply)

    def next(self, state: NgramState) -> Distribution:
        """Return the distribution of the next token."""
        said = state.distribution
        if said is None:
            said, state.offers = self._predict(state)
            state.distribution = said
        return said

    def append(self, state: NgramState, token: TokenId) -> NgramState:
        """Take a token that was written."""
        if (token in _TURN_MARKERS and (not state.raw or token == START)) or state.closed:
            return self.start([*state.document, token])
        if state.raw and forgets(len(state.document) + 1):
            return self.start([*state.document, token])
        self._write(state, token)
        return state

    def _predict(self, state: NgramState) -> Said:
        """Return the distribution, and the tokens that stand for something else in it."""
        if state.phrase:
            return self._emitter.certain(state.phrase[0], 1), NO_OFFERS
        if state.unknown or state.longest < 2:
            completed, rests = self._repair.complete(state)
            if completed:
                return self._emitter.emit_repaired(completed, rests)
        prefill, table, memory = state.prefill, state.table, state.memory
        if len(table) == 1 and not state.starts and not state.spaced:
            for place in table:
                local = self._corpus.tokens[place]
                if local >= FIRST_ORDINARY:
                    return self._emitter.certain(self._lexicon.ids[local], state.longest), NO_OFFERS
        weights = weigh(self._corpus, prefill.relevance, table, state.starts, memory)
        if not weights:  # nothing continues this: begin an answer
            weights = weigh(self._corpus, prefill.relevance, {}, prefill.starts(ANSWER), memory)
        return self._emitter.emit(state, weights)

    def _write(self, state: NgramState, token: TokenId) -> None:
        """Take a token that changes neither the turns nor the window of a raw text."""
        if state.distribution is None:
            self.next(state)
        state.document.append(token)
        state.distribution = None
        state.memory.length += 1
        if state.phrase or state.offers or token == END:
            self._take_meaning(state, token)
        else:
            if token in AMBIGUOUS:
                local = self._lexicon.read(token, state.before, state.last)
            else:
                local = self._lexicon.local.get(token, SPACED_TOPIC)
            state.unknown = local == SPACED_TOPIC
            state.advance(self._corpus, local)
        if state.raw:
            self._raw.read_on(state)
        if state.longest < FLOWING_FROM and state.last != ANSWER:
            self._raw.open_after(state)

    def _take_meaning(self, state: NgramState, token: TokenId) -> None:
        """Move the context on by what a token stands for, if it does not stand for itself."""
        if state.phrase:
            as_offered = token == state.phrase[0]
            state.phrase = state.phrase[1:] if as_offered else ()
            if not state.phrase:
                state.advance(self._corpus, state.slot)
            if as_offered:
                return
        meaning = state.offers.get(token)
        state.unknown = meaning is None and token not in self._lexicon.local
        if token == END or meaning == ANSWER:
            state.open_answer()
            state.memory.length *= token != END
        elif meaning is None:
            state.advance(self._corpus, self._lexicon.read(token, state.before, state.last))
        elif meaning in SLOTS:
            state.slot, state.phrase = meaning, self._emitter.phrase(state, meaning)[1:]
            if not state.phrase:
                state.advance(self._corpus, meaning)
        elif meaning < 0:
            state.go_back()
            state.advance(self._corpus, -meaning)
        else:
            state.advance(self._corpus, meaning)

    def _start_raw(self, text: list[TokenId]) -> NgramState:
        """Read a text without turns, from at most 512 tokens back."""
        begin = window(len(text))
        state = NgramState(text[:begin], self._raw.prefill(text[:begin]), raw=True)
        state.open_answer()
        return self._replay(state, text[begin:])

    def _replay(self, state: NgramState, tokens: Sequence[TokenId]) -> NgramState:
        for token in tokens:
            self._write(state, token)
        return state


def _is_open(document: Sequence[TokenId]) -> bool:
    """Say whether the last turn of a document has a body that may be written on."""
    tokens = list(document)
    turn = tokens[len(tokens) - tokens[::-1].index(START) :]
    return MESSAGE in turn and not {CLOSE, CALL} & set(turn[turn.index(MESSAGE) :])


@cache
def default_model() -> NgramModel:
    """Return the model that ships in the package, trained on data/corpus."""
    return NgramModel.load(files("tokenlap").joinpath("data/default.ngram").read_bytes())
