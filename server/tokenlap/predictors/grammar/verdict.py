"""Whether a value fits a schema, in three values: yes, no, or not decided here.

A small reader of JSON schema for the few values that a shape lists one by one. It never guesses:
where a keyword is not one it knows, the answer is None.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from tokenlap.predictors.grammar.formats import PATTERNS, WIDER
from tokenlap.predictors.grammar.patterns import occurs
from tokenlap.predictors.grammar.refs import Schema, canonical
from tokenlap.predictors.grammar.shape import Json

Verdict = bool | None
_DEEPEST = 30
_UNDECIDED = frozenset(
    (
        *("contains", "dependentRequired", "dependentSchemas", "dependencies"),
        *("unevaluatedProperties", "unevaluatedItems"),
    )
)
_UNKNOWN: Mapping[str, Json] = {}
"""A schema of which nothing is decided."""


def verdict(value: Json, raw: Json, schema: Schema, depth: int = 0) -> Verdict:
    """Say whether value fits raw, a schema inside schema."""
    if isinstance(raw, bool):
        return raw
    schema.check(raw)
    if depth > _DEEPEST or raw is _UNKNOWN:
        return None
    composite = isinstance(value, list | Mapping)
    undecided = None if composite and any(keyword in raw for keyword in _UNDECIDED) else True
    listed = schema.lists(raw["enum"], value) if "enum" in raw else True
    own = (_test(keyword, limit, value) for keyword, limit in raw.items())
    return _all((undecided, listed, *own, *_applied(value, raw, schema, depth + 1)))


def same(one: Json, other: Json) -> bool:
    """Say whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    return canonical(one) == canonical(other)


def type_of(value: Json) -> str:
    """Return the type of a value, `fraction` for a number that is no integer."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "integer" if value == value // 1 else "fraction"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def has_type(value: Json, named: Json) -> bool:
    """Say whether a value is of a named type, or of one of a list."""
    kind = type_of(value)
    names = named if isinstance(named, list) else [named]
    return kind in names or ("number" in names and kind in ("integer", "fraction"))


def is_multiple(value: float, step: float) -> bool:
    """Say whether value is a multiple of step, as validators reckon it: in floating point."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    quotient = value / step
    return int(quotient) == quotient


def _test(keyword: str, limit: Json, value: Json) -> Verdict:
    """Apply a keyword that looks at the value alone."""
    match keyword:
        case "type":
            return has_type(value, limit)
        case "const":
            return same(value, limit)
    match value:
        case bool() | None:
            return True
        case str():
            return _test_string(keyword, limit, value)
        case int() | float():
            return _test_number(keyword, limit, value)
        case list():
            if keyword == "uniqueItems" and limit is True:
                return not any(same(a, b) for i, a in enumerate(value) for b in value[:i])
            return _test_size(keyword, limit, len(value), "minItems", "maxItems")
        case _:
            if keyword == "required":
                return all(name in value for name in limit)
            return _test_size(keyword, limit, len(value), "minProperties", "maxProperties")


def _test_string(keyword: str, limit: Json, value: str) -> Verdict:
    if keyword == "pattern":
        return occurs(limit, value)
    if keyword == "format" and limit in PATTERNS:
        # Both are narrower than the format, so a text that neither fits may still be right.
        known = (PATTERNS[limit], WIDER.get(limit, ""))
        return True if any(one and re.search(one, value) for one in known) else None
    return _test_size(keyword, limit, len(value), "minLength", "maxLength")


def _test_size(keyword: str, limit: Json, size: int, least: str, most: str) -> bool:
    if keyword == least:
        return bool(size >= limit)
    return bool(size <= limit) if keyword == most else True


def _test_number(keyword: str, limit: Json, value: float) -> Verdict:
    match keyword:
        case "minimum":
            return bool(value >= limit)
        case "maximum":
            return bool(value <= limit)
        case "exclusiveMinimum":
            return None if isinstance(limit, bool) else bool(value > limit)
        case "exclusiveMaximum":
            return None if isinstance(limit, bool) else bool(value < limit)
        case "multipleOf":
            return is_multiple(value, limit)
        case _:
            return True


def _applied(value: Json, raw: Mapping[str, Json], schema: Schema, depth: int) -> list[Verdict]:
    """Apply the keywords that hand the value, or a part of it, to other schemas."""

    def fits(part: Json, other: Json) -> Verdict:
        return verdict(part, other, schema, depth)

    found = [fits(value, schema.target(raw[k])) for k in ("$ref", "$dynamicRef") if k in raw]
    found += [fits(value, part) for part in raw.get("allOf", ())]
    if "anyOf" in raw:
        found.append(_any(fits(value, part) for part in raw["anyOf"]))
    if "oneOf" in raw:
        found.append(_one([fits(value, part) for part in raw["oneOf"]]))
    if "not" in raw:
        unfit = fits(value, raw["not"])
        found.append(None if unfit is None else not unfit)
    if "if" in raw:
        found.append(_conditional(fits(value, raw["if"]), value, raw, fits))
    if isinstance(value, Mapping):
        found += [fits(name, raw.get("propertyNames", True)) for name in value]
        found += [fits(value[k], other) for k in value for other in _for_member(k, raw)]
    if isinstance(value, list):
        found += [fits(part, other) for i, part in enumerate(value) for other in _for_item(i, raw)]
    return found


def _conditional(
    condition: Verdict, value: Json, raw: Mapping[str, Json], fits: Callable[[Json, Json], Verdict]
) -> Verdict:
    if condition is None:
        return None
    return fits(value, raw.get("then" if condition else "else", True))


def _for_member(name: str, raw: Mapping[str, Json]) -> list[Json]:
    """Return the schemas that one property must fit."""
    wanted = [raw["properties"][name]] if name in raw.get("properties", {}) else []
    for pattern, other in raw.get("patternProperties", {}).items():
        found = occurs(pattern, name)
        if found is not False:
            wanted.append(other if found else _UNKNOWN)
    return wanted or [raw.get("additionalProperties", True)]


def _for_item(index: int, raw: Mapping[str, Json]) -> list[Json]:
    """Return the schema that one element must fit."""
    items = raw.get("items", True)
    if isinstance(items, list):
        return [items[index] if index < len(items) else raw.get("additionalItems", True)]
    first = raw.get("prefixItems", [])
    return [first[index] if index < len(first) else items]


def _all(verdicts: Iterable[Verdict]) -> Verdict:
    decided: Verdict = True
    for one in verdicts:
        if one is False:
            return False
        decided = decided and one
    return decided


def _any(verdicts: Iterable[Verdict]) -> Verdict:
    found = list(verdicts)
    if True in found:
        return True
    return None if None in found else False


def _one(verdicts: list[Verdict]) -> Verdict:
    if verdicts.count(True) > 1:
        return False
    return None if None in verdicts else verdicts.count(True) == 1
