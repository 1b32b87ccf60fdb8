"""Statements 119-128: how the parameters of a chat request are checked."""

from itertools import pairwise
from typing import Any

import pytest

from tests.conformance.asking import (
    TOOL,
    answer,
    completion,
    error,
    refusal,
)
from tests.support import Json, chat

TYPE, VALUE, MISSING = "invalid_type", "invalid_value", "missing_required_parameter"


def without(key: str, **options: Any) -> Json:
    return {name: value for name, value in chat(**options).items() if name != key}


@pytest.mark.parametrize(
    "body", [without("model"), chat() | {"model": None}, chat() | {"model": ""}]
)
async def test_119_a_model_must_be_named(body: Json) -> None:
    assert await refusal(body) == error(400, "you must provide a model parameter")


async def test_120_null_counts_as_absent_for_every_optional_parameter() -> None:
    names = (
        "temperature top_p stop tools tool_choice seed stream_options n user response_format "
        "logit_bias max_tokens max_completion_tokens stream logprobs top_logprobs metadata store "
        "service_tier functions function_call parallel_tool_calls presence_penalty prediction "
        "frequency_penalty reasoning_effort verbosity modalities audio web_search_options"
    )

    assert (await completion(**dict.fromkeys(names.split())))["choices"] == (await completion())[
        "choices"
    ]


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"foo": 1}, "foo"),
        ({"stream": True, "stream_options": {"bogus": 1}}, "stream_options.bogus"),
    ],
)
async def test_121_an_unknown_parameter_is_refused_with_strict_and_else_named(
    options: Json, path: str
) -> None:
    body = {**chat(), **options}
    tolerant = await answer(body)

    assert tolerant.status_code == 200
    assert tolerant.headers["x-tokenlap-ignored"] == path
    expected = error(400, f"Unknown parameter: '{path}'.", path, "unknown_parameter")
    assert await refusal(body, strict=True) == expected


WRONG: Json = {"probe": "wrong type"}
ORDER = (
    "messages functions tools parallel_tool_calls max_completion_tokens n temperature top_p "
    "presence_penalty frequency_penalty logprobs top_logprobs user seed safety_identifier "
    "prompt_cache_key prompt_cache_retention service_tier stream store metadata verbosity"
)


@pytest.mark.parametrize(("first", "second"), [*pairwise(ORDER.split())])
async def test_122_of_two_mistakes_the_earlier_one_is_told(first: str, second: str) -> None:
    wrong = {name: 7 if name in ("metadata", "tools") else WRONG for name in (second, first)}

    assert (await answer({**chat(), **wrong})).json()["error"]["param"] == first


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (without("model", foo=1, n="x"), None),
        (without("messages", foo=1, n="x"), "messages"),
        (chat(foo=1, n="x", temperature=9), "foo"),
        (chat(n=0, temperature=0.3), "n"),
        (chat(temperature=0.3) | {"model": "o3-mini"}, "temperature"),
    ],
    ids=["model", "messages", "unknown", "types and bounds", "capability"],
)
async def test_122_checks_come_in_the_order_of_the_live_api(body: Json, param: str | None) -> None:
    assert (await refusal(body, strict=True, model_names="o3-mini"))["param"] == param


@pytest.mark.parametrize(
    ("name", "value"),
    [("n", "2"), ("temperature", "0.5"), ("stream", "yes"), ("seed", 1.5), ("max_tokens", True)],
)
async def test_123_types_are_strict(name: str, value: Any) -> None:
    refused = (await answer(chat() | {name: value})).json()["error"]

    assert (refused["param"], refused["code"]) == (name, TYPE)


