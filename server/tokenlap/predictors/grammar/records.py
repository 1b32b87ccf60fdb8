"""Objects of a demand: their properties, how many, and names for those that have none yet."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from tokenlap.predictors.grammar.demand import Demand, Place
from tokenlap.predictors.grammar.patterns import occurs
from tokenlap.predictors.grammar.samples import texts_of
from tokenlap.predictors.grammar.shape import Member, Record, SchemaRefused, Shape
from tokenlap.predictors.grammar.verdict import Verdict

_NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
_USUAL_OTHERS = 2
"""How many properties are offered where a schema describes those it does not name."""
_MOST_MEMBERS = 500


class Shapes(Protocol):
    """Who knows the shapes of places."""

    def shape(self, places: Sequence[Place], /) -> Shape | None:
        """Return the shape of what fits all of places, None where nothing does."""

    def name_fits(self, name: str, schema: object, /) -> Verdict:
        """Say whether a property may have a name."""


def record_of(demand: Demand, shapes: Shapes) -> Record | None:
    """Return the object that a demand describes, None where there is none."""
    required = _required(demand)
    named = [*(n for one in demand.members for n in one.properties), *required]
    members: list[Member] = []
    for name in dict.fromkeys(named):
        shape = _member(name, demand, shapes)
        if shape is not None:
            members.append(Member(name, shape, name in required))
        elif name in required:
            return None
    least = max(map(int, demand.all("minProperties")), default=0)
    members += _others(demand, shapes, members, least)
    if len(members) > _MOST_MEMBERS:
        raise SchemaRefused(f"'properties': more than {_MOST_MEMBERS} are not written")
    return _counted(members, least, demand)


def _required(demand: Demand) -> list[str]:
    return [name for names in demand.all("required") for name in names if isinstance(name, str)]


def _member(name: str, demand: Demand, shapes: Shapes) -> Shape | None:
    """Return the shape of a property, None where it must not be there."""
    if name in demand.absent or not all(shapes.name_fits(name, one) for one in demand.names):
        return None
    places: list[Place] = []
    spoken = False
    for one in demand.members:
        found = [one.properties[name]] if name in one.properties else []
        for pattern, place in one.patterns.items():
            fits = occurs(pattern, name)
            if fits is None:
                raise SchemaRefused(f"'patternProperties': {pattern!r:.80} cannot be followed")
            found += [place] if fits else []
        spoken = spoken or bool(found) or one.others is not None
        places += found or ([one.others] if one.others is not None else [])
    if not spoken and False in demand.all("unevaluatedProperties"):
        return None
    return shapes.shape(places)


def _others(
    demand: Demand, shapes: Shapes, members: Sequence[Member], least: int
) -> Iterator[Member]:
    """Yield properties that no schema names, where one describes them or some are missing."""
    described = any(
        one.patterns or (one.others is not None and one.others.schema is not False)
        for one in demand.members
    )
    missing = max(0, least - len(members))
    wanted = max(missing, _USUAL_OTHERS if described else 0)
    taken = {member.name for member in members}
    for name in _candidates(demand):
        if wanted <= 0:
            return
        if name not in taken:
            taken.add(name)
            shape = _member(name, demand, shapes)
            if shape is not None:
                wanted -= 1
                yield Member(name, shape, False)


def _candidates(demand: Demand) -> Iterator[str]:
    """Yield names for properties, the likeliest to be allowed first; bounded."""
    for schema in demand.names:
        if isinstance(schema, dict):
            listed = schema.get("enum", [schema["const"]] if "const" in schema else ())
            yield from (name for name in listed if isinstance(name, str))
            if isinstance(schema.get("pattern"), str):
                yield from _samples(schema["pattern"])
    for one in demand.members:
        for pattern in one.patterns:
            yield from _samples(pattern)
    yield from _NAMES
    least = max(map(int, demand.all("minProperties")), default=0)
    yield from (f"item{i}" for i in range(1, min(least, _MOST_MEMBERS) + 1))


def _samples(pattern: str) -> Iterator[str]:
    """Yield a few names in which pattern is found."""
    for name in _NAMES[:4]:
        for text in (name, name.upper(), f"{pattern.strip('^$')}{name}"):
            if text.isprintable() and occurs(pattern, text):
                yield text
    yield from texts_of([pattern], ())


def _counted(members: list[Member], least: int, demand: Demand) -> Record | None:
    """Return the record with as many members as are demanded: optional ones are made required, or
    left out.
    """
    needed = sum(member.required for member in members)
    most = min(map(int, demand.all("maxProperties")), default=len(members))
    if needed > most or len(members) < least or most < least:
        return None
    kept: list[Member] = []
    optional = 0
    for member in members:
        if not member.required:
            optional += 1
            if needed + optional > most:
                continue
            if needed + optional <= least:
                member = replace(member, required=True)
        kept.append(member)
    return Record(tuple(kept), demand.note)
