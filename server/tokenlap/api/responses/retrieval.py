"""GET and DELETE /v1/responses/{id}, its input items, its stream again, and cancel.

Source: API reference; wire checklist 200. A stream is replayed as it was sent, or followed while
it is still being written; `starting_after` leaves out the events up to that number.
Differences from OpenAI: every stored response can be streamed again, not only those that were
created with `stream` in the background.
"""

import json
from collections.abc import AsyncGenerator
from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend
from tokenlap.api.paging import PageQuery, Query, list_answer, read_query, unknown_cursor
from tokenlap.api.responses.chunks import dumped, error_event
from tokenlap.api.responses.stored import Responses, events_of, input_of, not_found, responses_of
from tokenlap.api.serving import STOPPING, json_answer
from tokenlap.delivery.background import Running, after
from tokenlap.delivery.sse import EventStream
from tokenlap.errors import BadRequest
from tokenlap.store import Record

_WRITE = 65536


class RetrieveQuery(Query):
    """How a response is retrieved."""

    stream: bool = False
    starting_after: Annotated[int, Field(ge=-1)] | None = None


async def get_response(backend: Backend, request: Request) -> Response:
    """Return a response as it stands, or its stream."""
    query = read_query(RetrieveQuery, request)
    stored, id, record = await _found(backend, request)
    if not query.stream:
        return Response(record.body, media_type="application/json")
    skip = 0 if query.starting_after is None else query.starting_after + 1
    running = backend.background.get(stored.name(id))
    if running is not None:
        return followed(backend, running, skip)
    return EventStream(
        _written(after(events_of(record), skip)),
        {},
        backend.drain,
        farewell=lambda: error_event("server_error", STOPPING, events_of(record).count(b"\n\n")),
        ended=lambda _: None,
    )


async def delete_response(backend: Backend, request: Request) -> Response:
    """Forget a response; one that is under way is cancelled first."""
    stored, id, _ = await _found(backend, request)
    running = backend.background.get(stored.name(id))
    if running is not None:
        await running.cancel()
    if not await stored.delete(id):
        raise not_found(id)
    return json_answer({"id": id, "object": "response", "deleted": True})


async def cancel_response(backend: Backend, request: Request) -> Response:
    """Cancel a background response; one that has ended stays as it is."""
    stored, id, record = await _found(backend, request)
    if not json.loads(record.body)["background"]:
        raise BadRequest("Cannot cancel a synchronous response.")
    running = backend.background.get(stored.name(id))
    if running is not None:
        await running.cancel()
        record = await stored.get(id)
    return Response(record.body, media_type="application/json")


async def list_input_items(backend: Backend, request: Request) -> Response:
    """List what a response was made from, the newest item first unless asked otherwise."""
    query = read_query(PageQuery, request)
    _, _, record = await _found(backend, request)
    items = input_of(record)
    if query.order != "asc":
        items.reverse()
    ids = [item["id"] for item in items]
    begin = 0
    if query.after is not None:
        if query.after not in ids:
            raise unknown_cursor(query.after)
        begin = ids.index(query.after) + 1
    end = begin + query.limit
    return list_answer([dumped(item) for item in items[begin:end]], ids[begin:end], end < len(ids))


def followed(backend: Backend, running: Running, skip: int = 0) -> EventStream:
    """Return the stream of a background response, from its beginning to its end; leaving it changes
    nothing.
    """
    return EventStream(
        running.follow(skip),
        {},
        backend.drain,
        farewell=lambda: error_event("server_error", STOPPING, running.tape.count(b"\n\n")),
        ended=lambda _: None,
    )


async def _found(backend: Backend, request: Request) -> tuple[Responses, str, Record]:
    stored, id = responses_of(backend, request), request.path_params["id"]
    return stored, id, await stored.get(id)


async def _written(events: bytes) -> AsyncGenerator[bytes, None]:
    for begin in range(0, len(events), _WRITE):
        yield events[begin : begin + _WRITE]
