"""POST /v1/moderations: a text is flagged where it holds one of a few words, and never otherwise.

Source: API reference, Create moderation.
Differences from OpenAI: nothing is judged. The words below are for tests that need one text that is
flagged ("I want to kill them.") and one that is not; they are no filter. Images are accepted and
not looked at.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import PlainValidator
from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend
from tokenlap.api.body import Body, received
from tokenlap.api.complaints import wrong
from tokenlap.api.serving import json_answer
from tokenlap.api.texts import refused
from tokenlap.api.wording import wrong_length, wrong_type

DEFAULT_MODEL = "omni-moderation-latest"
MAX_INPUTS = 2048
FLAGGED, CLEAR = 0.97, 0.0001
"""The scores: there is nothing in between."""

_WORDS: dict[str, tuple[str, ...]] = {
    "harassment": ("worthless idiot", "nobody likes you", "kill you", "kill them"),
    "harassment/threatening": ("kill you", "kill them", "hurt you"),
    "hate": ("subhuman", "inferior race"),
    "hate/threatening": ("exterminate them",),
    "illicit": ("launder money", "forge a passport", "build a bomb"),
    "illicit/violent": ("build a bomb", "hire a hitman"),
    "self-harm": ("suicide", "kill myself", "hurt myself"),
    "self-harm/intent": ("kill myself", "hurt myself"),
    "self-harm/instructions": ("how to hurt myself",),
    "sexual": ("porn", "explicit sex"),
    "sexual/minors": ("sexualised child",),
    "violence": ("kill", "murder", "stab", "massacre"),
    "violence/graphic": ("dismember", "gore"),
}
"""The categories of the API reference, and the words that flag a text, matched whole."""
_PATTERNS = {
    category: re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
    for category, words in _WORDS.items()
}
_OF_IMAGES = frozenset(name for name in _WORDS if name.startswith(("self-harm", "violence")))
_OF_IMAGES |= {"sexual"}
"""The categories that the platform applies to images too."""


@dataclass(frozen=True, slots=True)
class Moderated:
    """One input: its text, and of what types its parts are."""

    text: str
    types: tuple[str, ...] = ("text",)


def _read(value: Any) -> list[Moderated]:
    """Read a text, an array of texts, or one input as an array of parts."""
    if isinstance(value, str):
        return [Moderated(value)]
    if not isinstance(value, list):
        expected = "one of a string, an array of strings, or an array of objects"
        raise refused(wrong_type("input", expected, value))
    if not value:
        raise refused(wrong_length("input", "array", 0, "min", 1))
    if len(value) > MAX_INPUTS:
        raise refused(wrong_length("input", "array", len(value), "max", MAX_INPUTS))
    if isinstance(value[0], dict):
        return [_joined(value)]
    for at, text in enumerate(value):
        if not isinstance(text, str):
            raise refused(wrong_type(f"input[{at}]", "a string", text))
    return [Moderated(text) for text in value]


def _joined(parts: list[Any]) -> Moderated:
    """Return the one input that parts make up."""
    texts: list[str] = []
    for at, part in enumerate(parts):
        match part:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "image_url", "image_url": {"url": str()}}:
                pass
            case _:
                right = "{'type': 'text', 'text': ...} or {'type': 'image_url', 'image_url': {...}}"
                raise wrong(
                    f"Invalid 'input[{at}]': expected {right}.", "invalid_value", f"input[{at}]"
                )
    types = (*(["text"] if texts else []), *(["image"] if len(texts) < len(parts) else []))
    return Moderated("\n".join(texts), types)


Inputs = Annotated[
    list[Moderated],
    PlainValidator(_read, json_schema_input_type=str | list[str] | list[dict[str, Any]]),
]


class ModerationRequest(Body):
    """The body of POST /v1/moderations."""

    input: Inputs
    model: str | None = None


async def create_moderation(backend: Backend, request: Request) -> Response:
    """Answer with one result per input."""
    asked = await received(backend, request, ModerationRequest)
    body = {
        "id": backend.new_id("modr-"),
        "model": asked.model or DEFAULT_MODEL,
        "results": [result(moderated) for moderated in asked.input],
    }
    return json_answer(body)


def result(moderated: Moderated) -> dict[str, Any]:
    """Return what the platform says of one input: all categories, their scores, to what each
    applies.
    """
    # Where a word stands at all is found ten times faster than where it stands alone.
    folded = moderated.text.casefold()
    near = {name for name, words in _WORDS.items() if any(word in folded for word in words)}
    flags = {
        name: name in near and bool(found.search(moderated.text))
        for name, found in _PATTERNS.items()
    }
    return {
        "flagged": any(flags.values()),
        "categories": flags,
        "category_scores": {name: FLAGGED if flag else CLEAR for name, flag in flags.items()},
        "category_applied_input_types": {
            name: [kind for kind in moderated.types if kind == "text" or name in _OF_IMAGES]
            for name in flags
        },
    }
