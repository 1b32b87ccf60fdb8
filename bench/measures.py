"""What is measured. Each measure returns one row per contender: numbers by name.

A measure is run several times, all its contenders one after the other each time, so that what else
the machine does hits all of them alike; only ratios within a measure mean anything.
"""

import socket
import statistics
import time
from threading import Thread

from bench.contenders import AIMOCK, LLMOCK, TOKENS, Bench, chat, text
from bench.process import CLIENT_CORE, SERVER_CORE, ask, free_port, started

ITL, TTFT = 0.02, 0.2
FRESH = [
    chat(f"Tell me about {text(4, seed)}, and about {text(3, seed + 5000)}, please.",
         stream=True, max_tokens=TOKENS, ignore_eos=True)
    for seed in range(3000)
]  # fmt: skip
STREAM, BLOCKING = chat(stream=True), chat()


def loaded(contender_of, bodies, warm=50, **load):
    """One run of a server: its load's summary."""
    port = free_port()
    with started(contender_of(port), port) as server:
        server.wait(STREAM)
        if warm:
            server.load(connections=16, requests=warm, bodies=bodies[:warm])
        fresh = bodies[warm:] or bodies
        told = server.load(bodies=fresh, **load)
    told["us_per_event"] = told["cpu"] / max(1, told["events"]) * 1e6
    told["us_per_request"] = told["cpu"] / told["requests"] * 1e6
    return told


def interleaved(rounds, contenders, column):
    """Medians of `column` over rounds, by contender. contenders: name to a function of one run."""
    seen = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            seen[name].append(run()[column])
            print(f"    {name:34} {seen[name][-1]:10.2f}", flush=True)
    return {name: statistics.median(values) for name, values in seen.items()}


def zero_delay(bench, rounds):
    """(a) CPU per event, nothing waits, 16 connections, 200 tokens a stream."""
    load = {"connections": 16, "requests": 1000}
    ngram = lambda port: bench.tokenlap(port, model="tokenlap")  # noqa: E731
    written = [chat(stream=True, max_tokens=TOKENS, ignore_eos=True)]
    contenders = {
        "raw ASGI": lambda: loaded(lambda p: bench.baseline("raw", p), [STREAM], **load),
        "tokenlap, scripted": lambda: loaded(bench.tokenlap, [STREAM], **load),
        "tokenlap, n-gram, same prompt": lambda: loaded(ngram, written, **load),
        "tokenlap, n-gram, fresh prompts": lambda: loaded(ngram, FRESH, **load),
        "FastAPI, StreamingResponse": lambda: loaded(
            lambda p: bench.baseline("minimal", p), [STREAM], **load
        ),
    }
    if AIMOCK.exists():
        contenders["aimock"] = lambda: loaded(bench.aimock, [STREAM], **load)
    if LLMOCK.exists():
        echoed = [chat(bench.text, stream=True)]
        contenders["llmock"] = lambda: loaded(
            bench.llmock, echoed, warm=5, connections=16, requests=50
        )
    return interleaved(rounds, contenders, "us_per_event")


def paced(bench, rounds):
    """(b) CPU per event, 500 streams of 50 tokens/s, TTFT 200 ms."""
    load = {"connections": 500, "requests": 500, "ramp": 1.0, "warm": 0}
    contenders = {
        "raw ASGI with deadlines": lambda: loaded(
            lambda p: bench.baseline("raw", p, TTFT, ITL), [STREAM], **load
        ),
        "tokenlap, scripted": lambda: loaded(
            lambda p: bench.tokenlap(p, latency="natural"), [STREAM], **load
        ),
    }
    if AIMOCK.exists():
        contenders["aimock"] = lambda: loaded(
            lambda p: bench.aimock(p, latency=20), [STREAM], **load
        )
    return interleaved(rounds, contenders, "us_per_event")


def requests(bench, rounds):
    """(c) CPU of a request: a stream of one token, and a blocking answer of 200."""
    short = Bench(bench.folder, 1)
    load = {"connections": 16, "requests": 2000}
    return interleaved(
        rounds,
        {
            "raw ASGI, one token": lambda: loaded(
                lambda p: short.baseline("raw", p), [STREAM], **load
            ),
            "tokenlap, one token": lambda: loaded(short.tokenlap, [STREAM], **load),
            "FastAPI, blocking": lambda: loaded(
                lambda p: bench.baseline("minimal", p), [BLOCKING], **load
            ),
            "tokenlap, blocking": lambda: loaded(bench.tokenlap, [BLOCKING], **load),
        },
        "us_per_request",
    )


def punctuality(bench, rounds):
    """(d) Drift of a 4 s stream (ms, against the plan) and p99 gap (ms; the plan is 20)."""
    rows = {}
    for streams in (1, 50, 500):
        load = {"connections": streams, "requests": streams, "ramp": 1.0, "warm": 0}
        for name, contender in (
            ("raw ASGI", lambda p: bench.baseline("raw", p, TTFT, ITL)),
            ("tokenlap", lambda p: bench.tokenlap(p, latency="natural")),
        ):
            told = [loaded(contender, [STREAM], **load) for _ in range(rounds)]
            drift = statistics.median(run["span_p50"] for run in told) - TOKENS * ITL
            gap = statistics.median(run["gap_p99"] for run in told)
            rows[f"{name}, {streams} streams: drift ms"] = drift * 1000
            rows[f"{name}, {streams} streams: p99 gap ms"] = gap * 1000
            print(f"    {name:20} {streams:4} {drift * 1000:8.2f} {gap * 1000:8.2f}", flush=True)
    return rows


