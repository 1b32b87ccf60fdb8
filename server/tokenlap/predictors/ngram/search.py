"""How much each document of the corpus resembles the words of a prompt.

    s(d) = max over wordings v of  (asked + 0.35 answered) / all  x  (0.55 + 0.45 covered)

asked: the weight of the prompt's words that v has; answered: of those that only the answer has;
all: of all of them; covered: the share of v's own weight that the prompt has. A short answer is a
fact and has to be asked for: its factor is covered squared. A document found by its answer alone
gets 0.7 of the answered part.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import log
from typing import Literal

from tokenlap.predictors.ngram.lexicon import DONE
from tokenlap.predictors.ngram.store import NgramModel
from tokenlap.predictors.ngram.words import REQUEST_SHARE, STOP_STEMS, is_request

_ANSWERED_SHARE = 0.35
_ONLY_ANSWERED = 0.7
_UNSEEN_FACTOR = 1.4
_UNSEEN_STOP_WORD = 0.2
_SHORT_ANSWER_TOKENS = 26
_MOST_WORDS = 16
"""Words of a prompt that are searched: a longer one costs no more, and says no more either."""


@dataclass(frozen=True, slots=True)
class Found:
    """The words of a prompt, one bit each, that each wording, each answer, and each document as a
    whole has.
    """

    wordings: dict[int, int]
    answers: dict[int, int]
    documents: dict[int, int]


class Sums(dict[int, float]):
    """The sum of the weights that a set of bits selects, -1 all of them; each is reckoned once."""

    def __init__(self, weights: Sequence[float]) -> None:
        """Take the weight of each bit, the lowest first."""
        self.weights = weights

    def __missing__(self, bits: int) -> float:
        """Reckon the sum of a set that has not been asked for before."""
        found = self[bits] = sum(self.selected(bits))
        return found

    def selected(self, bits: int) -> list[float]:
        """Return the weights that bits selects."""
        return [weight for i, weight in enumerate(self.weights) if bits >> i & 1]


class Search:
    """The index of a model's questions, asked by stems."""

    def __init__(self, model: NgramModel) -> None:
        """Take the model whose questions are searched."""
        self._questions = model.questions
        self._numbers = {word: number for number, word in enumerate(model.questions.words)}
        self._unseen = _UNSEEN_FACTOR * log(len(model.kinds) + 1)
        forms = set(model.questions.intended)
        self._is_short = [
            number not in forms and model.tokens.index(DONE, begin) - begin < _SHORT_ANSWER_TOKENS
            for number, begin in enumerate(model.documents[:-1])
        ]
        self.known = frozenset(self._numbers) - STOP_STEMS

    def weight(self, stem: str) -> float:
        """Return the idf of a stem, in nats, lower for words that say little."""
        number = self._numbers.get(stem)
        if number is not None:
            return self._questions.weights[number]
        if stem in STOP_STEMS:
            return _UNSEEN_STOP_WORD
        return self._unseen * (REQUEST_SHARE if is_request(stem) else 1.0)

    def heaviest(self, words: Sequence[str]) -> list[str]:
        """Return words, or of many the sixteen that weigh most, in their order."""
        if len(words) <= _MOST_WORDS:
            return list(words)
        kept = set(nlargest(_MOST_WORDS, words, key=self.weight))
        return [word for word in words if word in kept]

    def posts(self, stem: str, name: Literal["asked", "answered", "intended"]) -> "array[int]":
        """Return the wordings (asked) or documents that have a stem, in order."""
        number = self._numbers.get(stem)
        if number is None:
            return array("I")
        begins: array[int] = getattr(self._questions, f"{name}_at")
        posts: array[int] = getattr(self._questions, name)
        return posts[begins[number] : begins[number + 1]]

    def is_short(self, document: int) -> bool:
        """Say whether a document is a fact, which has to be asked for in full, and not a form."""
        return self._is_short[document]

    def find(self, words: Iterable[str]) -> Found:
        """Return which of the words each wording and each document has; word number i is bit i."""
        wordings: dict[int, int] = {}
        answers: dict[int, int] = {}
        order = sorted(enumerate(words), key=lambda numbered: numbered[1] in STOP_STEMS)
        only_stop_words = bool(order) and order[0][1] in STOP_STEMS
        for number, word in order:
            bit = 1 << number
            finds = only_stop_words or word not in STOP_STEMS  # else a stop word finds too much
            for wording in self.posts(word, "asked"):
                if finds or wording in wordings:
                    wordings[wording] = wordings.get(wording, 0) | bit
            for document in self.posts(word, "answered"):
                answers[document] = answers.get(document, 0) | bit
        documents = answers.copy()
        for wording, bits in wordings.items():
            document = self._questions.wordings[wording]
            documents[document] = documents.get(document, 0) | bits
        return Found(wordings, answers, documents)

    def score(self, found: Found, plain: Sums, raised: Sums) -> dict[int, float]:
        """Return s by document; plain: the words' own weights, raised: the weights to go by."""
        total = raised[-1] or 1.0
        answers, is_short = found.answers, self._is_short
        documents, totals = self._questions.wordings, self._questions.totals
        scores = dict.fromkeys(found.documents, 0.0)
        for document, bits in answers.items():
            if not is_short[document]:
                scores[document] = _ONLY_ANSWERED * _ANSWERED_SHARE * raised[bits] / total
        for wording, bits in found.wordings.items():
            document = documents[wording]
            covered = plain[bits] / (totals[wording] or 1.0)
            if covered > 1.0:
                covered = 1.0
            fit = covered**2 if is_short[document] else 0.55 + 0.45 * covered
            answered = raised[answers.get(document, 0) & ~bits]
            score = (raised[bits] + _ANSWERED_SHARE * answered) / total * fit
            if score > scores[document]:
                scores[document] = score
        return scores
