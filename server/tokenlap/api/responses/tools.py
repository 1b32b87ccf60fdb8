"""Tools, tool_choice and text.format of a responses request: flat, where those of a chat are
nested.

Each is checked, echoed as the document demands, and turned into what a chat request would say.
Source: wire checklist 195, 196. Differences from OpenAI: tools that the platform hosts are accepted
and echoed; nothing calls them.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from tokenlap.api.body import Lenient
from tokenlap.api.complaints import wrong_kind, wrong_part
from tokenlap.api.responses.chunks import Json
from tokenlap.api.shapes import NAME
from tokenlap.api.wording import absent, unlike, unsupported, wrong_type
from tokenlap.errors import BadRequest

ToolType = Literal[
    "apply_patch",
    "code_interpreter",
    "computer",
    "computer_use_preview",
    "custom",
    "file_search",
    "function",
    "image_generation",
    "local_shell",
    "mcp",
    "namespace",
    "programmatic_tool_calling",
    "shell",
    "tool_search",
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
]
OURS = ("function", "custom")
"""The tools that a model here can call."""
_WORDS = ("none", "auto", "required")
_CHOICES = (
    *("allowed_tools", "apply_patch", "code_interpreter", "computer", "computer_use"),
    *("computer_use_preview", "custom", "file_search", "function", "image_generation", "mcp"),
    *("programmatic_tool_calling", "shell", "web_search_preview"),
    "web_search_preview_2025_03_11",
)
_FORMATS = ("json_object", "json_schema", "text")


class ResponseTool(Lenient):
    """A tool of a responses request; what a hosted one brings along is kept as it is."""

    opaque: ClassVar[bool] = True

    type: ToolType
    name: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None
    format: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _named(self) -> "ResponseTool":
        if self.type in OURS:
            if self.name is None:
                raise wrong_part(absent("name"))
            if not re.fullmatch(NAME, self.name):
                raise wrong_part(unlike("name", NAME))
        return self

    def echo(self) -> Json:
        """Return the tool as a response tells it: `strict` is on where nothing else is said."""
        sent = self.model_dump(exclude_none=True)
        if self.type == "function":
            sent.setdefault("parameters", None)
            sent.setdefault("strict", True)
        return sent

    def chat(self) -> Json:
        """Return the tool as a chat request tells it."""
        names = ("name", "description", "parameters", "strict", "format")
        sent = self.model_dump(exclude_none=True)
        return {"type": self.type, self.type: {name: sent[name] for name in names if name in sent}}


def _tool_choice(value: Any) -> Any:
    match value:
        case None:
            return None
        case str():
            if value not in _WORDS:
                raise wrong_part(unsupported("", value, _WORDS))
        case dict():
            kind = _text(value, "type")
            if kind not in _CHOICES:
                raise wrong_part(unsupported("type", kind, _CHOICES))
            if kind in OURS:
                _text(value, "name")
        case _:
            raise wrong_kind("one of one of 'none', 'auto', or 'required' or object")
    return value


def _format(value: Any) -> Any:
    if not isinstance(value, dict):
        return value  # the type that pydantic demands
    kind = _text(value, "type")
    if kind not in _FORMATS:
        raise wrong_part(unsupported("type", kind, _FORMATS))
    if kind == "json_schema":
        name = _text(value, "name")
        if not re.fullmatch(NAME, name) or len(name) > 64:
            raise wrong_part(unlike("name", NAME))
        if value.get("schema") is None:
            raise wrong_part(absent("schema"))
        if not isinstance(value["schema"], dict):
            raise wrong_part(wrong_type("schema", "an object", value["schema"]))
    return value


def _text(value: Json, name: str) -> str:
    """Return the text that stands under name."""
    text = value.get(name)
    if text is None:
        raise wrong_part(absent(name))
    if not isinstance(text, str):
        raise wrong_part(wrong_type(name, "a string", text))
    return text


Tools = Annotated[list[ResponseTool], Field(max_length=128, fail_fast=True)]
ToolChoice = Annotated[
    Any,
    BeforeValidator(
        _tool_choice,
        json_schema_input_type=Literal["none", "auto", "required"] | dict[str, Any] | None,
    ),
]
Format = Annotated[dict[str, Any] | None, BeforeValidator(_format)]


class TextParam(Lenient):
    """How the text of an answer looks."""

    format: Format = None
    verbosity: Literal["low", "medium", "high"] | None = None


def check_choice(choice: Any, tools: Sequence[ResponseTool]) -> None:
    """Raise BadRequest for a tool_choice that the tools do not offer."""
    if isinstance(choice, dict) and choice["type"] in OURS:
        if not any((tool.type, tool.name) == (choice["type"], choice["name"]) for tool in tools):
            message = f"Tool choice '{choice['name']}' not found in 'tools' parameter."
            raise BadRequest(message, "tool_choice")
    elif choice == "required" and not tools:
        message = "Tool choice 'required' must be specified with 'tools' parameter."
        raise BadRequest(message, "tool_choice")


def chat_choice(choice: Any) -> Any:
    """Return a tool_choice as a chat request tells it; one for a hosted tool leaves it open."""
    if not isinstance(choice, dict):
        return choice
    kind = choice["type"]
    if kind == "allowed_tools":
        tools = [
            {"type": tool["type"], tool["type"]: {"name": tool.get("name")}}
            for tool in choice.get("tools", ())
            if tool.get("type") in OURS
        ]
        return {"type": kind, kind: {"mode": choice.get("mode", "auto"), "tools": tools}}
    return {"type": kind, kind: {"name": choice["name"]}} if kind in OURS else "auto"


def chat_format(format: Json | None) -> Json | None:
    """Return a text.format as the response_format of a chat request."""
    if format is None or format["type"] != "json_schema":
        return format
    schema = {name: value for name, value in format.items() if name != "type"}
    return {"type": "json_schema", "json_schema": schema}
