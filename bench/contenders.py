"""Who is measured: how each server is started, and how it is asked for 200 tokens.

What is not installed is left out, and the table says so.
"""

import json
import os
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.process import SERVER_CORE, Process, ask, free_port, running

HERE = Path(__file__).parent
OTHERS = Path(os.environ.get("BENCH_OTHERS", HERE / ".others"))
"""Where other servers are installed (make bench-others): npm and PyPI packages, not committed."""
AIMOCK = OTHERS / "npm/node_modules/@copilotkit/aimock"
TOKENS = 200
WORDS = (HERE / "words.txt").read_text().split()


def text(tokens: int = TOKENS, seed: int = 1, words: Sequence[str] = WORDS) -> str:
    """A text of about so many tokens: common words, one token each."""
    dice = random.Random(seed)
    return " ".join(dice.choice(words) for _ in range(tokens))


def chat(content: str = "Tell me about the sea.", **more: object) -> str:
    """The body of a request."""
    return json.dumps(
        {"model": "bench", "messages": [{"role": "user", "content": content}], **more}
    )


STREAM, BLOCKING = chat(stream=True), chat()
LIMITED = chat(stream=True, max_tokens=TOKENS, ignore_eos=True)
"""For servers that write until they are told to stop."""
FRESH = [
    chat(f"Tell me about {text(4, seed)}, and about {text(3, seed + 5000)}, please.",
         stream=True, max_tokens=TOKENS, ignore_eos=True)
    for seed in range(1000)
]  # fmt: skip
"""The same of prompts that no server has seen."""


@dataclass(frozen=True)
class Contender:
    """How to start a server, and the request that it answers with a stream of 200 tokens."""

    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    body: str = STREAM
    before: tuple[str, str] | None = None
    """Path and body of a request that tells a started server what to say."""


Start = Callable[[int], Contender]
"""Makes a contender that listens on a port."""


@contextmanager
def started(start: Start, cores: frozenset[int] = frozenset({SERVER_CORE})) -> Iterator[Process]:
    """A server that has begun to answer its first request."""
    port = free_port()
    contender = start(port)
    with running(Process(contender.command, port, contender.environment, cores)) as server:
        server.ready = server.wait(contender.body)
        if contender.before:
            path, body = contender.before
            ask(port, body, path)
        yield server


class Bench:
    """The contenders of a run, with the files they send."""

    def __init__(self, folder: Path, tokens: int = TOKENS) -> None:
        self.folder = folder
        self.text = text(tokens)
        self.script = folder / f"script-{tokens}.txt"
        self.script.write_text(self.text)
        self.stream = folder / f"stream-{tokens}.txt"
        self.whole = folder / f"whole-{tokens}.json"
        # tokenlap says the text once, so that the baselines send the very same bytes.
        with started(self.tokenlap) as server:
            streamed = ask(server.port, STREAM).partition(b"\r\n\r\n")[2]
            self.stream.write_bytes(re.sub(rb"(?m)^[0-9a-f]+\r\n|\r\n", b"", streamed))
            self.whole.write_bytes(ask(server.port, BLOCKING).partition(b"\r\n\r\n")[2])

    def tokenlap(
        self, port: int, *flags: str, model: str | None = None, latency: str = "none"
    ) -> Contender:
        model = model or f"script:{self.script}"
        return Contender(
            [sys.executable, "-m", "tokenlap", "serve", "--port", str(port), "--model", model,
             "--latency", latency, "--log", "off", *flags],
            body=LIMITED if model == "tokenlap" else STREAM,
        )  # fmt: skip

    def baseline(self, app: str, port: int, ttft: float = 0.0, itl: float = 0.0) -> Contender:
        files = {"BENCH_STREAM": str(self.stream), "BENCH_WHOLE": str(self.whole)}
        waits = {"BENCH_TTFT": str(ttft), "BENCH_ITL": str(itl)}
        command = [
            sys.executable, "-m", "uvicorn", f"bench.servers.{app}:app", "--port", str(port),
            "--log-level", "error", "--no-access-log", "--loop", "uvloop", "--http", "httptools",
            "--app-dir", str(HERE.parent),
        ]  # fmt: skip
        return Contender(command, {**files, **waits})

    def others(self, itl: float = 0.0) -> dict[str, Start]:
        """The installed servers of others by name; itl: seconds between two events."""
        pause = str(round(itl * 1000))
        starts: dict[str, tuple[Path, Start]] = {
            "aimock": (AIMOCK, partial(self._aimock, pause)),
            "stubllm": (script("stubllm"), partial(self._stubllm, pause)),
            "xpyd-sim": (script("xpyd-sim"), partial(_xpyd_sim, pause)),
            "llmock": (script("llmock"), partial(self._llmock, pause)),
        }
        return {name: start for name, (path, start) in starts.items() if path.exists()}

    def _aimock(self, pause: str, port: int) -> Contender:
        """Node; prepared text in slices of 5 characters, about a token."""
        fixtures = self.folder / f"aimock-{pause}.json"
        match, response = {"userMessage": "sea"}, {"content": self.text}
        fixtures.write_text(json.dumps({"fixtures": [{"match": match, "response": response}]}))
        return Contender(
            ["node", str(AIMOCK / "dist/cli.js"), "-p", str(port), "-f", str(fixtures), "-c", "5",
             "-l", pause, "--log-level", "silent", "--journal-max", "10"]
        )  # fmt: skip

    def _stubllm(self, pause: str, port: int) -> Contender:
        """FastAPI; prepared text in words of at most 4 characters, their blank counted."""
        fixtures = self.folder / f"stubllm-{pause}.json"
        content = text(words=[word for word in WORDS if len(word) == 3])
        response = {"content": content, "stream_chunk_delay_ms": int(pause)}
        fixtures.write_text(json.dumps({"fixtures": [{"name": "sea", "response": response}]}))
        return Contender(
            [str(script("stubllm")), "serve", "--port", str(port), "--fixture-file", str(fixtures),
             "--log-level", "error"]
        )  # fmt: skip

    def _llmock(self, pause: str, port: int) -> Contender:
        """FastAPI; a scripted reply in words, since what it says by itself is shorter."""
        reply = {"type": "reply", "text": self.text, "times": None}
        return Contender(
            [str(script("llmock")), "serve", "--port", str(port), "--log-level", "error",
             "--stream-chunk-delay-ms", pause],
            before=("/_llmock/scenario", json.dumps({"behaviors": [reply]})),
        )  # fmt: skip


def _xpyd_sim(pause: str, port: int) -> Contender:
    """FastAPI; a sentence over and over, as many words as asked for."""
    return Contender(
        [str(script("xpyd-sim")), "serve", "--port", str(port), "--prefill-delay-ms", pause,
         "--kv-transfer-delay-ms", "0", "--decode-delay-per-token-ms", pause],
        body=LIMITED,
    )  # fmt: skip


def script(package: str) -> Path:
    """The command of a PyPI package that has a virtual environment of its own."""
    return OTHERS / package / "bin" / package


def version_of(package: str) -> str:
    """What is installed in such an environment."""
    found = (OTHERS / package).glob(f"lib/*/site-packages/{package.replace('-', '_')}-*.dist-info")
    return next(found).name.removesuffix(".dist-info").rpartition("-")[2]
