"""The parameters that chat, completions and responses share, and what the engine makes of them."""

import sys
from array import array
from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticKnownError

from tokenlap.api.body import Body
from tokenlap.api.complaints import wrong, wrong_kind, wrong_part
from tokenlap.api.wording import out_of_bounds, short, wrong_type
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.stopping import StopParams
from tokenlap.engine.tokenizer import VOCABULARY_SIZE, TokenId, o200k

MOST_PAIRS = 16
"""Pairs of a request's metadata."""


def _one_or_many(value: Any) -> Any:
    """Read a single stop text as an array of one; an empty text would match everywhere and is
    refused.
    """
    many = [value] if isinstance(value, str) else value
    if not isinstance(many, list | None):
        raise wrong_kind("one of a string or array of strings")
    if many is not None and "" in many:
        raise wrong(
            "Invalid 'stop': a stop sequence must not be empty. "
            "Expected a string with minimum length 1.",
            "invalid_value",
            "stop",
        )
    return many


def _biases(value: Any) -> Any:
    """Check a logit_bias: keys are token ids of the vocabulary, values numbers from -100 to 100.

    Here and not by pydantic, which would note each of a million wrong entries.
    """
    if not isinstance(value, dict):
        return value  # the type that pydantic demands
    for key, bias in value.items():
        if not (key.isascii() and key.isdigit() and int(key[:9]) < VOCABULARY_SIZE > len(key)):
            most = f"Maximum value is {VOCABULARY_SIZE - 1}."
            raise wrong(f"Invalid key in 'logit_bias': {short(key, 40)}. {most}", "invalid_value")
        if not o200k().knows(int(key)):
            gap = "There is no token with this id."
            raise wrong(f"Invalid key in 'logit_bias': {key}. {gap}", "invalid_value")
        if isinstance(bias, bool) or not isinstance(bias, int | float):
            raise wrong_part(wrong_type(key, "a decimal", bias))
        if bias < -100:
            raise wrong_part(out_of_bounds(key, bias, ">=", -100.0))
        if bias > 100:
            raise wrong_part(out_of_bounds(key, bias, "<=", 100.0))
    return value


def _few(value: Any) -> Any:
    """Refuse metadata of too many pairs before pydantic looks at each of them."""
    if isinstance(value, dict) and len(value) > MOST_PAIRS:
        about = {"field_type": "Dictionary", "max_length": MOST_PAIRS, "actual_length": len(value)}
        raise PydanticKnownError("too_long", about)
    return value


_Stops = Annotated[
    list[Annotated[str, Field(max_length=4096)]], Field(max_length=4, fail_fast=True)
]
Stop = Annotated[_Stops, BeforeValidator(_one_or_many, json_schema_input_type=str | _Stops)]
LogitBias = Annotated[dict[str, float], BeforeValidator(_biases)]
Metadata = Annotated[
    dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=512)]],
    Field(max_length=MOST_PAIRS),
    BeforeValidator(_few),
]


class Generation(Body):
    """Sampling and stopping, as every generating endpoint takes them.

    The extensions are as the engines (vLLM) define them.
    """

    extensions: ClassVar[frozenset[str]] = frozenset(
        {
            "top_k",
            "min_p",
            "repetition_penalty",
            "ignore_eos",
            "min_tokens",
            "stop_token_ids",
            "include_stop_str_in_output",
        }
    )

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    user: str | None = None
    seed: Annotated[int, Field(ge=-(2**63), le=2**63 - 1)] | None = None
    logit_bias: LogitBias | None = None
    stop: Stop | None = None

    top_k: Annotated[int, Field(ge=-1)] | None = None
    min_p: Annotated[float, Field(ge=0, le=1)] | None = None
    repetition_penalty: Annotated[float, Field(gt=0)] | None = None
    ignore_eos: bool | None = None
    min_tokens: Annotated[int, Field(ge=0)] | None = None
    stop_token_ids: (
        Annotated[
            list[Annotated[int, Field(ge=0, lt=VOCABULARY_SIZE)]],
            Field(max_length=128, fail_fast=True),
        ]
        | None
    ) = None
    include_stop_str_in_output: bool | None = None


def stopping(asked: Generation, max_tokens: int) -> StopParams:
    """Return the stop conditions of a request with this length wall."""
    return StopParams(
        max_tokens=max_tokens,
        sequences=tuple(asked.stop or ()),
        token_ids=tuple(asked.stop_token_ids or ()),
        min_tokens=asked.min_tokens or 0,
        ignore_eos=bool(asked.ignore_eos),
        include_sequence=bool(asked.include_stop_str_in_output),
    )


def sampling(asked: Generation, stop: StopParams, seed: int) -> SamplingParams:
    """Return the sampling parameters of a request; before min_tokens nothing that ends a reply can
    be drawn.
    """
    return SamplingParams(
        temperature=_given(asked.temperature, 1.0),
        top_p=_given(asked.top_p, 1.0),
        top_k=max(0, asked.top_k or 0),
        min_p=asked.min_p or 0.0,
        frequency_penalty=asked.frequency_penalty or 0.0,
        presence_penalty=asked.presence_penalty or 0.0,
        repetition_penalty=_given(asked.repetition_penalty, 1.0),
        logit_bias=_numbered(asked.logit_bias) if asked.logit_bias else (),
        banned_first=stop.ends if stop.min_tokens else (),
        banned_laps=stop.min_tokens,
        seed=seed,
    )


def _numbered(bias: Mapping[str, float]) -> tuple[tuple[TokenId, float], ...]:
    return tuple((int(token), value) for token, value in bias.items())


def _given(value: float | None, default: float) -> float:
    return default if value is None else float(value)


def derived_seed(model: str, prompt: tuple[TokenId, ...], asked: Generation, *more: object) -> int:
    """Return a seed made from what the reply depends on, so the same request gets the same reply
    everywhere.

    Not from what only changes its delivery or its end: stream, n, max_tokens, stop, logprobs,
    store, metadata, user. more: what else the reply depends on, such as the response format.
    """
    shaping = (
        asked.temperature,
        asked.top_p,
        asked.frequency_penalty,
        asked.presence_penalty,
        sorted(asked.logit_bias.items()) if asked.logit_bias else [],
        asked.top_k,
        asked.min_p,
        asked.repetition_penalty,
    )
    digest = blake2b(repr((model, shaping, more)).encode(), digest_size=8)
    tokens = array("I", prompt)
    if sys.byteorder == "big":
        tokens.byteswap()
    digest.update(tokens.tobytes())
    return int.from_bytes(digest.digest(), "little") >> 1
