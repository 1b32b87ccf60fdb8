"""A reply under way: what an endpoint makes of its laps, and what it holds until it ends."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from starlette.requests import Request

from tokenlap.api.backend import Backend
from tokenlap.api.calls import Call, Ending
from tokenlap.api.generation import refuse_endless
from tokenlap.api.timing import asked_latency
from tokenlap.delivery.deployment import Deployment
from tokenlap.delivery.latency import Latency
from tokenlap.delivery.pace import BATCH, BUFFERED, pace
from tokenlap.delivery.prefix import Lease, shown
from tokenlap.delivery.queue import Slot
from tokenlap.engine.batch import GenerationRequest, Lap, Model, decode
from tokenlap.errors import ApiError

Chunk = TypeVar("Chunk")


class Encoder(Protocol[Chunk]):
    """What an endpoint makes of laps: small typed chunks, and two ways to hand them over.

    cached_tokens: how much of the prompt `usage` tells as cached; set before the first lap.
    """

    cached_tokens: int

    def encode(self, laps: Sequence[Lap]) -> list[Chunk]:
        """Return the chunks of laps; called in order, for every lap once, and first with none: for
        what leaves before any lap is due.
        """

    def close(self) -> list[Chunk]:
        """Return the chunks after the last lap."""

    def frames(self, chunks: Sequence[Chunk]) -> bytes:
        """Return chunks as server-sent events."""

    def end(self) -> bytes:
        """Return what ends a stream after its last chunk."""

    def failure(self, error: ApiError) -> bytes:
        """Return the events that end a stream after its first byte, when something went wrong."""

    def fold(self, chunks: Iterable[Chunk]) -> dict[str, Any]:
        """Return the blocking body: the chunks of the stream, folded into one object."""


Kept = Callable[[Sequence[Any]], Awaitable[None]]
"""Told all chunks of a reply that has come to its end, before the last of them leave."""


@dataclass(slots=True)
class Reply:
    """A reply under way: what it is made from, and what it holds until it ends, however it ends."""

    backend: Backend
    deployment: Deployment
    key: str
    call: Call
    generation: GenerationRequest
    model: Model
    encoder: Encoder[Any]
    latency: Latency
    slot: Slot
    kept: Kept | None = None
    _leases: Sequence[Lease] = ()
    _passed: list[Any] = field(default_factory=list)

    async def granted(self) -> None:
        """Wait for the slot."""
        await self.slot.wait()
        assert self.slot.granted_at is not None
        self.call.queued = self.slot.granted_at - self.call.arrived

    def laps(self) -> AsyncGenerator[list[Lap], None]:
        """Read the prompt, and return the laps, each when it is due; the slot must be granted."""
        uncached = self._read()
        seed = self.generation.sampling.seed
        # None, not zeros: without waits there are no deadlines to keep.
        waits = (
            None
            if self.latency.immediate
            else self.deployment.batch.waits(self.latency, seed, uncached)
        )
        begun = self.call.arrived + self.call.queued
        # Of many choices fewer laps leave at a time: others wait for tokens, not for laps.
        most = max(1, (BATCH if self.call.stream else BUFFERED) // self.generation.choices)
        laps = decode(self.generation, self.model)
        return pace(laps, waits, begun, self.backend.clock, most)

    def chunks(self, laps: Sequence[Lap]) -> list[Any]:
        """Return what the endpoint makes of laps that leave now, none for what comes before."""
        if laps:
            self.backend.calls.lapped(self.call, laps)
        chunks = self.encoder.encode(laps)
        if self.kept is not None:
            self._passed += chunks
        return chunks

    @property
    def over(self) -> bool:
        """Whether no lap follows."""
        return self.call.endings == self.generation.choices

    async def close(self) -> list[Any]:
        """Return the chunks after the last lap, once the reply is stored."""
        closing = self.encoder.close()
        if self.kept is not None:
            await self.kept([*self._passed, *closing])
        return closing

    def end(self, ending: Ending | None = None) -> None:
        """Give everything back; ending where the laps do not tell."""
        self.backend.calls.end(self.call, ending)
        self.slot.release()
        for lease in self._leases:
            lease.release()

    def _read(self) -> int:
        """Read the prompts and return how many of their tokens the cache of this key did not
        know.
        """
        cache, generation = self.deployment.cache, self.generation
        prompts = [generation.prompt, *[each.prompt for each in generation.beside]]
        self._leases = [cache.lease(self.key, prompt) for prompt in prompts]
        cached = [lease.cached_tokens for lease in self._leases]
        self.encoder.cached_tokens = sum(map(shown, cached))
        return sum(map(len, prompts)) - sum(cached)


def enter(
    backend: Backend,
    request: Request,
    call: Call,
    generation: GenerationRequest,
    model: Model,
    encoder: Encoder[Any],
    latency: Latency | None = None,
) -> Reply:
    """Return a reply that has entered the queue of its deployment; it must be ended.

    Raises BadRequest where it could be longer than one request may have written.
    """
    refuse_endless([generation, *generation.beside], backend.settings.context_window)
    deployment = backend.deployments.of_model(call.model)
    law = asked_latency(request.scope["headers"], latency or deployment.latency)
    slot = deployment.queue.enter(generation.choices)
    backend.calls.begin(call)
    request.scope["tokenlap.called"] = True  # the call tells how it ends
    key = backend.key(request)
    return Reply(backend, deployment, key, call, generation, model, encoder, law, slot)
