"""What pydantic found wrong, in the platform's words: message, `param` path and code.

Source: the API's own answers (wire checklist 118-131): `Invalid type for '<path>': expected ...,
but got ... instead.` Fields stand in the models in the order in which the platform checks them, so
the first error is the one it would report.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from tokenlap.errors import BadRequest

NOT_JSON = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using "
    "your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not "
    "valid JSON.)"
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
_OBJECTS = frozenset({"dict_type", "model_type", "model_attributes_type"})


def complaint(model: type[BaseModel], invalid: ValidationError) -> BadRequest:
    """Return the error the platform would answer with for the first thing that pydantic found
    wrong.
    """
    error = invalid.errors(include_url=False)[0]
    if error["type"] == "json_invalid":
        return BadRequest(NOT_JSON)
    path, kind = path_of(error["loc"]), error["type"]
    if not path:
        return BadRequest(
            f"{NOT_JSON} Expected an object, but got {named(error['input'])} instead."
        )
    if path == "model" and (kind == "missing" or error["input"] in (None, "")):
        return BadRequest(NO_MODEL)
    if kind == "openai":
        return _custom(path, error)
    return _known(path, kind, error)


def wrong(message: str, code: str | None = None, param: str | None = None) -> PydanticCustomError:
    """Return an error for a validator to raise, whose message (without `{}` fields) is given as it
    stands.

    param: where it is not the place of the validator.
    """
    return PydanticCustomError(
        "openai", "{message}", {"message": message, "code": code, "param": param}
    )


def path_of(location: Sequence[int | str]) -> str:
    """Return a location as the platform spells it: ("messages", 0, "role") ->
    "messages[0].role".
    """
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def named(value: Any) -> str:
    """Return what a JSON value is, as the platform names it."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a decimal number"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case _:
            return "an object"


def wrong_type(path: str, expected: str, value: Any) -> BadRequest:
    """Return the complaint about a value of the wrong type."""
    message = f"Invalid type for '{path}': expected {expected}, but got {named(value)} instead."
    return BadRequest(message, path, "invalid_type")


def listed(values: Sequence[str]) -> str:
    """Return values as the platform lists them: 'a', 'b', and 'c'."""
    quoted = [f"'{value}'" for value in values]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return ", ".join(quoted[:-1]) + f", and {quoted[-1]}"


def _custom(path: str, error: ErrorDetails) -> BadRequest:
    context = error.get("ctx", {})
    param = context.get("param")
    return BadRequest(context["message"], path if param is None else param, context["code"])


def _known(path: str, kind: str, error: ErrorDetails) -> BadRequest:
    value, context = error["input"], error.get("ctx", {})
    if kind in _EXPECTED:
        if kind in _OBJECTS and isinstance(value, int | str | list | float | None):
            return wrong_type(path, "an object", value)
        return wrong_type(path, _EXPECTED[kind], value)
    if kind == "missing":
        return BadRequest(
            f"Missing required parameter: '{path}'.", path, "missing_required_parameter"
        )
    if kind in ("literal_error", "enum"):
        if not isinstance(value, str):
            return wrong_type(path, "a string", value)
        supported = listed([part.strip("'") for part in _split(context["expected"])])
        return BadRequest(
            f"Invalid value: '{value}'. Supported values are: {supported}.", path, "invalid_value"
        )
    if kind in _BOUNDS or kind == "finite_number":
        return _out_of_bounds(path, kind, value, context)
    if kind in _LENGTHS:
        return _wrong_length(path, kind, value, context)
    return BadRequest(f"Invalid '{path}': {error['msg']}.", path, "invalid_value")


def _split(expected: str) -> list[str]:
    """Take pydantic's `'a', 'b' or 'c'` apart."""
    return expected.replace(" or ", ", ").split(", ")


_BOUNDS = {
    "greater_than_equal": ("below", "minimum", ">=", "ge"),
    "greater_than": ("below", "minimum", ">", "gt"),
    "less_than_equal": ("above", "maximum", "<=", "le"),
    "less_than": ("above", "maximum", "<", "lt"),
}


def _out_of_bounds(path: str, kind: str, value: Any, context: dict[str, Any]) -> BadRequest:
    if kind not in _BOUNDS:
        return BadRequest(f"Invalid '{path}': expected a finite number.", path, "invalid_value")
    side, bound, sign, key = _BOUNDS[kind]
    limit = context[key]
    number = "decimal" if isinstance(limit, float) else "integer"
    limit = int(limit) if limit == int(limit) else limit
    message = (
        f"Invalid '{path}': {number} {side} {bound} value. "
        f"Expected a value {sign} {limit}, but got {value} instead."
    )
    return BadRequest(message, path, f"{number}_{side}_{bound[:3]}_value")


_LENGTHS = {
    "too_long": ("array", "long", "max"),
    "too_short": ("array", "short", "min"),
    "string_too_long": ("string", "long", "max"),
    "string_too_short": ("string", "short", "min"),
}


def _wrong_length(path: str, kind: str, value: Any, context: dict[str, Any]) -> BadRequest:
    what, size, bound = _LENGTHS[kind]
    limit, article = context[f"{bound}_length"], "an" if what == "array" else "a"
    if isinstance(value, dict):
        what, article = "object", "an"
    length = context.get("actual_length") or len(value)
    if what == "array" and length == 0:
        message = (
            f"Invalid '{path}': empty array. Expected an array with minimum length {limit}, "
            "but got an empty array instead."
        )
        return BadRequest(message, path, "empty_array")
    side = "above" if bound == "max" else "below"
    message = (
        f"Invalid '{path}': {what} too {size}. "
        f"Expected {article} {what} with {bound}imum length {limit}, but got "
        f"{article} {what} with length {length} instead."
    )
    return BadRequest(message, path, f"{what}_{side}_{bound}_length")
