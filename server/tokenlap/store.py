"""What outlives a request: stored responses and chat completions, in memory and bounded.

A collection is a name, such as the kind of object and whose it is. Methods are coroutines, so that
a store shared by several processes can take this one's place.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, Protocol

Order = Literal["asc", "desc"]
"""Oldest first, or newest first."""


@dataclass(frozen=True, slots=True)
class Record:
    """A stored object: finished bytes, and what it can be found by.

    body: the object as JSON, as its endpoint answers it; parts: what belongs to it (the messages,
    the events of its stream), by name. model, metadata: what a list can be filtered by.
    """

    id: str
    body: bytes
    model: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The bytes that a store counts: of the body and the parts, and of what finds them."""
        found_by = (self.id, self.model, *self.metadata, *self.metadata.values())
        return (
            len(self.body)
            + sum(map(len, self.parts.values()))
            + sum(len(text.encode(errors="replace")) for text in found_by)
        )


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, and whether more follows in its order."""

    records: tuple[Record, ...]
    has_more: bool


class Store(Protocol):
    """Keeps records until it is full; then the oldest go."""

    async def put(self, collection: str, record: Record) -> None:
        """Keep a record; one with the same id is replaced and keeps its place in the list."""

    async def get(self, collection: str, id: str) -> Record | None:
        """Return a record, None for one that was never kept or is gone."""

    async def delete(self, collection: str, id: str) -> bool:
        """Remove a record; return whether there was one."""

    async def page(
        self,
        collection: str,
        *,
        after: str | None = None,
        limit: int = 20,
        order: Order = "asc",
        model: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Page:
        """Return at most limit (>= 1) records that match model and every pair of metadata.

        after: the id that precedes the page in its order; raises LookupError for an unknown one.
        """


class MemoryStore:
    """A Store in this process, bounded by the number of records and by their bytes together.

    Example: with max_count=2, put a, b, c -> b and c are kept; a record larger than max_bytes is
    not kept at all, and costs no other its place.
    """

    def __init__(self, max_count: int, max_bytes: int) -> None:
        """Take both bounds, >= 0; they count over all collections."""
        self._max_count = max_count
        self._max_bytes = max_bytes
        self._collections: dict[str, dict[str, Record]] = {}
        # Oldest first, with the size of each; an OrderedDict finds its first entry at once.
        self._ages: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._bytes = 0

    async def put(self, collection: str, record: Record) -> None:
        """Keep a record; make room by dropping the oldest ones, this one last of all."""
        place, size = (collection, record.id), record.size
        if size > self._max_bytes or not self._max_count:
            self._drop(place)
            return
        self._bytes += size - self._ages.get(place, 0)
        self._ages[place] = size
        self._collections.setdefault(collection, {})[record.id] = record
        for oldest in [*self._surplus(spare=place)]:
            self._drop(oldest)

    async def get(self, collection: str, id: str) -> Record | None:
        """Return a record, or None."""
        return self._collections.get(collection, {}).get(id)

    async def delete(self, collection: str, id: str) -> bool:
        """Remove a record; return whether there was one."""
        return self._drop((collection, id))

    async def page(
        self,
        collection: str,
        *,
        after: str | None = None,
        limit: int = 20,
        order: Order = "asc",
        model: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Page:
        """Return a part of a collection in order of first keeping."""
        records = self._collections.get(collection, {})
        ordered = iter(records.values() if order == "asc" else reversed(records.values()))
        if after is not None:
            if after not in records:
                raise LookupError(after)
            while next(ordered).id != after:
                pass
        pairs = (metadata or {}).items()
        matching = (
            record
            for record in ordered
            if (model is None or record.model == model) and pairs <= record.metadata.items()
        )
        found = tuple(islice(matching, limit + 1))
        return Page(found[:limit], len(found) > limit)

    def _surplus(self, spare: tuple[str, str]) -> Iterator[tuple[str, str]]:
        """Yield the oldest places until the rest is within both bounds; never the one to spare."""
        count, total = len(self._ages), self._bytes
        for place, size in self._ages.items():
            if count <= self._max_count and total <= self._max_bytes:
                return
            if place != spare:
                count, total = count - 1, total - size
                yield place

    def _drop(self, place: tuple[str, str]) -> bool:
        collection, id = place
        size = self._ages.pop(place, None)
        if size is None:
            return False
        self._bytes -= size
        del self._collections[collection][id]
        if not self._collections[collection]:
            del self._collections[collection]
        return True
