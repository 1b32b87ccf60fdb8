"""POST /v1/embeddings: texts as vectors of length 1, near one another where the texts share words.

Source: API reference, Create embeddings; wire checklist 223-228. Both official clients ask for
base64 where their caller names no format: little-endian float32.
Differences from OpenAI: vectors are hashed words (predictors/embedding.py), of one kind for every
model name; only the length depends on it: 3072 where it ends in `-large`, else 1536.
"""

import sys
from array import array
from base64 import b64encode
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend, no_model
from tokenlap.api.body import Body, ModelName, received
from tokenlap.api.generation import too_long
from tokenlap.api.texts import Inputs, Text, tokens_of
from tokenlap.api.wording import wrong_length
from tokenlap.api.work import meanwhile
from tokenlap.engine.event import escape
from tokenlap.errors import BadRequest
from tokenlap.predictors.embedding import embed

MODELS = ("text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002")
"""The platform's names, known with --strict as well; they are not listed, since they do not
generate.
"""
MAX_INPUTS = 2048
MAX_TOKENS = 8192
MAX_TOTAL = 300_000
"""Bounds of one request, as the API reference gives them: inputs, tokens of one, tokens of all."""


class EmbeddingRequest(Body):
    """The body of POST /v1/embeddings."""

    model: ModelName
    input: Inputs
    dimensions: Annotated[int, Field(ge=1)] | None = None
    encoding_format: Literal["float", "base64"] | None = None
    user: str | None = None

    @property
    def length(self) -> int:
        """How many numbers a vector has, unless it is shortened."""
        return 3072 if self.model.endswith("-large") else 1536

    def check(self) -> None:
        """Raise BadRequest for what is right one by one and wrong together."""
        for at, text in enumerate(self.input):
            if text == "":
                path = "input" if len(self.input) == 1 else f"input[{at}]"
                message = f"Invalid '{path}': input cannot be an empty string."
                raise BadRequest(message, path, "invalid_value")
        if len(self.input) > MAX_INPUTS:
            raise wrong_length("input", "array", len(self.input), "max", MAX_INPUTS)
        if self.dimensions is not None and self.model == "text-embedding-ada-002":
            raise BadRequest("This model does not support specifying dimensions.", "dimensions")
        if self.dimensions is not None and self.dimensions > self.length:
            raise BadRequest(
                f"Invalid value for 'dimensions' = {self.dimensions}. "
                f"Must be less than or equal to {self.length}.",
                "dimensions",
                "integer_above_max_value",
            )


async def create_embeddings(backend: Backend, request: Request) -> Response:
    """Answer with one vector per input, in their order."""
    asked = await received(backend, request, EmbeddingRequest)
    asked.check()
    if backend.settings.strict and asked.model not in (*backend.models, *MODELS):
        raise no_model(asked.model)
    texts = [await _text(backend, text, at, asked.input) for at, text in enumerate(asked.input)]
    tokens = sum(count for _, count in texts)
    if tokens > MAX_TOTAL:
        raise BadRequest(
            f"Requested {tokens} tokens, max {MAX_TOTAL} tokens per request.",
            "input",
            "max_tokens_per_request",
        )
    written = await meanwhile(backend, request, _vectors(backend, asked, [t for t, _ in texts]))
    body = b'{"object":"list","data":[%s],"model":"%s","usage":%s}' % (
        b",".join(written),
        escape(asked.model),
        b'{"prompt_tokens":%d,"total_tokens":%d}' % (tokens, tokens),
    )
    # A legacy header, for names that a header can hold.
    shown = (
        {"openai-model": asked.model} if asked.model.isascii() and asked.model.isprintable() else {}
    )
    return Response(body, media_type="application/json", headers=shown)


async def _vectors(backend: Backend, asked: EmbeddingRequest, texts: list[str]) -> list[bytes]:
    """Return the Embedding objects of texts as JSON."""
    written: list[bytes] = []
    for at, text in enumerate(texts):
        vector = embed(text, backend.default.tokenizer, asked.dimensions or asked.length)
        numbers = _base64(vector) if asked.encoding_format == "base64" else _floats(vector)
        written.append(b'{"object":"embedding","index":%d,"embedding":%s}' % (at, numbers))
        await backend.clock.sleep(0)  # a vector takes a millisecond; others get their turn
    return written


async def _text(backend: Backend, text: Text, at: int, inputs: Sequence[Text]) -> tuple[str, int]:
    """Return an input as text, and how many tokens it has; token ids stand for their text."""
    path = "input" if len(inputs) == 1 else f"input[{at}]"
    tokenizer = backend.default.tokenizer
    tokens = await tokens_of(text, tokenizer, path, MAX_TOKENS)
    if len(tokens) > MAX_TOKENS:
        raise too_long(MAX_TOKENS, f"your {path} resulted in {len(tokens)} tokens", path)
    return text if isinstance(text, str) else tokenizer.decode(tokens), len(tokens)


def _base64(vector: "array[float]") -> bytes:
    little = vector if sys.byteorder == "little" else array("f", vector)
    if little is not vector:
        little.byteswap()
    return b'"%s"' % b64encode(little.tobytes())


def _floats(vector: "array[float]") -> bytes:
    """Return the numbers as JSON: nine digits tell every float32 from its neighbours."""
    return ("[" + ",".join([f"{value:.9g}" for value in vector]) + "]").encode()
