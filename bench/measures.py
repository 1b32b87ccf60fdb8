"""What is measured: CPU per event and per request, and what a stream waits for.

Each measure takes the contenders' files and a number of rounds, and returns a table.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from threading import Thread

from bench.client import at
from bench.contenders import BLOCKING, FRESH, STREAM, Bench, Start, chat, started, text
from bench.grown import growth, memory, workers
from bench.load import ITL, TTFT, Run, Table, alike, interleaved, loaded
from bench.process import ask, first_event

SENT = ("us_per_event", "events", "bytes")


def zero_delay(bench: Bench, rounds: int) -> Table:
    """(a) CPU per event, nothing waits, 16 connections, 200 tokens a stream."""
    ngram: Start = partial(bench.tokenlap, model="tokenlap")
    contenders: dict[str, Run] = {
        "raw ASGI": _flat_out(partial(bench.baseline, "raw")),
        "tokenlap, scripted": _flat_out(bench.tokenlap),
        "tokenlap, n-gram, same prompt": _flat_out(ngram, requests=1000),
        "tokenlap, n-gram, fresh prompts": _flat_out(ngram, FRESH, requests=600),
        "FastAPI, StreamingResponse": _flat_out(partial(bench.baseline, "minimal")),
    }
    for name, start in bench.others().items():
        few = 150 if name in ("llmock", "xpyd-sim") else 600  # they take ten times as long
        contenders[name] = _flat_out(start, requests=few)
    return interleaved(rounds, contenders, *SENT)


def _flat_out(start: Start, bodies: tuple[str, ...] | list[str] = (), requests: int = 3000) -> Run:
    return lambda: alike(loaded(start, bodies, connections=16, requests=requests))


def paced(bench: Bench, rounds: int) -> Table:
    """(b) CPU per event, 500 streams of 50 tokens/s, TTFT 200 ms."""
    natural = partial(bench.tokenlap, latency="natural")
    starts: dict[str, tuple[Start, list[str]]] = {
        "raw ASGI with deadlines": (partial(bench.baseline, "raw", ttft=TTFT, itl=ITL), []),
        "tokenlap, scripted": (natural, []),
        "tokenlap, n-gram, fresh prompts": (partial(natural, model="tokenlap"), FRESH),
    }
    for name, start in bench.others(itl=ITL).items():
        if name not in ("llmock", "xpyd-sim"):  # 25,000 events a second are more than they can do
            starts[name] = (start, [])
    return interleaved(
        rounds,
        {name: partial(_paced, start, 500, bodies) for name, (start, bodies) in starts.items()},
        *SENT, "span_ms", "gap_p99_ms",
    )  # fmt: skip


def _paced(start: Start, streams: int, bodies: list[str]) -> Mapping[str, float]:
    row = loaded(start, bodies, warm=0, connections=streams, requests=streams, ramp=1.0)
    return alike(row)


def requests(bench: Bench, rounds: int) -> Table:
    """(c) CPU of a request: streams of one token and of 200, and a blocking answer of 200."""
    short = Bench(bench.folder, 1)
    raw = partial(bench.baseline, "raw")
    many = partial(loaded, connections=16, requests=3000)
    return interleaved(
        rounds,
        {
            "raw ASGI, one token": partial(many, partial(short.baseline, "raw")),
            "tokenlap, one token": partial(many, short.tokenlap),
            "raw ASGI, streamed": partial(many, raw),
            "tokenlap, streamed": partial(many, bench.tokenlap),
            "FastAPI, blocking": partial(many, partial(bench.baseline, "minimal"), [BLOCKING]),
            "tokenlap, blocking": partial(many, bench.tokenlap, [BLOCKING]),
        },
        "us_per_request",
    )


def newcomer(bench: Bench, rounds: int) -> Table:
    """TTFT of one stream more while 16 connections take streams of 2,000 tokens, flat out."""
    long = Bench(bench.folder, 2000)
    endless = [chat(f"{seed} {text(6, seed)}", stream=True, max_tokens=2000, ignore_eos=True)
               for seed in range(1000)]  # fmt: skip
    ngram: Start = partial(long.tokenlap, model="tokenlap")
    return interleaved(
        rounds,
        {
            "raw ASGI": partial(_arrive, partial(long.baseline, "raw"), [STREAM] * 2),
            "tokenlap, scripted": partial(_arrive, long.tokenlap, [STREAM] * 2),
            "tokenlap, n-gram, fresh prompts": partial(_arrive, ngram, endless),
        },
        "ttft_p50_ms", "ttft_p99_ms",
    )  # fmt: skip


def _arrive(start: Start, bodies: list[str]) -> Mapping[str, float]:
    """bodies: what the newcomers ask for comes last."""
    with started(start) as server:
        seconds = 4.0
        load = Thread(
            target=partial(server.load, connections=16, seconds=seconds, bodies=bodies[:-1])
        )
        load.start()
        time.sleep(1)
        taken, ends = [], time.perf_counter() + seconds - 1.5
        while time.perf_counter() < ends:
            taken.append(first_event(server.port, bodies[-1]) * 1000)
            time.sleep(0.02)
        load.join()
    return {"ttft_p50_ms": statistics.median(taken), "ttft_p99_ms": at(sorted(taken), 0.99)}


def punctuality(bench: Bench, rounds: int) -> Table:
    """(d) Drift of a 4 s stream and p99 gap at 1 and 50 streams; those of 500 are `paced`'s."""
    raw = partial(bench.baseline, "raw", ttft=TTFT, itl=ITL)
    natural = partial(bench.tokenlap, latency="natural")
    return interleaved(
        rounds,
        {
            f"{name}, {streams}": partial(_paced, start, streams, [])
            for streams in (1, 50)
            for name, start in {"raw ASGI": raw, "tokenlap": natural}.items()
        },
        "span_ms", "gap_p99_ms",
    )  # fmt: skip


