"""References: where they point, which come back, and how large a schema may be."""

from typing import Any

import pytest

from tokenlap.predictors.grammar.refs import DEEPEST, LARGEST, MOST_STEPS, Schema, canonical
from tokenlap.predictors.grammar.shape import SchemaRefused

INTEGER = {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "ref", "target"),
    [
        pytest.param({"$defs": {"a": INTEGER}}, "#/$defs/a", INTEGER, id="pointer"),
        pytest.param({"definitions": {"a/b~c": INTEGER}}, "#/definitions/a~1b~0c", INTEGER, id="~"),
        pytest.param({"$defs": {"é x": INTEGER}}, "#/$defs/%C3%A9%20x", INTEGER, id="percent"),
        pytest.param({"anyOf": [True, INTEGER]}, "#/anyOf/1", INTEGER, id="index"),
        pytest.param({"$defs": {"a": {"$anchor": "n"}}}, "#n", {"$anchor": "n"}, id="anchor"),
        pytest.param({"$id": "urn:me", "type": "null"}, "urn:me#/type", None, id="no schema"),
        pytest.param({"$id": "urn:me", "not": INTEGER}, "urn:me#/not", INTEGER, id="id"),
        pytest.param({}, "#/$defs/a", None, id="dangling"),
        pytest.param({"anyOf": []}, "#/anyOf/0", None, id="out of range"),
        pytest.param({"type": "null"}, "#/type/x", None, id="through a text"),
        pytest.param({}, "other.json", None, id="elsewhere"),
    ],
)
def test_a_reference_points_to_a_schema_or_is_refused(schema: Any, ref: str, target: Any) -> None:
    if target is None:
        with pytest.raises(SchemaRefused, match="ref"):
            Schema(schema).target(ref)
    else:
        assert Schema(schema).target(ref) == target


def test_recursive_references_are_told_from_others() -> None:
    schema = Schema(
        {
            "$defs": {
                "leaf": INTEGER,
                "tree": {"items": {"$ref": "#/$defs/branch"}},
                "branch": {"anyOf": [{"$ref": "#/$defs/tree"}, {"$ref": "#/$defs/leaf"}]},
            }
        }
    )

    assert [schema.recursive(f"#/$defs/{name}") for name in ("leaf", "tree", "branch")] == [
        False,
        True,
        True,
    ]


def nested(levels: int) -> Any:
    schema: Any = INTEGER
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        pytest.param(nested(DEEPEST + 1), "levels deep", id="deep"),
        pytest.param({"enum": list(range(LARGEST + 1))}, "values", id="large"),
    ],
)
def test_a_schema_beyond_all_bounds_is_refused(schema: Any, words: str) -> None:
    with pytest.raises(SchemaRefused, match=words):
        Schema(schema)


def test_too_many_questions_about_a_schema_are_refused() -> None:
    schema = Schema(INTEGER)

    with pytest.raises(SchemaRefused, match="intricate"):
        for _ in range(MOST_STEPS + 1):
            schema.check(INTEGER)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1.0, {"a": 2, "b": None}], [1, {"b": None, "a": 2.0}], True),
        ("1", 1, False),
    ],
)
def test_equal_values_have_the_same_canonical_text(one: Any, other: Any, equal: bool) -> None:
    assert (canonical(one) == canonical(other)) is equal
    assert Schema({}).lists([other], one) is equal
