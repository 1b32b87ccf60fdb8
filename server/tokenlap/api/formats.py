"""The formats that a request may ask for by parameters: response_format, and the engines' own
extensions for the same.

Source: wire checklist 131-133; the structured outputs of vLLM's OpenAI-compatible server.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from tokenlap.api.body import Body, Lenient
from tokenlap.api.plan.asked import Format, Kind
from tokenlap.errors import BadRequest

_MOST_TEXTS = 1000
_LONGEST = 20_000


def _schema(value: Any) -> Any:
    """Read a schema that is given as a text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


Texts = Annotated[
    list[Annotated[str, Field(min_length=1)]],
    Field(min_length=1, max_length=_MOST_TEXTS, fail_fast=True),
]
Source = Annotated[str, Field(min_length=1, max_length=_LONGEST)]
JsonSchema = Annotated[
    dict[str, Any] | bool,
    BeforeValidator(_schema, json_schema_input_type=dict[str, Any] | bool | str),
]


class StructuredOutputs(Lenient):
    """What an answer must look like, as vLLM takes it; one of these."""

    json_: Annotated[JsonSchema | None, Field(alias="json")] = None
    regex: Source | None = None
    choice: Texts | None = None
    grammar: Source | None = None
    json_object: bool | None = None


class Structured(Body):
    """The engines' own parameters for the form of an answer (vLLM); its older names as well."""

    extensions: ClassVar[frozenset[str]] = frozenset(
        {
            "structured_outputs",
            "guided_json",
            "guided_choice",
            "guided_regex",
            "guided_grammar",
        }
    )

    structured_outputs: StructuredOutputs | None = None
    guided_json: JsonSchema | None = None
    guided_choice: Texts | None = None
    guided_regex: Source | None = None
    guided_grammar: Source | None = None

    def formats(self) -> list[Format]:
        """Return every form that these parameters ask for."""
        found = _asked("structured_outputs.", self.structured_outputs)
        for param, kind in _OLDER.items():
            value = getattr(self, param)
            if value is not None:
                found.append(Format(kind, value, param=param))
        return found


_OLDER: Mapping[str, Kind] = {
    "guided_json": "schema",
    "guided_choice": "one_of",
    "guided_regex": "regex",
    "guided_grammar": "lark",
}


def format_of(
    response_format: Mapping[str, Any] | None, param: str = "response_format"
) -> Format | None:
    """Return what a response_format asks for, None for plain text. param: where it stands."""
    match response_format:
        case {"type": "json_object"}:
            return Format("object", param=param)
        case {"type": "json_schema", "json_schema": {**said}}:
            schema = said.get("schema")
            return Format("schema", {} if schema is None else schema, str(said["name"]), param)
        case _:
            return None


def one_format(response_format: Mapping[str, Any] | None, more: Structured) -> Format | None:
    """Return the form that a request asks for by one of its parameters, None for plain text.

    Raises BadRequest where several ask for one.
    """
    given = format_of(response_format)
    found = [*([given] if given else []), *more.formats()]
    if len(found) > 1:
        raise BadRequest(
            f"Invalid value for '{found[1].param}': the form of the answer is already given by "
            f"'{found[0].param}'. Give one of them.",
            found[1].param,
        )
    return found[0] if found else None


def _asked(path: str, given: StructuredOutputs | None) -> list[Format]:
    if given is None:
        return []
    found = (
        Format("schema", given.json_, param=f"{path}json"),
        Format("regex", given.regex, param=f"{path}regex"),
        Format("one_of", given.choice, param=f"{path}choice"),
        Format("lark", given.grammar, param=f"{path}grammar"),
        Format("object", given.json_object or None, param=f"{path}json_object"),
    )
    return [one for one in found if one.value is not None]
