"""The platform's words for what is wrong with a parameter: message, `param` path and code.

Source: the API's own answers (wire checklist 118-131): `Invalid type for '<path>': expected ...,
but got ... instead.` What a client sent is shown shortened: an answer is never as long as a body.
"""

from collections.abc import Sequence
from typing import Any, Literal

from tokenlap.errors import BadRequest

Sign = Literal[">=", ">", "<=", "<"]


def short(text: str, most: int = 200) -> str:
    """Return a text of the client as an answer may show it: no longer than most characters."""
    return text if len(text) <= most else f"{text[:most]}..."


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


def listed(values: Sequence[str], last: str = "and") -> str:
    """Return values as the platform lists them: 'a', 'b', and 'c'."""
    quoted = [f"'{value}'" for value in values]
    if len(quoted) < 3:
        return f" {last} ".join(quoted)
    return ", ".join(quoted[:-1]) + f", {last} {quoted[-1]}"


def absent(path: str) -> BadRequest:
    """Return the complaint about a parameter that is not there."""
    message = f"Missing required parameter: '{path}'."
    return BadRequest(message, path, "missing_required_parameter")


def unknown(path: str) -> BadRequest:
    """Return the complaint about a parameter that does not exist."""
    return BadRequest(f"Unknown parameter: '{short(path)}'.", short(path), "unknown_parameter")


def wrong_type(path: str, expected: str, value: Any) -> BadRequest:
    """Return the complaint about a value of the wrong type."""
    message = f"Invalid type for '{path}': expected {expected}, but got {named(value)} instead."
    return BadRequest(message, path, "invalid_type")


def unsupported(path: str, value: str, supported: Sequence[str]) -> BadRequest:
    """Return the complaint about a value that is none of those that are supported."""
    message = f"Invalid value: '{short(value)}'. Supported values are: {listed(supported)}."
    return BadRequest(message, path, "invalid_value")


def unlike(path: str, pattern: str) -> BadRequest:
    """Return the complaint about a string that does not match a pattern."""
    message = (
        f"Invalid '{path}': string does not match pattern. Expected a string that matches the "
        f"pattern '{pattern}'."
    )
    return BadRequest(message, path, "invalid_value")


def out_of_bounds(path: str, value: float, sign: Sign, limit: float) -> BadRequest:
    """Return the complaint about a number; sign and limit are what would be right.

    A limit that is a float speaks of decimals, one that is an int of integers.
    """
    number = "decimal" if isinstance(limit, float) else "integer"
    side, bound = ("below", "minimum") if sign.startswith(">") else ("above", "maximum")
    shown = int(limit) if limit == int(limit) else limit
    message = (
        f"Invalid '{path}': {number} {side} {bound} value. "
        f"Expected a value {sign} {shown}, but got {short(str(value), 40)} instead."
    )
    return BadRequest(message, path, f"{number}_{side}_{bound[:3]}_value")


def wrong_length(
    path: str,
    what: Literal["string", "array"],
    length: int,
    bound: Literal["min", "max"],
    limit: int,
) -> BadRequest:
    """Return the complaint about a string or an array; limit is the bound it does not keep."""
    article = "an" if what == "array" else "a"
    expected = f"Expected {article} {what} with {bound}imum length {limit}, but got"
    if length == 0:
        message = f"Invalid '{path}': empty {what}. {expected} an empty {what} instead."
        return BadRequest(message, path, f"empty_{what}")
    side, size = ("above", "long") if bound == "max" else ("below", "short")
    message = (
        f"Invalid '{path}': {what} too {size}. {expected} "
        f"{article} {what} with length {length} instead."
    )
    return BadRequest(message, path, f"{what}_{side}_{bound}_length")


def too_many_properties(path: str, number: int, most: int) -> BadRequest:
    """Return the complaint about an object with more than most properties."""
    message = (
        f"Invalid '{path}': too many properties. Expected an object with at most {most} "
        f"properties, but got an object with {number} properties instead."
    )
    return BadRequest(message, path, "object_above_max_properties")


def long_name(path: str, name: str, most: int) -> BadRequest:
    """Return the complaint about the name of a property of the object at path."""
    message = (
        f"Invalid property name in '{path}': '{name[:3]}...{name[-3:]}' is too long. Expected a "
        f"string with maximum length {most}, but got a string with length {len(name)} instead."
    )
    return BadRequest(message, short(f"{path}.{name}"), "property_name_above_max_length")
