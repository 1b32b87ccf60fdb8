"""From a validated body to the engine's GenerationRequest: the way that every generating endpoint
takes.
"""

import os
from dataclasses import replace

from tokenlap.api.backend import Backend
from tokenlap.api.body import Body
from tokenlap.api.parameters import Generation, derived_seed, sampling, stopping
from tokenlap.engine.batch import GenerationRequest, Model
from tokenlap.engine.sampler import REMOVED
from tokenlap.engine.tokenizer import TokenId
from tokenlap.errors import BadRequest
from tokenlap.predictors.backoff import BackOffPredictor


def refuse_unknown(body: Body, strict: bool) -> tuple[str, ...]:
    """Return the unknown parameters, which are ignored; raise BadRequest for the first one with
    --strict.
    """
    unknown = body.unknown
    if unknown and strict:
        raise BadRequest(f"Unknown parameter: '{unknown[0]}'.", unknown[0], "unknown_parameter")
    # A header holds visible ASCII alone, and not without end.
    return tuple(
        name.encode("ascii", "replace").decode()[:64] for name in unknown[:20] if name.isprintable()
    )


def generation_request(
    backend: Backend,
    model: Model,
    asked: Generation,
    prompt: tuple[TokenId, ...],
    *,
    prompt_tokens: int,
    cap: int | None,
    n: int,
    top_logprobs: int | None,
    trace: bool,
    shaping: str,
) -> tuple[GenerationRequest, Model]:
    """Return what the loop shall write, and the model that writes it.

    prompt_tokens: the prompt and what counts beside its text; cap: the length wall asked for, None
    for the model's own. shaping: what else the reply depends on, for the derived seed. Raises
    BadRequest where the context window is full.
    """
    max_tokens = length_wall(backend, model, prompt_tokens, cap)
    stop = stopping(asked, max_tokens)
    seed = asked.seed
    if seed is None:
        name = getattr(asked, "model", "")
        seed = (
            _random_seed()
            if backend.settings.random
            else derived_seed(name, prompt, asked, shaping)
        )
    request = GenerationRequest(
        prompt=prompt,
        sampling=sampling(asked, stop, seed),
        stop=stop,
        n=n,
        top_logprobs=top_logprobs,
        trace=trace,
    )
    return request, endless(model, backend.default, request)


def length_wall(backend: Backend, model: Model, prompt_tokens: int, cap: int | None) -> int:
    """Return the most tokens a reply may have; raises BadRequest where prompt and cap overrun the
    window.
    """
    window = backend.settings.context_window
    limit = f"This model's maximum context length is {window} tokens."
    if prompt_tokens >= window:
        raise _too_long(
            f"{limit} However, your messages resulted in {prompt_tokens} tokens. "
            "Please reduce the length of the messages."
        )
    if cap is None:
        room = window - prompt_tokens
        return (
            min(room, backend.settings.default_max_tokens)
            if model is backend.models["tokenlap"]
            else room
        )
    if prompt_tokens + cap > window:
        raise _too_long(
            f"{limit} However, you requested {prompt_tokens + cap} tokens "
            f"({prompt_tokens} in the messages, {cap} in the completion). "
            "Please reduce the length of the messages or completion."
        )
    return cap


def endless(model: Model, default: Model, request: GenerationRequest) -> Model:
    """Return a model that never runs dry, where the request forbids or passes over the end
    token.
    """
    removes = any(bias <= REMOVED for _, bias in request.sampling.logit_bias)
    if model is default or not (removes or request.stop.ignore_eos or request.stop.min_tokens):
        return model
    return replace(model, predictor=BackOffPredictor(model.predictor, default.predictor))


def _too_long(message: str) -> BadRequest:
    return BadRequest(message, "messages", "context_length_exceeded")


def _random_seed() -> int:
    return int.from_bytes(os.urandom(7), "little")
