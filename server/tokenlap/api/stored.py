"""Stored chat completions (`store: true`): list, get, update the metadata, delete, messages.

Source: API reference; wire checklist 51, 168-171. A completion is stored when it has come to its
end, streamed or not; one that is cut off is not.
Differences from OpenAI: they are kept for each API key by itself, in memory and within bounds, the
oldest go first. Messages are listed with the roles they were sent with, though the document knows
only `assistant` there.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend, collection
from tokenlap.api.body import Body, received
from tokenlap.api.chat.encoder import ChatEncoder
from tokenlap.api.messages import Message
from tokenlap.api.paging import PageQuery, list_answer, read_query, unknown_cursor
from tokenlap.api.parameters import Metadata
from tokenlap.api.reply import Kept
from tokenlap.api.serving import json_answer
from tokenlap.api.wording import short
from tokenlap.errors import NotFound
from tokenlap.store import Record

_MESSAGES = "messages"
_FILTER = re.compile(r"metadata\[(.+)\]")


class ListQuery(PageQuery):
    """Which stored completions; `metadata[key]=value` stands in the query beside it."""

    model: str | None = None


class MetadataUpdate(Body):
    """The body of POST /v1/chat/completions/{id}; null empties the metadata."""

    metadata: Metadata | None


def keeping(
    backend: Backend, request: Request, encoder: ChatEncoder, messages: Sequence[Message]
) -> Kept:
    """Return what stores the completion that encoder writes, once it has come to its end."""
    name = _collection(backend, request)

    async def keep(chunks: Sequence[Any]) -> None:
        body = encoder.fold(chunks)
        for choice in body["choices"]:
            choice.pop("tokenlap", None)  # the trace is an answer to a header, and no part of it
        said = _dumped([_message(body["id"], at, sent) for at, sent in enumerate(messages)])
        record = Record(
            body["id"], _dumped(body), body["model"], body["metadata"], {_MESSAGES: said}
        )
        await backend.store.put(name, record)

    return keep


async def list_completions(backend: Backend, request: Request) -> Response:
    """List the stored completions of this key, the oldest first unless asked otherwise."""
    name, query = _collection(backend, request), read_query(ListQuery, request)
    pairs = {
        found[1]: value
        for key, value in request.query_params.items()
        if (found := _FILTER.fullmatch(key))
    }
    try:
        page = await backend.store.page(
            name,
            after=query.after,
            limit=query.limit,
            order=query.order or "asc",
            model=query.model,
            metadata=pairs,
        )
    except LookupError:
        raise unknown_cursor(query.after or "") from None
    ids = [record.id for record in page.records]
    return list_answer([record.body for record in page.records], ids, page.has_more)


async def get_completion(backend: Backend, request: Request) -> Response:
    """Return a stored completion."""
    _, record = await _found(backend, request)
    return Response(record.body, media_type="application/json")


async def update_completion(backend: Backend, request: Request) -> Response:
    """Replace the metadata of a stored completion."""
    asked = await received(backend, request, MetadataUpdate)
    name, record = await _found(backend, request)
    metadata = asked.metadata or {}
    body = _dumped({**json.loads(record.body), "metadata": metadata})
    await backend.store.put(name, replace(record, body=body, metadata=metadata))
    return Response(body, media_type="application/json")


async def delete_completion(backend: Backend, request: Request) -> Response:
    """Forget a stored completion."""
    name, record = await _found(backend, request)
    await backend.store.delete(name, record.id)
    return json_answer({"object": "chat.completion.deleted", "id": record.id, "deleted": True})


async def list_messages(backend: Backend, request: Request) -> Response:
    """List the messages that a stored completion answers."""
    query = read_query(PageQuery, request)
    _, record = await _found(backend, request)
    messages = json.loads(record.parts[_MESSAGES])
    if query.order == "desc":
        messages.reverse()
    ids = [message["id"] for message in messages]
    if query.after is not None and query.after not in ids:
        raise unknown_cursor(query.after)
    begin = 0 if query.after is None else ids.index(query.after) + 1
    end = begin + query.limit
    shown = [_dumped(message) for message in messages[begin:end]]
    return list_answer(shown, ids[begin:end], end < len(ids))


def _collection(backend: Backend, request: Request) -> str:
    return collection("chat.completion", backend.key(request))


async def _found(backend: Backend, request: Request) -> tuple[str, Record]:
    """Return where a stored completion is, and itself; raises NotFound for one that is not kept."""
    name, id = _collection(backend, request), request.path_params["completion_id"]
    record = await backend.store.get(name, id)
    if record is None:
        kept = "Only completions created with 'store': true are kept, and only for their API key."
        raise NotFound(f"Chat completion with id '{short(id)}' not found. {kept}", "completion_id")
    return name, record


def _message(completion: str, at: int, message: Message) -> dict[str, Any]:
    """Return a message as the list shows it; a text that was sent as one part is a plain text."""
    parts = [part.model_dump(exclude_unset=True) for part in message.content or ()]
    plain = len(parts) <= 1 and all(part["type"] == "text" for part in parts)
    rest = message.model_dump(exclude_none=True, exclude={"role", "content", "refusal"})
    return {
        "id": f"{completion}-{at}",
        "role": message.role,
        "content": None if message.content is None else message.text,
        "refusal": message.refusal,
        **rest,
        "content_parts": None if plain else parts,
    }


def _dumped(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")
