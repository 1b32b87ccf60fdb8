"""The parameters that chat, completions and responses share, and what the engine makes of them."""

from hashlib import blake2b
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tokenlap.api.body import Body
from tokenlap.api.complaints import named, wrong
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.stopping import StopParams
from tokenlap.engine.tokenizer import VOCABULARY_SIZE, TokenId


def _one_or_many(value: Any) -> Any:
    """Read a single stop text as an array of one; an empty text would match everywhere and is
    refused.
    """
    many = [value] if isinstance(value, str) else value
    if not isinstance(many, list | None):
        raise wrong(
            "Invalid type for 'stop': expected one of a string or array of strings, "
            f"but got {named(value)} instead.",
            "invalid_type",
        )
    if many is not None and "" in many:
        raise wrong("Invalid 'stop': a stop sequence must not be empty.", "invalid_value", "stop")
    return many


def _token_ids(value: Any) -> Any:
    """Read the keys of a logit_bias as token ids of the vocabulary."""
    if not isinstance(value, dict):
        return value
    for key in value:
        if not (
            isinstance(key, str) and key.isascii() and key.isdigit() and int(key) < VOCABULARY_SIZE
        ):
            right = f"Expected a token id from 0 to {VOCABULARY_SIZE - 1}."
            raise wrong(f"Invalid key in 'logit_bias': {key}. {right}", "invalid_value")
    return value


Stop = Annotated[list[str], BeforeValidator(_one_or_many), Field(max_length=4)]
Bias = Annotated[float, Field(ge=-100, le=100)]
LogitBias = Annotated[dict[str, Bias], BeforeValidator(_token_ids)]
Metadata = Annotated[
    dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=512)]],
    Field(max_length=16),
]


class Generation(Body):
    """Sampling and stopping, as every generating endpoint takes them; in the order in which they
    are checked.

    The last nine are extensions, as the engines (vLLM) define them.
    """

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    user: str | None = None
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = None
    logit_bias: LogitBias | None = None
    stop: Stop | None = None

    top_k: Annotated[int, Field(ge=-1)] | None = None
    min_p: Annotated[float, Field(ge=0, le=1)] | None = None
    repetition_penalty: Annotated[float, Field(gt=0)] | None = None
    ignore_eos: bool | None = None
    min_tokens: Annotated[int, Field(ge=0)] | None = None
    stop_token_ids: (
        Annotated[list[Annotated[int, Field(ge=0, lt=VOCABULARY_SIZE)]], Field(max_length=128)]
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
        logit_bias=tuple((int(token), bias) for token, bias in (asked.logit_bias or {}).items()),
        banned_first=stop.ends if stop.min_tokens else (),
        banned_laps=stop.min_tokens,
        seed=seed,
    )


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
        sorted((asked.logit_bias or {}).items()),
        asked.top_k,
        asked.min_p,
        asked.repetition_penalty,
    )
    digest = blake2b(repr((model, shaping, more)).encode(), digest_size=8)
    digest.update(b"".join(token.to_bytes(4, "little") for token in prompt))
    return int.from_bytes(digest.digest(), "little") >> 1
