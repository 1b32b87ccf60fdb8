"""Servers as processes, connections by hand, and what can be seen of both from outside."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.cli.support import PATIENCE, Started, command, line_with
from tests.support import Served

CHAT = "/v1/chat/completions"


@asynccontextmanager
async def first_process() -> AsyncIterator[tuple[Started, int]]:
    """A server that is the first process of a PID namespace, and its number seen from outside.

    Where there are no namespaces, a server like any other.
    """
    arguments = command("serve", "--port", "0", "--grace", "0.3s", "--ttft", "0", "--itl", "50ms")
    new = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child"]
    alone = _succeeds(*new, "true")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(new if alone else []), *arguments, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdout
    try:
        async with asyncio.timeout(PATIENCE):
            url = (await line_with(process.stdout, "API")).split()[1].removesuffix("/v1")
        pid = _child_of(process.pid) if alone else process.pid
        yield Started(url, process.stdout, process.stdout, process), pid
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def _succeeds(*program: str) -> bool:
    found = shutil.which(program[0]) is not None
    return found and subprocess.run(program, capture_output=True).returncode == 0


def _child_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


@asynccontextmanager
async def asking(url: str, body: object) -> AsyncIterator[asyncio.StreamReader]:
    """What comes on a connection on which a request has been sent."""
    content = json.dumps(body).encode()
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n\r\n"
    writer.write(head.encode() + content)
    try:
        yield reader
    finally:
        writer.transport.abort()


async def status(reader: asyncio.StreamReader) -> bytes:
    """Read one answer with a content-length, and return its status."""
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    await reader.readexactly(length)
    return head.split(b" ")[1]


async def until_idle(server: Served) -> None:
    async with asyncio.timeout(PATIENCE):
        while server.server.backend.calls.flying:  # noqa: ASYNC110 # a gauge tells in no other way
            await asyncio.sleep(0.01)


async def until_refused(url: str) -> None:
    """Wait until no new connections are taken: the first signal has been seen."""
    host, port = url.removeprefix("http://").split(":")
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                _, writer = await asyncio.open_connection(host, int(port))
            except ConnectionError:
                return
            writer.close()
            await asyncio.sleep(0.01)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def resident(server: Started) -> int:
    """Bytes of memory that a server process holds."""
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
