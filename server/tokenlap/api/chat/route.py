"""POST /v1/chat/completions: check everything, then let the loop answer."""

import json

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import FINGERPRINT, Backend
from tokenlap.api.body import parse, read_body
from tokenlap.api.chat.encoder import ChatEncoder, Envelope
from tokenlap.api.chat.request import ChatRequest
from tokenlap.api.generation import generation_request, refuse_unknown
from tokenlap.api.serving import serve
from tokenlap.engine.template import render

PATH = "/v1/chat/completions"


async def create_chat_completion(backend: Backend, request: Request) -> Response:
    """Answer a chat request, as a stream or blocking; every refusal comes before the first byte."""
    backend.key(request)
    body = await read_body(request, backend.settings.max_body_size)
    chat = parse(ChatRequest, body)
    ignored = refuse_unknown(chat, backend.settings.strict)
    chat.check()
    model = backend.model(chat.model)
    turns, opening = chat.document()
    prompt = tuple(render(turns, model.tokenizer, opening))
    prompt_tokens = len(prompt) + sum(message.other_tokens for message in chat.messages)
    generation, model = generation_request(
        backend,
        model,
        chat,
        prompt,
        prompt_tokens=prompt_tokens,
        cap=chat.cap,
        n=chat.n or 1,
        top_logprobs=chat.scored,
        trace=request.headers.get("x-tokenlap-trace") == "1",
        shaping=json.dumps(chat.response_format, sort_keys=True),
    )
    call = backend.new_call(
        request, stream=bool(chat.stream), model=chat.model, prompt_tokens=prompt_tokens
    )
    encoder = ChatEncoder(
        Envelope(backend.new_id("chatcmpl-"), int(backend.now()), chat.model, FINGERPRINT),
        model.tokenizer,
        prompt_tokens,
        scored=bool(chat.logprobs),
        include_usage=chat.include_usage,
        new_id=backend.new_id,
    )
    response = await serve(backend, request, call, generation, model, encoder)
    if ignored:
        response.headers["x-tokenlap-ignored"] = ", ".join(ignored)
    return response
