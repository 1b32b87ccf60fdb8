"""OpenAI's own document as the judge of what is served: errors(schema, value) says what it forbids,
strangers(schema, value) which keys it does not know.

The document mixes two dialects (3.0's `nullable`, 3.1's `type: null`); both become JSON Schema
2020-12 here, formats and discriminators left out. Where the live API sends what the document
forbids, and clients need it, EXCEPTIONS says so; there is none for chat and for responses.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

Schema = Any
DOCUMENT = Path(__file__).parent / "data/openapi.yaml"
PREFIX = "#/components/schemas/"

_PLAIN = frozenset(
    {"type", "enum", "const", "required", "pattern", "minimum", "maximum"}
    | {"exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"}
    | {"minProperties", "maxProperties", "uniqueItems", "$ref"}
)
_SCHEMA = frozenset({"items", "additionalProperties", "not", "propertyNames"})
_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})


def check(schema: str, value: Any) -> None:
    """Fail with the document's complaints unless value is what it calls schema."""
    complaints = errors(schema, value)
    assert not complaints, "\n".join([f"this is no {schema}:", *complaints, str(value)[:2000]])


def errors(schema: str, value: Any) -> list[str]:
    """Return what the document forbids, each complaint with its place."""
    found = validator(schema).iter_errors(value)
    return list(dict.fromkeys(complaint for error in found for complaint in explained(error)))


def strangers(schema: str, value: Any) -> list[str]:
    """Return the places of the keys of value that the document does not know."""
    return list(_strangers([{"$ref": PREFIX + schema}], value, "$"))


@cache
def document() -> dict[str, Schema]:
    """Return the schemas by name, as they stand but for EXCEPTIONS; parsing takes about 1.5 s."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    schemas: dict[str, Schema] = yaml.load(DOCUMENT.read_text("utf-8"), loader)["components"][
        "schemas"
    ]
    for change in EXCEPTIONS:
        change(schemas)
    return schemas


@cache
def validator(schema: str) -> Draft202012Validator:
    """Return the validator of a schema; raises KeyError for a name that the document lacks."""
    reached, names = {}, [schema]
    while names:
        name = names.pop()
        if name not in reached:
            reached[name] = converted(document()[name])
            names += [ref.removeprefix(PREFIX) for ref in references(reached[name])]
    return Draft202012Validator({"$ref": PREFIX + schema, "components": {"schemas": reached}})


def converted(schema: Schema) -> Schema:
    """Return a schema as JSON Schema 2020-12, what is no assertion left out."""
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Schema] = {key: value for key, value in schema.items() if key in _PLAIN}
    for key in _SCHEMA & schema.keys():
        kept[key] = converted(schema[key])
    for key in _SCHEMAS & schema.keys():
        kept[key] = [converted(branch) for branch in schema[key]]
    if "properties" in schema:
        kept["properties"] = {k: converted(v) for k, v in schema["properties"].items()}
    return {"anyOf": [kept, {"type": "null"}]} if schema.get("nullable") else kept


def references(schema: Schema) -> Iterator[str]:
    """Yield every $ref in a converted schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def explained(error: ValidationError) -> list[str]:
    """Return an error in words; of alternatives, what is wrong with the one that fits best."""
    if error.context:
        branches: dict[Any, list[ValidationError]] = {}
        for cause in error.context:
            branches.setdefault(cause.schema_path[0], []).append(cause)
        return [text for cause in min(branches.values(), key=_misfit) for text in explained(cause)]
    return [f"{error.json_path}: {error.message[:200]}"]


def _misfit(causes: list[ValidationError]) -> tuple[bool, bool, int]:
    """How badly a branch fits: of another type, with another tag, how much else is wrong."""
    tags = {"type", "object", "role"}
    tagged = any(c.validator in ("enum", "const") and {*c.path} & tags for c in causes)
    return any(c.validator == "type" and not c.path for c in causes), tagged, len(causes)


def _strangers(schemas: list[Schema], value: Any, place: str) -> Iterator[str]:
    alternatives = [branch for schema in schemas for branch in _branches(schema, frozenset())]
    if isinstance(value, dict):
        known: dict[str, list[Schema]] = {}
        for branch in alternatives:
            for key, schema in branch.get("properties", {}).items():
                known.setdefault(key, []).append(schema)
        is_open = not known or any(branch.get("additionalProperties") for branch in alternatives)
        for key, child in value.items():
            if key in known:
                yield from _strangers(known[key], child, f"{place}.{key}")
            elif not is_open:
                yield f"{place}.{key}"
    elif isinstance(value, list):
        items = [branch["items"] for branch in alternatives if "items" in branch]
        for index, child in enumerate(value):
            yield from _strangers(items, child, f"{place}[{index}]")


def _branches(schema: Schema, seen: frozenset[str]) -> Iterator[dict[str, Any]]:
    """Yield a schema and all that it may stand for, references followed."""
    name = schema.get("$ref", "")
    if name and name not in seen:
        yield from _branches(document()[name.removeprefix(PREFIX)], seen | {name})
    yield schema
    for key in _SCHEMAS & schema.keys():
        for branch in schema[key]:
            yield from _branches(branch, seen)


def _or_null(properties: dict[str, Schema], *names: str) -> None:
    for name in names:
        properties[name] = {"anyOf": [properties[name], {"type": "null"}]}


def _completions_stream(schemas: dict[str, Schema]) -> None:
    """A chunk of a legacy completion has neither usage nor a reason to finish until its end; an
    echoed text begins with a token without a logprob or top; with `logprobs: 0` there is no top.
    """
    completion = schemas["CreateCompletionResponse"]["properties"]
    choice = completion["choices"]["items"]["properties"]
    logprobs = choice["logprobs"]["anyOf"][0]["properties"]
    _or_null(completion, "usage")
    _or_null(choice, "finish_reason")
    _or_null(logprobs["token_logprobs"], "items")
    _or_null(logprobs["top_logprobs"], "items")
    _or_null(logprobs, "top_logprobs")


def _embeddings(schemas: dict[str, Schema]) -> None:
    """With `encoding_format: base64` an embedding is a text."""
    embedding = schemas["Embedding"]["properties"]
    embedding["embedding"] = {"anyOf": [embedding["embedding"], {"type": "string"}]}


EXCEPTIONS: tuple[Callable[[dict[str, Schema]], None], ...] = (
    _completions_stream,
    _embeddings,
)
"""What recorded answers of the live API hold against the document (wire checklist, section 12)."""
