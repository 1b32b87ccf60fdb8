"""POST /v1/chat/completions: check everything, then let the loop answer."""

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import FINGERPRINT, Backend
from tokenlap.api.body import received
from tokenlap.api.capability import check_capability
from tokenlap.api.chat.encoder import ChatEncoder
from tokenlap.api.chat.frames import Envelope
from tokenlap.api.chat.predicted import Predicted
from tokenlap.api.chat.request import ChatRequest
from tokenlap.api.generation import document, generation_request
from tokenlap.api.headers import header
from tokenlap.api.plan.plan import plan_for
from tokenlap.api.plan.strict import check_strict
from tokenlap.api.serving import serve
from tokenlap.engine.batch import Model

PATH = "/v1/chat/completions"


async def create_chat_completion(backend: Backend, request: Request) -> Response:
    """Answer a chat request, as a stream or blocking; every refusal comes before the first byte."""
    chat = await received(backend, request, ChatRequest)
    chat.check(backend.settings.strict)
    model = backend.model(chat.model)
    if backend.settings.strict:
        check_capability(chat)
        check_strict(chat.given_tools(), chat.response_format)
    turns, opening = chat.document()
    asked = chat.asked()
    plan = await plan_for(asked, turns, opening, model)
    if plan is not None:
        turns, opening = list(plan.turns), plan.opening
    prompt = await document(backend, turns, model.tokenizer, opening)
    prompt_tokens = len(prompt) + sum([message.other_tokens for message in chat.messages])
    generation, model = generation_request(
        backend,
        model,
        chat,
        prompt,
        prompt_tokens=prompt_tokens,
        cap=chat.cap,
        n=chat.n or 1,
        top_logprobs=chat.scored,
        trace=header(request.scope, b"x-tokenlap-trace") == "1",
        shaping=asked.shaping,
        plan=plan,
    )
    call = backend.new_call(
        request, stream=bool(chat.stream), model=chat.model, prompt_tokens=prompt_tokens
    )
    alone = plan is not None and plan.calls == 1
    encoder = _encoder(backend, chat, model, prompt_tokens, alone)
    kept = None
    if chat.store:
        from tokenlap.api.stored import keeping

        kept = keeping(backend, request, encoder, chat.messages)
    return await serve(backend, request, call, generation, model, encoder, kept=kept)


def _encoder(
    backend: Backend, chat: ChatRequest, model: Model, prompt_tokens: int, alone: bool
) -> ChatEncoder:
    """Return the encoder of a chat. alone: the reply is one tool call and nothing else."""
    identity, created = backend.new_id("chatcmpl-"), int(backend.now())
    return ChatEncoder(
        Envelope(identity, created, chat.model, FINGERPRINT, chat.tier),
        model.tokenizer,
        prompt_tokens,
        scored=bool(chat.logprobs),
        include_usage=chat.include_usage,
        new_id=backend.new_id,
        form=chat.call_form(alone=alone),
        predicted=Predicted.of(chat.prediction, model.tokenizer),
        extra={"metadata": chat.metadata or {}} if chat.store else {},
    )
