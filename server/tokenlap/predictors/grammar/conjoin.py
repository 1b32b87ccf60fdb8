"""Reads schemas into demands: `allOf`, `$ref` and the like become one list of things that must all
hold, `anyOf`, `oneOf`, `if` and the like become several such lists.

Every rewriting here gives a subset of what the schema allows: a demand may be stricter than the
schema, an alternative may be left out, and nothing is ever added.
"""

from collections.abc import Iterable, Mapping
from itertools import islice, product

from tokenlap.predictors.grammar.demand import ANYTHING, Demand, Place, own_demand
from tokenlap.predictors.grammar.refs import Schema
from tokenlap.predictors.grammar.shape import Json

MOST_ALTERNATIVES = 24
"""How many alternatives of one place are kept; the others are left out."""
_Alternatives = list[Demand]


class Conjoiner:
    """Turns places of a schema into alternative demands."""

    def __init__(self, schema: Schema) -> None:
        """Take the schema that references point into."""
        self._schema = schema
        self.cut = False
        """Whether a recursive reference was not followed any further."""

    def together(self, places: Iterable[Place]) -> _Alternatives:
        """Return the alternatives of a value that fits all of places; none where nothing can."""
        return _product([self._alternatives(place) for place in places])

    def _alternatives(self, place: Place) -> _Alternatives:
        schema = place.schema
        if schema is True or schema == {}:
            return [ANYTHING]
        if schema is False:
            return []
        self._schema.check(schema)
        return _product([[own_demand(place)], *self._groups(place)])

    def _groups(self, place: Place) -> list[_Alternatives]:
        """Return the alternatives that each applicator of a schema offers."""
        schema, hops = place
        groups = [self._referred(schema[k], hops) for k in ("$ref", "$dynamicRef") if k in schema]
        groups += [self._alternatives(Place(part, hops)) for part in schema.get("allOf", ())]
        if "anyOf" in schema:
            branches = [Place(part, hops) for part in schema["anyOf"]]
            groups.append([one for part in branches for one in self._alternatives(part)])
        if "oneOf" in schema:
            groups.append(self._one_of(schema["oneOf"], hops))
        if "if" in schema and ("then" in schema or "else" in schema):
            groups.append(self._if(schema, hops))
        if "not" in schema:
            groups.append([Demand(never=(("not", schema["not"]),))])
        return groups + self._dependents(schema, hops)

    def _referred(self, ref: str, hops: int) -> _Alternatives:
        left = hops - self._schema.recursive(ref)
        if left < 0:
            self.cut = True
            return []
        return self._alternatives(Place(self._schema.target(ref), left))

    def _one_of(self, branches: list[Json], hops: int) -> _Alternatives:
        """Return each branch with the demand that none of the others fits."""
        found: _Alternatives = []
        for i, branch in enumerate(branches):
            if len(found) >= MOST_ALTERNATIVES:
                break
            others = tuple(("oneOf", other) for j, other in enumerate(branches) if j != i)
            exclusive = Demand(never=others)
            found += [one.both(exclusive) for one in self._alternatives(Place(branch, hops))]
        return found

    def _if(self, schema: Mapping[str, Json], hops: int) -> _Alternatives:
        condition = schema["if"]
        fits = [Place(condition, hops), Place(schema.get("then", True), hops)]
        fails = Demand(never=(("if", condition),))
        otherwise = self._alternatives(Place(schema.get("else", True), hops))
        return [*self.together(fits), *(one.both(fails) for one in otherwise)]

    def _dependents(self, schema: Mapping[str, Json], hops: int) -> list[_Alternatives]:
        """Return, for each property on which others depend: they are there, or it is not."""
        groups = []
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            for name, wanted in schema.get(keyword, {}).items():
                then = {"required": wanted} if isinstance(wanted, list) else wanted
                present = self._alternatives(Place(then, hops))
                groups.append([*present, Demand(absent=frozenset((name,)))])
        return groups


def _product(groups: list[_Alternatives]) -> _Alternatives:
    """Return every way to take one of each group, as one demand each, up to a limit."""
    found: _Alternatives = [ANYTHING]
    for group in groups:
        pairs = (one.both(other) for one, other in product(found, group))
        found = list(islice((pair for pair in pairs if pair.types), MOST_ALTERNATIVES))
    return found
