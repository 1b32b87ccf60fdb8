import json
from typing import Any

import pytest

from tests.support import Json, application, chat, scripted
from tokenlap.api.body import parse
from tokenlap.api.chat.request import ChatRequest
from tokenlap.api.parameters import Generation, derived_seed, sampling, stopping
from tokenlap.engine.tokenizer import CALL, END, VOCABULARY_SIZE
from tokenlap.errors import BadRequest


def asked(**options: Any) -> ChatRequest:
    return parse(ChatRequest, json.dumps(chat(**options)).encode())


def refusal(**options: Any) -> BadRequest:
    with pytest.raises(BadRequest) as refused:
        asked(**options)
    return refused.value


NULLABLE = sorted(set(ChatRequest.model_fields) - {"model", "messages"})


@pytest.mark.parametrize("name", NULLABLE)
def test_null_is_as_good_as_absent(name: str) -> None:
    assert getattr(asked(**{name: None}), name) == getattr(asked(), name)


def test_a_stop_is_a_text_or_up_to_four() -> None:
    assert asked(stop="END").stop == ["END"]
    assert asked(stop=["a", "b", "c", "d"]).stop == ["a", "b", "c", "d"]
    assert stopping(asked(stop=[]), 5).sequences == ()
    assert stopping(asked(stop=None), 5).sequences == ()

    refused = refusal(stop=["a"] * 5)
    assert refused.code == "array_above_max_length"
    assert refused.message == (
        "Invalid 'stop': array too long. Expected an array with maximum length 4, "
        "but got an array with length 5 instead."
    )


@pytest.mark.parametrize("stop", ["", [""], ["a", ""]])
def test_an_empty_stop_matches_everywhere_and_is_refused(stop: Any) -> None:
    assert refusal(stop=stop).param == "stop"


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        (str(VOCABULARY_SIZE), VOCABULARY_SIZE),
        ("100000000000000000000", 10**20),
        ("-1", "-1"),
        ("1.5", "1.5"),
        ("", ""),
        ("Paris", "Paris"),
        ("٣", "٣"),
        ("1" * 5000, "1" * 40 + "..."),
    ],
)
def test_a_logit_bias_is_about_tokens_of_the_vocabulary(key: str, shown: object) -> None:
    refused = refusal(logit_bias={key: 1})

    assert refused.message.startswith(f"Invalid key in 'logit_bias': {shown}. Maximum value is")
    assert refused.param == "logit_bias"


@pytest.mark.parametrize("gap", ["199998", "200001"])
def test_a_logit_bias_of_an_id_without_a_token_is_refused(gap: str) -> None:
    refused = refusal(logit_bias={gap: 100})

    assert refused.message == f"Invalid key in 'logit_bias': {gap}. There is no token with this id."
    assert refused.param == "logit_bias"


def test_a_logit_bias_goes_from_minus_100_to_100() -> None:
    fitting = asked(logit_bias={"0": -100, "5": 100, str(VOCABULARY_SIZE - 1): 0.5})
    assert sampling(fitting, stopping(fitting, 5), 0).logit_bias == (
        (0, -100),
        (5, 100),
        (VOCABULARY_SIZE - 1, 0.5),
    )
    assert refusal(logit_bias={"5": 100.5}).code == "decimal_above_max_value"
    assert refusal(logit_bias={"5": -101}).param == "logit_bias.5"
    assert refusal(logit_bias={"5": True}).code == "invalid_type"


def test_metadata_is_bounded_as_on_the_platform() -> None:
    most = {"k" * 64 + str(i): "v" * 512 for i in range(16)}
    most = {key[-64:]: value for key, value in most.items()}
    assert asked(metadata=most).metadata == most

    many = refusal(metadata={str(i): "v" for i in range(17)})
    assert (many.param, many.code) == ("metadata", "object_above_max_properties")
    long_key = refusal(metadata={"k" * 65: "v"})
    assert (long_key.param, long_key.code) == (
        f"metadata.{'k' * 65}",
        "property_name_above_max_length",
    )
    long_value = refusal(metadata={"k": "v" * 513})
    assert (long_value.param, long_value.code) == ("metadata.k", "string_above_max_length")


def test_before_min_tokens_nothing_that_ends_can_be_drawn() -> None:
    wanted = asked(min_tokens=3, stop_token_ids=[7])
    params = sampling(wanted, stopping(wanted, 5), 0)

    assert params.banned_laps == 3
    assert set(params.banned_first) == {END, CALL, 7}


def test_parameters_that_are_not_given_leave_the_models_own_distribution() -> None:
    params = sampling(asked(), stopping(asked(), 5), 0)

    assert (params.temperature, params.top_p, params.top_k, params.min_p) == (1, 1, 0, 0)
    assert (params.frequency_penalty, params.presence_penalty) == (0, 0)
    assert params.repetition_penalty == 1


SAME = {
    "stream": True,
    "n": 2,
    "max_tokens": 5,
    "stop": "x",
    "logprobs": True,
    "store": True,
    "metadata": {"a": "b"},
    "user": "u",
    "service_tier": "flex",
    "prompt_cache_key": "k",
}
OTHER = {
    "temperature": 0.7,
    "top_p": 0.5,
    "frequency_penalty": 0.1,
    "presence_penalty": 0.1,
    "logit_bias": {"5": 1},
    "top_k": 5,
    "min_p": 0.1,
    "repetition_penalty": 1.1,
}


def seed_of(options: Json | None = None, model: str = "m", *prompt: int) -> int:
    return derived_seed(model, prompt or (1, 2), asked(**(options or {})), "text")


@pytest.mark.parametrize("name", SAME)
def test_what_only_changes_the_delivery_or_the_end_leaves_the_reply(name: str) -> None:
    assert seed_of({name: SAME[name]}) == seed_of()


@pytest.mark.parametrize("name", OTHER)
def test_what_the_reply_depends_on_gives_another_seed(name: str) -> None:
    assert seed_of({name: OTHER[name]}) != seed_of()


def test_model_and_prompt_give_another_seed() -> None:
    seeds = {seed_of(), seed_of({}, "other"), seed_of({}, "m", 2, 1), seed_of({}, "m", 1)}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_derived_seed_is_the_same_on_every_machine() -> None:
    assert derived_seed("m", (1, 199999), Generation(model="m"), "") == 3326236041848527178


@pytest.mark.parametrize("seed", [-(2**63), -1, 0, 2**63 - 1])
async def test_every_seed_of_64_bits_is_taken(seed: int) -> None:
    async with application(models=scripted("hello")) as client:
        answer = await client.post("/v1/chat/completions", json=chat(seed=seed))

    assert answer.status_code == 200


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1])
def test_a_larger_seed_is_refused(seed: int) -> None:
    assert refusal(seed=seed).param == "seed"
