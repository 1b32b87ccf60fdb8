"""A client that leaves stops the loop: race the work against the connection."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, TypeVar

from tokenlap.delivery.drain import Drain

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
T = TypeVar("T")


class ClientLeft(Exception):
    """The client closed its connection before the answer was ready; nobody reads what is returned
    now.
    """


class ServerStopping(Exception):
    """The server's grace period ended before the answer was ready."""


async def gone(receive: Receive) -> None:
    """Return when the client has left. The request body must have been read: only the disconnect
    can still come.
    """
    while (await receive())["type"] != "http.disconnect":
        pass


async def while_connected(work: Coroutine[Any, Any, T], receive: Receive, drain: Drain) -> T:
    """Return what work returns.

    Cancels the work and raises ClientLeft when the client leaves first, ServerStopping when the
    server does.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(gone(receive))
    try:
        await asyncio.wait((working, leaving, drain.stopping), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientLeft if leaving.done() else ServerStopping
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)
