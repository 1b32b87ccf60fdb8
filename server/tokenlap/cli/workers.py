"""`--workers N`: uvicorn's own supervisor, one application in each of N processes.

Replies are the same everywhere, since they depend on the request alone. What a process remembers is
not: each worker has its own queue, prefix cache and store, as N replicas would.
"""

import asyncio
import gc
import signal
import socket
import sys
from types import FrameType

from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from tokenlap.app import Server, create_app
from tokenlap.cli.serve import BACKLOG, banner, observers, uvicorn_config
from tokenlap.cli.usage import UsageError
from tokenlap.settings import Settings, hand_down, handed_down

APPLICATION = "tokenlap.cli.workers:application"


def supervise(settings: Settings, listening: socket.socket) -> int:
    """Run the workers until a signal comes. Raises UsageError for what one process alone can do."""
    if settings.watch:
        raise UsageError(
            "--watch shows the laps of one process", "leave --workers at 1 to watch", 2
        )
    print(warning(settings), file=sys.stderr)
    hand_down(settings)
    listening.listen(BACKLOG)
    print(banner(settings, listening.getsockname()[1]), flush=True)
    Multiprocess(uvicorn_config(APPLICATION, settings), sockets=[listening]).run()
    return 0


def warning(settings: Settings) -> str:
    """Return what the workers do not share, so that nobody is surprised by a 404."""
    slots = settings.profile.load.max_num_seqs
    queue = f", the {slots} slots and the queue before them" if slots is not None else ""
    return (
        f"{settings.workers} workers, each with its own memory: stored responses and completions, "
        f"background responses, the prefix cache{queue}. What one has stored another answers "
        "with 404."
    )


def application() -> ASGIApp:
    """Make the application of a worker; uvicorn calls it in the worker's event loop."""
    gc.disable()
    settings = handed_down()
    server = create_app(settings, observers=observers(settings))
    for number in (signal.SIGTERM, signal.SIGINT):
        _drain_at(number, server)
    gc.freeze()
    gc.enable()
    return server.app


def _drain_at(number: signal.Signals, server: Server) -> None:
    """Let open answers run on for the grace period after a signal, then end them.

    uvicorn's own handler stands already, and is told as well.
    """
    loop = asyncio.get_running_loop()
    told = signal.getsignal(number)
    backend = server.backend

    def drain(received: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(loop.call_later, backend.settings.grace, backend.drain.end_all)
        if callable(told):
            told(received, frame)

    signal.signal(number, drain)
