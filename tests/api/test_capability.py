import json
from typing import Any

import pytest

from tests.support import application, chat, quiet, scripted
from tokenlap.api.body import parse
from tokenlap.api.capability import REASONING, check_capability
from tokenlap.api.chat.request import ChatRequest
from tokenlap.errors import BadRequest


def check(model: str, **options: Any) -> None:
    body = {**chat(**options), "model": model}
    check_capability(parse(ChatRequest, json.dumps(body).encode()))


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("o1", True),
        ("o1-mini", True),
        ("o3-mini-2025-01-31", True),
        ("o4-mini", True),
        ("ft:o4-mini:acme", True),
        ("gpt-5", True),
        ("gpt-5-mini", True),
        ("gpt-5.6-terra", True),
        ("gpt-5-chat-latest", False),
        ("gpt-4o", False),
        ("o10", False),
        ("my-o1", False),
        ("tokenlap", False),
    ],
)
def test_the_name_tells_whether_a_model_reasons(name: str, reasons: bool) -> None:
    assert bool(REASONING.match(name)) is reasons


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_tokens", 5),
        ("stop", "x"),
        ("logit_bias", {"5": 1}),
        ("prediction", {"type": "content", "content": "x"}),
        ("frequency_penalty", 0.5),
        ("presence_penalty", 0.5),
        ("logprobs", True),
    ],
)
def test_a_reasoning_model_refuses_what_it_does_not_support(name: str, value: Any) -> None:
    with pytest.raises(BadRequest) as refused:
        check("o3-mini", **{name: value})
    check("gpt-4o", **{name: value})
    check("o3-mini", **{name: None})

    hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
    assert refused.value.message == (
        f"Unsupported parameter: '{name}' is not supported with this model.{hint}"
    )
    assert (refused.value.param, refused.value.code) == (name, "unsupported_parameter")


@pytest.mark.parametrize("name", ["temperature", "top_p"])
def test_a_reasoning_model_takes_the_default_alone(name: str) -> None:
    with pytest.raises(BadRequest) as refused:
        check("gpt-5-mini", **{name: 0.3})
    check("gpt-5-mini", **{name: 1})
    check("gpt-5-mini", **{name: 0.3}, reasoning_effort="none")
    check("gpt-4o", **{name: 0.3})

    assert refused.value.message == (
        f"Unsupported value: '{name}' does not support 0.3 with this model. "
        "Only the default (1) value is supported."
    )
    assert (refused.value.param, refused.value.code) == (name, "unsupported_value")


def test_web_search_is_for_the_models_that_have_it() -> None:
    with pytest.raises(BadRequest) as refused:
        check("gpt-4o", web_search_options={})
    check("gpt-4o-search-preview", web_search_options={})

    assert refused.value.message == "Web search options not supported with this model."
    assert (refused.value.param, refused.value.code) == ("web_search_options", None)


@pytest.mark.parametrize("strict", [False, True])
async def test_capability_is_asked_about_with_strict_alone(strict: bool) -> None:
    settings = quiet(strict=strict, model_names="o3-mini")
    async with application(settings, models=scripted("hello")) as client:
        client.headers["authorization"] = "Bearer key"
        body = {**chat(max_tokens=5), "model": "o3-mini"}
        answer = await client.post("/v1/chat/completions", json=body)

    assert answer.status_code == (400 if strict else 200)
