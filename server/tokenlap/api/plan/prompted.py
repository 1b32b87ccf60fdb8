"""JSON that only the prompt asks for: a schema or an example object, with an instruction to answer
so; or keys by name. Recognised where that is cheap.
"""

import json
import re
from collections.abc import Iterator

from tokenlap.api.plan.asked import Format, Json
from tokenlap.api.plan.conversation import Conversation
from tokenlap.api.plan.labelled import noted

_INSTRUCTED = re.compile(
    r"\b(respond|answer|reply|return|output|format|conform\w*|generate|provide|produce|match\w*|"
    r"compatible|give|write)\b[^.]{0,120}\bjson\b|\bjson\b[^.]{0,80}\b(schema|object|format|"
    r"response|output|instance|only|answer)\b",
    re.IGNORECASE,
)
_DECODER = json.JSONDecoder()
_MOST_TRIES = 40
_MOST_READ = 4000
_KEYS = re.compile(
    r"\b(?:keys?|fields?|properties|attributes)\b\W+(?:(?:are|named|called)\W+)?"
    r"((?:[`'\"]?[A-Za-z_]\w*[`'\"]?(?:\s*\([^)]{0,40}\))?(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+|))+)"
)
_AS_JSON = re.compile(
    r"\b(?:extract|return|give|list|output|get)\b(?:\s+me)?\s+(?:the\s+)?"
    r"((?:[a-z_]\w*(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+))*[a-z_]\w*)\s+(?:as|in)\s+(?:an?\s+)?json",
    re.IGNORECASE,
)
_NOTED = re.compile(r"\{\w+\}(?:\s*# note: the value you produce (must .*))?", re.DOTALL)


def prompted_format(conversation: Conversation) -> Format | None:
    """Return the JSON format that the system turns or the last user turn ask for, if any."""
    for text in (conversation.asked, conversation.system):
        if "json" in text.lower() and "{" in text and _INSTRUCTED.search(text):
            schema = described(text)
            if schema is not None:
                return Format("schema", schema, param="messages")
    return None


def described(text: str) -> Json:
    """Return the last JSON schema in a text, else the schema of the last example object, else
    None.
    """
    objects = list(_objects(text))
    schemas = [found for found in objects if is_schema(found)]
    if schemas:
        return schemas[-1]
    examples = [found for found in objects if found]
    return of_example(examples[-1]) if examples else None


def keyed(text: str) -> Json:
    """Return the schema of an object whose keys a text lists, None where it lists none.

    Example: "a JSON object with the keys name, age and city" -> name, age, city
    """
    text = text[:_MOST_READ]
    found = _KEYS.search(text) or _AS_JSON.search(text)
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\([^)]*\)", "", found[1])) if found else []
    names = [name for name in names if name not in ("and", "as", "in", "of", "for", "the", "with")]
    if not names:
        return None
    return {"type": "object", "properties": {n: _guessed(n) for n in names}, "required": names}


def _guessed(name: str) -> Json:
    """Return the schema of what a key of this name usually holds."""
    from tokenlap.predictors.grammar.numbers import is_counted  # with all that a grammar needs
    from tokenlap.predictors.grammar.steer import split_name

    words = split_name(name)
    if words[:1] in (["is"], ["has"], ["can"]):
        return {"type": "boolean"}
    if is_counted(words):
        return {"type": "number"}
    plural = name.endswith("s") and not name.endswith(("ss", "us", "is", "address"))
    return {"type": "array", "items": {"type": "string"}} if plural else {"type": "string"}


def is_schema(value: Json) -> bool:
    """Say whether an object is a JSON schema rather than an example."""
    if "$ref" in value or "$defs" in value:
        return True
    return isinstance(value.get("properties"), dict) and (
        value.get("type") == "object" or "required" in value or "title" in value
    )


def of_example(value: Json) -> Json:
    """Return the schema of values like an example."""
    match value:
        case dict():
            properties = {str(name): of_example(part) for name, part in value.items()}
            return {"type": "object", "properties": properties, "required": list(properties)}
        case list():
            items = of_example(value[0]) if value else {}
            return {"type": "array", "items": items, "minItems": 1}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str():
            return _of_text(value)
        case _:
            return {}


def _of_text(text: str) -> Json:
    """Return the schema of a text of an example; DSPy puts a note on the value there."""
    note = _NOTED.fullmatch(text)
    texts, schema = noted(note[1] or "") if note else ((), None)
    return {"enum": list(texts)} if texts else schema or {"type": "string"}


def _objects(text: str) -> Iterator[dict[str, Json]]:
    """Yield the JSON objects in a text, the outermost ones."""
    at, tries = text.find("{"), 0
    while at >= 0 and tries < _MOST_TRIES:
        tries += 1
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                yield value
        at = text.find("{", end)
