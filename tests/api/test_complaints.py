import json
from itertools import pairwise
from typing import Any

import pytest

from tests.support import Json, chat
from tokenlap.api.body import parse
from tokenlap.api.chat.request import ORDER, ChatRequest
from tokenlap.api.complaints import NO_MODEL, path_of
from tokenlap.errors import BadRequest

ITEM = {"probe": "wrong"}
"""A value that is of the wrong type everywhere."""


def refusal(body: Json, strict: bool = False) -> BadRequest:
    with pytest.raises(BadRequest) as refused:
        parse(ChatRequest, json.dumps(body).encode(), strict)
    return refused.value


def without(key: str, **options: Any) -> Json:
    return {name: value for name, value in chat(**options).items() if name != key}


def said(messages: Any, **options: Any) -> Json:
    return {**chat(**options), "messages": messages}


ENUMS = {
    "service_tier": "'auto', 'default', 'fast', 'flex', 'priority', or 'scale'",
    "verbosity": "'low', 'medium', or 'high'",
    "prompt_cache_retention": "'in_memory' or '24h'",
}
TYPES = {
    "n": ("2", "an integer", "a string"),
    "max_tokens": (1.5, "an integer", "a decimal number"),
    "max_completion_tokens": (True, "an integer", "a boolean"),
    "seed": (1.5, "an integer", "a decimal number"),
    "top_logprobs": ([], "an integer", "an array"),
    "temperature": ("0.5", "a decimal", "a string"),
    "top_p": (True, "a decimal", "a boolean"),
    "presence_penalty": ({}, "a decimal", "an object"),
    "frequency_penalty": ([1], "a decimal", "an array"),
    "stream": ("yes", "a boolean", "a string"),
    "logprobs": (1, "a boolean", "an integer"),
    "store": ("no", "a boolean", "a string"),
    "parallel_tool_calls": (0, "a boolean", "an integer"),
    "user": (7, "a string", "an integer"),
    "safety_identifier": (ITEM, "a string", "an object"),
    "prompt_cache_key": (1, "a string", "an integer"),
    "tools": ("x", "an array of objects", "a string"),
    "functions": ("x", "an array of function definitions", "a string"),
    "metadata": ("x", "a metadata object", "a string"),
    "stream_options": ("x", "an object", "a string"),
    "response_format": ("json", "an object", "a string"),
    "logit_bias": ([], "an object", "an array"),
    "prediction": ("x", "an object", "a string"),
    "stop": (7, "one of a string or array of strings", "an integer"),
    "tool_choice": (7, "one of one of 'none', 'auto', or 'required' or object", "an integer"),
    **{name: (ITEM, f"one of {words}", "an object") for name, words in ENUMS.items()},
}


@pytest.mark.parametrize("name", TYPES)
def test_a_value_of_the_wrong_type_is_named_with_both_types(name: str) -> None:
    value, expected, got = TYPES[name]
    refused = refusal(chat() | {name: value})

    message = f"Invalid type for '{name}': expected {expected}, but got {got} instead."
    assert (refused.message, refused.param, refused.code) == (message, name, "invalid_type")


