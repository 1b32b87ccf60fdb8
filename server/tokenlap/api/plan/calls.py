"""Which tools a reply calls, and whether it calls any.

With tool_choice `auto` a tool is called when the last user turn plausibly asks for it. Its words,
stems compared and ordinary words left out, are looked for in what the request says of the tool: a
word of the tool's name counts 2 (a verb that many names have, such as get or search, only where it
is the first word said, else a half), a word of its description or among a parameter's enum values
1, a word of a parameter's name a half, and 1 more when the user mentions something that a required
parameter may take, such as a city or a number. A tool that comes to 2 is called, the one that comes
to most first; with parallel_tool_calls all of them, and one tool several times where the user lists
several things ("weather in Paris and Rome"). A tool that was called since the last user turn is not
called again: after its result the answer is text.
With `required`, the same; where nothing is asked for any more, the tool that ends a run
(final_answer, final_result and the like), else the one that fits best. A tool that is named is
called in any case.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from tokenlap.api.plan.asked import Asked, Call, Json, Offer
from tokenlap.api.plan.conversation import Conversation
from tokenlap.predictors.grammar.facts import Facts, facts_of
from tokenlap.predictors.grammar.shape import Note
from tokenlap.predictors.grammar.steer import mentioned, split_name
from tokenlap.predictors.ngram.words import STOP_STEMS, split_words, stem, word_set

ENOUGH = 2.0
_NAMED, _DESCRIBED, _PARAMETER = 2.0, 1.0, 0.5
_BEFORE_VERBS = word_set("please can could you would will i want to need now then and also")
MOST_CALLS = 4
_MOST_READ = 2000
"""Characters of a description that are looked at."""
_ENDING = re.compile(r"^(final|submit|finish|complete|task)?_?(answer|result|response|output|done)")
_COMMON = frozenset(
    stem(word)
    for word in word_set(
        "get set find fetch list search lookup retrieve create make do run call use tool function "
        "current given user return returns value values name data information info text string "
        "number object parameter input output query result results optional required e.g"
    )
)
_SIGNS = {
    "+": "add plus sum addition total",
    "-": "subtract minus difference subtraction",
    "*": "multiply times product multiplication",
    "x": "multiply times product multiplication",
    "\u00d7": "multiply times product multiplication",
    "/": "divide quotient division",
    "^": "power exponent",
}
_OPERATION = re.compile(r"\d\s*([+\-*x\u00d7/^])\s*\d")


def calls(asked: Asked, conversation: Conversation) -> Sequence[Call]:
    """Return the calls that the reply makes, in order; none where it answers in text."""
    choice = asked.choice
    offered = [t for t in asked.tools if choice.names is None or t.name in choice.names]
    if choice.mode == "none" or not offered:
        return []
    if choice.names is not None and choice.mode == "required" and len(offered) == 1:
        return [(offered[0], 0)]
    facts = facts_of(conversation.asked)
    scored = sorted(
        ((-score(tool, facts), i) for i, tool in enumerate(offered)),
    )
    ranked = [offered[i] for _, i in scored]
    wanted = [
        offered[i]
        for negative, i in scored
        if -negative >= ENOUGH and offered[i].name not in conversation.called
    ]
    wanted = [tool for tool in wanted if not _ends(tool)]
    if wanted:
        return _several(wanted, facts) if asked.parallel else [(wanted[0], 0)]
    if choice.mode == "auto":
        return []
    return [(next(filter(_ends, offered), _fresh(ranked, conversation)), 0)]


def score(tool: Offer, facts: Facts) -> float:
    """Return how much the user's words speak for a tool; see above."""
    said = facts.stems | _virtual(facts.text)
    first = next((stem(w) for w in split_words(facts.text) if w not in _BEFORE_VERBS), "")
    points = 0.0
    for words, weight in _vocabulary(tool):
        for word in words & said:
            common = word in _COMMON and not (word == first and weight == _NAMED)
            points += weight / 4 if common else weight
        said = said - words
    required = _properties(tool.schema, required=True)
    return points + any(_offers_value(name, part, facts) for name, part in required)


def _several(wanted: Sequence[Offer], facts: Facts) -> list[Call]:
    """Return a call of each tool; of a lone one a call for each thing that is listed."""
    if len(wanted) > 1:
        return [(tool, 0) for tool in wanted[:MOST_CALLS]]
    tool = wanted[0]
    listed = [
        len(found)
        for name, part in _properties(tool.schema, required=True)[:1]
        if (found := _named(name, part, facts)) and _lists(facts.text, found)
    ]
    return [(tool, i) for i in range(min(max(listed, default=1), MOST_CALLS))]


def _fresh(ranked: Sequence[Offer], conversation: Conversation) -> Offer:
    """Return the best tool that was not called yet, the best of all where all were."""
    return next((t for t in ranked if t.name not in conversation.called), ranked[0])


def _ends(tool: Offer) -> bool:
    """Say whether calling a tool is how a run ends."""
    return _ENDING.match(tool.name.lower()) is not None


def _lists(text: str, found: Sequence[str]) -> bool:
    """Say whether what was found stands in one list: each divided from the next by a comma or
    `and`.
    """
    between = [text[text.find(a) + len(a) : text.find(b)] for a, b in pairwise(found)]
    return all(re.fullmatch(r"(?:,|and|or|&|\s){1,12}", gap) for gap in between)


def _named(name: str, part: Json, facts: Facts) -> Sequence[str]:
    if not isinstance(part, dict) or part.get("type") != "string" or "enum" in part:
        return ()
    return mentioned(name, Note("", str(part.get("description") or "")), facts)


def _offers_value(name: str, part: Json, facts: Facts) -> bool:
    """Say whether the user mentions something that a parameter may take."""
    if isinstance(part, dict) and part.get("type") in ("integer", "number"):
        return bool(facts.numbers)
    return bool(_named(name, part, facts)) and not _is_whole(name, part, facts)


def _is_whole(name: str, part: Json, facts: Facts) -> bool:
    """Say whether what was found is only the user's text itself, as for a query."""
    return list(_named(name, part, facts)) == [" ".join(facts.text.split()).rstrip("?.! ")]


def _virtual(text: str) -> frozenset[str]:
    """Return stems of the words that signs in a sum stand for."""
    found = _OPERATION.findall(text)
    words = " ".join(_SIGNS[sign] for sign in found)
    more = "calculate calculator compute math evaluate expression arithmetic" if found else ""
    return frozenset(map(stem, split_words(f"{words} {more}")))


def _stems(text: str) -> frozenset[str]:
    return _stems_of(text[:_MOST_READ])


@lru_cache(maxsize=1024)
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(map(stem, split_words(text.replace("_", " ")))) - STOP_STEMS


def _vocabulary(tool: Offer) -> Iterable[tuple[frozenset[str], float]]:
    """Yield the stems that speak for a tool, with what each counts."""
    properties = _properties(tool.schema, required=False)
    enums = [str(v) for _, p in properties if isinstance(p, dict) for v in p.get("enum") or ()]
    parameters = _stems(" ".join(" ".join(split_name(name)) for name, _ in properties))
    yield _stems(" ".join(split_name(tool.name))), _NAMED
    yield parameters, _PARAMETER
    yield _stems(tool.description) | _stems(" ".join(enums)), _DESCRIBED


def _properties(schema: Json, *, required: bool) -> list[tuple[str, Json]]:
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return []
    needed = schema.get("required") if isinstance(schema.get("required"), list) else []
    return [
        (name, part)
        for name, part in schema["properties"].items()
        if not required or name in (needed or ())
    ]
