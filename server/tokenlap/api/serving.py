"""Blocking is a lie: both modes read one stream of chunks; one sends it as it comes, the other
keeps it to the end.
"""

import json
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend
from tokenlap.api.calls import Call
from tokenlap.delivery.connected import ClientLeft, ServerStopping, while_connected
from tokenlap.delivery.pace import pace
from tokenlap.delivery.sse import Ending as StreamEnding
from tokenlap.delivery.sse import EventStream
from tokenlap.engine.batch import GenerationRequest, Lap, Model, decode
from tokenlap.errors import ApiError, Overloaded, ServerError

logger = logging.getLogger("tokenlap")
Chunk = TypeVar("Chunk")
STOPPING = "The server is shutting down. Please retry your request."


class Encoder(Protocol[Chunk]):
    """What an endpoint makes of laps: small typed chunks, and two ways to hand them over."""

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
) -> Response:
    """Answer a request that has passed all checks, streaming or blocking as call says."""
    backend.calls.begin(call)
    chunks = _chunks(backend, call, generation, model, encoder)
    if call.stream:
        return EventStream(
            _frames(backend, call, chunks, encoder),
            {},
            backend.drain,
            farewell=lambda: encoder.failure(Overloaded(STOPPING)),
            ended=lambda ending: backend.calls.end(call, _ENDINGS[ending]),
        )
    return await _buffered(backend, request, call, chunks, encoder)


async def _chunks(
    backend: Backend,
    call: Call,
    generation: GenerationRequest,
    model: Model,
    encoder: Encoder[Chunk],
) -> AsyncGenerator[list[Chunk], None]:
    """The stream, whoever reads it: laps when they are due, encoded."""
    waits = backend.settings.law.waits()
    async for laps in pace(decode(generation, model), waits, call.arrived, backend.clock):
        backend.calls.lapped(call, laps)
        yield encoder.encode(laps)
    yield encoder.close()


async def _frames(
    backend: Backend,
    call: Call,
    chunks: AsyncGenerator[list[Chunk], None],
    encoder: Encoder[Chunk],
) -> AsyncGenerator[bytes, None]:
    """Send the chunks as they come; an error on the way ends the stream with an error frame."""
    try:
        async for batch in chunks:
            frames = encoder.frames(batch)
            if frames:
                yield frames
        yield encoder.end()
    except Exception:
        logger.exception("the loop failed after the first byte")
        backend.calls.end(call, "error")
        yield encoder.failure(ServerError())
    finally:
        await chunks.aclose()


async def _buffered(
    backend: Backend,
    request: Request,
    call: Call,
    chunks: AsyncGenerator[list[Chunk], None],
    encoder: Encoder[Chunk],
) -> Response:
    """Keep the chunks until the last one, then answer with all of them folded into one object."""
    buffer: list[Chunk] = []

    async def fill() -> None:
        async for batch in chunks:
            buffer.extend(batch)

    try:
        await while_connected(fill(), request.receive, backend.drain)
    except ClientLeft:
        backend.calls.end(call, "client left")
        return Response(status_code=499)  # as nginx: nobody reads it
    except ServerStopping:
        backend.calls.end(call, "shutdown")
        raise Overloaded(STOPPING) from None
    except BaseException:
        backend.calls.end(call, "error")
        raise
    finally:
        await chunks.aclose()
    backend.calls.end(call)
    return json_answer(encoder.fold(buffer), {"server-timing": server_timing(call)})


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
    decode_time = finished - call.arrived - ttft
    parts = {"queue": call.queued, "ttft": ttft, "decode": decode_time}
    return ", ".join(f"{name};dur={seconds * 1000:.1f}" for name, seconds in parts.items())
