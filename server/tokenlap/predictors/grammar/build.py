"""From a caller's JSON schema to a shape: finite, closed and small, and never more than the schema
allows.

What is tightened: strings have at most 240 characters, arrays three elements, numbers a range,
objects no properties but those named, recursion two levels. What the grammar library refuses is
rewritten (conjoin.py, exclusive.py, distinct.py) or refused with the keyword's name.
"""

import json
from collections.abc import Iterable, Sequence

from tokenlap.predictors.grammar.arrays import items_of
from tokenlap.predictors.grammar.conjoin import Conjoiner
from tokenlap.predictors.grammar.demand import Demand, Place
from tokenlap.predictors.grammar.exclusive import Refuser
from tokenlap.predictors.grammar.records import record_of
from tokenlap.predictors.grammar.refs import Schema
from tokenlap.predictors.grammar.scalars import number_of, text_of
from tokenlap.predictors.grammar.shape import Fixed, Json, SchemaRefused, Shape, either
from tokenlap.predictors.grammar.size import refuse_long
from tokenlap.predictors.grammar.verdict import Verdict, type_of, verdict

_HOPS = (2, 3, 5, 8, 13, 21)
"""How many recursive references are followed below one another: the first number that will do."""
_MOST_PLACES = 5_000
_SCALARS = ("string", "integer", "boolean")
"""What is written where a schema allows anything."""


def shape_of(schema: Json) -> Shape:
    """Return the shape of a schema.

    Raises SchemaRefused, naming the keyword, where no value that fits it can be written for sure.
    """
    whole = Schema(schema)
    for hops in _HOPS:
        builder = Builder(whole)
        shape = builder.shape((Place(schema, hops),))
        if shape is not None:
            refuse_long(shape)
            return shape
        if not builder.recursive:
            break
    if builder.given_up:
        raise SchemaRefused(
            f"'{builder.given_up}' cannot be guaranteed here; put what is meant into the types, "
            "enums and bounds that it is about"
        )
    raise SchemaRefused("no finite JSON value fits it")


class Builder:
    """Builds the shapes of places; each list of places once."""

    def __init__(self, schema: Schema) -> None:
        """Take the schema that references point into."""
        self.schema = schema
        self.given_up = ""  # the last keyword that could not be guaranteed
        self._conjoiner = Conjoiner(schema)
        self._refuser = Refuser(schema)
        self._known: dict[tuple[tuple[int, int], ...], Shape | None] = {}
        self._alive: list[Sequence[Place]] = []

    @property
    def recursive(self) -> bool:
        """Whether a recursive reference was left out somewhere."""
        return self._conjoiner.cut

    def shape(self, places: Sequence[Place]) -> Shape | None:
        """Return the shape of what fits all of places, None where nothing does."""
        key = tuple((id(place.schema), place.hops) for place in places)
        if key not in self._known:
            self._alive.append(places)  # so that no other schema gets the same id
            if len(self._alive) > _MOST_PLACES:
                raise SchemaRefused(f"it has more than {_MOST_PLACES} places for a value")
            self._known[key] = self._build(self._conjoiner.together(places))
        return self._known[key]

    def give_up(self, keyword: str) -> None:
        """Note that something was left out since a keyword cannot be guaranteed."""
        self.given_up = keyword

    def name_fits(self, name: str, schema: Json) -> Verdict:
        """Say whether a property may have a name."""
        return verdict(name, schema, self.schema)

    def refused_by(self, shape: Shape, schema: Json) -> Shape | None:
        """Return the part of shape that schema refuses for sure, None where there is none."""
        return self._refuser.narrowed(shape, schema)

    def _build(self, demands: Iterable[Demand]) -> Shape | None:
        shapes = [shape for demand in demands for shape in self._of_demand(demand)]
        return either(tuple(shapes)) if shapes else None

    def _of_demand(self, demand: Demand) -> list[Shape]:
        listed = demand.all("enum") + [[value] for value in demand.all("const")]
        shapes = self._fixed(demand, listed[0]) if listed else self._by_type(demand)
        kept = []
        for shape in shapes:
            narrowed = self._kept_from(shape, demand.never)
            if narrowed is not None:
                kept.append(narrowed)
        return kept

    def _kept_from(self, shape: Shape, never: Iterable[tuple[str, Json]]) -> Shape | None:
        """Return the part of shape that fits none of the schemas in never."""
        for keyword, schema in never:
            narrowed = self.refused_by(shape, schema)
            if narrowed is None:
                self.give_up(keyword)
                return None
            shape = narrowed
        return shape

    def _fixed(self, demand: Demand, values: list[Json]) -> list[Shape]:
        """Return those of values that fit everything else that is demanded."""
        sources = demand.sources
        texts = []
        for value in values:
            typed = type_of(value) in demand.types
            fits = typed and all(verdict(value, raw, self.schema) for raw in sources)
            if fits and not demand.absent.intersection(value if isinstance(value, dict) else ()):
                texts.append(written(value))
        return [Fixed(tuple(dict.fromkeys(texts)), demand.note)] if texts else []

    def _by_type(self, demand: Demand) -> list[Shape]:
        types, anything = demand.types, len(demand.types) == 7
        shapes: list[Shape | None] = []
        if "object" in types and not anything:
            shapes.append(record_of(demand, self))
        if "array" in types and not anything:
            shapes.append(items_of(demand, self))
        if "string" in types:
            shapes.append(text_of(demand, self))
        if "integer" in types or "fraction" in types:
            shapes.append(number_of(demand, integer="fraction" not in types or anything))
        if "boolean" in types:
            shapes.append(Fixed(("true", "false"), demand.note))
        if "null" in types and not anything:
            shapes.append(Fixed(("null",), demand.note))
        return [shape for shape in shapes if shape is not None]


def written(value: Json) -> str:
    """Return a value as the loop writes it: without blanks, non-ASCII as it is."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
