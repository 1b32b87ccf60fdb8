"""Shapes that a schema must not allow: which part of a shape does a schema provably refuse?

This is what `not`, `oneOf`, `if` and `maxContains` come down to. Provably means: for every value of
the shape; where that cannot be shown, the part is given up.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tokenlap.predictors.grammar.leaves import (
    examples,
    other_numbers,
    other_texts,
    out_of_bounds,
    possible,
    samples,
)
from tokenlap.predictors.grammar.refs import Schema
from tokenlap.predictors.grammar.shape import (
    Fixed,
    Items,
    Json,
    Member,
    Number,
    Record,
    Shape,
    Text,
    alternatives,
    either,
)
from tokenlap.predictors.grammar.verdict import has_type, verdict

_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Refuser:
    """Asks what one schema refuses. schema: where its references point."""

    schema: Schema

    def narrowed(self, shape: Shape, raw: Json, depth: int = 0) -> Shape | None:
        """Return the part of shape that raw provably refuses, None where there is none."""
        if depth > _DEEPEST:
            return None
        parts = [self._narrow(part, raw, depth) for part in alternatives(shape)]
        kept = tuple(part for part in parts if part is not None)
        return either(kept) if kept else None

    def refuses(self, raw: Json, shape: Shape, depth: int = 0) -> bool:
        """Say whether raw provably refuses every value of shape."""
        if isinstance(raw, bool):
            return not raw
        if depth > _DEEPEST:
            return False
        self.schema.check(raw)
        parts = alternatives(shape)
        return all(self._refuses_part(raw, part, depth + 1) for part in parts)

    def _narrow(self, shape: Shape, raw: Json, depth: int) -> Shape | None:
        if isinstance(shape, Fixed):
            texts = [t for t in shape.texts if verdict(json.loads(t), raw, self.schema) is False]
            return replace(shape, texts=tuple(texts)) if texts else None
        if self.refuses(raw, shape):
            return shape
        smaller = self._specialised(shape, raw, depth)
        found = next((one for one in smaller if self.refuses(raw, one)), None)
        if found is None and isinstance(shape, Text | Number):
            sampled = samples(shape)
            return self._narrow(sampled, raw, depth) if sampled else None
        return found

    def _specialised(self, shape: Shape, raw: Json, depth: int) -> list[Shape]:
        """Return smaller shapes that raw might refuse though it does not refuse all of shape."""
        found: list[Shape] = []
        for view in self._views(raw):
            match shape:
                case Text():
                    found += other_texts(shape, view)
                case Number():
                    found += other_numbers(shape, view)
                case Items(least=least, most=most):
                    wanted, limit = view.get("minItems", 0), view.get("maxItems", most)
                    if least < wanted:
                        found.append(replace(shape, most=wanted - 1))
                    if most > limit:
                        found.append(replace(shape, least=limit + 1))
                case Record():
                    found += self._other_records(shape, view, depth)
        return found

    def _other_records(
        self, shape: Record, view: Mapping[str, Json], depth: int
    ) -> Iterable[Record]:
        members, wanted = shape.members, set(view.get("required", ()))
        optional = [m for m in members if not m.required and m.name in wanted]
        for gone in optional:
            yield replace(shape, members=tuple(m for m in members if m is not gone))
        properties = view.get("properties", {})
        for i, member in enumerate(members):
            allowed = properties.get(member.name, view.get("additionalProperties", True))
            other = self.narrowed(member.shape, allowed, depth + 1)
            if other is not None:
                changed = Member(member.name, other, True)
                yield replace(shape, members=(*members[:i], changed, *members[i + 1 :]))

    def _views(self, raw: Json) -> list[Mapping[str, Json]]:
        """Return raw and the schemas that it includes as they are."""
        views: list[Mapping[str, Json]] = []
        waiting = [raw]
        while waiting and len(views) < 2 * _DEEPEST:
            current = waiting.pop()
            if isinstance(current, Mapping):
                views.append(current)
                waiting += current.get("allOf", ())
                waiting += current.get("anyOf", current.get("oneOf", ()))
                waiting += [self.schema.target(current[k]) for k in ("$ref",) if k in current]
        return views

    def _refuses_part(self, raw: Mapping[str, Json], shape: Shape, depth: int) -> bool:
        """Say it of a shape that is no Either, and a schema that is an object."""
        if isinstance(shape, Fixed):
            return all(verdict(json.loads(text), raw, self.schema) is False for text in shape.texts)
        if any(self.refuses(part, shape, depth) for part in self._included(raw)):
            return True
        for keyword in ("anyOf", "oneOf"):
            if keyword in raw and all(self.refuses(part, shape, depth) for part in raw[keyword]):
                return True
        if "type" in raw and not any(has_type(one, raw["type"]) for one in examples(shape)):
            return True
        listed = raw.get("enum", [raw["const"]] if "const" in raw else None)
        if listed is not None:
            return not any(possible(value, shape) for value in listed)
        return self._refuses_size(raw, shape, depth)

    def _refuses_size(self, raw: Mapping[str, Json], shape: Shape, depth: int) -> bool:
        """Say whether bounds, or what a record must hold, rule out every value of shape."""
        match shape:
            case Text(least=least, most=most):
                low, high = raw.get("minLength", 0), raw.get("maxLength", least)
                return bool(most < low or least > high)
            case Number():
                return out_of_bounds(shape, raw)
            case Items(least=least, most=most):
                low, high = raw.get("minItems", 0), raw.get("maxItems", least)
                return bool(most < low or least > high)
            case Record():
                return self._refuses_record(raw, shape, depth)
        return False

    def _included(self, raw: Mapping[str, Json]) -> list[Json]:
        referred = [self.schema.target(raw[k]) for k in ("$ref", "$dynamicRef") if k in raw]
        return [*referred, *raw.get("allOf", ())]

    def _refuses_record(self, raw: Mapping[str, Json], shape: Record, depth: int) -> bool:
        names = {member.name for member in shape.members}
        needed = [member for member in shape.members if member.required]
        if any(name not in names for name in raw.get("required", ())):
            return True
        if len(needed) > raw.get("maxProperties", len(needed)):
            return True
        if len(names) < raw.get("minProperties", 0):
            return True
        properties = raw.get("properties", {})
        patterned = bool(raw.get("patternProperties"))
        others = True if patterned else raw.get("additionalProperties", True)
        return any(
            self.refuses(properties.get(member.name, others), member.shape, depth)
            for member in needed
        )
