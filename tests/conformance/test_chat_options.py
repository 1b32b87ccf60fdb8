"""Statements 129-142: what a chat request may ask for."""

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

VALUE, MISSING = "invalid_value", "missing_required_parameter"


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
