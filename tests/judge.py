"""Every answer that a test gets from an application is held against OpenAI's document."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx

from tests import spec

SCHEMAS: dict[str, tuple[str, str]] = {
    r"POST /v1/chat/completions": (
        "CreateChatCompletionResponse",
        "CreateChatCompletionStreamResponse",
    ),
    r"GET /v1/chat/completions": ("ChatCompletionList", ""),
    r"(GET|POST) /v1/chat/completions/[^/]+": ("CreateChatCompletionResponse", ""),
    r"DELETE /v1/chat/completions/[^/]+": ("ChatCompletionDeleted", ""),
    r"POST /v1/completions": ("CreateCompletionResponse", "CreateCompletionResponse"),
    r"POST /v1/embeddings": ("CreateEmbeddingResponse", ""),
    r"POST /v1/moderations": ("CreateModerationResponse", ""),
    r"POST /v1/responses(/[^/]+/cancel)?": ("Response", "ResponseStreamEvent"),
    r"GET /v1/responses/[^/]+": ("Response", "ResponseStreamEvent"),
    r"GET /v1/models": ("ListModelsResponse", ""),
    r"GET /v1/models/.+": ("Model", ""),
}
"""What the document calls the answers: whole, and as the data of a stream's events.

Not judged are lists of what a client itself has sent: they come back as they came.
"""


async def judge(response: httpx.Response) -> None:
    """Fail where an answer under /v1 is not what the document says; for httpx's response hook."""
    request = response.request
    if not request.url.path.startswith("/v1/") or response.status_code in (204, 499):
        return
    await response.aread()
    kind = response.headers.get("content-type", "").partition(";")[0]
    for schema, value in objects(f"{request.method} {request.url.path}", response, kind):
        if schema:
            spec.check(schema, value)


def objects(asked: str, response: httpx.Response, kind: str) -> Iterator[tuple[str, Any]]:
    """Yield the objects of an answer, each with the name of its schema, "" where there is none."""
    route = re.sub("//+", "/", asked).rstrip("/")
    known = [schemas for pattern, schemas in SCHEMAS.items() if re.fullmatch(pattern, route)]
    whole, part = known[0] if known else ("", "")
    if kind == "text/event-stream":
        for data in re.findall(r"^data: (.*)$", response.text, re.MULTILINE):
            if data != "[DONE]":
                value = json.loads(data)
                yield ("ErrorResponse" if "error" in value and "id" not in value else part), value
    elif kind == "application/json":
        yield (whole if response.is_success else "ErrorResponse"), response.json()
