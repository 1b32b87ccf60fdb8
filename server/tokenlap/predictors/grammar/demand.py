"""What must hold of a value: a demand, gathered from all the schemas that the value must fit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tokenlap.predictors.grammar.shape import NO_NOTE, Json, Note, SchemaRefused

FRACTION = "fraction"
"""A number that is no integer: JSON schema's `number` is both."""
TYPES: Mapping[str, frozenset[str]] = {
    **{name: frozenset((name,)) for name in ("string", "integer", "boolean", "null")},
    "number": frozenset(("integer", FRACTION)),
    "object": frozenset(("object",)),
    "array": frozenset(("array",)),
}
ANY_TYPE: frozenset[str] = frozenset().union(*TYPES.values())
_KEPT = frozenset(
    (
        *("enum", "const", "minLength", "maxLength", "pattern", "format"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("required", "minProperties", "maxProperties", "unevaluatedProperties"),
        *("minItems", "maxItems", "uniqueItems", "unevaluatedItems"),
    )
)
"""The keywords that are kept as they are."""
_HINTS = (
    ("object", ("properties", "required", "additionalProperties", "patternProperties")),
    ("array", ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")),
    ("string", ("pattern", "format", "minLength", "maxLength")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
)


class Place(NamedTuple):
    """A schema, and how many recursive references may still be followed below it."""

    schema: Json
    hops: int


@dataclass(frozen=True, slots=True)
class Members:
    """What one schema says of an object's properties."""

    properties: Mapping[str, Place] = field(default_factory=dict)
    patterns: Mapping[str, Place] = field(default_factory=dict)
    others: Place | None = None


@dataclass(frozen=True, slots=True)
class Elements:
    """What one schema says of an array's elements."""

    first: tuple[Place, ...] = ()
    rest: Place | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """All that must hold of a value, gathered from several schemas.

    keywords: (keyword, value) of those that are simply all to be met, such as bounds; sources: the
    schemas themselves; never: (keyword, schema) that the value must not fit; absent: properties it
    must not have.
    """

    types: frozenset[str] = ANY_TYPE
    keywords: tuple[tuple[str, Json], ...] = ()
    members: tuple[Members, ...] = ()
    elements: tuple[Elements, ...] = ()
    names: tuple[Json, ...] = ()
    contains: tuple[tuple[Place, int, int | None], ...] = ()
    sources: tuple[Json, ...] = ()
    never: tuple[tuple[str, Json], ...] = ()
    absent: frozenset[str] = frozenset()
    note: Note = NO_NOTE

    def all(self, keyword: str) -> list[Json]:
        """Return the values that a keyword was given."""
        return [value for name, value in self.keywords if name == keyword]

    def both(self, other: "Demand") -> "Demand":
        """Return what asks for this and the other."""
        note = self.note if self.note != NO_NOTE else other.note
        return Demand(
            self.types & other.types,
            self.keywords + other.keywords,
            self.members + other.members,
            self.elements + other.elements,
            self.names + other.names,
            self.contains + other.contains,
            self.sources + other.sources,
            self.never + other.never,
            self.absent | other.absent,
            note,
        )


ANYTHING = Demand()


def own_demand(place: Place) -> Demand:
    """Return what the keywords of a schema demand by themselves, without those that refer to other
    schemas of the same value.
    """
    schema, hops = place
    return Demand(
        types=_types(schema),
        keywords=tuple((k, v) for k, v in schema.items() if k in _KEPT),
        members=_members(schema, hops),
        elements=_elements(schema, hops),
        names=(schema["propertyNames"],) if "propertyNames" in schema else (),
        contains=_contains(schema, hops),
        sources=(schema,),
        note=_note(schema),
    )


def _types(schema: Mapping[str, Json]) -> frozenset[str]:
    named = schema.get("type")
    if named is not None:
        listed = named if isinstance(named, list) else [named]
        unknown = [name for name in listed if name not in TYPES]
        if unknown:
            raise SchemaRefused(f"'type': {unknown[0]!r} is not a type")
        types = frozenset().union(*(TYPES[name] for name in listed))
    else:
        # Without a type the keywords of one say what is meant; fewer types are a subset.
        hinted = [TYPES[name] for name, words in _HINTS if any(word in schema for word in words)]
        types = frozenset().union(*hinted) if hinted else ANY_TYPE
    return types | TYPES["null"] if schema.get("nullable") is True and named else types


def _members(schema: Mapping[str, Json], hops: int) -> tuple[Members, ...]:
    keywords = ("properties", "patternProperties", "additionalProperties")
    if not any(keyword in schema for keyword in keywords):
        return ()
    properties, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    others = schema.get("additionalProperties")
    return (
        Members(
            {name: Place(part, hops) for name, part in properties.items()},
            {pattern: Place(part, hops) for pattern, part in patterns.items()},
            None if others is None or others is True else Place(others, hops),
        ),
    )


def _elements(schema: Mapping[str, Json], hops: int) -> tuple[Elements, ...]:
    items, first = schema.get("items"), schema.get("prefixItems", [])
    if isinstance(items, list):  # the older spelling of prefixItems
        items, first = schema.get("additionalItems"), items
    if items is None and not first:
        return ()
    rest = None if items is None or items is True else Place(items, hops)
    return (Elements(tuple(Place(part, hops) for part in first), rest),)


def _contains(schema: Mapping[str, Json], hops: int) -> tuple[tuple[Place, int, int | None], ...]:
    if "contains" not in schema:
        return ()
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    return ((Place(schema["contains"], hops), least, most),)


def _note(schema: Mapping[str, Json]) -> Note:
    given = list(schema.get("examples") or ()) if isinstance(schema.get("examples"), list) else []
    given += [schema[key] for key in ("example", "default") if schema.get(key) not in (None, "")]
    examples = tuple(json.dumps(value, ensure_ascii=False) for value in given[:8])
    words = {key: schema.get(key) for key in ("title", "description", "format")}
    texts = {key: word if isinstance(word, str) else "" for key, word in words.items()}
    return Note(texts["title"], texts["description"], texts["format"], examples)
