"""Prefill, the second half: a prompt read once, as what its reply needs of it."""

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from tokenlap.engine.tokenizer import TokenId, Tokenizer
from tokenlap.predictors.ngram.lexicon import ANSWER, PROMPT, SPACED_TOPIC, TOPIC
from tokenlap.predictors.ngram.places import Corpus, Places
from tokenlap.predictors.ngram.relevance import CLEAR_SCORE, Match, Relevance
from tokenlap.predictors.ngram.store import Kind, NgramModel
from tokenlap.predictors.ngram.topic import topic
from tokenlap.predictors.ngram.weights import Join, joins
from tokenlap.predictors.ngram.words import split_words, stem

_MOST_QUERY_CHARACTERS = 600
_MOST_QUOTED_CHARACTERS = 60
_KEPT_PREFILLS = 256
_KEPT_WORDS = 1_024
_TOOL_CALL = "json"
"""The word that stands for a turn which opens as a call of a tool: its arguments are JSON."""
_CODE = re.compile(r"(def|import|from|class|function|const|let|select|insert)\b", re.IGNORECASE)
_LANGUAGES = {
    **dict.fromkeys(("def", "import", "from", "class"), "python function code"),
    **dict.fromkeys(("function", "const", "let"), "javascript function code"),
    **dict.fromkeys(("select", "insert"), "sql"),
}
"""What a raw text asks for that opens like code."""


class Prefill:
    """What a reply needs of its prompt; shared by all replies to it, so nothing here depends on a
    reply.

    matches: the documents near the prompt, best first; relevance: the r of each document, 0 for the
    others; continuations: where the answers begin that continue just this text, if it is a raw one.
    """

    __slots__ = (
        "_corpus",
        "_near",
        "_near_pairs",
        "_phrases",
        "_singles",
        "_starts",
        "continuations",
        "matches",
        "relevance",
    )

    def __init__(
        self,
        matches: Sequence[Match],
        corpus: Corpus,
        phrases: dict[tuple[int, bool], Sequence[TokenId]],
        continued: Set[int],
    ) -> None:
        """Take what was found.

        phrases: the tokens of each slot, within a sentence and at its start; continued: documents
        that continue the text itself.
        """
        self.matches = tuple(matches)
        self.relevance = [0.0] * corpus.documents
        for match in matches:
            self.relevance[match.document] = match.relevance
        self._near = [corpus.index_of(match.document) for match in matches]
        self._near_pairs = [pairs for _, pairs in self._near]
        self._corpus = corpus
        self._phrases = phrases
        self._singles: dict[int, Places] = {}
        self._starts: dict[int, Sequence[Join]] = {}
        self.continuations = [join for join in self.starts(ANSWER) if join[3] in continued]

    def phrase(self, slot: int, at_start: bool) -> Sequence[TokenId]:
        """Return the tokens of a slot; at the start of a sentence it has a capital letter."""
        return self._phrases[slot, at_start]

    def after(self, last: int) -> Places:
        """Return the places after one local id."""
        places = self._singles.get(last)
        if places is None:
            places = self._singles[last] = self._corpus.after(last, self._near)
        return places

    def after_pair(self, key: int) -> Places:
        """Return the places after two local ids, given as one key."""
        return self._corpus.after_pair(key, self._near)

    def near_after_pair(self, key: int) -> Places:
        """Return those of them that are in documents near the prompt."""
        return [place for pairs in self._near_pairs if key in pairs for place in pairs[key]]

    def starts(self, last: int) -> Sequence[Join]:
        """Return where a sentence begins after one local id."""
        found = self._starts.get(last)
        if found is None:
            found = self._starts[last] = joins(self._corpus, self.relevance, self.after(last))
        return found


class Reader:
    """Reads prompts, and remembers the latest ones."""

    def __init__(self, model: NgramModel, corpus: Corpus, tokenizer: Tokenizer) -> None:
        """Take the model and its indexed corpus."""
        self._corpus = corpus
        self._tokenizer = tokenizer
        self._relevance = Relevance(model)
        self._continuing = frozenset(
            document for document, kind in enumerate(model.kinds) if kind == Kind.CONTINUATION
        )
        self._weigh = lru_cache(maxsize=_KEPT_WORDS)(self._weight)
        self.read = lru_cache(maxsize=_KEPT_PREFILLS)(self._read)
        """Return the prefill of a query, see _read; kept for the latest 256 prompts."""

    def _read(
        self,
        query: str,
        earlier: tuple[str, ...] = (),
        is_tool_call: bool = False,
        is_raw: bool = False,
    ) -> Prefill:
        """Find what a prompt is about.

        query: the last user turn, or a raw text; earlier: the user turns before, latest first.
        """
        query = query[-_MOST_QUERY_CHARACTERS:].strip()
        asked = f"{query} {_TOOL_CALL}" if is_tool_call else query
        code = _CODE.match(query) if is_raw else None
        if code:
            asked += " " + _LANGUAGES[code[1].lower()]
        matches = self._relevance.rank(asked, earlier, is_raw)
        continued = {
            match.document
            for match in matches
            if is_raw and match.score >= CLEAR_SCORE and match.document in self._continuing
        }
        about = _thoughts(query) if is_raw else query
        return Prefill(matches, self._corpus, self._phrases(query, (about, *earlier)), continued)

    def _phrases(
        self, query: str, turns: tuple[str, ...]
    ) -> dict[tuple[int, bool], Sequence[TokenId]]:
        """Return the tokens of each slot; turns: the texts that may name the topic, first first."""
        about = next(filter(None, (topic(text, self._weigh) for text in turns)), "this")
        quoted = " ".join(query.split())
        if len(quoted) > _MOST_QUOTED_CHARACTERS:
            quoted = quoted[:_MOST_QUOTED_CHARACTERS].rstrip() + "\u2026"
        capital = about[:1].upper() + about[1:]
        texts = {
            (SPACED_TOPIC, False): " " + about,
            (SPACED_TOPIC, True): " " + capital,
            (TOPIC, False): about,
            (TOPIC, True): capital,
            (PROMPT, False): quoted or "\u2026",
            (PROMPT, True): quoted or "\u2026",
        }
        return {slot: tuple(self._tokenizer.encode(text)) for slot, text in texts.items()}

    def _weight(self, word: str) -> float:
        """Return the idf of a word as written; a word that asks for a form is never the topic."""
        found = [stem(part) for part in split_words(word)]
        if any(map(self._relevance.is_intent, found)):
            return 0.0
        return max(map(self._relevance.search.weight, found), default=0.0)


def _thoughts(text: str) -> str:
    """Return text up to the end of its last complete sentence, line or label, perhaps nothing."""
    return text[: max(map(text.rfind, "\n.?!:")) + 1]
