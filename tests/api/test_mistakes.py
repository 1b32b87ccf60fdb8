"""However many things are wrong with a body, only a few are noted: each would cost memory and time
that a client could grow.
"""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from tokenlap import api
from tokenlap.api.body import Lenient

WRONG: list[Any] = [1, 1.5, True, None, "", "x" * 5000, [], [1], {}, {"type": "x"}, {"role": "x"}]
"""Values of which some are wrong wherever they stand."""


def kinds(model: type[Lenient] = Lenient) -> Iterator[type[Lenient]]:
    """All that can stand in a body: every model under this one."""
    for kind in model.__subclasses__():
        yield kind
        yield from kinds(kind)


def noted(model: type[Lenient], key: str, value: Any) -> int:
    """How many mistakes pydantic lists for this value."""
    try:
        model.model_validate({key: value})
    except ValidationError as invalid:
        return sum(error["loc"][:1] == (key,) for error in invalid.errors())
    return 0


@pytest.fixture(scope="module")
def models() -> list[type[Lenient]]:
    for module in pkgutil.walk_packages(api.__path__, f"{api.__name__}."):
        importlib.import_module(module.name)
    return list(dict.fromkeys(kinds()))


def test_of_many_mistakes_a_few_are_noted(models: list[type[Lenient]]) -> None:
    """One for each form that a value may have; never one for each item or key."""
    found = Counter[str]()
    for model in models:
        for name, field in model.model_fields.items():
            key = field.alias or name
            for wrong in WRONG:
                for value in ([wrong] * 100, {f"k{number}": wrong for number in range(100)}):
                    place = f"{model.__name__}.{name}"
                    found[place] = max(found[place], noted(model, key, value))

    assert {place: count for place, count in found.items() if count > 3} == {}
    assert found["ChatRequest.messages"] == found["ChatRequest.metadata"] == 1
