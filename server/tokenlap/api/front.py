"""The short way in: requests for an exact path go straight to its handler.

The application around it would do the same and cost 50-60 us a request, and a part of that again
for each message sent (measured: five middlewares, a router that tries one route after the other).
It still answers everything else (paths.py), and is made when it is first asked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

Endpoint = Callable[[Request], Awaitable[Response]]


class Front:
    """Asks the table first, then the application."""

    def __init__(
        self, make: Callable[[], ASGIApp], table: Mapping[tuple[str, str], Endpoint]
    ) -> None:
        """make: makes the application; table: endpoints by method and path; they must answer
        whatever goes wrong themselves.
        """
        self._make = make
        self._app: ASGIApp | None = None
        self._table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        endpoint = None
        if scope["type"] == "http":
            endpoint = self._table.get((scope["method"], scope["path"]))
        if endpoint is None:
            if self._app is None:  # in a thread: streams keep their pace
                self._app = await asyncio.to_thread(self._make)
            return await self._app(scope, receive, send)
        response = await endpoint(Request(scope, receive, send))
        return await response(scope, receive, send)
