"""Arrays: elements by place, what they must contain, no two alike, how many."""

from typing import Any

import pytest

from tests.predictors.grammar.support import json_of
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.shape import Items, SchemaRefused

BIG = {"minimum": 50}
A, B, TRUE = {"type": "string"}, {"type": "integer"}, {"const": True}


def array(**keywords: Any) -> Any:
    return {"type": "array", **keywords}


@pytest.mark.parametrize(
    ("schema", "sizes"),
    [
        pytest.param(array(items=B), range(4), id="any"),
        pytest.param(array(items=B, minItems=5), range(5, 6), id="at least"),
        pytest.param(array(items=B, maxItems=1), range(2), id="at most"),
        pytest.param(array(items=False), range(1), id="none"),
        pytest.param(array(prefixItems=[A, B], items=False, minItems=2), range(2, 3), id="pair"),
        pytest.param(array(prefixItems=[A, False], items=B), range(2), id="impossible second"),
        pytest.param(array(prefixItems=[A], unevaluatedItems=False), range(2), id="unevaluated"),
        pytest.param(array(items=B, contains=BIG), range(1, 4), id="contains"),
        pytest.param(array(items=B, contains=BIG, minContains=2), range(2, 4), id="two"),
        pytest.param(array(items=B, contains=BIG, minContains=0), range(4), id="zero"),
        pytest.param(array(items=B, contains=BIG, maxContains=1), range(1, 4), id="once"),
        pytest.param(
            array(prefixItems=[B], items=B, contains=BIG, maxContains=1),
            range(2, 4),
            id="once, after another",
        ),
        pytest.param(
            array(prefixItems=[A, B], items=False, contains=BIG),
            range(2, 3),
            id="one of the named",
        ),
        pytest.param(array(prefixItems=[A], uniqueItems=True), range(2), id="one named and unique"),
        pytest.param(
            array(prefixItems=[A, B], items=False, uniqueItems=True, minItems=2),
            range(2, 3),
            id="of different types",
        ),
        pytest.param(
            array(prefixItems=[A, A], items=A, uniqueItems=True), range(2), id="not told apart"
        ),
    ],
)
def test_it_has_elements_as_demanded(schema: Any, sizes: range) -> None:
    assert {len(json_of(schema, seed=seed, temperature=1.5)) for seed in range(12)} <= set(sizes)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(array(items=False, minItems=1), id="no element"),
        pytest.param(array(items=B, minItems=3, maxItems=2), id="bounds"),
        pytest.param(array(items=A, contains=B), id="contains another type"),
        pytest.param(array(items=B, contains=B, minContains=2, maxContains=1), id="contains"),
        pytest.param(array(prefixItems=[B], items=B, contains=B, maxContains=1), id="too often"),
        pytest.param(array(items=B, contains=B, minContains=3, maxItems=2), id="too few places"),
        pytest.param(array(items=TRUE, uniqueItems=True, minItems=2), id="only one value"),
        pytest.param(
            array(prefixItems=[A], items=False, contains=B, minContains=2), id="two of one"
        ),
    ],
)
def test_what_cannot_be_is_refused(schema: Any) -> None:
    with pytest.raises(SchemaRefused):
        shape_of(schema)


def test_the_older_spelling_of_prefix_items_is_read() -> None:
    shape = shape_of(array(items=[A, B], additionalItems=False))

    assert isinstance(shape, Items) and (len(shape.first), shape.rest, shape.most) == (2, None, 2)
