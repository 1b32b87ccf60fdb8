"""What a value of some name usually looks like: the name, or else what is said of it, decides."""

import re
from collections.abc import Sequence
from functools import lru_cache

from tokenlap.predictors.grammar.facts import Facts
from tokenlap.predictors.grammar.kinds import FORMATS, KINDS, Kind
from tokenlap.predictors.grammar.shape import NO_NOTE, Note
from tokenlap.predictors.ngram.words import STOP_WORDS, split_words, word_set

_MENTIONED, _RATIO, _LISTED_RATIO = 1e4, 1e3, 2.0
"""What the first text that is mentioned weighs, and how much less each further one does."""
_MOST_HEARD = 8
_MOST_READ = 200
"""Words, and characters, of a name or a description that are looked at."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
PROSE = word_set("""
description summary text content explanation explain reason reasoning thought thoughts answer
response reply message body comment comments note notes output analysis detail details feedback
review rationale justification abstract overview conclusion instruction instructions paragraph story
bio biography advice recommendation thinking result sentence final explanations plan caption post
poem joke tip tips idea ideas argument
""")
"""Names whose values are sentences."""
_OTHERWISE = word_set("city country company file product email phone")
"""Words that decide before the last one of a name: a city_name is a city."""
_PLAIN = ("example", "first", "second", "simple", "ready")


def split_name(name: str) -> list[str]:
    """Return the lower-case words of a property name.

    Example: "userFirst_name" -> ["user", "first", "name"]
    """
    return split_words(_HUMP.sub(" ", name).replace("_", " "))


def kind_of(name: str, note: Note, owner: Note = NO_NOTE) -> Kind | None:
    """Return the kind of text that a property holds, None where neither its name nor what is said
    of it tells.

    owner: what is said of the object: the name of an event is no person's.
    """
    return FORMATS.get(note.format) or _kind_of(
        *(text[:_MOST_READ] for text in (name, note.title, note.description, owner.title))
    )


@lru_cache(maxsize=1024)
def _kind_of(name: str, title: str, description: str, owner: str) -> Kind | None:
    words = split_name(name)
    if words in (["name"], ["title"]):
        words = [*(word for word in split_name(owner) if word != "name"), *words]
    if words[-1:] == ["name"] and (found := _by_words(words[:-1])):
        return found
    if PROSE.intersection(words[-1:]):
        return None
    found = _by_words(words[-1:]) if not _OTHERWISE.intersection(words) else None
    for said in (words, _content(title), _content(description)):
        found = found or _by_words(said)
        if found is not None or PROSE.intersection(said):
            return found
    return None


def _content(text: str) -> list[str]:
    """Return the first words of a text, without those that say little by themselves."""
    return [word for word in split_words(text) if word not in STOP_WORDS][:_MOST_HEARD]


def _by_words(words: Sequence[str]) -> Kind | None:
    heard = {*words, *(word.removesuffix("s") for word in words)}
    return next((kind for kind in KINDS if kind.triggers & heard), None)


def is_prose(name: str, note: Note, owner: Note = NO_NOTE) -> bool:
    """Say whether a property holds sentences."""
    words = split_name(name)
    return bool(PROSE.intersection(words[-1:])) or kind_of(name, note, owner) is None


def mentioned(name: str, note: Note, facts: Facts, owner: Note = NO_NOTE) -> list[str]:
    """Return what the conversation mentions of a property's kind, the likeliest first."""
    kind = kind_of(name, note, owner)
    found = list(kind.mentioned(facts)) if kind else list(facts.quoted)
    turn = facts.turn % len(found) if found else 0
    return found[turn:] + found[:turn]


def texts(
    name: str, note: Note, owner: Note, facts: Facts, *, listed: bool = False
) -> list[tuple[str, float]]:
    """Return texts worth writing as the value of a property, with their weights.

    listed: it is one of several, so that what is mentioned second is nearly as likely.
    """
    kind = kind_of(name, note, owner)
    known = mentioned(name, note, facts, owner)
    ratio = _LISTED_RATIO if listed else _RATIO
    weighed = [(text, _MENTIONED / ratio**i) for i, text in enumerate(known[:6])]
    usual = [text for text in (kind.usual if kind else _PLAIN) if text not in known]
    return [*weighed, *((text, 1.0) for text in usual)]
