"""A server as a user starts it: a process of its own, with pipes or a terminal."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

PATIENCE = 60.0
"""Seconds after which a test gives up; nothing is measured by it."""


@dataclass(frozen=True, slots=True)
class Started:
    """A server process that listens: its address, what it prints, and the process itself."""

    url: str
    out: asyncio.StreamReader
    err: asyncio.StreamReader
    process: asyncio.subprocess.Process

    async def line(self, *words: str) -> str:
        """The next line of stdout that holds all words."""
        return await line_with(self.out, *words)

    async def log(self, *words: str) -> str:
        """The next line of stderr that holds all words."""
        return await line_with(self.err, *words)


async def line_with(stream: asyncio.StreamReader, *words: str) -> str:
    """The next line of a stream that holds all words; fails where the stream ends before it."""
    seen: list[str] = []
    while line := await stream.readline():
        seen.append(line.decode())
        if all(word in seen[-1] for word in words):
            return seen[-1].rstrip("\n")
    raise AssertionError(f"no line with {words} in {''.join(seen)!r}")


def command(*arguments: str) -> list[str]:
    """The command line of tokenlap in this environment."""
    return [sys.executable, "-m", "tokenlap", *arguments]


@asynccontextmanager
async def started(*arguments: str, terminal: bool = False, **env: str) -> AsyncIterator[Started]:
    """`tokenlap serve --port 0`, with these arguments, until it listens; killed at the end.

    terminal: its stdout is a terminal and not a pipe.
    """
    pipe: Any = asyncio.subprocess.PIPE
    ours, theirs = os.openpty() if terminal else (None, pipe)
    process = await asyncio.create_subprocess_exec(
        *command("serve", "--port", "0", *arguments),
        stdout=theirs,
        stderr=pipe,
        env={**os.environ, **env},
    )
    try:
        async with asyncio.timeout(PATIENCE):
            assert process.stderr
            if ours is None:
                assert process.stdout
                out = process.stdout
            else:
                os.close(theirs)
                out = await _reader(ours)
            url = (await line_with(out, "API")).split()[1].removesuffix("/v1")
            yield Started(url, out, process.stderr, process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _reader(terminal: int) -> asyncio.StreamReader:
    """A reader of what is written on a terminal."""
    reader = asyncio.StreamReader()
    pipe = os.fdopen(terminal, "rb", buffering=0)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
    return reader
