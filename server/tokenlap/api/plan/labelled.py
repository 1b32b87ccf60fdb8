"""Answers that the prompt wants in labelled parts: DSPy's `[[ ## name ## ]]` fields, and the code
block of smolagents, which ends a run by calling `final_answer`.
"""

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenlap.api.plan.conversation import Conversation

Json = Any
_NAME = re.compile(r"\[\[ ## (\w+) ## \]\]")
_RESPOND = "Respond with the corresponding output fields"
_NOTE = re.compile(r"\{(\w+)\}[ \t]*# note: the value you produce (must [^\n]*)")
_TYPED = re.compile(
    r"`\[\[ ## (\w+) ## \]\]`\s*\(must be formatted as a valid Python ([^`]*?)\)(?=[,.])"
)
_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
_MOST_READ = 50_000
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Field:
    """A labelled field of an answer: one of a few texts, a value of a schema, or free text."""

    name: str
    texts: tuple[str, ...] = ()
    schema: Json = None


def labelled_fields(conversation: Conversation) -> Sequence[Field]:
    """Return the fields that the last user turn tells to answer with, in order; none for no such
    format.
    """
    asked = conversation.asked
    at = asked.rfind(_RESPOND)
    if at < 0:
        return ()
    wanted = asked[at : at + _MOST_READ]
    notes = dict(_NOTE.findall(conversation.system[:_MOST_READ]))
    typed = dict(_TYPED.findall(wanted))
    names = [name for name in dict.fromkeys(_NAME.findall(wanted)) if name != "completed"]
    return [_field(name, notes.get(name, ""), typed.get(name, "")) for name in names]


def unlabelled(asked: str) -> str:
    """Return a question without the labels of its fields and what it says of the answer's."""
    question = asked[: asked.rfind(_RESPOND)] if _RESPOND in asked else asked
    return " ".join(_NAME.sub("", question).split())


def wants_code(conversation: Conversation) -> bool:
    """Say whether the system turns want an answer as a code block that calls final_answer."""
    return "<code>" in conversation.system and "final_answer(" in conversation.system


def noted(must: str) -> tuple[tuple[str, ...], Json]:
    """Return the texts, or else the schema, that a note on a value asks for.

    Example: "must exactly match (no extra characters) one of: good; bad" -> good, bad
    """
    if "one of:" in must:
        return tuple(text.strip() for text in must.partition("one of:")[2].split(";")), None
    begin = must.find("{")
    if "JSON schema" in must and begin >= 0:
        try:
            return (), _DECODER.raw_decode(must, begin)[0]
        except ValueError:
            return (), None
    if "True or False" in must:
        return (), {"type": "boolean"}
    single = re.search(r"single (\w+) value", must)
    kind = _TYPES.get(single[1]) if single else None
    return (), {"type": kind} if kind else None


def _field(name: str, note: str, typed: str) -> Field:
    texts, schema = noted(note)
    if not texts and schema is None:
        texts, schema = _python(typed)
    return Field(name, texts, schema)


def _python(typed: str) -> tuple[tuple[str, ...], Json]:
    """Return the texts, or else the schema, of a type as Python spells it; neither for text."""
    if typed.startswith("Literal["):
        try:
            values = ast.literal_eval(typed.removeprefix("Literal"))
        except (ValueError, SyntaxError, RecursionError):
            return (), None
        return tuple(str(value) for value in values), None
    kind = _TYPES.get(re.split(r"\W", typed, maxsplit=1)[0])
    return (), {"type": kind} if kind else None
