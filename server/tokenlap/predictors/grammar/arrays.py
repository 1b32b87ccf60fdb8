"""Arrays of a demand: elements by place, `contains`, `uniqueItems`, and a bound on their number."""

from collections.abc import Sequence
from typing import Protocol

from tokenlap.predictors.grammar.demand import Demand, Elements, Place
from tokenlap.predictors.grammar.distinct import split
from tokenlap.predictors.grammar.shape import Items, Json, SchemaRefused, Shape

USUAL_ELEMENTS = 3
"""How many elements an array may have where its schema would allow more."""
_MOST_ELEMENTS = 200


class Shapes(Protocol):
    """Who knows the shapes of places."""

    def shape(self, places: Sequence[Place], /) -> Shape | None:
        """Return the shape of what fits all of places, None where nothing does."""

    def refused_by(self, shape: Shape, schema: Json, /) -> Shape | None:
        """Return the part of shape that schema refuses for sure, None where there is none."""

    def give_up(self, keyword: str, /) -> None:
        """Note that a keyword could not be guaranteed."""


def items_of(demand: Demand, shapes: Shapes) -> Items | None:
    """Return the array that a demand describes, None where there is none."""
    least = max(map(int, demand.all("minItems")), default=0)
    allowed = min(map(int, demand.all("maxItems")), default=None)
    if least > _MOST_ELEMENTS:
        raise SchemaRefused(f"'minItems': more than {_MOST_ELEMENTS} elements are not written")
    usual = max(USUAL_ELEMENTS, least)
    most = usual if allowed is None else min(allowed, usual)
    first, whole = _first(demand, shapes)
    ends = not whole or _sealed(demand)
    rest = None if ends else shapes.shape(_at(demand.elements, None))
    most = len(first) if rest is None else max(most, min(len(first), most))
    made = _with_contained(demand, shapes, Items(tuple(first), rest, least, most, demand.note))
    if made is None or made.least > made.most or (allowed is not None and made.least > allowed):
        return None
    return _distinct(made, shapes) if any(demand.all("uniqueItems")) else made


def _first(demand: Demand, shapes: Shapes) -> tuple[list[Shape], bool]:
    """Return the shapes of the elements that have a place of their own, and whether others may
    follow them.
    """
    named = max((len(one.first) for one in demand.elements), default=0)
    allowed = min(map(int, demand.all("maxItems")), default=named)
    found: list[Shape] = []
    for i in range(min(named, allowed)):
        shape = shapes.shape(_at(demand.elements, i))
        if shape is None:
            return found, False
        found.append(shape)
    return found, True


def _at(elements: Sequence[Elements], index: int | None) -> list[Place]:
    """Return what the element at an index must fit; None for those after all named ones."""
    found: list[Place] = []
    for one in elements:
        if index is not None and index < len(one.first):
            found.append(one.first[index])
        elif one.rest is not None:
            found.append(one.rest)
    return found


def _sealed(demand: Demand) -> bool:
    """Say whether elements that no schema speaks of are ruled out."""
    spoken = any(one.rest is not None for one in demand.elements)
    return not spoken and False in demand.all("unevaluatedItems")


def _with_contained(demand: Demand, shapes: Shapes, items: Items) -> Items | None:
    """Return items that hold what they must contain: after the named elements, or as one of them
    where none may follow.
    """
    for place, wanted, limit in demand.contains:
        named = items.first if limit is None else _refusing(items.first, place, shapes)
        rest = items.rest
        if limit is not None and rest is not None:
            rest = shapes.refused_by(rest, place.schema)
        both = shapes.shape([*_at(demand.elements, None), place]) if wanted else None
        if named is None or (limit is not None and limit < wanted):
            shapes.give_up("maxContains")
            return None
        if not wanted:
            first: tuple[Shape, ...] = named
        elif both is not None and items.rest is not None:
            first = (*named, *([both] * wanted))
        else:
            replaced = _with_one(demand, shapes, named, place) if wanted == 1 else None
            if replaced is None:
                shapes.give_up("contains")
                return None
            first = replaced
        least = max(items.least, len(first) if wanted else 0)
        most = max(items.most, least) if rest is not None else len(first)
        items = Items(first, rest, least, most, items.note)
    allowed = min(map(int, demand.all("maxItems")), default=items.most)
    return Items(items.first, items.rest, items.least, min(items.most, allowed), items.note)


def _refusing(first: Sequence[Shape], place: Place, shapes: Shapes) -> tuple[Shape, ...] | None:
    """Return elements of which none fits a place, None where that cannot be shown."""
    others = [shapes.refused_by(shape, place.schema) for shape in first]
    kept = tuple(shape for shape in others if shape is not None)
    return kept if len(kept) == len(first) else None


def _with_one(
    demand: Demand, shapes: Shapes, first: tuple[Shape, ...], place: Place
) -> tuple[Shape, ...] | None:
    """Return named elements of which one fits a place as well."""
    for i in range(len(first)):
        both = shapes.shape([*_at(demand.elements, i), place])
        if both is not None:
            return (*first[:i], both, *first[i + 1 :])
    return None


def _distinct(items: Items, shapes: Shapes) -> Items | None:
    """Return items of which no two can be equal."""
    if items.most <= 1:
        return items
    if not items.first and items.rest is not None:
        parts = split(items.rest, items.most)
        most = min(items.most, len(parts))
        if items.least <= most:
            return Items(tuple(parts[:most]), None, items.least, most, items.note)
    elif len(items.first) == 1 and items.least <= 1:
        return Items(items.first, None, items.least, 1, items.note)
    elif items.first and items.rest is None and _apart(items.first):
        return items
    if items.least <= 1:
        return Items(
            items.first[:1], None if items.first else items.rest, items.least, 1, items.note
        )
    shapes.give_up("uniqueItems")
    return None


def _apart(first: Sequence[Shape]) -> bool:
    """Say whether named elements are of different types, one each."""
    return len({type(shape) for shape in first}) == len(first)
