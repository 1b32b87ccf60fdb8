"""Who runs and who waits: slots for sequences, first in, first out, and a bound on the queue."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Literal

from tokenlap.delivery.load import Batch
from tokenlap.errors import ApiError, Overloaded, RateLimited

Refusal = Literal[429, 503]


class Slot:
    """A place in the batch, held or waited for; it must be released, whatever happens."""

    __slots__ = ("_granted", "_queue", "_released", "granted_at", "sequences")

    def __init__(self, queue: "Queue", sequences: int) -> None:
        """granted_at: seconds on the queue's clock, None while it waits."""
        self.sequences = sequences
        self.granted_at: float | None = None
        self._queue = queue
        self._granted: asyncio.Future[None] | None = None
        self._released = False

    async def wait(self) -> None:
        """Return when the slot is granted; cancel this and release it to leave the queue."""
        if self.granted_at is None:
            self._granted = asyncio.get_running_loop().create_future()
            await self._granted

    def grant(self, now: float) -> None:
        """Let the sequences run."""
        self.granted_at = now
        if self._granted is not None and not self._granted.done():
            self._granted.set_result(None)

    def release(self) -> None:
        """Give the place back, or leave the queue; once is enough, more does nothing."""
        if not self._released:
            self._released = True
            self._queue.leave(self)


class Queue:
    """Grants slots of a batch in the order of arrival."""

    def __init__(
        self, batch: Batch, now: Callable[[], float], max_queued: int = 1024, full: Refusal = 429
    ) -> None:
        """max_queued: requests that may wait, >= 0; full: the status of one more."""
        self._batch = batch
        self._now = now
        self._max_queued = max_queued
        self._full = full
        self._waiting: OrderedDict[Slot, None] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    def enter(self, sequences: int = 1) -> Slot:
        """Return a slot for a request of so many sequences, granted where there is room.

        More sequences than the batch holds take the whole batch. Raises RateLimited or Overloaded
        where the queue is full.
        """
        limit = self._batch.load.max_num_seqs
        slot = Slot(self, sequences if limit is None else min(sequences, limit))
        if not self._waiting and self._batch.fits(slot.sequences):
            self._grant(slot)
        elif len(self._waiting) >= self._max_queued:
            raise self._refusal()
        else:
            self._waiting[slot] = None
        return slot

    def leave(self, slot: Slot) -> None:
        """Take a slot back, and grant what has become free."""
        if slot.granted_at is None:
            self._waiting.pop(slot, None)
        else:
            self._batch.running -= slot.sequences
        while self._waiting:
            first = next(iter(self._waiting))
            if not self._batch.fits(first.sequences):
                break
            del self._waiting[first]
            self._grant(first)

    def _grant(self, slot: Slot) -> None:
        self._batch.running += slot.sequences
        slot.grant(self._now())

    def _refusal(self) -> ApiError:
        message = (
            f"The queue is full: {len(self._waiting)} requests wait for one of "
            f"{self._batch.load.max_num_seqs} slots (--max-queued, --max-num-seqs). "
            "Please retry later."
        )
        error: ApiError
        if self._full == 429:
            error = RateLimited(message, code="rate_limit_exceeded")
        else:
            error = Overloaded(message)
        error.headers["retry-after"] = "1"
        return error
