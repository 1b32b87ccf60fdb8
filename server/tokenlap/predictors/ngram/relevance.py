"""Prefill, the first half: which documents shall answer a prompt, and how much each counts.

Answers for any prompt have a fixed score, which an answer to the point has to beat. A prompt may
ask for a form (a poem, a list, JSON): then only answers of that form remain. A prompt in another
language is answered by saying so.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from tokenlap.predictors.ngram.search import Found, Search, Sums
from tokenlap.predictors.ngram.store import Kind, NgramModel
from tokenlap.predictors.ngram.words import STOP_STEMS, is_foreign, is_request, stem, stems

GENERIC_SCORE = 0.33
"""What a document has to beat to count as an answer to the prompt."""
_WITH_INTENT, _IF_FOREIGN, _IF_RAW = 0.4, 0.2, 0.2
"""Factors of that score: where a form is asked for, in other languages, for raw texts."""
_FOREIGN_SCORE = 0.9
_LEAST_SCORE = 1e-3
CLEAR_SCORE = 0.8
"""From here on a document is surely meant."""
_INTENT_WEIGHT, _OTHER_INTENT_WEIGHT = 14.0, 7.0
"""What words that ask for a form weigh, in nats: the first, and others; a rare word has 6."""
_FORM_CONTENT = 0.5
"""How much of the score of a document that has the form depends on its fitting content, too."""
_MISSING_COST, _MISSING_IN_FACT = 0.4, 0.8
_FOUND_SCORE = 0.5
"""Up to here a short turn is read as a follow-up of the turn before."""
_EARLIER_SHARE, _EARLIER_SHARE_IF_EMPTY = 0.4, 0.8
"""How much the words of the turn before count; and if the last turn names no thing of its own."""
_FOLLOW_UP_WORDS = 3
_MOST_DOCUMENTS = 8
_LEAST_SHARE = 0.35
"""The least s, as a part of the best, that lets a document to the point take part."""
_LEAST_RELEVANCE = 0.004
_OPENING = re.compile(r"\W*+((?:[\w']++ ?){1,3})[,.!]")
_GREETED_SCORE, _GREETING_SCORE = 0.95, 0.6
"""How well a greeting has to match a short answer, and the score that the answer then gets."""
_IN_FORM = re.compile(
    r"\b(?:(?:as|in|into)\s+(?:an?\s+|the\s+)?|what are the )(\w+)", re.IGNORECASE
)
_QUESTION = re.compile(
    r"\W*(?:please )?(?:why|how|what|what's|when|where|which|who|is|are|does|did|was|were"
    r"|explain|describe|define|tell me (?:about|what|how|why|which|who))\b",
    re.IGNORECASE,
)


class Match(NamedTuple):
    """A document that resembles the prompt: its number, its score s, and its relevance r (1 for the
    best).
    """

    document: int
    score: float
    relevance: float


class Relevance:
    """Ranks the documents of a model for a prompt."""

    def __init__(self, model: NgramModel) -> None:
        """Take the model whose documents are ranked."""
        self.search = Search(model)
        self._kinds = model.kinds
        self._generic = [d for d, kind in enumerate(model.kinds) if kind == Kind.GENERIC]
        self._continuations = {d for d, kind in enumerate(model.kinds) if kind == Kind.CONTINUATION}
        self._foreign = [d for d, kind in enumerate(model.kinds) if kind == Kind.FOREIGN]

    def is_intent(self, stem: str) -> bool:
        """Say whether a stem asks for a form (poem, list, JSON) that the corpus has."""
        return len(self.search.posts(stem, "intended")) > 0

    def rank(self, query: str, earlier: Iterable[str] = (), is_raw: bool = False) -> list[Match]:
        """Return the documents that shall answer query, best first, at most eight, at least one.

        earlier: the user turns before, latest first; they count where query is short and finds
        nothing by itself. is_raw: query is a text to continue, so that answers for any prompt fit
        less.
        """
        words = dict.fromkeys(self.search.heaviest(stems(query)), 1.0)
        intents: Sequence[str] = self._intents(query, words)
        foreign = bool(self._foreign) and is_foreign(query, self.search.known)
        scores = self._score(words, intents, is_raw)
        intents = self._greet(query, scores, intents)
        if max(scores.values(), default=0.0) < _FOUND_SCORE and not foreign:
            more = _with_earlier(words, earlier)
            if more != words:
                scores = self._score(more, intents, is_raw)
        factor = _IF_FOREIGN if foreign else _WITH_INTENT if intents else _IF_RAW if is_raw else 1.0
        always = self._always(query, GENERIC_SCORE * factor, _FOREIGN_SCORE if foreign else 0.0)
        return _best(scores, always, bool(intents))

    def _greet(self, query: str, scores: dict[int, float], intents: Sequence[str]) -> Sequence[str]:
        """Let a greeting, "Good morning, dear", count as one unless something is asked after it.

        Returns the forms that are asked for: after a greeting, those of the rest.
        """
        opening = _OPENING.match(query)
        if not opening or max(scores.values(), default=0.0) >= _GREETED_SCORE:
            return intents
        greeted = self._greeted(list(stems(opening[1])))
        if not greeted:
            return intents
        rest = self.search.heaviest(stems(query[opening.end() :]))
        wanted = [form for form in intents if form in rest]
        asked = self._score(dict.fromkeys(rest, 1.0), wanted, False)
        if max(asked.values(), default=0.0) < _FOUND_SCORE:
            scores.update(dict.fromkeys(greeted, _GREETING_SCORE))
            return intents
        scores.clear()  # the greeting has no say in what is asked after it
        scores.update(asked)
        return wanted

    def _greeted(self, opening: Sequence[str]) -> list[int]:
        """Return the greetings that these stems spell in full: short answers, or marked as such."""
        marked = {d for word in opening for d in self.search.posts(word, "intended")}
        scores = self._score(dict.fromkeys(opening, 1.0), (), False)
        spelled = [d for d, score in scores.items() if score >= _GREETED_SCORE]
        return [d for d in spelled if self.search.is_short(d) or d in marked]

    def _intents(self, query: str, words: Iterable[str]) -> list[str]:
        """Return the stems that ask for a form, the one that counts most first.

        "In a table" and "what are the steps" outdo all others; a question (why, how, what) asks for
        no form in any other way.
        """
        forms = [stem(form.lower()) for form in _IN_FORM.findall(query)]
        asked = () if _QUESTION.match(query) else words
        return list(filter(self.is_intent, forms)) or list(filter(self.is_intent, asked))

    def _always(self, query: str, generic: float, foreign: float) -> dict[int, float]:
        """Return the scores of the answers for any prompt; which of them stand first depends on
        query.
        """
        turned: dict[int, float] = {}
        for documents, score in ((self._foreign, foreign), (self._generic, generic)):
            if documents and score:
                turned |= dict.fromkeys(_turn(documents, query), score)
        return turned or dict.fromkeys(_turn(range(len(self._kinds)), query), _LEAST_SCORE)

    def _score(
        self, words: Mapping[str, float], intents: Sequence[str], is_raw: bool
    ) -> dict[int, float]:
        """Return s of each document that shares words with the prompt; words: stem to its share."""
        weights = [share * self.search.weight(word) for word, share in words.items()]
        found, plain = self.search.find(words), Sums(weights)
        scores = self.search.score(found, plain, plain)
        self._lower_for_missing(found, plain, scores)
        if not is_raw:
            self._drop_continuations(scores)
        if intents:
            forms = dict.fromkeys(intents, _OTHER_INTENT_WEIGHT) | {intents[0]: _INTENT_WEIGHT}
            raised = Sums([forms.get(word, w) for word, w in zip(words, weights, strict=True)])
            self._prefer(intents, scores, self.search.score(found, plain, raised))
        return scores

    def _drop_continuations(self, scores: dict[int, float]) -> None:
        """Drop answers that go on with a raw text in mid-sentence: in a chat they fit only where
        the prompt is just that text, and no answer stands by itself.
        """
        continuations = scores.keys() & self._continuations
        if not continuations:
            return
        others = (score for document, score in scores.items() if document not in continuations)
        least = CLEAR_SCORE if max(others, default=0.0) < CLEAR_SCORE else 1.0
        for document in continuations:
            if scores[document] < least:
                scores[document] = 0.0

    def _lower_for_missing(self, found: Found, sums: Sums, scores: dict[int, float]) -> None:
        """Lower s of documents without a rare word of the prompt: France does not answer for Spain.

        A short answer loses more, since it is a fact about one thing.
        """
        most = max(sums.weights, default=0.0) or 1.0
        missing: dict[int, float] = {}
        for document, score in scores.items():
            if score:
                bits = found.documents[document]
                if bits not in missing:
                    missing[bits] = (max(sums.selected(~bits), default=0.0) / most) ** 3
                cost = _MISSING_IN_FACT if self.search.is_short(document) else _MISSING_COST
                scores[document] = score * (1 - cost * missing[bits])

    def _prefer(
        self, intents: Sequence[str], scores: dict[int, float], raised: Mapping[int, float]
    ) -> None:
        """Put the raised scores of documents that mark the intents into scores; drop the others if
        they lose.
        """
        marks = Counter(
            document for word in intents for document in self.search.posts(word, "intended")
        )
        most = max((scores.get(document, 0.0) for document in marks), default=0.0) or 1.0
        for document in marks:
            plain = scores.get(document, 0.0)
            fit = 1 - _FORM_CONTENT * (1 - plain / most)
            scores[document] = max(raised.get(document, 0.0) * fit, plain)
        best = max(scores, key=lambda document: (scores[document], -document), default=None)
        if best is not None and marks[best]:
            for document in scores:
                if marks[document] < marks[best]:
                    scores[document] = 0.0


def _with_earlier(words: dict[str, float], earlier: Iterable[str]) -> dict[str, float]:
    """Add the words of earlier turns to those of a short last turn, the farther the less."""
    content = [word for word in words if word not in STOP_STEMS]
    if len(content) > _FOLLOW_UP_WORDS:
        return words
    share = _EARLIER_SHARE if not all(map(is_request, content)) else _EARLIER_SHARE_IF_EMPTY
    for distance, turn in enumerate(earlier):
        words = {**dict.fromkeys(stems(turn), share * _EARLIER_SHARE**distance), **words}
    return words


def _turn(documents: Sequence[int], query: str) -> list[int]:
    """Return documents from another one on for each query, so that prompts without an answer
    differ.
    """
    first = crc32(query.encode(errors="replace")) % len(documents)
    return [*documents[first:], *documents[:first]]


def _best(scores: Mapping[int, float], always: Mapping[int, float], is_form: bool) -> list[Match]:
    """Return the documents for a reply: those to the point, if the best beats the answers for any
    prompt.

    is_form: the prompt asks for a form, a poem say; then any poem will do, if there is none about
    just that.
    """
    threshold = max(always.values())
    most = max(scores.values(), default=0.0)
    if most <= threshold:
        kept = list(always.items())[:_MOST_DOCUMENTS]
        matches = [Match(document, score, (score / threshold) ** 4) for document, score in kept]
        return [match for match in matches if match.relevance >= _LEAST_RELEVANCE]
    power = 1 if is_form and most < CLEAR_SCORE else 3
    least = _LEAST_SHARE * most
    specific = sorted((-score, document) for document, score in scores.items() if score >= least)
    return [
        Match(document, -score, (-score / most) ** power)
        for score, document in specific[:_MOST_DOCUMENTS]
    ]
