"""Work before the first lap that takes long enough for a client to leave meanwhile."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from tokenlap.api.backend import Backend
from tokenlap.api.serving import STOPPING
from tokenlap.delivery.connected import ServerStopping, while_connected
from tokenlap.errors import Overloaded

T = TypeVar("T")


async def meanwhile(backend: Backend, request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what work returns; raises ClientLeft when the client leaves first, and Overloaded when
    the server stops. The work must yield to others now and then.
    """
    try:
        return await while_connected(work, request.receive, backend.drain)
    except ServerStopping:
        raise Overloaded(STOPPING) from None
