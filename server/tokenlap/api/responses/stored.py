"""The responses that are kept: what a later request refers to, and what is retrieved.

Source: wire checklist 198, 200; the complaint about an unknown item is a recorded one.
Differences from OpenAI: they are kept for each API key by itself and within bounds, the oldest go
first; those that failed are kept where they ran in the background only.
"""

import asyncio
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starlette.requests import Request

from tokenlap.api.backend import Backend, collection
from tokenlap.api.responses.chunks import Json, dumped
from tokenlap.api.responses.ids import item_id, response_of
from tokenlap.api.responses.items import Item, ReferenceItem, resource
from tokenlap.errors import BadRequest, NotFound
from tokenlap.store import Record, Store

UNFINISHED = ("queued", "in_progress")
_INPUT, _EVENTS = "input", "events"
_LARGE = 2**20
"""Bytes of events from which on they are packed beside the event loop (7 ms); a frame packs to a
twentieth (measured).
"""


@dataclass(frozen=True, slots=True)
class Responses:
    """The stored responses of one API key; collection is their name in the store."""

    store: Store
    collection: str

    async def get(self, id: str) -> Record:
        """Return a response; raises NotFound for one that is not kept."""
        record = await self.store.get(self.collection, id)
        if record is None:
            raise not_found(id)
        return record

    def name(self, id: str) -> str:
        """Return the name under which a response of this key runs in the background."""
        return f"{self.collection} {id}"

    async def put(self, items: Sequence[Json], response: Json, events: bytes) -> None:
        """Keep a response. items: its whole input; events: the frames of its stream so far."""
        if len(events) < _LARGE:
            packed = zlib.compress(events, 1)
        else:
            packed = await asyncio.to_thread(zlib.compress, events, 1)
        parts = {_INPUT: dumped(items), _EVENTS: packed}
        record = Record(
            response["id"], dumped(response), response["model"], response["metadata"], parts
        )
        await self.store.put(self.collection, record)

    async def delete(self, id: str) -> bool:
        """Forget a response; return whether it was kept."""
        return await self.store.delete(self.collection, id)

    async def conversation(
        self, id: str, previous: str | None, sent: Iterable[Item]
    ) -> tuple[Json, ...]:
        """Return the input of a new response: all that came before it, then what was sent.

        id: of the new response; previous: of the one it goes on from. Raises BadRequest where that
        one is unknown or under way, NotFound for a reference to an item that is not kept.
        """
        items = [] if previous is None else await self._history(previous)
        known = {item["id"]: item for item in items}
        for item in sent:
            if isinstance(item, ReferenceItem):
                items.append(await self._referred(item.id, known))
            else:
                items.append(resource(item, item.id or item_id(item.type, id, len(items))))
                known[items[-1]["id"]] = items[-1]
        return tuple(items)

    async def _history(self, id: str) -> list[Json]:
        """Return the input and the output of a response that another goes on from."""
        record = await self.store.get(self.collection, id)
        if record is None:
            raise BadRequest(
                f"Previous response with id '{id}' not found.",
                "previous_response_id",
                "previous_response_not_found",
            )
        response = json.loads(record.body)
        if response["status"] in UNFINISHED:
            raise BadRequest(
                f"Previous response with id '{id}' is still {response['status']}. "
                "Wait until it has completed.",
                "previous_response_id",
            )
        return [*input_of(record), *response["output"]]

    async def _referred(self, id: str, known: dict[str, Json]) -> Json:
        """Return the item with this id; those of the kept response that it names become known."""
        if id not in known:
            record = await self.store.get(self.collection, response_of(id))
            if record is not None:
                kept = [*input_of(record), *json.loads(record.body)["output"]]
                known.update((item["id"], item) for item in kept)
        if id in known:
            return known[id]
        raise NotFound(
            f"Item with id '{id}' not found. Items are not persisted when `store` is set to false. "
            "Try again with `store` set to true, or remove this item from your input.",
            "input",
        )


def responses_of(backend: Backend, request: Request) -> Responses:
    """Return the stored responses of the API key of a request."""
    return Responses(backend.store, collection("responses", backend.key(request)))


def not_found(id: str) -> NotFound:
    """Return the complaint about a response that is not kept."""
    return NotFound(f"Response with id '{id}' not found.")


def input_of(record: Record) -> list[Json]:
    """Return the whole input of a stored response."""
    items: list[Json] = json.loads(record.parts[_INPUT])
    return items


def events_of(record: Record) -> bytes:
    """Return the frames of the stream of a stored response."""
    return zlib.decompress(record.parts[_EVENTS])