def memory(bench, rounds):
    """(e) KB of memory per open stream, 500 streams."""
    return interleaved(
        rounds,
        {
            "raw ASGI": lambda: _memory(lambda p: bench.baseline("raw", p, TTFT, ITL)),
            "tokenlap": lambda: _memory(lambda p: bench.tokenlap(p, latency="natural")),
        },
        "kb",
    )


def _memory(contender_of, streams=500):
    port = free_port()
    with started(contender_of(port), port) as server:
        server.wait(STREAM)
        server.load(connections=16, requests=32, bodies=[STREAM])
        before = server.memory()
        head = "POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-length: "
        asked = f"{head}{len(STREAM)}\r\n\r\n{STREAM}".encode()
        opened = [socket.create_connection(("127.0.0.1", port)) for _ in range(streams)]
        for connection in opened:
            connection.sendall(asked)
        time.sleep(2)
        grown = server.memory() - before
        for connection in opened:
            connection.close()
    return {"kb": grown / streams / 1024}


def start_up(bench, rounds):
    """(f) Milliseconds from the start of the process to the first completion."""
    contenders = {
        "minimal FastAPI": lambda: _start(lambda p: bench.baseline("minimal", p), STREAM),
        "tokenlap, default model": lambda: _start(
            lambda p: bench.tokenlap(p, model="tokenlap"), STREAM
        ),
    }
    if AIMOCK.exists():
        contenders["aimock"] = lambda: _start(bench.aimock, STREAM)
    return interleaved(rounds, contenders, "ms")


def _start(contender_of, body):
    port = free_port()
    with started(contender_of(port), port) as server:
        return {"ms": server.wait(body) * 1000}


def growth(bench, rounds):
    """(g) Growth with the length of the reply, of the prompt, and the number of streams."""
    long = Bench(bench.folder, 2000)
    words = text(8000, 3)
    load = {"connections": 16, "requests": 400}
    per_event = interleaved(
        rounds,
        {
            "200 tokens": lambda: loaded(bench.tokenlap, [STREAM], **load),
            "2,000 tokens": lambda: loaded(
                long.tokenlap, [STREAM], connections=16, requests=60, warm=10
            ),
            "256 streams": lambda: loaded(bench.tokenlap, [STREAM], connections=256, requests=1000),
        },
        "us_per_event",
    )
    rows = {f"us per event, {name}": value for name, value in per_event.items()}
    for name, prompt in (("80", text(80, 2)), ("8,000", words), ("100,000", text(100_000, 4))):
        rows[f"ms to first token, prompt of {name}"] = _first_token(bench, prompt) * 1000
    rows["us per token of 2,000, prompt of 80"] = _decode(long, text(80, 2))
    rows["us per token of 2,000, prompt of 8,000"] = _decode(long, words)
    return rows


def _first_token(bench, prompt):
    port = free_port()
    with started(bench.tokenlap(port, model="tokenlap"), port) as server:
        server.wait(STREAM)
        bodies = [chat(f"{i} {prompt}", stream=True, max_tokens=2) for i in range(5)]
        return server.load(connections=1, requests=5, bodies=bodies)["ttft_p50"]


def _decode(bench, prompt):
    """CPU per event of a long reply, less what a reply of one token to the same prompt costs."""
    one = loaded(
        bench.tokenlap,
        [chat(prompt, stream=True, max_tokens=1)],
        warm=5,
        connections=4,
        requests=40,
    )
    all_ = loaded(bench.tokenlap, [chat(prompt, stream=True)], warm=5, connections=4, requests=40)
    return (all_["us_per_request"] - one["us_per_request"]) / 2000


def workers(bench, rounds):
    """Events a second of two workers on two cores, and of one; the n-gram, fresh prompts."""
    rows = {}
    for count in (1, 2):
        seen = []
        for _ in range(rounds):
            port = free_port()
            contender = bench.tokenlap(port, "--workers", str(count), model="tokenlap")
            with started(contender, port, cores=frozenset({SERVER_CORE, CLIENT_CORE})) as server:
                server.wait(STREAM)
                time.sleep(2)  # all of them
                server.load(connections=32, requests=100, bodies=FRESH[:100])
                told = server.load(connections=32, requests=600, bodies=FRESH[100:])
                seen.append(told["events"] / told["wall"])
        rows[f"{count} worker{'s' * (count > 1)}: events a second"] = statistics.median(seen)
    return rows


def health(bench, rounds):
    """Milliseconds of /health while 1,000 streams of 25 tokens/s run, all of them begun."""
    port = free_port()
    with started(bench.tokenlap(port, "--itl", "40ms", latency="natural"), port) as server:
        server.wait(STREAM)
        asked = {"connections": 1000, "requests": 1000, "ramp": 4.0, "bodies": [STREAM]}
        load = Thread(target=lambda: server.load(**asked))
        load.start()
        time.sleep(5.5)
        taken = []
        for _ in range(50):
            began = time.perf_counter()
            ask(port, "", "/health", "GET")
            taken.append(time.perf_counter() - began)
            time.sleep(0.02)
        load.join()
    slowest = max(taken) * 1000
    return {"median ms": statistics.median(taken) * 1000, "slowest ms": slowest}


MEASURES = {
    "zero delay": zero_delay,
    "paced": paced,
    "requests": requests,
    "punctuality": punctuality,
    "memory": memory,
    "start-up": start_up,
    "growth": growth,
    "workers": workers,
    "health": health,
}
