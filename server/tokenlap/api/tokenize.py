"""POST /tokenize and /detokenize: a text, or a conversation as the document it becomes, as token
ids; and ids as text.

Source: vLLM's API (TokenizeCompletionRequest, TokenizeChatRequest, DetokenizeRequest).
Differences from vLLM: every model has the same tokenizer, and no begin-of-text token, so
add_special_tokens changes nothing; token_strs are the texts of the tokens, `bytes:\\xf0` where one
is a part of a character.
"""

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend
from tokenlap.api.body import Body, loose, parse, read_body, received
from tokenlap.api.chat.request import ChatRequest
from tokenlap.api.generation import document
from tokenlap.api.logprobs import token_text
from tokenlap.api.serving import json_answer
from tokenlap.api.texts import tokens_of
from tokenlap.engine.template import Turn
from tokenlap.engine.tokenizer import TokenId
from tokenlap.errors import BadRequest

DEFAULT_MODEL = "tokenlap"


def _model(value: Any) -> Any:
    return DEFAULT_MODEL if value is None else value


ModelName = Annotated[str, BeforeValidator(_model, json_schema_input_type=str | None)]


class TokenizeText(Body):
    """The body of POST /tokenize for a plain text."""

    model: ModelName = DEFAULT_MODEL
    prompt: str
    add_special_tokens: bool | None = None
    return_token_strs: bool | None = None


class TokenizeChat(ChatRequest):
    """The body of POST /tokenize for a conversation: that of a chat request, and what is left open
    at its end.
    """

    extensions: ClassVar[frozenset[str]] = frozenset()

    model: ModelName = DEFAULT_MODEL
    add_special_tokens: bool | None = None
    return_token_strs: bool | None = None

    def document(self) -> tuple[list[Turn], Turn | None]:
        """Return the closed turns, and the one that stays open, None where none does."""
        written, opening = super().document()
        closed = self.add_generation_prompt is False and not self.continue_final_message
        return written, None if closed else opening

    def check(self, strict: bool = False) -> None:
        """Raise BadRequest where the last turn shall be both open and closed."""
        if self.continue_final_message and self.add_generation_prompt:
            raise BadRequest(
                "Invalid 'continue_final_message': 'add_generation_prompt' is true as well, but "
                "either the last message goes on, or a new one begins.",
                "continue_final_message",
                "invalid_value",
            )


class DetokenizeRequest(Body):
    """The body of POST /detokenize."""

    model: ModelName = DEFAULT_MODEL
    tokens: Annotated[list[TokenId], Field(fail_fast=True)]


async def tokenize(backend: Backend, request: Request) -> Response:
    """Answer with the token ids of a text, or of the document that a conversation becomes."""
    backend.key(request)
    body = await read_body(request, backend.settings.max_body_size)
    tokens, shown = await _tokens(backend, body)
    tokenizer = backend.default.tokenizer
    answer = {
        "count": len(tokens),
        "max_model_len": backend.settings.context_window,
        "tokens": tokens,
        "token_strs": [token_text(tokenizer, token) for token in tokens] if shown else None,
    }
    return json_answer(answer)


async def _tokens(backend: Backend, body: bytes) -> tuple[list[TokenId], bool]:
    """Return the token ids, and whether their texts are asked for too."""
    strict = backend.settings.strict
    if "messages" not in loose(body):
        text = parse(TokenizeText, body, strict)
        model = backend.model(text.model)
        window = backend.settings.context_window
        tokens = await tokens_of(text.prompt, model.tokenizer, "prompt", window)
        return tokens, bool(text.return_token_strs)
    chat = parse(TokenizeChat, body, strict)
    chat.check()
    tokenizer = backend.model(chat.model).tokenizer
    turns, opening = chat.document()
    return [*await document(backend, turns, tokenizer, opening)], bool(chat.return_token_strs)


async def detokenize(backend: Backend, request: Request) -> Response:
    """Answer with the text of token ids, markers spelled out."""
    asked = await received(backend, request, DetokenizeRequest)
    tokenizer = backend.model(asked.model).tokenizer
    window = backend.settings.context_window
    tokens = await tokens_of(asked.tokens, tokenizer, "tokens", window)
    return json_answer({"prompt": tokenizer.decode(tokens)})
