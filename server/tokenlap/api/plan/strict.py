"""What the platform demands of a schema that is to be kept to strictly (`strict: true`): every
object closed, every property required. Checked with --strict alone; without it any schema will do.

Source: recorded answers of the platform (openai/openai-agents-mcp#2, kevinwatt/mysql-mcp#5,
vercel/ai#6484, dotnet/extensions#6302, spring-projects/spring-ai#4776).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tokenlap.errors import BadRequest

Json = Any
_LISTS = ("anyOf", "allOf", "oneOf", "prefixItems")
_MAPS = ("properties", "$defs", "definitions")
_MOST = 20_000


def check_strict(tools: list[Json], response_format: Json, *, flat: bool = False) -> None:
    """Raise BadRequest for the first schema that claims to be strict and is not.

    tools, response_format: as in a chat request; flat: complain as a request without nesting would.
    """
    for i, tool in enumerate(tools):
        said = tool.get("function") or {}
        if tool["type"] == "function" and said.get("strict"):
            place = f"tools[{i}]" if flat else f"tools[{i}].function"
            found = complaint(said.get("parameters") or {"type": "object"})
            if found:
                message = f"Invalid schema for function '{said['name']}': {found}"
                raise BadRequest(message, f"{place}.parameters", "invalid_function_parameters")
    format = (response_format or {}).get("json_schema") or {}
    found = complaint(format.get("schema") or {}) if format.get("strict") else ""
    if found:
        message = f"Invalid schema for response_format '{format['name']}': {found}"
        raise BadRequest(message, "text.format.schema" if flat else "response_format")


def complaint(schema: Json) -> str:
    """Return the platform's words about the first thing that is not strict, "" for none."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        got = schema.get("type") if isinstance(schema, Mapping) else schema
        return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{got}\"'."
    for context, part in _objects(schema):
        place = f"In context={context!r}, "
        properties = part.get("properties")
        if part.get("additionalProperties") is not False:
            return f"{place}'additionalProperties' is required to be supplied and to be false."
        if not isinstance(properties, Mapping):
            return f"{place}object schema missing properties."
        required = part.get("required")
        listed = required if isinstance(required, list) else []
        missing = next((name for name in properties if name not in listed), None)
        if missing is not None:
            return (
                f"{place}'required' is required to be supplied and to be an array including every "
                f"key in properties. Missing '{missing}'."
            )
        extra = next((name for name in listed if name not in properties), None)
        if extra is not None:
            return f"{place}'required' must be an array. Extra required key '{extra}' supplied."
    return ""


def _objects(schema: Json) -> Iterator[tuple[tuple[str, ...], Mapping[str, Json]]]:
    """Yield every object schema with the way to it, the outer ones first; bounded."""
    waiting: list[tuple[tuple[str, ...], Json]] = [((), schema)]
    for _ in range(_MOST):
        if not waiting:
            return
        context, part = waiting.pop(0)
        if not isinstance(part, Mapping):
            continue
        if part.get("type") == "object" or "properties" in part:
            yield context, part
        for keyword in _MAPS:
            if isinstance(part.get(keyword), Mapping):
                waiting += [((*context, keyword, name), sub) for name, sub in part[keyword].items()]
        for keyword in _LISTS:
            if isinstance(part.get(keyword), list):
                waiting += [((*context, keyword, str(i)), s) for i, s in enumerate(part[keyword])]
        if "items" in part:
            waiting.append(((*context, "items"), part["items"]))
