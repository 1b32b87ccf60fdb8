"""Kinds of texts: which names mean them, what is usual, what a conversation may mention of them.

The words are ours; people, addresses and places for examples, nothing real is meant. What the
conversation mentions comes before them (facts.py).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tokenlap.predictors.grammar.facts import Facts
from tokenlap.predictors.ngram.words import STOP_WORDS, word_set

Mentioned = Callable[[Facts], Sequence[str]]


def _nothing(_: Facts) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of text. triggers: words of a name that mean it; usual: values worth writing;
    mentioned: what of the conversation is of this kind.
    """

    triggers: frozenset[str]
    usual: tuple[str, ...]
    mentioned: Mentioned = _nothing


def _kind(triggers: str, usual: str, mentioned: Mentioned = _nothing) -> Kind:
    return Kind(word_set(triggers), tuple(usual.split("|")), mentioned)


def _about(facts: Facts) -> Sequence[str]:
    """Return what is asked for, in the user's own words: quoted, or the whole of a short text."""
    whole = " ".join(facts.text.split()).rstrip("?.! ")
    return (*facts.quoted, *([whole] if 0 < len(whole) <= 120 else ()))


def _places(facts: Facts) -> Sequence[str]:
    return facts.places or facts.names


def _people(facts: Facts) -> Sequence[str]:
    return [name for name in facts.names if name not in facts.places] or facts.names


def _trimmed(words: Sequence[str]) -> Sequence[str]:
    """Return words without the stop words at either end."""
    kept = [i for i, word in enumerate(words) if word not in STOP_WORDS]
    return words[kept[0] : kept[-1] + 1] if kept else ()


def _subject(facts: Facts) -> Sequence[str]:
    """Return what may be a title: quoted words, or the end of an enumeration such as "a fair"."""
    found = re.findall(
        r"\b(?:to|for|about|an?|the)\s+((?:[a-z][\w-]*\s+){0,3}[a-z][\w-]+)", facts.text
    )
    runs = [" ".join(_trimmed(text.split())) for text in found]
    titles = [text[:1].upper() + text[1:] for text in sorted(runs, key=len)[-1:] if text]
    return (*facts.quoted, *titles)


