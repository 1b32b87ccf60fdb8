"""What a conversation mentions that a value may be about: names, numbers, quoted words, addresses,
and what tools have answered.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tokenlap.predictors.ngram.words import (
    REQUEST_WORDS,
    STOP_WORDS,
    split_words,
    stem,
    word_set,
)

_MOST_CHARACTERS = 4000
_MOST_SCALARS = 200
_LONGEST_RESULT = 20_000
_MOST_RESULTS_READ = 8
_QUOTED = re.compile(
    r"[\"\u201c`]([^\"\u201c\u201d`\n]{1,120})[\"\u201d`]|(?<!\w)'([^'\n]{2,120})'(?!\w)"
)
_NAME = re.compile(r"\b[A-Z][\w\u2019'-]*(?:\s+(?:de\s+|of\s+)?[A-Z][\w\u2019'-]*)*")
_WHERE = re.compile(r"\b(?:in|at|to|from|near|around|for|of|towards?|via)\s+$", re.IGNORECASE)
_LIST = re.compile(r"(?:,|and|or|&|\s){1,12}")
_REACH = 12
"""Characters before a name in which the word before it stands."""
_NUMBER = re.compile(r"(?<![\w.:/-])-?\d+(?:\.\d+)?(?![\w:/-]|\.\d)")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"https?://[^\s\"'<>)\]]+")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_TIME = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")
_PATH = re.compile(r"\b[\w-]+(?:/[\w.-]+)*\.[a-z]{1,5}\b")
_DAYS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday today tomorrow tonight yesterday"
)
_VERBS = word_set("""
book send call find search add set check look translate extract schedule remind order buy play open
delete update remove convert calculate compute multiply divide subtract sum plan run read fetch load
save store classify rate review yes no ok okay weather temperature json return respond answer query
user email json xml html csv yaml api sql http url pdf
""")
"""Words that begin a sentence with a capital letter and are no name."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the last user turn, and the tool results after it, mention; each in order.

    names: runs of words with a capital letter, places: those of them that seem to be one; stems: of
    all words; results: JSON texts of the scalars in tool results, by key in lower case; summary:
    what they say, in words; turn: how many values of a kind to pass over, so that several calls of
    one tool are about different things.
    """

    text: str = ""
    names: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    stems: frozenset[str] = frozenset()
    results: Mapping[str, tuple[str, ...]] | None = None
    summary: str = ""
    turn: int = 0

    def mentions(self, text: str) -> bool:
        """Say whether a word of text, stop words aside, occurs in the user's."""
        words = [word for word in split_words(text.replace("_", " ")) if word not in STOP_WORDS]
        return any(stem(word) in self.stems for word in words)


NOTHING = Facts()


def facts_of(text: str, results: Sequence[str] = (), summary: str = "", turn: int = 0) -> Facts:
    """Return what a user's text and the tool results after it mention."""
    kept = [result[:_LONGEST_RESULT] for result in results[-_MOST_RESULTS_READ:]]
    return _facts(text[:_MOST_CHARACTERS], tuple(kept), summary, turn)


@lru_cache(maxsize=64)
def _facts(text: str, results: tuple[str, ...], summary: str, turn: int) -> Facts:
    named = [(name, place) for name, place in _named(text) if name.lower() not in _DAYS]
    days = [word for word in re.findall(r"[A-Za-z]+", text) if word.lower() in _DAYS]
    return Facts(
        text=text,
        names=_unique(name for name, _ in named),
        places=_unique(name for name, is_place in named if is_place),
        days=_unique(days),
        quoted=_unique(a or b for a, b in _QUOTED.findall(text)),
        numbers=tuple(_NUMBER.findall(text)),
        emails=_unique(_EMAIL.findall(text)),
        urls=_unique(url.rstrip(".,;") for url in _URL.findall(text)),
        dates=_unique(_DATE.findall(text)),
        times=_unique(_TIME.findall(text)),
        paths=_unique(_PATH.findall(text)),
        stems=frozenset(map(stem, split_words(text.replace("_", " ")))),
        results=_by_key(results),
        summary=summary,
        turn=turn,
    )


def _named(text: str) -> list[tuple[str, bool]]:
    """Return runs of words with a capital letter, and whether each is a place: after a word such as
    "in", in a list with one, or before "in" and another. A first word only counts where it can be a
    name.
    """
    found: list[tuple[str, bool]] = []
    end = 0
    for match in _NAME.finditer(text):
        words = match[0].split()
        before = text[: match.start()].rstrip(" \"'(")
        opens = not before or before[-1] in ".!?:\n"
        while words and (opens or len(words) > 1 or words[0].isupper()) and _is_common(words[0]):
            words = words[1:]
            opens = False
        if words and text[match.end() : match.end() + 1] != ":":
            gap = text[end : match.start()]
            is_place = bool(_WHERE.search(text[max(0, match.start() - _REACH) : match.start()]))
            if found and _LIST.fullmatch(gap):
                is_place = found[-1][1]
            elif found and gap == " in ":
                found[-1] = found[-1][0], True
            end = match.end()
            found.append((" ".join(words).removesuffix("'s").removesuffix("\u2019s"), is_place))
    return found


def _is_common(word: str) -> bool:
    plain = word.lower().split("'")[0].split("\u2019")[0]
    return plain in STOP_WORDS or plain in REQUEST_WORDS or plain in _VERBS or len(plain) < 2


def _by_key(results: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the scalars of the results that are JSON, by key."""
    found: dict[str, list[str]] = {}
    waiting: list[tuple[str, object]] = []
    for result in results:
        try:
            waiting.append(("", json.loads(result)))
        except ValueError:
            continue
    for _ in range(_MOST_SCALARS):
        if not waiting:
            break
        key, value = waiting.pop(0)
        match value:
            case dict():
                waiting += [(str(name).lower(), part) for name, part in value.items()]
            case list():
                waiting += [(key, part) for part in value]
            case _:
                found.setdefault(key, []).append(json.dumps(value, ensure_ascii=False))
    return {key: tuple(texts) for key, texts in found.items()}


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
