"""What every answer has, whatever made it: an id, the platform's headers, CORS under /v1, errors as
OpenAI's object.

One pure ASGI layer around the whole application (BaseHTTPMiddleware costs 32 us an event,
measured). Nothing passes it but answers in the envelope: not FastAPI's 422, not a text/plain 500.
"""

import logging
import os
import re

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokenlap.api.calls import Calls, Refusal
from tokenlap.api.serving import json_answer
from tokenlap.errors import ApiError, ServerError

logger = logging.getLogger("tokenlap")

_SLASHES = re.compile("//+")
_CORS_PATHS = ("/v1", "/openai/")
_RATE_LIMITS = [
    (b"x-ratelimit-limit-requests", b"30000"),
    (b"x-ratelimit-limit-tokens", b"150000000"),
    (b"x-ratelimit-remaining-requests", b"29999"),
    (b"x-ratelimit-remaining-tokens", b"149999999"),
    (b"x-ratelimit-reset-requests", b"2ms"),
    (b"x-ratelimit-reset-tokens", b"0s"),
]
_EXPOSED = (
    b"x-request-id, openai-processing-ms, openai-version, server-timing, retry-after, "
    b"x-tokenlap-ignored"
)


class Envelope:
    """Wraps an ASGI application; the outermost layer of the server."""

    def __init__(self, app: ASGIApp, calls: Calls) -> None:
        """calls: has the server's clock, and is told of every error that is answered."""
        self._app = app
        self._calls = calls
        self._now = calls.now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        arrived = self._now()
        identity = f"req_{os.urandom(16).hex()}"
        scope["tokenlap.arrived"], scope["tokenlap.request_id"] = arrived, identity
        scope["path"] = tidy(scope["path"])
        headers = Headers(scope=scope)
        started = False

        async def dressed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._note(scope, message["status"])
                took = b"%d" % ((self._now() - arrived) * 1000)
                message["headers"] = [
                    *message["headers"],
                    *_headers(scope["path"], headers, identity, took),
                ]
            await send(message)

        try:
            if scope["method"] == "OPTIONS" and cors(scope["path"]):
                return await _preflight(headers)(scope, receive, dressed)
            await self._app(scope, receive, dressed)
        except Exception as error:
            if started:
                raise
            await answer_to(scope, error)(scope, receive, dressed)
        return None

    def _note(self, scope: Scope, status: int) -> None:
        if status >= 400 and status != 499:
            message = scope.get("tokenlap.error", "")
            self._calls.refused(Refusal(scope["method"], scope["path"], status, message))


def tidy(path: str) -> str:
    """Return a path as the routes spell it: no doubled and no trailing slash."""
    path = _SLASHES.sub("/", path)
    return path.rstrip("/") or "/"


def cors(path: str) -> bool:
    """Whether pages of other origins may call this path."""
    return path.startswith(_CORS_PATHS)


def answer_to(scope: Scope, error: Exception) -> Response:
    """Return the answer to an error: its envelope, or that of a fault of ours, which is logged."""
    if not isinstance(error, ApiError):
        logger.error("a request failed", exc_info=error)
        error = ServerError()
    scope["tokenlap.error"] = error.message
    return json_answer(error.body(), error.headers, error.status)


def _headers(path: str, asked: Headers, identity: str, took: bytes) -> list[tuple[bytes, bytes]]:
    added = [(b"x-request-id", identity.encode())]
    if path.startswith(_CORS_PATHS):
        added += [
            (b"openai-processing-ms", took),
            (b"openai-version", b"2020-10-01"),
            *_RATE_LIMITS,
        ]
        if "origin" in asked:
            added += [
                (b"access-control-allow-origin", b"*"),
                (b"access-control-expose-headers", _EXPOSED),
            ]
    return added


def _preflight(asked: Headers) -> Response:
    """Return the answer to a preflight: any origin, the headers it asks for; no key is needed."""
    return Response(
        status_code=204,
        headers={
            "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
            "access-control-allow-headers": asked.get(
                "access-control-request-headers", "authorization, content-type"
            ),
            "access-control-max-age": "600",
            "vary": "origin, access-control-request-headers",
        },
    )
