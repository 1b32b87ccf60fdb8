"""Values look sensible: names and descriptions, and what was said, steer what is written."""

import json
from collections import Counter
from typing import Any

import pytest

from tests.predictors.grammar.support import SCHEMAS, json_of, model, obj, under, valid, write
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.facts import facts_of
from tokenlap.predictors.grammar.mask import GrammarPredictor
from tokenlap.predictors.grammar.matcher import follow_shape
from tokenlap.predictors.grammar.values import ValuePredictor

TEXT, INTEGER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
COUNTED = {"type": "string", "description": "How many there are"}


@pytest.mark.parametrize(
    ("asked", "name", "schema", "value"),
    [
        pytest.param("What's the weather in Paris?", "city", TEXT, "Paris", id="city"),
        pytest.param("from Oslo to Rome", "destination", TEXT, "Rome", id="the second place"),
        pytest.param(
            "Write to bob@example.com", "recipient_email", TEXT, "bob@example.com", id="@"
        ),
        pytest.param("Jason is 25 years old", "age", INTEGER, 25, id="number"),
        pytest.param("My name is Grace", "user", TEXT, "Grace", id="person"),
        pytest.param("on 2026-12-24 please", "date", TEXT, "2026-12-24", id="date"),
        pytest.param(
            "in degrees Celsius", "unit", {"enum": ["celsius", "kelvin"]}, "celsius", id="enum"
        ),
        pytest.param("Who won?", "query", TEXT, "Who won", id="query"),
        pytest.param("hello", "x", {"const": 7}, 7, id="const"),
        pytest.param(
            "hello", "x", {"type": "string", "examples": ["given"]}, "given", id="example"
        ),
        pytest.param(
            "hello", "colour", {"type": "string", "default": "teal"}, "teal", id="default"
        ),
    ],
)
def test_what_was_said_is_what_is_written(
    asked: str, name: str, schema: Any, value: object
) -> None:
    found = Counter(
        json.dumps(json_of(obj({name: schema}), asked, seed)[name]) for seed in range(10)
    )

    assert found.most_common(1)[0][0] == json.dumps(value)


@pytest.mark.parametrize(
    ("name", "schema", "looks"),
    [
        pytest.param("email", TEXT, lambda v: "@example." in v, id="email"),
        pytest.param("website", TEXT, lambda v: v.startswith("https://"), id="url"),
        pytest.param("city", TEXT, str.istitle, id="city"),
        pytest.param("n", COUNTED | {"type": "integer"}, lambda v: 0 < v < 10, id="count"),
        pytest.param("year", INTEGER, lambda v: 2000 < v < 2040, id="year"),
        pytest.param("price", {"type": "number"}, lambda v: 1 < v < 200, id="price"),
        pytest.param("at", {**TEXT, "format": "date-time"}, lambda v: v[-1] == "Z", id="time"),
        pytest.param("summary", TEXT, lambda v: v.endswith((".", "!")), id="sentence"),
        pytest.param("city_name", TEXT, str.istitle, id="two words"),
        pytest.param("x", {**TEXT, "description": "An email"}, lambda v: "@" in v, id="said"),
    ],
)
def test_without_anything_said_values_are_usual_ones(name: str, schema: Any, looks: Any) -> None:
    for seed in range(5):
        assert looks(json_of(obj({name: schema}), "hello", seed)[name])


def test_elements_of_an_array_are_all_that_were_said_and_no_others() -> None:
    schema = obj({"participants": {"type": "array", "items": TEXT}})
    asked = "Alice, Bob and Carol are going to a science fair"

    found = [sorted(json_of(schema, asked, seed)["participants"]) for seed in range(10)]

    assert found.count(["Alice", "Bob", "Carol"]) >= 6


def test_the_name_of_an_event_is_no_persons() -> None:
    schema = obj({"name": TEXT}, title="CalendarEvent")

    value = json_of(schema, "Alice and Bob are going to a science fair on Friday.", temperature=0.0)

    assert value == {"name": "Science fair"}


def test_numbers_said_go_to_properties_in_order() -> None:
    schema = obj({"a": {"type": "number"}, "b": {"type": "number"}})

    assert json_of(schema, "What is 12 times 7.5?", temperature=0.0) == {"a": 12, "b": 7.5}


def test_a_tool_result_fills_the_properties_of_its_names() -> None:
    shape = shape_of(obj({"temperature": {"type": "number"}, "sky": TEXT, "answer": TEXT}))
    facts = facts_of("How is it?", ['{"temperature": 18.5, "sky": "clear"}'], "It is 18.5, clear.")
    values = ValuePredictor(shape, o200k(), model(), facts)

    text = write(GrammarPredictor(follow_shape(shape), values, o200k())).text

    assert json.loads(text) == {"temperature": 18.5, "sky": "clear", "answer": "It is 18.5, clear."}


def test_several_calls_of_a_tool_are_about_different_things() -> None:
    shape = shape_of(obj({"city": TEXT}))
    cities = []

    for turn in range(3):
        facts = facts_of("Weather in Paris, Rome and Oslo?", turn=turn)
        values = ValuePredictor(shape, o200k(), model(), facts)
        kept = GrammarPredictor(follow_shape(shape), values, o200k())
        cities.append(json.loads(write(kept, params=SamplingParams(temperature=0.0)).text)["city"])

    assert cities == ["Paris", "Rome", "Oslo"]


def test_seeds_vary_what_is_free() -> None:
    texts = {
        write(under(SCHEMAS["sentences"]), params=SamplingParams(seed=s)).text for s in range(8)
    }

    assert len(texts) > 5


def test_strings_begin_without_a_blank_and_are_not_empty() -> None:
    for seed in range(6):
        value = json_of(SCHEMAS["sentences"], "What is a token?", seed)
        texts = [value["answer"], *(text for step in value["steps"] for text in step.values())]
        assert all(text and text == text.strip() for text in texts[: len(texts) // 2 or 1])


def test_a_string_that_must_be_long_goes_on_in_sentences() -> None:
    value = json_of({"type": "string", "minLength": 300}, "What is caching?")

    assert len(value) >= 300 and value.count(". ") >= 2


def test_a_shape_of_many_parts_hurries_past_its_budget() -> None:
    wide = obj({f"note_{i}": TEXT for i in range(24)})

    assert len(write(under(wide), limit=1000).tokens) < 600


@pytest.mark.parametrize("name", ["event", "sentences", "numbers", "recursive"])
def test_it_writes_valid_values_by_itself_where_no_pattern_is_asked_for(name: str) -> None:
    values = ValuePredictor(shape_of(SCHEMAS[name]), o200k(), model(), facts_of("hello"))

    for seed in range(5):
        written = write(values, params=SamplingParams(seed=seed))
        assert written.ended
        valid(SCHEMAS[name], written.text)


def test_an_object_of_optional_properties_may_be_empty_or_not() -> None:
    schema = {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}}

    found = {tuple(json_of(schema, seed=seed)) for seed in range(40)}

    assert {("a",), ("a", "b")} <= found and len(found) > 2
