"""What a JSON value may be, as a closed union of finite shapes, and the plain schema that a shape
is.

A shape has no references, no open objects and no endless arrays: whatever keeps to it is short, so
a reply under it ends by itself. It is a subset of the schema that it was read from, never more.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

Json = Any
"""A JSON value as Python has it; its type is only known by looking."""


class SchemaRefused(ValueError):
    """A schema that cannot be honoured; the message names the keyword and says why."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a schema tells people about a value: it steers what is written, never what is allowed.

    examples: values worth writing, as JSON texts.
    """

    title: str = ""
    description: str = ""
    format: str = ""
    examples: tuple[str, ...] = ()


NO_NOTE = Note()


NO_LIMIT = 2**31


@dataclass(frozen=True, slots=True)
class Fixed:
    """One of a few values, each given as its JSON text."""

    texts: tuple[str, ...]
    note: Note = NO_NOTE


@dataclass(frozen=True, slots=True)
class Text:
    """A string. patterns: regular expressions that must all be found in it; least, most: its
    length in code points, NO_LIMIT where a pattern alone bounds it.
    """

    patterns: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    note: Note = NO_NOTE


@dataclass(frozen=True, slots=True)
class Number:
    """A number from low to high. open_low, open_high: the bound itself is not allowed; step: a
    whole number that divides it, 0 for none.
    """

    low: float
    high: float
    integer: bool = False
    open_low: bool = False
    open_high: bool = False
    step: int = 0
    note: Note = NO_NOTE


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A property of a record."""

    name: str
    shape: "Shape"
    required: bool


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """An object with these members, in this order, and no others."""

    members: tuple[Member, ...]
    note: Note = NO_NOTE


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """An array: the first ones, then any of `rest` (None for none); least and most count all."""

    first: tuple["Shape", ...]
    rest: "Shape | None"
    least: int
    most: int
    note: Note = NO_NOTE


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """Any of these shapes, of which none is an Either."""

    shapes: tuple["Shape", ...]


Shape = Fixed | Text | Number | Record | Items | Either


def alternatives(shape: Shape) -> tuple[Shape, ...]:
    """Return what an Either offers, or the shape itself."""
    return shape.shapes if isinstance(shape, Either) else (shape,)


def either(shapes: tuple[Shape, ...]) -> Shape:
    """Return the union of at least one shape, flat."""
    flat = tuple(dict.fromkeys(part for shape in shapes for part in alternatives(shape)))
    return flat[0] if len(flat) == 1 else Either(flat)


def titled(shape: Shape, title: str) -> Shape:
    """Return a shape whose objects have a title, where they have none: the name of the whole."""
    if isinstance(shape, Record) and title and not shape.note.title:
        return replace(shape, note=replace(shape.note, title=title))
    return shape


@dataclass(slots=True)
class Definitions:
    """Collects the plain schemas of shapes, each once, so that shared parts stay shared."""

    schemas: dict[str, Json] = field(default_factory=dict)
    _names: dict[Shape, str] = field(default_factory=dict)  # by identity: parts may be shared

    def reference(self, shape: Shape) -> Json:
        """Return a schema that stands for shape: itself where it is small, else a `$ref`."""
        if isinstance(shape, Fixed | Text | Number):
            return self.plain(shape)
        name = self._names.get(shape)
        if name is None:
            name = self._names[shape] = str(len(self._names))
            self.schemas[name] = self.plain(shape)
        return {"$ref": f"#/$defs/{name}"}

    def plain(self, shape: Shape) -> Json:
        """Return the schema of one shape, with references to its parts."""
        match shape:
            case Fixed(texts):
                return {"enum": [_value(text) for text in texts]}
            case Text():
                return _text(shape)
            case Number():
                return _number(shape)
            case Record(members):
                return {
                    "type": "object",
                    "properties": {m.name: self.reference(m.shape) for m in members},
                    "required": [m.name for m in members if m.required],
                    "additionalProperties": False,
                }
            case Items():
                return self._items(shape)
            case Either(shapes):
                return {"anyOf": [self.reference(part) for part in shapes]}
            case _:
                assert_never(shape)

    def _items(self, shape: Items) -> Json:
        rest = False if shape.rest is None else self.reference(shape.rest)
        first = [self.reference(part) for part in shape.first]
        return {
            "type": "array",
            **({"prefixItems": first} if first else {}),
            "items": rest,
            "minItems": shape.least,
            "maxItems": shape.most,
        }


def plain_schema(shape: Shape) -> Mapping[str, Json]:
    """Return the JSON schema of a shape: few keywords, all of which the grammar library knows."""
    definitions = Definitions()
    root = definitions.reference(shape)
    return {**root, "$defs": definitions.schemas}


def _value(text: str) -> Json:
    return json.loads(text)


def _text(shape: Text) -> Json:
    schema: dict[str, Json] = {"type": "string", "minLength": shape.least}
    if shape.most < NO_LIMIT:
        schema["maxLength"] = shape.most
    if len(shape.patterns) == 1:
        schema["pattern"] = shape.patterns[0]
    elif shape.patterns:
        schema["allOf"] = [{"pattern": pattern} for pattern in shape.patterns]
    return schema


def _number(shape: Number) -> Json:
    low, high = shape.low, shape.high
    open_low, open_high = shape.open_low, shape.open_high
    if int(low) == int(high) and (open_low or open_high):
        # The library (1.9) takes an excluded bound for allowed where both bounds have the same
        # whole part: there it is moved inward.
        inward = (high - low) / 1024
        low, high = low + inward * open_low, high - inward * open_high
        open_low = open_high = False
    return {
        "type": "integer" if shape.integer else "number",
        "exclusiveMinimum" if open_low else "minimum": low,
        "exclusiveMaximum" if open_high else "maximum": high,
        **({"multipleOf": shape.step} if shape.step else {}),
    }
