"""POST /v1/completions: check everything, then let the loop continue each prompt.

Several prompts are several GenerationRequests whose laps are turned together (engine/batch.py): the
same path as one prompt, and as chat.
"""

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import FINGERPRINT, Backend
from tokenlap.api.body import received
from tokenlap.api.chat.frames import Envelope
from tokenlap.api.completions.encoder import CompletionEncoder
from tokenlap.api.completions.logprobs import Prompt
from tokenlap.api.completions.request import CompletionRequest
from tokenlap.api.generation import generation_request
from tokenlap.api.headers import header
from tokenlap.api.serving import serve
from tokenlap.api.texts import tokens_of
from tokenlap.api.work import meanwhile
from tokenlap.engine.batch import GenerationRequest, Model
from tokenlap.engine.event import Score
from tokenlap.engine.reading import read_scores
from tokenlap.engine.tokenizer import TokenId
from tokenlap.errors import BadRequest

_SLICE = 64
"""Tokens whose scores are read before others get their turn."""


async def create_completion(backend: Backend, request: Request) -> Response:
    """Answer a completion request, as a stream or blocking; every refusal comes before the first
    byte.
    """
    asked = await received(backend, request, CompletionRequest)
    asked.check(backend.settings.strict)
    generation, model = await _generation(backend, asked, request)
    tokens = [each.prompt for each in (generation, *generation.beside)]
    encoder = CompletionEncoder(
        Envelope(backend.new_id("cmpl-"), int(backend.now()), asked.model, FINGERPRINT),
        model.tokenizer,
        await meanwhile(backend, request, _prompts(backend, asked, model, tokens)),
        n=asked.n or 1,
        candidates=asked.candidates,
        echo=bool(asked.echo),
        scored=asked.logprobs is not None,
        include_usage=asked.include_usage,
    )
    call = backend.new_call(
        request, stream=bool(asked.stream), model=asked.model, prompt_tokens=sum(map(len, tokens))
    )
    return await serve(backend, request, call, generation, model, encoder)


async def _generation(
    backend: Backend, asked: CompletionRequest, request: Request
) -> tuple[GenerationRequest, Model]:
    """Return what the loop shall write for the first prompt, with the other prompts beside it."""
    model = backend.model(asked.model)
    generations: list[GenerationRequest] = []
    writer, many = model, len(asked.prompt) > 1
    for at, text in enumerate(asked.prompt):
        path = f"prompt[{at}]" if many else "prompt"
        tokens = await tokens_of(text, model.tokenizer, path, backend.settings.context_window)
        prompt = tuple(tokens)
        generation, writer = generation_request(
            backend,
            model,
            asked,
            prompt,
            prompt_tokens=len(prompt),
            cap=asked.cap,
            n=asked.candidates,
            top_logprobs=asked.scored,
            trace=header(request.scope, b"x-tokenlap-trace") == "1",
            shaping="completion",
            param="prompt",
        )
        generations.append(generation._replace(opening=""))
    return generations[0]._replace(beside=tuple(generations[1:])), writer


async def _prompts(
    backend: Backend, asked: CompletionRequest, model: Model, prompts: list[tuple[TokenId, ...]]
) -> list[Prompt]:
    """Return the prompts as their choices show them, their own logprobs read where they are shown.

    Reading costs a lap of the predictor per token, so it is bounded, and others get their turns.
    """
    shown = asked.logprobs if asked.echo else None
    if shown is None:
        return [Prompt.of(tokens, model.tokenizer) for tokens in prompts]
    window, total = backend.settings.context_window, sum(map(len, prompts))
    if total > window:
        raise BadRequest(
            f"Invalid 'echo': the logprobs of {total} prompt tokens are asked for, but at most "
            f"{window} are read for one request. Send smaller batches, or no 'logprobs'.",
            "echo",
            "invalid_value",
        )
    read: list[Prompt] = []
    for tokens in prompts:
        scores: list[Score] = []
        for score in read_scores(model.predictor, tokens, shown):
            scores.append(score)
            if len(scores) % _SLICE == 0:
                await backend.clock.sleep(0)
        read.append(Prompt.of(tokens, model.tokenizer, tuple(scores)))
    return read
