"""What is measured of growth: memory by stream, cost by length, events by core."""

import socket
import time
from collections.abc import Mapping
from functools import partial

from bench.contenders import FRESH, STREAM, Bench, Contender, Start, chat, started, text
from bench.load import ITL, TTFT, Run, Table, interleaved, loaded
from bench.process import CLIENT_CORE, SERVER_CORE


def memory(bench: Bench, rounds: int) -> Table:
    """(e) KB of memory per open stream, 500 streams."""
    return interleaved(
        rounds,
        {
            "raw ASGI": partial(_memory, partial(bench.baseline, "raw", ttft=TTFT, itl=ITL)),
            "tokenlap": partial(_memory, partial(bench.tokenlap, latency="natural")),
        },
        "kb",
    )


def _memory(start: Start, streams: int = 500) -> Mapping[str, float]:
    with started(start) as server:
        server.load(connections=16, requests=16, bodies=[STREAM])
        before = server.memory()
        head = "POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-length: "
        asked = f"{head}{len(STREAM)}\r\n\r\n{STREAM}".encode()
        opened = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(streams)]
        for connection in opened:
            connection.sendall(asked)
        time.sleep(2)
        grown = server.memory() - before
        for connection in opened:
            connection.close()
    return {"kb": grown / streams / 1024}


def growth(bench: Bench, rounds: int) -> Table:
    """(g) Growth with the length of the reply, of the prompt, and the number of streams."""
    long = Bench(bench.folder, 2000)
    ngram = partial(bench.tokenlap, model="tokenlap")
    by_event: dict[str, Run] = {
        "reply of 200": partial(loaded, bench.tokenlap, connections=16, requests=400),
        "reply of 2,000": partial(loaded, long.tokenlap, warm=10, connections=16, requests=60),
        "256 streams": partial(loaded, bench.tokenlap, connections=256, requests=1000),
        "prompt of 80": partial(_decoded, ngram, text(80, 2)),
        "prompt of 8,000": partial(_decoded, ngram, text(8000, 3)),
    }
    prompts = {"80": text(80, 2), "8,000": text(8000, 3), "100,000": text(100_000, 4)}
    first: dict[str, Run] = {
        f"first token, prompt of {name}": partial(_first_token, ngram, prompt)
        for name, prompt in prompts.items()
    }
    return {
        **interleaved(rounds, by_event, "us_per_event"),
        **interleaved(rounds, first, "ttft_ms"),
    }


def _first_token(start: Start, prompt: str) -> Mapping[str, float]:
    bodies = [chat(f"{i} {prompt}", stream=True, max_tokens=2) for i in range(5)]
    return loaded(start, bodies, warm=0, connections=1, requests=5)


def _decoded(start: Start, prompt: str, tokens: int = 2000, asked: int = 12) -> Mapping[str, float]:
    """CPU per event of long replies, less what replies of one token to the same prompts cost."""
    costs = [
        loaded(
            start,
            [chat(f"{i} {prompt}", stream=True, max_tokens=limit, ignore_eos=True)
             for i in range(asked + 4)],
            warm=4, connections=4, requests=asked,
        )["us_per_request"]
        for limit in (1, tokens)
    ]  # fmt: skip
    return {"us_per_event": (costs[1] - costs[0]) / tokens}


def workers(bench: Bench, rounds: int) -> Table:
    """Events a second of two workers on two cores, and of one; the n-gram, fresh prompts."""
    ngram = partial(bench.tokenlap, model="tokenlap")
    runs: dict[str, Run] = {
        f"{count} worker{'s' * (count > 1)}": partial(_worked, ngram, count) for count in (1, 2)
    }
    return interleaved(rounds, runs, "events_per_s")


def _worked(ngram: partial[Contender], count: int) -> Mapping[str, float]:
    both = frozenset({SERVER_CORE, CLIENT_CORE})
    with started(lambda port: ngram(port, "--workers", str(count)), cores=both) as server:
        time.sleep(2)  # all of them
        server.load(connections=32, requests=100, bodies=FRESH[:100])
        told = server.load(connections=32, requests=600, bodies=FRESH[100:])
    return {"events_per_s": told["events"] / told["wall"]}
