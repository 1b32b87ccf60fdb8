"""A load generator that is cheaper than any server it loads: sockets, counters, time stamps.

    python -m bench.client <<< '{"port": 8000, "connections": 16, "requests": 400, "bodies": [...]}'

Each connection sends one request after the other (keep-alive) until `requests` are done, or none
begins after `seconds`; bodies are used in turn. `ramp`: seconds over which the connections begin.
Prints one JSON object.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from typing import Any, NamedTuple, cast


class Answer(NamedTuple):
    """What came to one request: `data:` lines, bytes of the body, and seconds since it was sent."""

    events: int
    size: int
    seconds: float
    times: list[float]
    """One for each read that brought events."""


class Connection(asyncio.Protocol):
    """Sends requests on one connection and notes when their events come."""

    def __init__(self, load: dict[str, Any], numbers: Iterator[int], began: float) -> None:
        self.load, self.numbers = load, numbers
        self.ends = began + load["seconds"] if "seconds" in load else float("inf")
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.answers: list[Answer] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.ask()

    def ask(self) -> None:
        number = next(self.numbers)
        if number >= self.load.get("requests", float("inf")) or time.perf_counter() > self.ends:
            self.transport.close()
            if not self.done.done():
                self.done.set_result(None)
            return
        body = self.load["bodies"][number % len(self.load["bodies"])].encode()
        self.times: list[float] = []
        self.events, self.size, self.tail = 0, 0, b""
        self.head: bytes | None = b""
        self.length: int | None = None
        self.began = time.perf_counter()
        self.transport.write(
            b"POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\n"
            b"content-type: application/json\r\nauthorization: Bearer sk-bench\r\n"
            b"content-length: %d\r\n\r\n%b" % (len(body), body)
        )

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        if self.head is not None:
            self.head += data
            if b"\r\n\r\n" not in self.head:
                return
            head, _, data = self.head.partition(b"\r\n\r\n")
            self.head = None
            self._read_head(head, data)
        self.size += len(data)
        # The chunk size before an event may stand at the end of the read before.
        events = (self.tail + data).count(b"data: ") - self.tail.count(b"data: ")
        self.tail = (self.tail + data)[-7:]
        if events:
            self.events += events
            self.times.append(now - self.began)
        if (
            self.size >= self.length
            if self.length is not None
            else self.tail.endswith(b"0\r\n\r\n")
        ):
            self.answers.append(Answer(self.events, self.size, now - self.began, self.times))
            self.ask()

    def _read_head(self, head: bytes, data: bytes) -> None:
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"not a 200: {head.decode()} {data.decode()}")
        lower = head.lower()
        if b"content-length:" in lower:
            self.length = int(lower.split(b"content-length:")[1].split(b"\r\n")[0])

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("closed by the server"))


async def run(load: dict[str, Any]) -> dict[str, float]:
    loop = asyncio.get_running_loop()
    numbers = count()
    connections: list[Connection] = []
    began = time.perf_counter()
    for number in range(load["connections"]):
        due = began + load.get("ramp", 0) * number / load["connections"]
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        _, connection = await loop.create_connection(
            lambda: Connection(load, numbers, began), "127.0.0.1", load["port"]
        )
        connections.append(connection)
    await asyncio.gather(*(connection.done for connection in connections))
    wall = time.perf_counter() - began
    return summary([answer for connection in connections for answer in connection.answers], wall)


def summary(answers: Sequence[Answer], wall: float) -> dict[str, float]:
    """Counts, and seconds at the median and the 99th percentile, 0 where nothing came twice."""
    streams = [answer.times for answer in answers if answer.times]
    gaps = sorted(b - a for times in streams for a, b in pairwise(times))
    ttfts = sorted(times[0] for times in streams)
    # From the first to the last event, so the set-up of the request is not in it.
    spans = sorted(times[-1] - times[0] for times in streams)
    return {
        "events": sum(answer.events for answer in answers),
        "bytes": sum(answer.size for answer in answers),
        "requests": len(answers),
        "wall": wall,
        "ttft_p50": at(ttfts, 0.5),
        "gap_p99": at(gaps, 0.99),
        "span_p50": at(spans, 0.5),
    }


def at(values: Sequence[float], share: float) -> float:
    """The value below which a share of the sorted values lies; 0 of none."""
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


if __name__ == "__main__":
    try:
        import uvloop
    except ImportError:
        pass
    else:
        uvloop.install()
    print(json.dumps(asyncio.run(run(json.load(sys.stdin)))))
