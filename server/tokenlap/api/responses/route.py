"""POST /v1/responses: check everything, then let the loop answer.

Differences from OpenAI: `truncation: "auto"` drops whole turns, the oldest first.
"""

from collections.abc import Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend
from tokenlap.api.body import received
from tokenlap.api.generation import document, generation_request
from tokenlap.api.headers import header
from tokenlap.api.plan.plan import plan_for
from tokenlap.api.plan.strict import check_strict
from tokenlap.api.reply import Kept, enter
from tokenlap.api.responses import background
from tokenlap.api.responses.chunks import Json, ResponseChunk
from tokenlap.api.responses.document import (
    check_calls,
    check_json,
    fitting,
    item_turns,
    other_tokens,
)
from tokenlap.api.responses.encoder import ResponseEncoder
from tokenlap.api.responses.ids import RESPONSE
from tokenlap.api.responses.output import Output
from tokenlap.api.responses.request import ResponseRequest, new_response
from tokenlap.api.responses.retrieval import followed
from tokenlap.api.responses.stored import Responses, responses_of
from tokenlap.api.responses.tools import chat_format
from tokenlap.api.serving import json_answer, serve
from tokenlap.engine.batch import GenerationRequest, Model
from tokenlap.engine.template import Turn
from tokenlap.errors import BadRequest

TOO_LONG = (
    "Your input exceeds the context window of this model. Please adjust your input and try again."
)
SLICE = 64
"""Chunks that are framed for the store before others have their turn; each holds up to 64 events.
"""


async def create_response(backend: Backend, request: Request) -> Response:
    """Answer a responses request, as a stream, blocking or in the background; every refusal comes
    before the first byte.
    """
    asked = await received(backend, request, ResponseRequest)
    asked.check()
    if backend.settings.strict:
        asked.check_capability()
        check_strict(
            [tool.chat() for tool in asked.tools or ()], chat_format(asked.format), flat=True
        )
    model = backend.model(asked.model)
    stored, id = responses_of(backend, request), backend.new_id(RESPONSE)
    items = await stored.conversation(id, asked.previous_response_id, asked.input or ())
    check_calls(items)
    check_json(asked.format, items)
    traced = header(request.scope, b"x-tokenlap-trace") == "1"
    generation, model, prompt_tokens = await _generation(backend, asked, items, model, traced)
    streamed = bool(asked.stream or asked.background)  # in the background onto a tape
    call = backend.new_call(
        request, stream=streamed, model=asked.model, prompt_tokens=prompt_tokens
    )
    encoder = ResponseEncoder(
        new_response(asked, id, int(backend.now())),
        Output(
            id, model.tokenizer, len(items), asked.summarised, asked.encrypted, asked.custom_tools
        ),
        model.tokenizer,
        prompt_tokens,
        backend.now,
        scored=asked.scored is not None,
        new_id=backend.new_id,
    )
    if not asked.background:
        kept = _keeping(backend, stored, items, encoder) if asked.stored else None
        return await serve(backend, request, call, generation, model, encoder, kept=kept)
    background.check_room(backend.background)
    queued, reply = encoder.response, enter(backend, request, call, generation, model, encoder)
    put = partial(stored.put, items)
    running = await background.run(backend.background, stored.name(id), reply, encoder, put)
    return followed(backend, running) if asked.stream else json_answer(queued)


async def _generation(
    backend: Backend, asked: ResponseRequest, items: Sequence[Json], model: Model, traced: bool
) -> tuple[GenerationRequest, Model, int]:
    """Return what the loop shall write, who writes it, and what the input counts, in tokens."""
    front, turns = asked.front(), item_turns(items)
    beside = other_tokens(items)
    if asked.truncation == "auto":
        room = backend.settings.context_window - beside - (asked.max_output_tokens or 1)
        turns = fitting(front, turns, model.tokenizer, room)
    try:
        shaping, opening = asked.shaping(), Turn("assistant", "")
        plan = await plan_for(shaping, [*front, *turns], opening, model)
        written, opening = (
            ([*front, *turns], opening) if plan is None else (list(plan.turns), plan.opening)
        )
        prompt = await document(backend, written, model.tokenizer, opening)
        generation, writer = generation_request(
            backend,
            model,
            asked,
            prompt,
            prompt_tokens=len(prompt) + beside,
            cap=asked.max_output_tokens,
            n=1,
            top_logprobs=asked.scored,
            trace=traced,
            shaping=shaping.shaping,
            param="input",
            plan=plan,
        )
    except BadRequest as error:
        if error.code != "context_length_exceeded":
            raise
        raise BadRequest(TOO_LONG, "input", error.code) from None
    return generation, writer, len(prompt) + beside


def _keeping(
    backend: Backend, stored: Responses, items: Sequence[Json], encoder: ResponseEncoder
) -> Kept:
    """Return what keeps a response that has come to its end."""

    async def keep(chunks: Sequence[ResponseChunk]) -> None:
        frames: list[bytes] = []
        for begin in range(0, len(chunks), SLICE):
            frames.append(encoder.frames(chunks[begin : begin + SLICE]))
            await backend.clock.sleep(0)
        await stored.put(items, encoder.fold(chunks), b"".join(frames))

    return keep
