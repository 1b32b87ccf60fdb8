"""Where in a JSON text the writing stands: the same however the text is cut into tokens."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.predictors.grammar.support import SCHEMAS, json_of, obj
from tests.properties import examples
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.cursor import Cursor
from tokenlap.predictors.grammar.shape import Fixed, Items, Number, Record, Text

SCHEMA = obj(
    {
        "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "size": {"type": "integer"},
    },
    properties={
        "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "size": {"type": "integer"},
        "note": {"type": "null"},
    },
)


def after(text: str, schema: object = SCHEMA) -> Cursor:
    cursor = Cursor(shape_of(schema))
    cursor.take(text.encode())
    return cursor


@pytest.mark.parametrize(
    ("text", "mode", "name", "partial"),
    [
        pytest.param("", "value", "", "", id="beginning"),
        pytest.param("{", "member", "", "", id="object"),
        pytest.param('{"na', "key", "", '"na', id="key"),
        pytest.param('{"name"', "colon", "name", "", id="colon"),
        pytest.param('{"name":', "value", "name", "", id="value"),
        pytest.param('{"name":"J\\"', "scalar", "name", '"J\\"', id="string"),
        pytest.param('{"name":"J"', "after", "name", "", id="after a string"),
        pytest.param('{"name":"J","tags":[', "value", "tags", "", id="array"),
        pytest.param('{"name":"J","tags":["a","b"]', "after", "tags", "", id="after an array"),
        pytest.param('{"name":"J","tags":["a"],"size":12', "scalar", "size", "12", id="number"),
        pytest.param('{"name":"J","tags":["a"],"size":12}', "done", "", "", id="end"),
    ],
)
def test_it_knows_where_it_is(text: str, mode: str, name: str, partial: str) -> None:
    cursor = after(text)

    assert (cursor.mode, cursor.name, cursor.partial.decode()) == (mode, name, partial)


@examples(60)
@given(data=st.data())
def test_it_does_not_matter_how_a_text_is_cut(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(SCHEMAS)))
    value = json_of(SCHEMAS[name], seed=data.draw(st.integers(0, 20)))
    raw = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=12)))
    whole, pieces = Cursor(shape_of(SCHEMAS[name])), Cursor(shape_of(SCHEMAS[name]))

    whole.take(raw)
    for begin, end in zip([0, *cuts], [*cuts, len(raw)], strict=True):
        pieces.take(raw[begin:end])

    assert whole.mode == pieces.mode == "done"
    assert whole.ordinal == pieces.ordinal


def test_it_knows_which_shapes_may_stand_there() -> None:
    assert [type(s) for s in after("").shapes] == [Record]
    assert [type(s) for s in after('{"name":').shapes] == [Text]
    assert [type(s) for s in after('{"name":"","tags":').shapes] == [Items]
    assert [type(s) for s in after('{"name":"","tags":["').shapes] == [Text]
    assert [type(s) for s in after('{"name":"","tags":["a"],"size":').shapes] == [Number]
    assert [type(s) for s in after('{"name":"","tags":["a"],"size":1,"note":').shapes] == [Fixed]


def test_an_object_tells_what_may_come_and_whether_it_may_end() -> None:
    begun, done = after('{"name":"","tags":["a"]').frame, after('{"name":"","tags":["a"],"size":1')
    done.take(b",")

    assert begun is not None and done.frame is not None
    assert ([m.name for m in begun.members()], begun.may_close()) == (["size"], False)
    assert ([m.name for m in done.frame.members()], done.frame.may_close()) == (["note"], True)


def test_an_array_counts_its_elements() -> None:
    empty, full = after('{"name":"","tags":[').frame, after('{"name":"","tags":["a","b","c"').frame

    assert empty is not None and full is not None
    assert (empty.may_close(), empty.may_continue()) == (False, True)
    assert (full.may_close(), full.may_continue(), full.used) == (
        True,
        False,
        [b'"a"', b'"b"', b'"c"'],
    )


def test_keys_rule_alternatives_out() -> None:
    schema = {"anyOf": [obj({"a": {"type": "integer"}}), obj({"b": {"type": "string"}})]}

    begun, chosen = after("{", schema).frame, after('{"b"', schema).frame

    assert begun is not None and [m.name for m in begun.members()] == ["a", "b"]
    assert chosen is not None and len(chosen.records) == 1


def test_an_escaped_key_is_the_key_it_spells() -> None:
    assert after('{"a\\"\\u00e9":', obj({'a"é': {"type": "null"}})).name == 'a"é'
