"""Who is measured: how each server is started, and how it is asked for 200 tokens.

Each entry makes a command from a port. What is not installed is left out, and the table says so.
"""

import json
import os
import random
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bench.process import ask, free_port, started

HERE = Path(__file__).parent
OTHERS = Path(os.environ.get("BENCH_OTHERS", HERE / ".others"))
"""Where other servers are installed (make bench-others): npm and PyPI packages, not committed."""
TOKENS = 200
WORDS = (HERE / "words.txt").read_text().split()


def text(tokens=TOKENS, seed=1):
    """A text of about so many tokens: common words, one token each."""
    dice = random.Random(seed)
    return " ".join(dice.choice(WORDS) for _ in range(tokens))


def chat(content="Tell me about the sea.", **more):
    return json.dumps(
        {"model": "bench", "messages": [{"role": "user", "content": content}], **more}
    )


@dataclass(frozen=True)
class Contender:
    command: list
    environment: dict = field(default_factory=dict)


def uvicorn(app, port):
    return [
        sys.executable, "-m", "uvicorn", app, "--port", str(port), "--log-level", "error",
        "--no-access-log", "--loop", "uvloop", "--http", "httptools", "--app-dir", str(HERE.parent),
    ]  # fmt: skip


class Bench:
    """The contenders of a run, with the files they send."""

    def __init__(self, folder, tokens=TOKENS):
        self.folder = Path(folder)
        self.text = text(tokens)
        self.script = self.folder / f"script-{tokens}.txt"
        self.script.write_text(self.text)
        self.stream = self.folder / f"stream-{tokens}.txt"
        self.whole = self.folder / f"whole-{tokens}.json"
        self._record()

    def _record(self):
        """Let tokenlap say the text once, so that the baselines send the very same bytes."""
        port = free_port()
        with started(self.tokenlap(port), port) as server:
            server.wait(chat())
            streamed = ask(port, chat(stream=True)).partition(b"\r\n\r\n")[2]
            self.stream.write_bytes(re.sub(rb"(?m)^[0-9a-f]+\r\n|\r\n", b"", streamed))
            self.whole.write_bytes(ask(port, chat()).partition(b"\r\n\r\n")[2])

    def tokenlap(self, port, *flags, model=None, latency="none"):
        model = model or f"script:{self.script}"
        return Contender(
            [sys.executable, "-m", "tokenlap", "serve", "--port", str(port), "--model", model,
             "--latency", latency, "--log", "off", *flags]
        )  # fmt: skip

    def baseline(self, app, port, ttft=0.0, itl=0.0):
        files = {"BENCH_STREAM": str(self.stream), "BENCH_WHOLE": str(self.whole)}
        waits = {"BENCH_TTFT": str(ttft), "BENCH_ITL": str(itl)}
        return Contender(uvicorn(f"bench.servers.{app}:app", port), {**files, **waits})

    def aimock(self, port, latency=0):
        """Node; prepared text in slices of 5 characters, about a token."""
        fixtures = self.folder / "aimock.json"
        match, response = {"userMessage": "sea"}, {"content": self.text}
        fixtures.write_text(json.dumps({"fixtures": [{"match": match, "response": response}]}))
        return Contender(
            ["node", str(AIMOCK), "-p", str(port), "-f", str(fixtures), "-c", "5",
             "-l", str(latency), "--log-level", "silent", "--journal-max", "10"]
        )  # fmt: skip

    def llmock(self, port):
        """FastAPI; repeats the prompt in words."""
        return Contender(
            [str(LLMOCK), "serve", "--port", str(port), "--log-level", "error", "--response-style",
             "echo"]
        )  # fmt: skip


AIMOCK = OTHERS / "npm/node_modules/@copilotkit/aimock/dist/cli.js"
LLMOCK = OTHERS / "llmock/bin/llmock"