def start_up(bench: Bench, rounds: int) -> Table:
    """(f) Milliseconds from the start of the process to the first event of a stream."""
    starts: dict[str, Start] = {
        "minimal FastAPI": partial(bench.baseline, "minimal"),
        "tokenlap, default model": partial(bench.tokenlap, model="tokenlap"),
        **{name: start for name, start in bench.others().items() if name == "aimock"},
    }
    runs = {name: partial(_start, start) for name, start in starts.items()}
    return interleaved(3 * rounds, runs, "ms")  # one start varies by a tenth


def _start(start: Start) -> Mapping[str, float]:
    with started(start) as server:
        return {"ms": server.ready * 1000}


def health(bench: Bench, rounds: int) -> Table:
    """Milliseconds of /health while 1,000 streams of 25 tokens/s run, all of them begun."""
    start = partial(bench.tokenlap, latency="natural")
    contender = {"tokenlap": partial(_health, lambda port: start(port, "--itl", "40ms"))}
    return interleaved(1, contender, "median_ms", "slowest_ms")


def _health(start: Start) -> Mapping[str, float]:
    with started(start) as server:
        asked = {"connections": 1000, "requests": 1000, "ramp": 4.0, "bodies": [STREAM]}
        load = Thread(target=partial(server.load, **asked))
        load.start()
        time.sleep(5.5)
        taken = []
        for _ in range(50):
            began = time.perf_counter()
            ask(server.port, "", "/health", "GET")
            taken.append((time.perf_counter() - began) * 1000)
            time.sleep(0.02)
        load.join()
    return {"median_ms": statistics.median(taken), "slowest_ms": max(taken)}


MEASURES: dict[str, Callable[[Bench, int], Table]] = {
    "zero delay": zero_delay,
    "paced": paced,
    "requests": requests,
    "newcomer": newcomer,
    "punctuality": punctuality,
    "memory": memory,
    "start-up": start_up,
    "growth": growth,
    "workers": workers,
    "health": health,
}