@pytest.mark.parametrize(
    ("body", "path", "expected", "got"),
    [
        (said("x"), "messages", "an array of objects", "a string"),
        (said(None), "messages", "an array of objects", "null"),
        (said([None]), "messages[0]", "an object", "null"),
        (said(["x"]), "messages[0]", "an object", "a string"),
        (
            said([{"role": "user", "content": 7}]),
            "messages[0].content",
            "one of a string or array of objects",
            "an integer",
        ),
        (
            said([{"role": "user", "content": ["x"]}]),
            "messages[0].content[0]",
            "an object",
            "a string",
        ),
        (said([{"role": "user", "name": 7}]), "messages[0].name", "a string", "an integer"),
        (chat(model=7), "model", "a string", "an integer"),
        (chat(stop=[7]), "stop[0]", "a string", "an integer"),
        (chat(metadata={"k": 7}), "metadata.k", "a string", "an integer"),
        (chat(logit_bias={"5": "x"}), "logit_bias.5", "a decimal", "a string"),
        (
            chat(stream_options={"include_usage": 1}),
            "stream_options.include_usage",
            "a boolean",
            "an integer",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_path_leads_to_the_wrong_value(body: Json, path: str, expected: str, got: str) -> None:
    refused = refusal(body)

    message = f"Invalid type for '{path}': expected {expected}, but got {got} instead."
    assert (refused.message, refused.param, refused.code) == (message, path, "invalid_type")


BOUNDS = [
    ("n", "integer", 1, 128),
    ("top_logprobs", "integer", 0, 20),
    ("temperature", "decimal", 0, 2),
    ("top_p", "decimal", 0, 1),
    ("presence_penalty", "decimal", -2, 2),
    ("frequency_penalty", "decimal", -2, 2),
    ("max_tokens", "integer", 1, None),
    ("max_completion_tokens", "integer", 1, None),
]


@pytest.mark.parametrize(("name", "kind", "least", "most"), BOUNDS, ids=[row[0] for row in BOUNDS])
def test_bounds_are_told_on_their_far_side_and_hold_on_their_near_one(
    name: str, kind: str, least: int, most: int | None
) -> None:
    below = refusal(chat() | {name: least - 1})
    assert below.message == (
        f"Invalid '{name}': {kind} below minimum value. "
        f"Expected a value >= {least}, but got {least - 1} instead."
    )
    assert (below.param, below.code) == (name, f"{kind}_below_min_value")
    parse(ChatRequest, json.dumps(chat() | {name: least}).encode())
    if most is not None:
        above = refusal(chat() | {name: most + 1})
        assert above.message == (
            f"Invalid '{name}': {kind} above maximum value. "
            f"Expected a value <= {most}, but got {most + 1} instead."
        )
        assert (above.param, above.code) == (name, f"{kind}_above_max_value")
        parse(ChatRequest, json.dumps(chat() | {name: most}).encode())


@pytest.mark.parametrize("body", [without("model"), chat(model=None), chat(model="")])
def test_without_a_model_nothing_else_is_looked_at(body: Json) -> None:
    refused = refusal({**body, "n": 0, "messages": []})

    assert (refused.message, refused.param, refused.code) == (NO_MODEL, None, None)


def test_missing_messages_come_before_what_is_wrong() -> None:
    refused = refusal(without("messages", n="x", temperature=9))

    assert refused.message == "Missing required parameter: 'messages'."
    assert (refused.param, refused.code) == ("messages", "missing_required_parameter")


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"model": None}, None),
        ({"messages": ...}, "messages"),
        ({"n": "x"}, "made_up"),
        ({"messages": []}, "made_up"),
        ({"messages": [{}]}, "made_up"),
        ({"stop": ["a"] * 5}, "made_up"),
        ({}, "made_up"),
    ],
    ids=["no model", "no messages", "type", "length", "nested", "bound", "alone"],
)
def test_unknown_parameters_come_between_with_strict(options: Json, param: str | None) -> None:
    body = {**chat(made_up=1), **options}
    body = {name: value for name, value in body.items() if value is not ...}

    assert refusal(body, strict=True).param == param


_CHECKED = [name for name in ORDER.split() if name not in ("model", "messages")]
_TYPED = [name for name in _CHECKED if name in TYPES]


@pytest.mark.parametrize(("first", "second"), list(pairwise(_TYPED)))
def test_of_two_mistakes_the_platforms_first_one_is_told(first: str, second: str) -> None:
    wrong = {name: TYPES[name][0] for name in (second, first)}

    assert refusal(chat() | wrong).param == first


def test_messages_come_before_all_that_follows() -> None:
    assert refusal(said([7], functions="x")).param == "messages[0]"


def test_a_location_is_spelled_as_the_platform_does() -> None:
    assert path_of(("messages", 0, "content", 12, "text")) == "messages[0].content[12].text"
