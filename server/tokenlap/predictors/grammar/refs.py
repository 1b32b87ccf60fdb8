"""References inside a schema: where they point, and which of them come back to where they began."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from urllib.parse import unquote

from tokenlap.predictors.grammar.shape import Json, SchemaRefused

DEEPEST = 100
LARGEST = 50_000
"""How deep and how large a schema may be, in levels and in values."""
MOST_STEPS = 200_000
"""How many questions about its parts may be asked while it is read: about a second."""
_WANTED: Mapping[str, tuple[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("$ref", "$dynamicRef", "pattern", "format"), ("a string", str)),
    **dict.fromkeys(("enum", "required", "allOf", "anyOf", "oneOf"), ("an array", list)),
    "prefixItems": ("an array", list),
    "type": ("a string or an array", (str, list)),
    **dict.fromkeys(
        ("properties", "patternProperties", "dependentRequired", "dependentSchemas"),
        ("an object", Mapping),
    ),
    **dict.fromkeys(
        (
            *("minLength", "maxLength", "minItems", "maxItems"),
            *("minProperties", "maxProperties", "minContains", "maxContains"),
        ),
        ("an integer", (int, float)),
    ),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), ("a number", (int, float))),
}
"""What some keywords must be given, in words and in types; the others cannot go wrong."""


class Schema:
    """A caller's schema as it came, and the references in it."""

    def __init__(self, root: Json) -> None:
        """Take the whole schema; raises SchemaRefused where it is too deep or too large."""
        self.root = root
        self._targets: dict[str, Json] = {}
        self._recursive: dict[str, bool] = {}
        self._steps = 0
        self._listed: dict[int, tuple[Json, frozenset[str]]] = {}
        self._checked: dict[int, Json] = {}  # by identity, and so kept alive
        for count, (_, depth) in enumerate(_walk(root)):
            if depth > DEEPEST:
                raise SchemaRefused(f"it is nested more than {DEEPEST} levels deep")
            if count > LARGEST:
                raise SchemaRefused(f"it holds more than {LARGEST} values")

    def check(self, schema: Json) -> None:
        """Raise SchemaRefused where a schema, or one of its keywords, is of the wrong type, and
        where too much has been asked about this one.
        """
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise SchemaRefused("it is too intricate: its alternatives are too many to compare")
        if id(schema) in self._checked or isinstance(schema, bool):
            return
        if not isinstance(schema, Mapping):
            raise SchemaRefused(f"a schema is an object or a boolean, not {schema!r:.40}")
        for keyword, value in schema.items():
            right = _WANTED.get(keyword)
            if right is not None and (isinstance(value, bool) or not isinstance(value, right[1])):
                raise SchemaRefused(f"'{keyword}' must be {right[0]}, not {value!r:.40}")
        self._checked[id(schema)] = schema

    def lists(self, values: list[Json], value: Json) -> bool:
        """Say whether an enum of this schema has a value."""
        if id(values) not in self._listed:
            self._listed[id(values)] = values, frozenset(map(canonical, values))
        return canonical(value) in self._listed[id(values)][1]

    def target(self, ref: str) -> Json:
        """Return the schema that a reference points to.

        Raises SchemaRefused for one that points nowhere or out of the schema.
        """
        if ref not in self._targets:
            self._targets[ref] = self._find(ref)
        return self._targets[ref]

    def recursive(self, ref: str) -> bool:
        """Say whether the schema that ref points to can reach itself."""
        if ref not in self._recursive:
            origin, seen = self.target(ref), set[str]()
            waiting = list(_references(origin))
            while waiting:
                following = waiting.pop()
                if following not in seen:
                    seen.add(following)
                    waiting += _references(self.target(following))
            self._recursive[ref] = any(self.target(other) is origin for other in seen)
        return self._recursive[ref]

    def _find(self, ref: str) -> Json:
        base, _, fragment = ref.partition("#")
        start = self._named["$id"].get(base.rstrip("#")) if base else self.root
        fragment = unquote(fragment)
        if start is not None and (not fragment or fragment.startswith("/")):
            found = _at(start, fragment)
        else:
            found = self._named["$anchor"].get(fragment)
        if not isinstance(found, Mapping | bool):
            raise SchemaRefused(f"'$ref': '{ref}' points to no schema inside this schema")
        return found

    @cached_property
    def _named(self) -> dict[str, dict[str, Json]]:
        """The subschemas that have a name of their own, by keyword and name."""
        named: dict[str, dict[str, Json]] = {"$id": {}, "$anchor": {}}
        for value, _ in _walk(self.root):
            if isinstance(value, Mapping):
                for keyword in ("$id", "$anchor", "$dynamicAnchor"):
                    name = value.get(keyword)
                    if isinstance(name, str):
                        kind = "$id" if keyword == "$id" else "$anchor"
                        named[kind].setdefault(name.rstrip("#"), value)
        return named


def canonical(value: Json) -> str:
    """Return a text that two JSON values share if they are equal: 1 and 1.0 are, 1 and true are
    not.
    """
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Json) -> Json:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_plain(part) for part in value]
        case dict():
            return {key: _plain(part) for key, part in value.items()}
        case _:
            return value


def _walk(value: Json) -> Iterator[tuple[Json, int]]:
    """Yield every value inside value, with its depth."""
    waiting = [(value, 0)]
    while waiting:
        current, depth = waiting.pop()
        yield current, depth
        if isinstance(current, Mapping):
            waiting += [(part, depth + 1) for part in current.values()]
        elif isinstance(current, list):
            waiting += [(part, depth + 1) for part in current]


def _references(schema: Json) -> Iterator[str]:
    for value, _ in _walk(schema):
        if isinstance(value, Mapping):
            for keyword in ("$ref", "$dynamicRef"):
                if isinstance(value.get(keyword), str):
                    yield value[keyword]


def _at(schema: Json, pointer: str) -> Json:
    """Follow a JSON pointer; return None where it leads nowhere."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, Mapping):
            schema = schema.get(key)
        elif isinstance(schema, list) and key.isdigit() and int(key) < len(schema):
            schema = schema[int(key)]
        else:
            return None
    return schema