@pytest.mark.parametrize(
    ("name", "value", "expected", "got"),
    [
        ("n", "2", "an integer", "a string"),
        ("temperature", "hot", "a decimal", "a string"),
        ("stream", {}, "a boolean", "an object"),
        ("user", 7, "a string", "an integer"),
        ("seed", 1.5, "an integer", "a decimal number"),
        ("logprobs", [], "a boolean", "an array"),
        ("store", 1, "a boolean", "an integer"),
        ("max_completion_tokens", True, "an integer", "a boolean"),
        ("response_format", "json", "an object", "a string"),
        ("tools", "x", "an array of objects", "a string"),
        ("messages", None, "an array of objects", "null"),
        ("verbosity", {}, "one of 'low', 'medium', or 'high'", "an object"),
    ],
)
async def test_124_a_wrong_type_is_told_in_the_platforms_words(
    name: str, value: Any, expected: str, got: str
) -> None:
    refused = (await answer(chat() | {name: value})).json()["error"]

    message = f"Invalid type for '{name}': expected {expected}, but got {got} instead."
    assert refused["message"] == message


BOUNDS: list[tuple[str, float, float | None, Json]] = [
    ("temperature", 0, 2, {}),
    ("top_p", 0, 1, {}),
    ("presence_penalty", -2, 2, {}),
    ("frequency_penalty", -2, 2, {}),
    ("n", 1, 128, {}),
    ("top_logprobs", 0, 20, {"logprobs": True}),
    ("max_completion_tokens", 1, None, {}),
]


@pytest.mark.parametrize(
    ("name", "least", "most", "beside"), BOUNDS, ids=[row[0] for row in BOUNDS]
)
async def test_125_bounds_hold_on_both_sides(
    name: str, least: float, most: float | None, beside: Json
) -> None:
    for value, status in ((least, 200), (least - 1, 400)):
        assert (await answer(chat() | beside | {name: value})).status_code == status
    if most is not None:
        for value, status in ((most, 200), (most + 1, 400)):
            assert (await answer(chat() | beside | {name: value})).status_code == status


@pytest.mark.parametrize(
    ("fitting", "too_much", "code"),
    [
        ({"logit_bias": {"5": 100}}, {"logit_bias": {"5": 101}}, "decimal_above_max_value"),
        (
            {"metadata": {str(i): "v" for i in range(16)}},
            {"metadata": {str(i): "v" for i in range(17)}},
            "object_above_max_properties",
        ),
        (
            {"metadata": {"k" * 64: "v"}},
            {"metadata": {"k" * 65: "v"}},
            "property_name_above_max_length",
        ),
        (
            {"metadata": {"k": "v" * 512}},
            {"metadata": {"k": "v" * 513}},
            "string_above_max_length",
        ),
        ({"tools": [TOOL] * 128}, {"tools": [TOOL] * 129}, "array_above_max_length"),
        (
            {"safety_identifier": "s" * 64},
            {"safety_identifier": "s" * 65},
            "string_above_max_length",
        ),
    ],
    ids=str,
)
async def test_125_so_do_lengths(fitting: Json, too_much: Json, code: str) -> None:
    assert (await answer({**chat(), **fitting})).status_code == 200
    assert (await refusal({**chat(), **too_much}))["code"] == code


@pytest.mark.parametrize(
    ("name", "value", "message", "code"),
    [
        (
            "n",
            0,
            "integer below minimum value. Expected a value >= 1, but got 0 instead.",
            "integer_below_min_value",
        ),
        (
            "n",
            200,
            "integer above maximum value. Expected a value <= 128, but got 200 instead.",
            "integer_above_max_value",
        ),
        (
            "temperature",
            200,
            "decimal above maximum value. Expected a value <= 2, but got 200 instead.",
            "decimal_above_max_value",
        ),
        (
            "top_p",
            -0.5,
            "decimal below minimum value. Expected a value >= 0, but got -0.5 instead.",
            "decimal_below_min_value",
        ),
    ],
)
async def test_126_bounds_are_told_in_the_platforms_words(
    name: str, value: float, message: str, code: str
) -> None:
    expected = error(400, f"Invalid '{name}': {message}", name, code)

    assert await refusal(chat() | {name: value}) == expected


async def test_127_top_logprobs_needs_logprobs() -> None:
    message = "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."

    assert await refusal(chat(top_logprobs=1)) == error(400, message, "top_logprobs")


async def test_128_stream_options_need_a_stream() -> None:
    message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    for body in (chat(stream_options={}), chat(stream_options={}, stream=False)):
        assert await refusal(body) == error(400, message, "stream_options")
