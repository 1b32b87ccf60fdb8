"""How short the texts of a shape can be: one of endless texts would run into the length wall."""

from typing import assert_never

from tokenlap.predictors.grammar.shape import (
    Either,
    Fixed,
    Items,
    Number,
    Record,
    SchemaRefused,
    Shape,
    Text,
)

LONGEST = 20_000
"""Characters that the shortest text of a schema may have."""


def refuse_long(shape: Shape) -> None:
    """Raise SchemaRefused where even the shortest text of shape is too long to be written."""
    length = shortest(shape, {})
    if length > LONGEST:
        raise SchemaRefused(
            f"even its shortest JSON text has {length} characters, more than the {LONGEST} that "
            "are written"
        )


def shortest(shape: Shape, known: dict[int, int]) -> int:
    """Return about how many characters the shortest text of a shape has.

    known: of shapes that were met before, by identity.
    """
    found = known.get(id(shape))
    if found is None:
        found = known[id(shape)] = _shortest(shape, known)
    return found


def _shortest(shape: Shape, known: dict[int, int]) -> int:
    match shape:
        case Fixed(texts):
            return min(map(len, texts))
        case Text(least=least):
            return least + 2
        case Number():
            return 1
        case Record(members):
            needed = [member for member in members if member.required]
            return 2 + sum(len(m.name) + 4 + shortest(m.shape, known) for m in needed)
        case Items(first, rest, least):
            fixed = sum(shortest(part, known) + 1 for part in first[:least])
            others = max(0, least - len(first))
            return 2 + fixed + (others * (shortest(rest, known) + 1) if rest else 0)
        case Either(shapes):
            return min(shortest(part, known) for part in shapes)
        case _:
            assert_never(shape)
