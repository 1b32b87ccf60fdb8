"""The four forms of a text that completions and embeddings take: a string, strings, token ids,
arrays of token ids.

Source: API reference, `prompt` and `input`; wire checklist 173, 226.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import PlainValidator
from pydantic_core import PydanticCustomError

from tokenlap.api.complaints import wrong
from tokenlap.api.generation import LONG, LONGEST_TOKEN, too_long
from tokenlap.api.wording import short, wrong_length, wrong_type
from tokenlap.engine.tokenizer import VOCABULARY_SIZE, TokenId, Tokenizer
from tokenlap.errors import BadRequest

Text = str | list[TokenId]
_ITEMS: dict[type, str] = {str: "a string", int: "an integer", list: "an array of integers"}
_FORMS = "a string, an array of strings, an array of integers, or an array of arrays of integers"


def read_texts(name: str, optional: bool = False) -> Callable[[Any], list[Text]]:
    """Return the validator of a parameter with this name: all four forms become one list.

    optional: null is an empty text.
    """

    def read(value: Any) -> list[Text]:
        if isinstance(value, str) or (optional and value is None):
            return [value or ""]
        if not isinstance(value, list):
            raise refused(wrong_type(name, f"one of {_FORMS}", value))
        kind = _kind_of_all(name, value)
        if kind is list:
            for at, ids in enumerate(value):
                if _kind_of_all(f"{name}[{at}]", ids) is not int:
                    raise refused(wrong_type(f"{name}[{at}][0]", "an integer", ids[0]))
        return [value] if kind is int else value

    return read


Prompts = Annotated[
    list[Text],
    PlainValidator(
        read_texts("prompt", optional=True),
        json_schema_input_type=str | list[str] | list[TokenId] | list[list[TokenId]] | None,
    ),
]
Inputs = Annotated[
    list[Text],
    PlainValidator(
        read_texts("input"),
        json_schema_input_type=str | list[str] | list[TokenId] | list[list[TokenId]],
    ),
]


async def tokens_of(text: Text, tokenizer: Tokenizer, path: str, most: int) -> list[TokenId]:
    """Return the token ids of a text; a long one is cut beside the event loop.

    path: where the text stands in the body; most: how many tokens are looked at, at least. Raises
    BadRequest for what is surely longer, and for an id outside the vocabulary.
    """
    if len(text) > (most * LONGEST_TOKEN if isinstance(text, str) else most):
        raise too_long(most, f"your {path} resulted in more than {most} tokens", path)
    if isinstance(text, str):
        if len(text) < LONG:
            return tokenizer.encode(text)
        return await asyncio.to_thread(tokenizer.encode, text)
    for at, token in enumerate(text):
        if not tokenizer.knows(token):
            raise BadRequest(
                f"Invalid '{path}[{at}]': {short(str(token), 40)} is not a token id of this "
                f"vocabulary (o200k_base, 0 to {VOCABULARY_SIZE - 1} with gaps; POST /tokenize "
                "returns ids).",
                f"{path}[{at}]",
                "invalid_value",
            )
    return text


def _kind_of_all(path: str, items: Sequence[Any]) -> type:
    """Return the type that all items have; raises where there are none, or they are mixed."""
    if not items:
        raise refused(wrong_length(path, "array", 0, "min", 1))
    kind = type(items[0])
    if kind not in _ITEMS:
        raise refused(wrong_type(f"{path}[0]", f"one of {_FORMS}", items[0]))
    # One pass in C: an array may hold a million ids.
    if len(set(map(type, items))) > 1:
        at = next(i for i, item in enumerate(items) if type(item) is not kind)
        raise refused(wrong_type(f"{path}[{at}]", _ITEMS[kind], items[at]))
    return kind


def refused(error: BadRequest) -> PydanticCustomError:
    """Return a complaint for a validator to raise, as it stands."""
    return wrong(error.message, error.code, error.param)
