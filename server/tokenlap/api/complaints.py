"""What pydantic found wrong, in the platform's words (wording.py), and complaints for validators to
raise.

Of several errors the one counts that the platform would report: what is missing at the top first,
then in its order of checks (wire checklist 122).
"""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from tokenlap.api import wording
from tokenlap.api.wording import absent, named, short, wrong_type
from tokenlap.errors import BadRequest

NOT_JSON = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using "
    "your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not "
    "valid JSON. If you have trouble figuring out how to fix this, please contact us through our "
    "help center at help.openai.com.)"
)
NO_MODEL = "you must provide a model parameter"

_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "int_parsing": "an integer",
    "bool_parsing": "a boolean",
    "float_type": "a decimal",
    "bool_type": "a boolean",
    "list_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
_CALLED = {
    "messages": "an array of objects",
    "tools": "an array of objects",
    "tool_calls": "an array of objects",
    "functions": "an array of function definitions",
    "metadata": "a metadata object",
}
"""What the platform calls the value of a parameter, where its type is not all that it says."""


def complaint(invalid: ValidationError, order: Sequence[str] = ()) -> BadRequest:
    """Return the error the platform would answer with for the first thing that pydantic found
    wrong.

    order: the parameters in the platform's order of checks; what it does not name comes last.
    """
    places = {name: place for place, name in enumerate(order)}

    def place(error: ErrorDetails) -> tuple[bool, int]:
        location = error["loc"]
        present = len(location) > 1 or error["type"] != "missing"
        return present, places.get(str(location[0]), len(order)) if location else 0

    error = min(invalid.errors(include_url=False), key=place)
    path, kind = path_of(error["loc"]), error["type"]
    if kind == "json_invalid":
        return BadRequest(NOT_JSON)
    if not path and not kind.startswith("openai"):
        return BadRequest(
            f"{NOT_JSON} Expected an object, but got {named(error['input'])} instead."
        )
    if path == "model" and (kind == "missing" or error["input"] in (None, "")):
        return BadRequest(NO_MODEL)
    return _told(path, kind, error)


def wrong(message: str, code: str | None = None, param: str | None = None) -> PydanticCustomError:
    """Return an error for a validator to raise, whose message is given as it stands.

    param: where it is not the place of the validator.
    """
    context = {"message": message, "code": code, "param": param}
    return PydanticCustomError("openai", "{message}", context)


def wrong_kind(expected: str) -> PydanticCustomError:
    """Return an error for a validator to raise, about a value that is not what was expected."""
    return PydanticCustomError("openai_type", "expected {expected}", {"expected": expected})


def wrong_part(error: BadRequest) -> PydanticCustomError:
    """Return a complaint for a validator to raise, whose `param` goes on from its own place.

    Example: absent("name"), raised where ("tools", 0) is validated, is about `tools[0].name`;
    with "" for the path it is about `tools[0]` itself.
    """
    context = {"message": error.message, "code": error.code, "part": error.param}
    return PydanticCustomError("openai_part", "{message}", context)


def path_of(location: Sequence[int | str]) -> str:
    """Return a location as the platform spells it: ("messages", 0, "role") ->
    "messages[0].role".
    """
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return short(path)


def _told(path: str, kind: str, error: ErrorDetails) -> BadRequest:
    context = error.get("ctx", {})
    match kind:
        case "openai":
            return BadRequest(context["message"], context["param"] or path, context["code"])
        case "openai_type":
            return wrong_type(path, context["expected"], error["input"])
        case "openai_part":
            return _within(path, context)
        case "missing":
            return absent(path)
        case _ if kind in _EXPECTED:
            called = _CALLED.get(str(error["loc"][-1]), _EXPECTED[kind])
            return wrong_type(path, called, error["input"])
        case _:
            return _constraint(path, kind, error, context)


def _within(path: str, context: dict[str, Any]) -> BadRequest:
    """Return the complaint about a part of the value at path; "" is all of it."""
    part = context["part"]
    if not part:
        return BadRequest(context["message"], path, context["code"])
    whole = f"{path}.{part}" if path else part
    message = context["message"].replace(f"'{part}'", f"'{whole}'", 1)
    return BadRequest(message, whole, context["code"])


_BOUNDS: dict[str, tuple[wording.Sign, str]] = {
    "greater_than_equal": (">=", "ge"),
    "greater_than": (">", "gt"),
    "less_than_equal": ("<=", "le"),
    "less_than": ("<", "lt"),
}
_LENGTHS: dict[str, Any] = {
    "too_long": ("array", "max"),
    "too_short": ("array", "min"),
    "string_too_long": ("string", "max"),
    "string_too_short": ("string", "min"),
}


def _constraint(path: str, kind: str, error: ErrorDetails, context: dict[str, Any]) -> BadRequest:
    """Return the complaint about a value of the right type that is not as it should be."""
    value, location = error["input"], error["loc"]
    if kind == "literal_error":
        supported = [text.strip("'") for text in _split(context["expected"])]
        if not isinstance(value, str):
            return wrong_type(path, f"one of {wording.listed(supported, 'or')}", value)
        return wording.unsupported(path, value, supported)
    if kind in _BOUNDS:
        sign, key = _BOUNDS[kind]
        return wording.out_of_bounds(path, value, sign, context[key])
    if location[-1] == "[key]":
        return wording.long_name(path_of(location[:-2]), value, context["max_length"])
    if kind == "too_long" and isinstance(value, dict):
        return wording.too_many_properties(path, len(value), context["max_length"])
    if kind in _LENGTHS:
        what, bound = _LENGTHS[kind]
        length = context.get("actual_length") or len(value)
        return wording.wrong_length(path, what, length, bound, context[f"{bound}_length"])
    if kind == "string_pattern_mismatch":
        return wording.unlike(path, context["pattern"])
    return BadRequest(f"Invalid '{path}': {error['msg']}.", path, "invalid_value")


def _split(expected: str) -> list[str]:
    """Take pydantic's `'a', 'b' or 'c'` apart."""
    return expected.replace(" or ", ", ").split(", ")
