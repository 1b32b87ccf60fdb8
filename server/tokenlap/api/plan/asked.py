"""What shapes a reply, whichever endpoint asked for it: tools, a choice among them, a format, how
much to think. Built from the forms of a chat request; the other endpoints have the same ones.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from tokenlap.errors import BadRequest

Json = Any
Mode = Literal["none", "auto", "required"]
Kind = Literal["schema", "object", "one_of", "regex", "lark"]
_REASONING_MODELS = re.compile(r"(^|/)(o[134]|gpt-5)(?![a-z])(?!.*chat)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that may be called.

    schema: of its arguments; None for a custom tool, whose input is free text or keeps to grammar,
    given as (syntax, definition). param: where the request says it, for complaints.
    """

    name: str
    description: str = ""
    schema: Json = None
    grammar: tuple[str, str] | None = None
    custom: bool = False
    param: str = "tools"


Call = tuple[Offer, int]
"""A tool to be called, and how many calls of it come before in the same reply."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tools may be called, and whether one must be. names: None for all that are offered."""

    mode: Mode = "auto"
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """What the answer must look like.

    kind: schema, object (any JSON object), one_of (texts), regex or lark; value: the schema, the
    texts, the pattern or the grammar; name: of the schema; param: where the request says it.
    """

    kind: Kind
    value: Json = None
    name: str = ""
    param: str = "response_format"


@dataclass(frozen=True, slots=True)
class Asked:
    """All that shapes a reply. effort: how much to think, "none" for not at all; None where neither
    the request nor the model's name says.
    """

    tools: tuple[Offer, ...] = ()
    choice: Choice = Choice()
    parallel: bool = True
    format: Format | None = None
    effort: str | None = None

    @property
    def shaping(self) -> str:
        """What the reply depends on that its document does not tell, for the derived seed."""
        if self is PLAIN:
            return _PLAIN_SHAPING
        form = self.format and replace(self.format, param="")  # however an endpoint spells it
        return _shaping(self.choice, self.parallel, form, self.effort)

    @property
    def heavy(self) -> bool:
        """Whether a grammar may have to be made: better not on the event loop."""
        return self.format is not None or bool(self.tools)


def _shaping(choice: Choice, parallel: bool, form: Format | None, effort: str | None) -> str:
    return repr((choice, parallel, form, effort))


PLAIN = Asked()
_PLAIN_SHAPING = _shaping(PLAIN.choice, PLAIN.parallel, PLAIN.format, PLAIN.effort)


@lru_cache(maxsize=64)
def plain(model: str) -> Asked:
    """Return what a request shapes that says nothing of it; the model's name may."""
    effort = effort_of(model, None)
    return PLAIN if effort is None else Asked(effort=effort)


def effort_of(model: str, asked: str | None) -> str | None:
    """Return how much to think: as asked, else as the model's name says (o1, o3, o4, gpt-5), None
    where neither says.
    """
    if asked is not None:
        return asked
    return "medium" if _REASONING_MODELS.search(model) else None


def offers(tools: Sequence[Mapping[str, Json]], *, flat: bool = False) -> tuple[Offer, ...]:
    """Return the functions and custom tools among the tools of a chat request.

    flat: the request spells them without nesting, so complaints do as well.
    """
    found: list[Offer] = []
    for i, tool in enumerate(tools):
        kind = tool["type"]
        place = f"tools[{i}]" if flat else f"tools[{i}].{kind}"
        if kind == "function":
            found.append(_function(tool[kind], f"{place}.parameters"))
        elif kind == "custom":
            found.append(_custom(tool[kind], place))
    return tuple(found)


def functions(given: Sequence[Mapping[str, Json]]) -> tuple[Offer, ...]:
    """Return the functions of an older chat request."""
    return tuple(_function(said, f"functions[{i}].parameters") for i, said in enumerate(given))


def choice_of(value: Json) -> Choice:
    """Return a tool_choice: a word, or an object that names what may be called.

    Source: wire checklist 130.
    """
    match value:
        case None | "auto":
            return Choice()
        case "none" | "required":
            return Choice(value)
        case {"type": "allowed_tools", "allowed_tools": dict(allowed)}:
            names = tuple(filter(None, map(_tool_name, allowed.get("tools") or ())))
            return Choice("required" if allowed.get("mode") == "required" else "auto", names)
        case {"type": kind} if kind in value:
            return Choice("required", (value[kind]["name"],))
        case {"name": str(name)}:  # function_call
            return Choice("required", (name,))
        case _:
            return Choice()


def check_choice(choice: Choice, tools: Sequence[Offer], param: str) -> None:
    """Raise BadRequest for a choice of a tool that is not offered; the text is a recorded one."""
    offered = {tool.name for tool in tools}
    for name in choice.names or ():
        if name not in offered:
            among = "functions" if param == "function_call" else "tools"
            raise BadRequest(f"Tool choice '{name}' not found in '{among}' parameter.", param)


def streamable(tools: Sequence[Offer], choice: Choice) -> tuple[Offer, ...]:
    """Return the tools that a stream of a chat completion can call: its format knows functions
    alone (wire checklist 82).

    Raises BadRequest where a custom tool must be called.
    """
    kept = tuple(tool for tool in tools if not tool.custom)
    allowed = [tool for tool in kept if choice.names is None or tool.name in choice.names]
    if choice.mode == "required" and not allowed:
        raise BadRequest(
            "Invalid value for 'stream': a custom tool must be called here, and the stream format "
            "of chat completions knows no calls but those of functions. Set 'stream' to false.",
            "stream",
        )
    return kept


def _function(said: Mapping[str, Json], param: str) -> Offer:
    schema = said.get("parameters")
    plain = {"type": "object", "properties": {}} if schema is None else schema
    return Offer(said["name"], said.get("description") or "", plain, param=param)


def _custom(said: Mapping[str, Json], param: str) -> Offer:
    grammar = _tool_grammar(said.get("format"), param)
    description = said.get("description") or ""
    return Offer(said["name"], description, grammar=grammar, custom=True, param=param)


def _tool_name(tool: Json) -> str:
    if not isinstance(tool, Mapping):
        return ""
    said = tool.get(tool.get("type", ""), tool)
    name = said.get("name") if isinstance(said, Mapping) else None
    return name if isinstance(name, str) else ""


def _tool_grammar(format: Json, param: str) -> tuple[str, str] | None:
    """Return the grammar that a custom tool's input keeps to, None for free text."""
    if not isinstance(format, Mapping) or format.get("type") != "grammar":
        return None
    said = format.get("grammar", format)
    syntax, definition = said.get("syntax"), said.get("definition")
    if syntax not in ("lark", "regex") or not isinstance(definition, str):
        raise BadRequest(
            f"Invalid value for '{param}.format': a grammar has a 'syntax', 'lark' or 'regex', and "
            "a 'definition'.",
            f"{param}.format",
        )
    return syntax, definition
