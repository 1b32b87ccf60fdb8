"""Blocking is a lie: both modes read one stream of chunks; one sends it as it comes, the other
keeps it to the end.
"""

import json
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend
from tokenlap.api.calls import Call, Ending
from tokenlap.api.timing import asked_latency
from tokenlap.delivery.connected import ClientLeft, ServerStopping, while_connected
from tokenlap.delivery.latency import Latency
from tokenlap.delivery.pace import pace
from tokenlap.delivery.prefix import Lease, PrefixCache, shown
from tokenlap.delivery.queue import Slot
from tokenlap.delivery.sse import Ending as StreamEnding
from tokenlap.delivery.sse import EventStream
from tokenlap.engine.batch import GenerationRequest, Lap, Model, decode
from tokenlap.engine.tokenizer import TokenId
from tokenlap.errors import ApiError, Overloaded, ServerError

logger = logging.getLogger("tokenlap")
Chunk = TypeVar("Chunk")
STOPPING = "The server is shutting down. Please retry your request."


class Encoder(Protocol[Chunk]):
    """What an endpoint makes of laps: small typed chunks, and two ways to hand them over.

    cached_tokens: how much of the prompt `usage` tells as cached; set before the first lap.
    """

    cached_tokens: int

    def encode(self, laps: Sequence[Lap]) -> list[Chunk]:
        """Return the chunks of laps; called in order, for every lap once."""

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


async def serve(
    backend: Backend,
    request: Request,
    call: Call,
    generation: GenerationRequest,
    model: Model,
    encoder: Encoder[Any],
    latency: Latency | None = None,
) -> Response:
    """Answer a request that has passed all checks, streaming or blocking as call says.

    latency: in place of the deployment's own; the headers of the request win over both. Raises
    BadRequest for a header that is no law, RateLimited or Overloaded where the queue is full.
    """
    deployment = backend.deployments.of_model(call.model)
    latency = asked_latency(request.headers, latency or deployment.latency)
    slot = deployment.queue.enter(generation.n)
    reply = Reply(backend, call, encoder, slot)
    backend.calls.begin(call)
    if slot.granted_at is None and not await _granted(reply, request):
        return Response(status_code=499)
    cached = reply.read(deployment.cache, backend.key(request), generation.prompt)
    uncached = len(generation.prompt) - cached
    waits = deployment.batch.waits(latency, generation.sampling.seed, uncached)
    laps = pace(decode(generation, model), waits, call.arrived + call.queued, backend.clock)
    if call.stream:
        return EventStream(
            _frames(reply, laps),
            {},
            backend.drain,
            farewell=lambda: encoder.failure(Overloaded(STOPPING)),
            ended=lambda ending: reply.end(_ENDINGS[ending]),
        )
    return await _buffered(reply, request, laps)


@dataclass(slots=True)
class Reply:
    """A reply under way: what it holds until it ends, however it ends."""

    backend: Backend
    call: Call
    encoder: Encoder[Any]
    slot: Slot
    _lease: Lease | None = None

    def read(self, cache: PrefixCache, key: str, prompt: Sequence[TokenId]) -> int:
        """Read the prompt and return how many of its tokens the cache of this API key knew."""
        self._lease = cache.lease(key, prompt)
        self.encoder.cached_tokens = shown(self._lease.cached_tokens)
        return self._lease.cached_tokens

    def chunks(self, laps: Sequence[Lap]) -> list[Any]:
        """Return what the endpoint makes of laps that leave now."""
        self.backend.calls.lapped(self.call, laps)
        return self.encoder.encode(laps)

    def end(self, ending: Ending | None = None) -> None:
        """Give everything back; ending where the laps do not tell."""
        self.backend.calls.end(self.call, ending)
        self.slot.release()
        if self._lease is not None:
            self._lease.release()


async def _granted(reply: Reply, request: Request) -> bool:
    """Wait for the slot; return False where the client has left the queue.

    Raises Overloaded when the server stops.
    """
    try:
        await while_connected(reply.slot.wait(), request.receive, reply.backend.drain)
    except ClientLeft:
        reply.end("client left")
        return False
    except ServerStopping:
        reply.end("shutdown")
        raise Overloaded(STOPPING) from None
    except BaseException:
        reply.end("error")
        raise
    assert reply.slot.granted_at is not None
    reply.call.queued = reply.slot.granted_at - reply.call.arrived
    return True


async def _frames(
    reply: Reply, batches: AsyncGenerator[list[Lap], None]
) -> AsyncGenerator[bytes, None]:
    """Send the chunks as they come; an error on the way ends the stream with an error frame."""
    encoder = reply.encoder
    try:
        async for laps in batches:
            frames = encoder.frames(reply.chunks(laps))
            if frames:
                yield frames
        yield encoder.frames(encoder.close()) + encoder.end()
    except Exception:
        logger.exception("the loop failed after the first byte")
        reply.end("error")
        yield encoder.failure(ServerError())
    finally:
        await batches.aclose()


async def _buffered(
    reply: Reply, request: Request, batches: AsyncGenerator[list[Lap], None]
) -> Response:
    """Keep the chunks until the last one, then answer with all of them folded into one object."""
    buffer: list[Any] = []

    async def fill() -> None:
        async for laps in batches:
            buffer.extend(reply.chunks(laps))
        buffer.extend(reply.encoder.close())

    try:
        await while_connected(fill(), request.receive, reply.backend.drain)
    except ClientLeft:
        reply.end("client left")
        return Response(status_code=499)  # as nginx: nobody reads it
    except ServerStopping:
        reply.end("shutdown")
        raise Overloaded(STOPPING) from None
    except BaseException:
        reply.end("error")
        raise
    finally:
        await batches.aclose()
    reply.end()
    timing = {"server-timing": server_timing(reply.call)}
    return json_answer(reply.encoder.fold(buffer), timing)


_ENDINGS: dict[StreamEnding, Any] = {
    "done": None,
    "client left": "client left",
    "shutdown": "shutdown",
    "error": "error",
}


def json_answer(body: Any, headers: dict[str, str] | None = None, status: int = 200) -> Response:
    """Return body as JSON, in ASCII and without spare blanks."""
    content = json.dumps(body, separators=(",", ":"), allow_nan=False)
    return Response(content, status_code=status, headers=headers, media_type="application/json")


def server_timing(call: Call) -> str:
    """Return where the time of a blocking answer went, in milliseconds (Server-Timing)."""
    ttft, finished = call.ttft or 0.0, call.finished or call.arrived
    decode_time = max(0.0, finished - call.arrived - ttft)
    parts = {"queue": call.queued, "ttft": ttft, "decode": decode_time}
    return ", ".join(f"{name};dur={seconds * 1000:.1f}" for name, seconds in parts.items())
