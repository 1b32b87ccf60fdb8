"""background: true. The same stream, written to a tape instead of a connection.

Source: wire checklist 218; API guide on background mode. A client that leaves changes nothing;
cancel, delete and the end of the server stop the loop.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from tokenlap.api.calls import Ending as CallEnding
from tokenlap.api.reply import Reply
from tokenlap.api.responses.chunks import Json
from tokenlap.api.responses.encoder import ResponseEncoder
from tokenlap.api.serving import STOPPING, frames
from tokenlap.delivery.background import Background, Ending, Running
from tokenlap.errors import Overloaded, RateLimited

Put = Callable[[Json, bytes], Awaitable[None]]
"""Keeps a response as it stands, with the frames of its stream so far."""
_ENDINGS: dict[Ending, CallEnding | None] = {
    "done": None,
    "cancelled": "cancelled",
    "shutdown": "shutdown",
}


def check_room(background: Background) -> None:
    """Raise RateLimited where no more responses may run in the background."""
    if background.full:
        error = RateLimited(
            f"Too many background responses are under way: this server runs {background.limit} at "
            "a time (--max-background). Wait for one to complete, or cancel one.",
            code="rate_limit_exceeded",
        )
        error.headers["retry-after"] = "1"
        raise error


async def run(
    background: Background, name: str, reply: Reply, encoder: ResponseEncoder, put: Put
) -> Running:
    """Let a reply run in the background under a name; it is kept as queued when this returns."""
    queued = encoder.frames(encoder.queue())
    await put(encoder.response, queued)

    async def ended(running: Running, ending: Ending) -> None:
        if ending == "cancelled":
            running.write(encoder.cancel())
        elif ending == "shutdown":
            running.write(encoder.failure(Overloaded(STOPPING)))
        await put(encoder.response, running.tape)
        reply.end(_ENDINGS[ending])

    running = background.start(name, _written(reply, encoder, put), ended)
    running.write(queued)
    return running


async def _written(reply: Reply, encoder: ResponseEncoder, put: Put) -> AsyncGenerator[bytes, None]:
    """Wait for the slot, then write the stream; it is kept as in progress once it is."""
    await reply.granted()
    async with aclosing(frames(reply)) as stream:
        yield await anext(stream)
        await put(encoder.response, b"")
        async for ready in stream:
            yield ready
