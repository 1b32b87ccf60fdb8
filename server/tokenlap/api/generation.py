"""From a validated body to the engine's GenerationRequest: the way that every generating endpoint
takes.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace

from tokenlap.api.backend import Backend
from tokenlap.api.parameters import Generation, derived_seed, sampling, stopping
from tokenlap.api.plan.plan import Plan
from tokenlap.api.wording import short
from tokenlap.engine.batch import GenerationRequest, Model
from tokenlap.engine.sampler import REMOVED
from tokenlap.engine.template import ASSISTANT, Turn, render
from tokenlap.engine.tokenizer import TokenId, Tokenizer
from tokenlap.errors import BadRequest
from tokenlap.predictors.backoff import BackOffPredictor

LONG = 100_000
"""Characters from which on a text is cut into tokens beside the event loop, so that streams keep
their pace (tiktoken lets go of the interpreter; a megabyte takes it 50 ms).
"""
MOST_TOKENS = 2**20
"""Tokens that one request may have written, all choices together: a blocking answer keeps them (100
bytes each). With logprobs each counts as SCORED.
"""
SCORED = 8
LONGEST_TOKEN = 128
"""Bytes of the longest token of the vocabulary."""


async def document(
    backend: Backend, turns: Sequence[Turn], tokenizer: Tokenizer, opening: Turn | None
) -> tuple[TokenId, ...]:
    """Return the document of turns; raises BadRequest where it cannot fit the context window."""
    length = sum(len(turn.body) for turn in turns)
    window = backend.settings.context_window
    if length > LONGEST_TOKEN * window:
        raise too_long(window, f"your messages resulted in more than {window} tokens", "messages")
    if length < LONG:
        return tuple(render(turns, tokenizer, opening))
    return tuple(await asyncio.to_thread(render, turns, tokenizer, opening))


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
    param: str = "messages",
    plan: Plan | None = None,
) -> tuple[GenerationRequest, Model]:
    """Return what the loop shall write, and the model that writes it, by a plan if there is one.

    prompt_tokens: the prompt and what counts beside its text; cap: the length wall asked for, None
    for the model's own. shaping: what else the reply depends on, for the derived seed. param: the
    parameter that the prompt is made from. Raises BadRequest where the context window is full.
    """
    refuse_large_cap(asked, cap, backend.settings.context_window)
    writer = model if plan is None else replace(model, predictor=plan.predictor(len(prompt)))
    max_tokens = length_wall(
        backend, writer if plan and plan.bound else model, prompt_tokens, cap, param
    )
    if cap is None:
        most = most_tokens(backend.settings.context_window, top_logprobs is not None)
        max_tokens = min(max_tokens, max(1, most // n))
    stop = stopping(asked, max_tokens)
    if plan is not None and plan.bound:  # a form that is complete ends the reply in any case
        stop = stop._replace(ignore_eos=False, min_tokens=0)
    request = GenerationRequest(
        prompt=prompt,
        sampling=sampling(asked, stop, seed_of(backend, asked, prompt, shaping)),
        stop=stop,
        n=n,
        opening=ASSISTANT if plan is None else plan.opening.header,
        top_logprobs=top_logprobs,
        trace=trace,
    )
    return request, endless(writer, backend.default, request)


def seed_of(backend: Backend, asked: Generation, prompt: tuple[TokenId, ...], shaping: str) -> int:
    """Return the seed asked for, else one derived from what the reply depends on, or, with
    --random, a new one.
    """
    if asked.seed is not None:
        return asked.seed
    if backend.settings.random:
        return int.from_bytes(os.urandom(7), "little")
    return derived_seed(getattr(asked, "model", ""), prompt, asked, shaping)


def length_wall(
    backend: Backend, model: Model, prompt_tokens: int, cap: int | None, param: str = "messages"
) -> int:
    """Return the most tokens a reply may have; raises BadRequest where prompt and cap overrun the
    window.
    """
    window = backend.settings.context_window
    if prompt_tokens >= window:
        raise too_long(window, f"your {param} resulted in {prompt_tokens} tokens", param)
    if cap is None:
        room = window - prompt_tokens
        return (
            min(room, backend.settings.default_max_tokens)
            if model is backend.models["tokenlap"]
            else room
        )
    if prompt_tokens + cap > window:
        parts = f"({prompt_tokens} in the {param}, {cap} in the completion)"
        raise too_long(
            window, f"you requested {prompt_tokens + cap} tokens {parts}", param, " or completion"
        )
    return cap


def refuse_large_cap(asked: Generation, cap: int | None, window: int) -> None:
    """Raise BadRequest for a length wall that no prompt, however short, leaves room for."""
    if cap is None or cap <= window:
        return
    given = (name for name in _CAPS if getattr(asked, name, None) is not None)
    name, shown = next(given, _CAPS[0]), short(str(cap), 40)
    raise BadRequest(
        f"{name} is too large: {shown}. This model supports at most {window} completion tokens, "
        f"whereas you provided {shown}.",
        name,
    )


def most_tokens(window: int, scored: bool) -> int:
    """Return how many tokens one request may have written; one choice may always fill the
    window.
    """
    return max(window, MOST_TOKENS // SCORED if scored else MOST_TOKENS)


def refuse_endless(generations: Sequence[GenerationRequest], window: int) -> None:
    """Raise BadRequest where all that is asked for together may be too long to be kept."""
    tokens = sum(each.n * each.stop.max_tokens for each in generations)
    most = most_tokens(window, generations[0].top_logprobs is not None)
    if tokens > most:
        texts = sum(each.n for each in generations)
        raise BadRequest(
            f"This request may be answered with {tokens} tokens, {texts} choices together, but at "
            f"most {most} are written for one request. Please ask for fewer or shorter choices.",
            "n",
        )


_CAPS = ("max_completion_tokens", "max_output_tokens", "max_tokens")


def too_long(window: int, however: str, param: str, more: str = "") -> BadRequest:
    """Return the complaint about what a window cannot hold. more: what could be reduced as well."""
    return BadRequest(
        f"This model's maximum context length is {window} tokens. However, {however}. "
        f"Please reduce the length of the {param}{more}.",
        param,
        "context_length_exceeded",
    )


def endless(model: Model, default: Model, request: GenerationRequest) -> Model:
    """Return a model that never runs dry, where the request forbids or passes over the end
    token.
    """
    removes = any([bias <= REMOVED for _, bias in request.sampling.logit_bias])
    if model is default or not (removes or request.stop.ignore_eos or request.stop.min_tokens):
        return model
    return replace(model, predictor=BackOffPredictor(model.predictor, default.predictor))
