"""What the tests of structure share: texts written under a schema, schemas of many kinds, made-up
schemas.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from tests.support import Json
from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.sampler import SamplingParams, sampler_for
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, TokenId, o200k
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.facts import facts_of
from tokenlap.predictors.grammar.mask import GrammarPredictor
from tokenlap.predictors.grammar.matcher import follow_shape
from tokenlap.predictors.grammar.shape import Shape
from tokenlap.predictors.grammar.values import ValuePredictor
from tokenlap.predictors.ngram.ngram import NgramPredictor, default_model

LIMIT = 400
"""Tokens within which every text of the table below must end."""


@dataclass(frozen=True, slots=True)
class Written:
    """A reply under a grammar: its tokens, what each was drawn from, and whether it ended."""

    tokens: list[TokenId]
    laps: list[Distribution]
    ended: bool

    @property
    def text(self) -> str:
        """All of it."""
        return o200k().decode(self.tokens)


@cache
def model() -> NgramPredictor:
    """The default model, which writes the sentences."""
    return NgramPredictor(default_model(), o200k())


def under(schema: Any, asked: str = "hello") -> GrammarPredictor:
    """Who writes JSON of a schema, with what is asked in mind."""
    return under_shape(shape_of(schema), asked)


def under_shape(shape: Shape, asked: str = "hello") -> GrammarPredictor:
    """Who writes JSON of a shape."""
    values = ValuePredictor(shape, o200k(), model(), facts_of(asked))
    return GrammarPredictor(follow_shape(shape), values, o200k())


def write(
    predictor: Predictor[Any],
    asked: str = "hello",
    params: SamplingParams | None = None,
    begun: str = "",
    limit: int = LIMIT,
) -> Written:
    """What a predictor writes after a question, lap by lap."""
    prompt = render([Turn("user", asked)], o200k(), Turn("assistant", begun))
    sampler = sampler_for(params or SamplingParams(), prompt)
    state, tokens, laps = predictor.start(prompt), list[TokenId](), list[Distribution]()
    while len(tokens) < limit:
        laps.append(predictor.next(state))
        token = sampler.pick(laps[-1], len(prompt) + len(tokens))
        if token == END:
            return Written(tokens, laps, True)
        tokens.append(token)
        state = predictor.append(state, token)
    return Written(tokens, laps, False)


def json_of(schema: Any, asked: str = "hello", seed: int = 0, temperature: float = 1.0) -> Any:
    """The value that is written under a schema; fails where it does not end or does not fit."""
    params = SamplingParams(temperature=temperature, seed=seed)
    written = write(under(schema, asked), asked, params)
    assert written.ended, written.text
    return valid(schema, written.text)


def valid(schema: Any, text: str) -> Any:
    """The value of a JSON text, once it has been held against its schema, formats included."""
    value = json.loads(text)
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(value)
    return value


def obj(required: Mapping[str, Any], **keywords: Any) -> Json:
    """The schema of an object that has these properties."""
    properties = dict(required)
    return {"type": "object", "properties": properties, "required": [*properties], **keywords}


NODE = obj(
    {"value": {"type": "number"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}
)
STEP = obj({"explanation": {"type": "string"}, "output": {"type": "string"}})
SCHEMAS: Mapping[str, Json] = {
    "event": obj(
        {
            "name": {"type": "string"},
            "date": {"type": "string", "format": "date"},
            "participants": {"type": "array", "items": {"type": "string"}},
        },
        additionalProperties=False,
    ),
    "sentences": {
        **obj(
            {
                "steps": {"type": "array", "items": {"$ref": "#/$defs/S"}},
                "answer": {"type": "string"},
            }
        ),
        "$defs": {"S": STEP},
    },
    "recursive": obj(
        {
            "type": {"enum": ["div", "button", "field"]},
            "label": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#"}},
        }
    ),
    "linked list": {**obj({"list": {"$ref": "#/$defs/node"}}), "$defs": {"node": NODE}},
    "formats": obj(
        {
            name: {"type": "string", "format": name}
            for name in ("uuid", "email", "date-time", "time", "date", "ipv4", "ipv6", "duration")
        }
    ),
    "numbers": obj(
        {
            "a": {"type": "integer", "minimum": 5, "maximum": 9},
            "b": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "c": {"type": "integer", "multipleOf": 7, "minimum": 10},
            "d": {"type": "number", "multipleOf": 0.1},
            "e": {"type": "number", "minimum": -5, "maximum": -1},
        }
    ),
    "patterns": obj(
        {
            "zip": {"type": "string", "pattern": "^\\d{5}$"},
            "plate": {"type": "string", "pattern": "^[A-Z]{2,3}-[0-9]{1,4}$"},
            "slug": {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "maxLength": 20},
            "secret": {"type": "string", "pattern": "^(?=.*[0-9])(?=.*[a-z]).{8,16}$"},
        }
    ),
    "unions": obj(
        {
            "pet": {
                "oneOf": [
                    obj({"kind": {"const": "cat"}, "lives": {"type": "integer"}}),
                    obj({"kind": {"const": "dog"}, "breed": {"type": "string"}}),
                ]
            },
            "any": {"type": ["integer", "string", "null"]},
            "both": {"allOf": [obj({"p": {"type": "boolean"}}), obj({"q": {"type": "integer"}})]},
        }
    ),
    "maps and sets": obj(
        {
            "scores": {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "minProperties": 1,
            },
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "uniqueItems": True,
                "minItems": 2,
            },
            "meta": {"type": "object"},
            "has": {"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 50}},
            "free": {},
        }
    ),
    "conditions": {
        "type": "object",
        "properties": {
            "country": {"enum": ["US", "CA"]},
            "zip": {"type": "string"},
            "card": {"type": "string"},
            "address": {"type": "string"},
        },
        "required": ["country", "zip"],
        "if": {"properties": {"country": {"const": "US"}}},
        "then": {"properties": {"zip": {"pattern": "^[0-9]{5}$"}}},
        "else": {"properties": {"zip": {"pattern": "^[A-Z][0-9][A-Z]$"}}},
        "dependentRequired": {"card": ["address"]},
        "not": {"required": ["forbidden"]},
        "propertyNames": {"maxLength": 8},
    },
}
"""Ten schemas of different kinds."""

_STRINGS = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 5),
        "maxLength": st.integers(2, 12),
        "pattern": st.sampled_from(["^[a-z]+$", "[0-9]", "^A", "^\\d{3}-\\d{2}$", "^(?=.*x).+$"]),
        "format": st.sampled_from(["date", "email", "ipv4", "time", "unheard-of"]),
    },
)
_NUMBERS = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={
        "minimum": st.integers(-20, 20),
        "maximum": st.integers(-10, 40),
        "exclusiveMinimum": st.sampled_from([0, 1, -5, 0.5]),
        "multipleOf": st.sampled_from([2, 3, 5, 0.5, 0.1, 0.25]),
    },
)
_VALUES = st.sampled_from([1, 2, "x", "yy", None, True, False, 2.5, [1], {"a": 1}])
_LEAVES = (
    _STRINGS
    | _NUMBERS
    | st.sampled_from([{"type": "boolean"}, {"type": "null"}, True])
    | st.lists(_VALUES, min_size=1, max_size=4, unique_by=repr).map(lambda v: {"enum": v})
    | _VALUES.map(lambda v: {"const": v})
)
_NAMES = st.sampled_from(["a", "b", "city", "email", "tags"])


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(_NAMES, inner, max_size=4)},
        optional={
            "required": st.lists(_NAMES, unique=True, max_size=3),
            "additionalProperties": st.just(False) | inner,
            "minProperties": st.integers(0, 3),
            "maxProperties": st.integers(1, 4),
            "propertyNames": st.sampled_from([{"pattern": "^[a-z]"}, {"maxLength": 4}]),
            "dependentRequired": st.sampled_from([{"a": ["b"]}, {"city": ["email", "a"]}]),
        },
    )
    arrays = st.fixed_dictionaries(
        {"type": st.just("array"), "items": inner},
        optional={
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "minItems": st.integers(0, 3),
            "maxItems": st.integers(0, 4),
            "uniqueItems": st.booleans(),
            "contains": inner,
        },
    )
    branches = st.lists(inner, min_size=1, max_size=3)
    combined = st.one_of(
        st.builds(
            lambda word, parts: {word: parts},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            branches,
        ),
        st.builds(lambda one, no: {"allOf": [one], "not": no}, inner, _LEAVES),
        st.builds(lambda c, t, e: {"if": c, "then": t, "else": e}, _LEAVES, inner, inner),
    )
    return objects | arrays | combined


MADE_UP: st.SearchStrategy[Any] = st.recursive(_LEAVES, _nested, max_leaves=8)
"""Schemas of every keyword that is supported, alone and together; some fit no value at all."""
