"""Statements 119-142: the parameters of a chat request."""

from itertools import pairwise
from typing import Any

import pytest
from pydantic import BaseModel

from tests.conformance.asking import (
    CHAT,
    HELLO,
    TOOL,
    answer,
    choice,
    chunks,
    completion,
    error,
    official,
    refusal,
)
from tests.support import Json, application, chat, quiet

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


@pytest.mark.parametrize("options", [{"tool_choice": "auto"}, {"parallel_tool_calls": True}])
async def test_129_choices_between_tools_need_tools(options: Json) -> None:
    (name,) = options
    message = f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified."

    assert await refusal(chat() | options) == error(400, message, name)


NAMED = {"type": "function", "function": {"name": "get_time"}}
ALLOWED = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [NAMED]}}


@pytest.mark.parametrize("chosen", ["none", "auto", "required", NAMED, ALLOWED], ids=str)
async def test_130_a_tool_choice_has_one_of_its_shapes(chosen: Any) -> None:
    assert (await answer(chat(tools=[TOOL], tool_choice=chosen))).status_code == 200


@pytest.mark.parametrize(
    ("chosen", "param", "code"),
    [("bogus", "tool_choice", VALUE), ({"type": "function"}, "tool_choice.function", MISSING)],
)
async def test_130_and_no_other(chosen: Any, param: str, code: str) -> None:
    refused = await refusal(chat(tools=[TOOL], tool_choice=chosen))

    assert (refused["param"], refused["code"]) == (param, code)


@pytest.mark.parametrize(
    ("given", "param", "code"),
    [
        ({}, "response_format.type", MISSING),
        ({"type": "bogus"}, "response_format.type", VALUE),
        ({"type": "json_schema"}, "response_format.json_schema", MISSING),
        ({"type": "json_schema", "json_schema": {}}, "response_format.json_schema.name", MISSING),
    ],
    ids=str,
)
async def test_131_a_response_format_has_a_type_and_a_schema_a_name(
    given: Json, param: str, code: str
) -> None:
    refused = await refusal(chat(response_format=given))

    assert (refused["param"], refused["code"]) == (param, code)


async def test_132_json_object_needs_the_word_json() -> None:
    message = (
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type "
        "'json_object'."
    )
    body = chat(response_format={"type": "json_object"})

    assert await refusal(body) == error(400, message, "messages")


class Person(BaseModel):
    name: str
    age: int


async def test_133_the_helpers_of_the_client_get_json_of_their_schema() -> None:
    body = {**chat("Alice is 30 years old."), "model": "tokenlap"}
    async with official() as client:
        said = await client.chat.completions.parse(**body, response_format=Person)

    assert isinstance(said.choices[0].message.parsed, Person)


@pytest.mark.parametrize("key", ["Paris", "1.5", "-1", "200019"])
async def test_134_a_logit_bias_is_about_token_ids(key: str) -> None:
    refused = await refusal(chat(logit_bias={key: 1}))

    message = f"Invalid key in 'logit_bias': {key}. Maximum value is 200018."
    assert refused == error(400, message, "logit_bias", VALUE)


IGNORED: Json = {
    "user": "u",
    "safety_identifier": "s",
    "prompt_cache_key": "k",
    "prompt_cache_retention": "24h",
    "prompt_cache_options": {"ttl": "30m"},
    "store": False,
    "metadata": {"a": "b"},
    "service_tier": "auto",
    "seed": 1,
    "prediction": {"type": "content", "content": "x"},
    "verbosity": "low",
    "reasoning_effort": "none",
    "moderation": {"model": "omni-moderation-latest"},
    "modalities": ["text"],
    "audio": {"voice": "alloy", "format": "wav"},
    "web_search_options": {},
}


@pytest.mark.parametrize("name", IGNORED)
async def test_135_what_changes_nothing_is_accepted(name: str) -> None:
    given = await answer(chat() | {name: IGNORED[name]})

    assert given.status_code == 200
    assert given.json()["choices"] == (await completion())["choices"]
    assert "x-tokenlap-ignored" not in given.headers


async def test_136_the_same_seed_gives_the_same_text() -> None:
    async def text(seed: int) -> str:
        body = {**chat("Tell me a story.", seed=seed), "model": "tokenlap", "temperature": 2}
        given = (await answer(body, models={})).json()
        return str(given["choices"][0]["message"]["content"])

    assert await text(7) == await text(7)
    assert len({await text(seed) for seed in range(5)}) > 1
    assert (await completion())["system_fingerprint"] == (await completion())["system_fingerprint"]


async def test_137_usage_tells_of_predicted_tokens() -> None:
    prediction = {"type": "content", "content": "Hello there, friend"}
    details = (await completion(prediction=prediction))["usage"]["completion_tokens_details"]

    assert details["accepted_prediction_tokens"] + details["rejected_prediction_tokens"] > 0


async def test_138_no_model_here_searches_the_web_with_strict() -> None:
    refused = await refusal(chat(web_search_options={}) | {"model": "tokenlap"}, strict=True)

    message = "Web search options not supported with this model."
    assert refused == error(400, message, "web_search_options")


async def test_139_store_makes_it_retrievable() -> None:
    async with application(models=HELLO) as client:
        kept = (await client.post(CHAT, json=chat(store=True))).json()
        lost = (await client.post(CHAT, json=chat())).json()
        found = await client.get(f"{CHAT}/{kept['id']}")
        missing = await client.get(f"{CHAT}/{lost['id']}")

    assert found.json()["choices"][0]["message"]["content"] == "Hello there, world"
    assert missing.status_code == 404


async def test_140_reasoning_models_take_the_default_temperature_alone_with_strict() -> None:
    body = chat(temperature=0.3) | {"model": "gpt-5-mini"}

    assert await refusal(body, strict=True, model_names="gpt-5-mini") == error(
        400,
        "Unsupported value: 'temperature' does not support 0.3 with this model. "
        "Only the default (1) value is supported.",
        "temperature",
        "unsupported_value",
    )


@pytest.mark.parametrize(
    ("body", "however"),
    [
        (
            chat("hi " * 200),
            "your messages resulted in 208 tokens. Please reduce the length of the messages.",
        ),
        (
            chat(max_tokens=125),
            "you requested 133 tokens (8 in the messages, 125 in the completion). "
            "Please reduce the length of the messages or completion.",
        ),
    ],
    ids=["prompt", "prompt and cap"],
)
async def test_141_too_long_is_told_with_its_numbers(body: Json, however: str) -> None:
    refused = await refusal(body, context_window=128)

    message = f"This model's maximum context length is 128 tokens. However, {however}"
    assert refused == error(400, message, "messages", "context_length_exceeded")


async def test_142_a_cap_over_the_models_own_is_too_large() -> None:
    message = (
        "max_tokens is too large: 128001. This model supports at most 128000 completion tokens, "
        "whereas you provided 128001."
    )

    assert await refusal(chat(max_tokens=128001)) == error(400, message, "max_tokens")
    assert quiet().context_window == 128000
    assert (await choice())["finish_reason"] == "stop" and await chunks()
