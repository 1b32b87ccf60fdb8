"""`tokenlap serve`: settings, sockets, signals, the banner."""

import asyncio
import gc
import socket
import sys
from errno import EADDRINUSE
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from tokenlap.api.calls import Observer
from tokenlap.api.log import AccessLog
from tokenlap.api.watch import Watch
from tokenlap.app import Server, create_app
from tokenlap.cli.complaints import checked_settings, complaint
from tokenlap.cli.help import serve_help
from tokenlap.cli.usage import UsageError, version
from tokenlap.settings import Settings, reachable_url

BACKLOG = 2048
"""Connections that may wait to be accepted, as uvicorn has it."""
BACKSTOP = 2.0
"""Seconds after the grace period at which uvicorn cancels what is still there."""


class DrainingServer(uvicorn.Server):
    """On the first SIGTERM or SIGINT no new connections, a grace period, a farewell; on the second,
    exit now.
    """

    def __init__(self, config: uvicorn.Config, server: Server) -> None:
        """server: whose open answers are to be ended."""
        super().__init__(config)
        self._server = server

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal."""
        self._captured_signals.append(sig)
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let open answers run on for the grace period, then end them."""
        backend = self._server.backend
        timer = asyncio.get_running_loop().call_later(backend.settings.grace, backend.drain.end_all)
        await super().shutdown(sockets)
        timer.cancel()
        await backend.background.close()  # no connection waits for these


def run(arguments: list[str]) -> int:
    """Serve until a signal comes; returns the exit code. Raises UsageError for what the caller can
    put right.
    """
    if {"-h", "--help"} & {*arguments}:
        print(serve_help())
        return 0
    settings = checked_settings(arguments)
    with listen(settings.host, settings.port) as listening:
        if settings.workers > 1:
            from tokenlap.cli.workers import supervise  # imports this file

            return supervise(settings, listening)
        try:
            server = create_app(settings, observers=observers(settings))
        except (ValueError, OSError) as error:
            raise complaint(error, f"--model {settings.model}") from None
        listening.listen(BACKLOG)  # from here on nobody is refused: the address may be told
        print(banner(settings, listening.getsockname()[1]), flush=True)
        gc.freeze()  # what is loaded now stays: the collector need not look at it again
        gc.enable()  # main.py has turned it off
        try:
            DrainingServer(uvicorn_config(server.app, settings), server).run([listening])
        except KeyboardInterrupt:  # uvicorn raises the signals again that it has obeyed
            return 0
    return 0


def uvicorn_config(app: ASGIApp | str, settings: Settings) -> uvicorn.Config:
    """Return how uvicorn runs an application: quietly, and with our time-outs.

    app: or where its factory is found, for several workers.
    """
    return uvicorn.Config(
        app,
        factory=isinstance(app, str),
        workers=settings.workers,
        access_log=False,
        log_level="warning",
        lifespan="off",
        ws="none",
        timeout_keep_alive=int(settings.keep_alive),
        timeout_graceful_shutdown=int(settings.grace + BACKSTOP),
        server_header=False,
    )


def observers(settings: Settings) -> list[Observer]:
    """Return who sees the calls, as settings ask."""
    watching: list[Observer] = [Watch(sys.stdout)] if settings.watch else []
    if settings.log != "off":
        watching.append(AccessLog(sys.stderr, settings.log == "json"))
    return watching


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to host and port; 0 takes a free one. It does not listen yet.

    Raises UsageError where the address is taken, unknown or not allowed.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise UsageError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.set_inheritable(True)
    except OSError as error:
        bound.close()
        if error.errno == EADDRINUSE:
            tip = "tokenlap serve --port 0 picks a free one"
            raise UsageError(f"port {port} is taken", tip) from None
        raise UsageError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    return bound


def banner(settings: Settings, port: int) -> str:
    """Return what the terminal shows at the start."""
    url = reachable_url(settings.host, port)
    promise = "a new seed each time" if settings.random else "same request, same reply"
    body = '{"model":"any","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
    return f"""tokenlap {version()} · model {settings.model} · {promise}

  API   {url}/v1

  export OPENAI_BASE_URL={url}/v1
  export OPENAI_API_KEY=anything
  curl -N {url}/v1/chat/completions -d '{body}'

Ctrl-C stops · --watch shows every lap · tokenlap serve --help
"""
