"""Shapes that share no value, so that no two elements of a set can be equal."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.predictors.grammar.support import json_of, obj, valid, write
from tests.predictors.grammar.support import under as under_schema
from tests.properties import examples
from tokenlap.engine.sampler import SamplingParams
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.distinct import split
from tokenlap.predictors.grammar.shape import plain_schema

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "wanted", "parts"),
    [
        pytest.param({"enum": [1, 2, 3]}, 2, 2, id="values"),
        pytest.param({"enum": [1, 2, 3]}, 5, 3, id="fewer values"),
        pytest.param({"type": "boolean"}, 3, 2, id="booleans"),
        pytest.param({"type": "integer", "minimum": 1, "maximum": 6}, 6, 6, id="dice"),
        pytest.param({"type": "integer"}, 3, 3, id="ranges"),
        pytest.param({"type": "integer", "multipleOf": 400}, 3, 3, id="multiples"),
        pytest.param({"type": "number"}, 3, 3, id="numbers"),
        pytest.param(TEXT, 5, 5, id="first letters"),
        pytest.param({"type": "string", "pattern": "^x"}, 2, 1, id="a pattern"),
        pytest.param(obj({"k": {"enum": [1, 2]}, "v": TEXT}), 2, 2, id="objects"),
        pytest.param(obj({}), 2, 1, id="empty object"),
        pytest.param({"type": ["string", "boolean", "null"]}, 2, 2, id="types"),
        pytest.param({"type": ["string", "integer"]}, 3, 3, id="types, and letters"),
        pytest.param({"anyOf": [{"enum": [1, "a"]}, TEXT]}, 2, 1, id="mixed values"),
    ],
)
def test_it_makes_as_many_parts_as_can_be_told_apart(schema: Any, wanted: int, parts: int) -> None:
    found = split(shape_of(schema), wanted)
    plain = [json.loads(json.dumps(plain_schema(one))) for one in found]
    values = [{json.dumps(json_of(one, seed=seed)) for seed in range(12)} for one in plain]

    assert len(found) == parts
    assert sum(map(len, values)) == len(set().union(*values))


@examples(60)
@given(
    items=st.sampled_from(
        [TEXT, {"type": "integer", "maximum": 9}, {"enum": list("abcdef")}, obj({"k": TEXT})]
    ),
    least=st.integers(0, 4),
    seed=st.integers(0, 999),
)
def test_a_set_has_no_equal_elements(items: Any, least: int, seed: int) -> None:
    schema = {"type": "array", "items": items, "uniqueItems": True, "minItems": least}

    written = write(under_schema(schema), params=SamplingParams(seed=seed, temperature=2.0))

    assert len(valid(schema, written.text)) >= least