KINDS: Sequence[Kind] = (
    _kind(
        "email mail emails",
        "alex@example.com|sam@example.com|kim@example.org|info@example.com",
        lambda facts: facts.emails,
    ),
    _kind("phone telephone mobile fax tel", "+1-555-0100|+1-555-0142|+44-20-5550-0188"),
    _kind(
        "url link website uri href homepage urls links",
        "https://example.com|https://example.com/docs|https://example.org/page",
        lambda facts: facts.urls,
    ),
    _kind("uuid guid", "6f1c2d34-8a5b-4c7d-9e10-2b3c4d5e6f70|0b9a8c7d-6e5f-4a3b-8c2d-1e0f9a8b7c6d"),
    _kind("timezone tz", "UTC|Europe/Berlin|America/New_York|Asia/Tokyo"),
    _kind(
        "datetime timestamp",
        "2026-12-04T09:30:00Z|2026-12-11T14:00:00Z|2027-01-15T18:45:00Z",
    ),
    _kind(
        "date day birthday deadline due when departure arrival dob weekday",
        "2026-12-04|2026-12-11|2027-01-15|2027-03-08",
        lambda facts: (*facts.dates, *facts.days),
    ),
    _kind("time hour start end", "09:30|14:00|18:45|20:15", lambda facts: facts.times),
    _kind(
        "file filename path filepath directory folder files",
        "notes.txt|report.md|data/input.csv|src/main.py",
        lambda facts: facts.paths,
    ),
    _kind("currency", "EUR|USD|GBP|JPY", lambda facts: _codes(facts)),
    _kind(
        "destination to target",
        "Lisbon|Oslo|Kyoto|Toronto",
        lambda facts: (*_places(facts)[1:], *_places(facts)[:1]),
    ),
    _kind(
        "city town capital location place destination origin from locations cities where area "
        "region departure source",
        "Lisbon|Oslo|Kyoto|Toronto|Nairobi|Wellington",
        _places,
    ),
    _kind(
        "country nation",
        "Portugal|Norway|Japan|Canada|Kenya",
        lambda facts: _places(facts)[::-1],
    ),
    _kind("state province", "Ontario|Bavaria|Tasmania", _places),
    _kind("zip postcode postal", "10115|90210|1050"),
    _kind("street address", "12 Garden Street|7 Harbour Road|48 Mill Lane"),
    _kind("language lang locale", "English|French|Spanish|German", lambda facts: facts.names),
    _kind("color colour colors", "blue|green|red|yellow|white"),
    _kind("unit units", "celsius|metric|km|kg"),
    _kind("company organization organisation employer brand vendor", "Acme|Northwind|Blue River"),
    _kind("product item article items products", "notebook|desk lamp|water bottle|backpack"),
    _kind("amount quantity portion dose serving", "200 g|two|1 cup|a pinch|500 ml"),
    _kind("job role position occupation profession", "engineer|teacher|nurse|gardener|editor"),
    _kind("ingredient ingredients", "flour|butter|two eggs|sugar|salt|milk"),
    _kind(
        "step steps action actions task tasks todo", "measure first|start small|check the result"
    ),
    _kind("skill skills hobby hobbies", "cooking|chess|gardening|photography"),
    _kind(
        "expression formula equation",
        "2 + 2|7 * 6|(3 + 4) / 2",
        lambda facts: tuple(
            m.strip()
            for m in re.findall(r"[\d.(][\d\s.()+*/^-]*[+*/^-][\d\s.()+*/^-]*[\d)]", facts.text)
        ),
    ),
    _kind("code snippet script", "print(1 + 1)|x = 42|return a + b", lambda facts: facts.quoted),
    _kind("sql", "SELECT 1|SELECT name FROM users", lambda facts: facts.quoted),
    _kind("symbol ticker stock", "ACME|NWND|BLRV", lambda facts: _codes(facts)),
    _kind("version", "1.0.0|2.3.1|0.9.4"),
    _kind("id identifier key token sku ref reference", "a1b2c3|x7f3k9|item-42|7d4e2f"),
    _kind("status state stage phase", "open|active|done|pending"),
    _kind("priority severity level risk urgency", "medium|high|low"),
    _kind("sentiment mood emotion tone", "positive|neutral|negative"),
    _kind("genre", "mystery|comedy|science fiction"),
    _kind(
        "category type kind tag tags label labels topic topics class group keyword keywords",
        "general|science|travel|music|home|work",
        lambda facts: facts.quoted,
    ),
    _kind(
        "query search question prompt q input keywords request term problem",
        "how it works|an example|first steps",
        _about,
    ),
    _kind(
        "title subject headline event name_of", "A short overview|First steps|A new idea", _subject
    ),
    _kind("surname lastname", "Green|Rivers|Brook|Hill"),
    _kind(
        "name names author person user username participant participants people attendees attendee "
        "owner customer contact recipient sender assignee member members friend friends players "
        "character characters who student teacher",
        "Alex|Sam|Kim|Robin|Jo",
        _people,
    ),
    _kind("symptom symptoms", "headache|a cough|tired eyes"),
    _kind("animal pet", "cat|dog|owl|hedgehog"),
    _kind("food dish meal recipe", "soup|pancakes|vegetable curry"),
)
FORMATS: Mapping[str, Kind] = {
    "email": KINDS[0],
    "idn-email": KINDS[0],
    "uri": KINDS[2],
    "iri": KINDS[2],
    "uuid": KINDS[3],
    "date": _kind("", "2026-12-04|2026-12-11|2027-01-15|2027-03-08", lambda facts: facts.dates),
    "date-time": _kind(
        "",
        "2026-12-04T09:30:00Z|2026-12-11T14:00:00Z|2027-01-15T18:45:00Z",
        lambda facts: [f"{date}T{time}Z" for date in facts.dates for time in _clock(facts)],
    ),
    "time": _kind("", "09:30:00|14:00:00|18:45:00", lambda facts: _clock(facts)),
    "duration": _kind("", "PT30M|PT2H|P3D|P1W"),
    "hostname": _kind("", "example.com|www.example.org"),
    "ipv4": _kind("", "192.0.2.10|198.51.100.7|203.0.113.42"),
    "ipv6": _kind("", "2001:db8:1:2:3:4:5:6|2001:db8:a:b:c:d:e:f"),
}
"""The kinds of formats, whatever the name."""


def _codes(facts: Facts) -> Sequence[str]:
    return [name for name in facts.names if name.isupper() and 2 < len(name) < 6]


def _clock(facts: Facts) -> Sequence[str]:
    """Return the times mentioned as a format writes them, else one in the morning."""
    times = [f"{time:0>5}" + ":00" * (time.count(":") == 1) for time in facts.times]
    return times or ("09:30:00",)
