"""How short the texts of a shape can be."""

from typing import Any

import pytest

from tests.predictors.grammar.support import obj
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.shape import SchemaRefused
from tokenlap.predictors.grammar.size import LONGEST, shortest

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"const": "abc"}, '"abc"'),
        ({**TEXT, "minLength": 3}, '"abc"'),
        ({"type": "integer"}, "1"),
        (obj({"a": TEXT}, properties={"a": TEXT, "b": TEXT}), '{"a":"",}'),
        ({"type": "array", "items": TEXT, "minItems": 2}, '["","",]'),
        ({"type": "array", "prefixItems": [TEXT], "items": {}, "minItems": 3}, '["",1,1,]'),
        ({"type": ["string", "null", "integer"]}, "1"),
    ],
)
def test_it_is_about_the_shortest_text(schema: Any, text: str) -> None:
    assert abs(shortest(shape_of(schema), {}) - len(text)) <= 1


def test_parts_that_double_at_each_level_are_refused_and_not_counted_one_by_one() -> None:
    level = {f"L{i}": obj({k: {"$ref": f"#/$defs/L{i + 1}"} for k in "ab"}) for i in range(40)}

    with pytest.raises(SchemaRefused, match=f"more than the {LONGEST}"):
        shape_of({"$defs": {**level, "L40": TEXT}, "$ref": "#/$defs/L0"})
