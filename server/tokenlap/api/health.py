"""GET /health: alive, and how many requests are in flight."""

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend
from tokenlap.api.serving import json_answer


async def health(backend: Backend, request: Request) -> Response:
    """Answer 200 while the process lives; `in_flight` counts the requests whose loop is turning."""
    return json_answer({"status": "ok", "in_flight": len(backend.calls.flying)})
