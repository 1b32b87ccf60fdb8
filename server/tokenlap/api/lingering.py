"""An answer to a client that may still be sending its body: it goes out at once, and what comes in
is taken for a while before the connection is closed.

A connection that is closed while bytes are still coming is reset, and the answer is lost with it.
"""

import asyncio

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

LEFT_OVER = 64 * 2**20
"""Bytes that are taken at most."""
SILENCE = 2.0
"""Seconds without a byte after which the client has seen the answer, or never will."""


class LingeringResponse(Response):
    """Answers, listens to the rest of the request, and closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all of the answer but its end, which is what closes the connection."""
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        await _rest(receive)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _rest(receive: Receive) -> None:
    """Take the rest of a request, and keep nothing of it."""
    taken = 0
    while taken <= LEFT_OVER:
        try:
            message = await asyncio.wait_for(receive(), SILENCE)
        except TimeoutError:
            return
        taken += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return
