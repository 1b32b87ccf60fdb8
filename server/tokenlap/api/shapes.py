"""The parameters of a chat request that are a word or an object of several shapes: tool_choice,
function_call, response_format.

Here is checked that they have one of these shapes; what they mean is read elsewhere. Source: wire
checklist 130, 131.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from tokenlap.api.complaints import wrong_kind, wrong_part
from tokenlap.api.wording import absent, unlike, unsupported, wrong_length, wrong_type

NAME = "^[a-zA-Z0-9_-]+$"
"""What the names of functions and schemas look like, as on the platform."""
_CHOICES = ("none", "auto", "required")
_CHOICE_TYPES = {"function": "function", "custom": "custom", "allowed_tools": "allowed_tools"}
_FORMATS = ("json_object", "json_schema", "text")


def _tool_choice(value: Any) -> Any:
    """Check a tool_choice: none, auto, required, or an object that names what may be called."""
    match value:
        case None:
            return None
        case str():
            return _word(value, _CHOICES)
        case dict():
            kind = _named(value, "type")
            _member(value, _CHOICE_TYPES.get(kind, "function"))
            if kind not in _CHOICE_TYPES:
                raise wrong_part(unsupported("type", kind, tuple(_CHOICE_TYPES)))
            if kind != "allowed_tools":
                _named(value[kind], "name", f"{kind}.")
            return value
        case _:
            raise wrong_kind("one of one of 'none', 'auto', or 'required' or object")


def _function_call(value: Any) -> Any:
    """Check a function_call, which is older than tool_choice: none, auto, or a name."""
    match value:
        case None:
            return None
        case str():
            return _word(value, _CHOICES[:2])
        case dict():
            _named(value, "name")
            return value
        case _:
            raise wrong_kind("one of one of 'none' or 'auto' or object")


def _response_format(value: Any) -> Any:
    """Check a response_format; a json_schema needs a name."""
    if not isinstance(value, dict):
        return value  # the type that pydantic demands
    kind = _named(value, "type")
    if kind not in _FORMATS:
        raise wrong_part(unsupported("type", kind, _FORMATS))
    if kind == "json_schema":
        schema = _member(value, "json_schema")
        name = _named(schema, "name", "json_schema.")
        if len(name) > 64:
            raise wrong_part(wrong_length("json_schema.name", "string", len(name), "max", 64))
        if not re.fullmatch(NAME, name):
            raise wrong_part(unlike("json_schema.name", NAME))
    return value


_Word = Literal["none", "auto", "required"]
ToolChoice = Annotated[
    Any, BeforeValidator(_tool_choice, json_schema_input_type=_Word | dict[str, Any] | None)
]
FunctionCallChoice = Annotated[
    Any,
    BeforeValidator(
        _function_call, json_schema_input_type=Literal["none", "auto"] | dict[str, Any] | None
    ),
]
ResponseFormat = Annotated[dict[str, Any] | None, BeforeValidator(_response_format)]


def _word(value: str, words: tuple[str, ...]) -> str:
    if value not in words:
        raise wrong_part(unsupported("", value, words))
    return value


def _member(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object that stands under name."""
    member = value.get(name)
    if member is None:
        raise wrong_part(absent(name))
    if not isinstance(member, dict):
        raise wrong_part(wrong_type(name, "an object", member))
    return member


def _named(value: Mapping[str, Any], name: str, path: str = "") -> str:
    """Return the text that stands under name. path: of value, for the complaint."""
    member = value.get(name)
    if member is None:
        raise wrong_part(absent(path + name))
    if not isinstance(member, str):
        raise wrong_part(wrong_type(path + name, "a string", member))
    return member
