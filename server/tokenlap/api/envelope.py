"""What every answer has, whatever made it: an id, the platform's headers, CORS under /v1, errors as
OpenAI's object.

While the server listens on loopback, what is not under /v1 answers to local names only: a page of
another site cannot reach it by giving its own name a local address (DNS rebinding). /v1 is open to
every origin in any case.

One pure ASGI layer around the whole application (BaseHTTPMiddleware costs 32 us an event,
measured). Nothing passes it but answers in the envelope: not FastAPI's 422, not a text/plain 500.
"""

import logging
import os
import re
from collections.abc import Awaitable, Sequence
from ipaddress import ip_address

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokenlap.api.calls import Calls, Exchange
from tokenlap.api.headers import header
from tokenlap.api.lingering import LingeringResponse
from tokenlap.api.serving import json_answer
from tokenlap.api.wording import short
from tokenlap.delivery.connected import ClientLeft
from tokenlap.delivery.sse import TRANSPORT
from tokenlap.errors import ApiError, Forbidden, ServerError

logger = logging.getLogger("tokenlap")

_SLASHES = re.compile("//+")
_CORS_PATHS = ("/v1/", "/openai/")
_RATE_LIMITS = [
    (b"x-ratelimit-limit-requests", b"30000"),
    (b"x-ratelimit-limit-tokens", b"150000000"),
    (b"x-ratelimit-remaining-requests", b"29999"),
    (b"x-ratelimit-remaining-tokens", b"149999999"),
    (b"x-ratelimit-reset-requests", b"2ms"),
    (b"x-ratelimit-reset-tokens", b"0s"),
]
_EXPOSED = b", ".join(
    (
        *(name for name, _ in _RATE_LIMITS),
        b"x-request-id",
        b"openai-processing-ms",
        b"openai-version",
        b"server-timing",
        b"retry-after",
        b"retry-after-ms",
        b"x-should-retry",
        b"x-tokenlap-ignored",
    )
)


class Envelope:
    """Wraps an ASGI application; the outermost layer of the server."""

    def __init__(self, app: ASGIApp, calls: Calls, local: bool = False) -> None:
        """calls: has the server's clock, and is told of every error that is answered; local: the
        server listens on loopback.
        """
        self._app = app
        self._local = local
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
        # uvicorn's send is a method of the object that holds the connection (sse.py may abort it).
        scope[TRANSPORT] = getattr(getattr(send, "__self__", None), "transport", None)
        status: int | None = None

        def dressed(message: Message) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                took = b"%d" % ((self._now() - arrived) * 1000)
                message["headers"] = [*message["headers"], *_headers(scope, took)]
            return send(message)  # not awaited here: a frame less for each event

        try:
            if cors(scope["path"]):
                if scope["method"] == "OPTIONS":
                    return await _preflight(scope)(scope, receive, dressed)
            elif self._local:
                _refuse_foreign(header(scope, b"host"))
            await self._app(scope, receive, dressed)
        except Exception as error:
            if status is not None:
                raise
            await answer_to(scope, error)(scope, receive, dressed)
        finally:
            if status is not None and not scope.get("tokenlap.called"):
                message = scope.get("tokenlap.error", "")
                total = self._now() - arrived
                self._calls.answered(
                    Exchange(scope["method"], scope["path"], status, total, message)
                )
        return None


def tidy(path: str) -> str:
    """Return a path as the routes spell it: no doubled and no trailing slash."""
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return path.rstrip("/") or "/"


def cors(path: str) -> bool:
    """Whether pages of other origins may call this path."""
    return path.startswith(_CORS_PATHS) or path == "/v1"


def is_local(host: str) -> bool:
    """Whether a host header, perhaps with a port, names this machine."""
    name = host.rpartition("]")[0].lstrip("[") if host.startswith("[") else host.split(":")[0]
    return is_loopback(name) or name.lower().endswith(".localhost")


def is_loopback(name: str) -> bool:
    """Whether a host name or an address is that of loopback."""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name.lower() == "localhost"


def _refuse_foreign(host: str | None) -> None:
    """Raise Forbidden for a request that was meant for another host."""
    if host is not None and not is_local(host):
        raise Forbidden(
            f"Host '{short(host)}' is not served here: while this server listens on loopback, "
            "paths outside /v1 answer to localhost and loopback addresses only."
        )


def answer_to(scope: Scope, error: Exception) -> Response:
    """Return the answer to an error: its envelope, or that of a fault of ours, which is logged."""
    if isinstance(error, ClientLeft):
        return Response(status_code=499)  # as nginx: nobody reads it
    if not isinstance(error, ApiError):
        logger.error("a request failed", exc_info=error)
        error = ServerError()
    scope["tokenlap.error"] = error.message
    answer = json_answer(error.body(), error.headers, error.status)
    if error.headers.get("connection") == "close":
        return LingeringResponse(answer.body, answer.status_code, answer.headers)
    return answer


def _headers(scope: Scope, took: bytes) -> list[tuple[bytes, bytes]]:
    added = [
        (b"x-request-id", scope["tokenlap.request_id"].encode()),
        (b"openai-processing-ms", took),
        (b"openai-version", b"2020-10-01"),
    ]
    ignored = scope.get("tokenlap.ignored")
    if ignored and (shown := _printable(ignored)):
        added.append((b"x-tokenlap-ignored", shown))
    if cors(scope["path"]):
        added += _RATE_LIMITS
        if header(scope, b"origin") is not None:
            added += [
                (b"access-control-allow-origin", b"*"),
                (b"access-control-expose-headers", _EXPOSED),
            ]
    return added


def _printable(names: Sequence[str]) -> bytes:
    """Return names as a header may hold them: visible ASCII alone, and not without end."""
    shown = [short(name, 64) for name in names[:20] if name.isprintable()]
    return ", ".join(shown).encode("ascii", "replace")


def _preflight(scope: Scope) -> Response:
    """Return the answer to a preflight: any origin, the headers it asks for; no key is needed."""
    return Response(
        status_code=204,
        headers={
            "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
            "access-control-allow-headers": header(scope, b"access-control-request-headers")
            or "authorization, content-type",
            "access-control-max-age": "600",
            "vary": "origin, access-control-request-headers",
        },
    )
