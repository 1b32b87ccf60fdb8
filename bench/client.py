"""A load generator that is cheaper than any server it loads: sockets, counters, time stamps.

    python -m bench.client <<< '{"port": 8000, "connections": 16, "requests": 400, "bodies": [...]}'

Each connection sends one request after the other (keep-alive) until `requests` are done; bodies are
used in turn. `ramp`: seconds over which the connections begin. Prints one JSON object.
"""

import asyncio
import json
import sys
import time
from itertools import count, pairwise


class Connection(asyncio.Protocol):
    """Sends requests on one connection and notes when their events come."""

    def __init__(self, load, numbers):
        self.load, self.numbers = load, numbers
        self.done = asyncio.get_running_loop().create_future()
        self.results = []

    def connection_made(self, transport):
        self.transport = transport
        self.ask()

    def ask(self):
        number = next(self.numbers)
        if number >= self.load["requests"]:
            self.transport.close()
            if not self.done.done():
                self.done.set_result(None)
            return
        body = self.load["bodies"][number % len(self.load["bodies"])].encode()
        self.times, self.events, self.size, self.head = [], 0, 0, b""
        self.length = None
        self.tail = b""
        self.began = time.perf_counter()
        headers = "".join(f"{k}: {v}\r\n" for k, v in self.load.get("headers", {}).items())
        path = self.load.get("path", "/v1/chat/completions")
        self.transport.write(
            f"POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
            f"authorization: Bearer sk-bench\r\n{headers}"
            f"content-length: {len(body)}\r\n\r\n".encode()
            + body
        )

    def data_received(self, data):
        now = time.perf_counter()
        if self.head is not None:
            self.head += data
            if b"\r\n\r\n" not in self.head:
                return
            head, _, data = self.head.partition(b"\r\n\r\n")
            self.head = None
            if not head.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"not a 200: {head.decode()} {data.decode()}")
            lower = head.lower()
            if b"content-length:" in lower:
                self.length = int(lower.split(b"content-length:")[1].split(b"\r\n")[0])
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
            self.results.append((self.events, now - self.began, self.times))
            self.ask()

    def connection_lost(self, error):
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("closed by the server"))


async def run(load):
    loop = asyncio.get_running_loop()
    numbers = count()
    connections = []
    began = time.perf_counter()
    for number in range(load["connections"]):
        due = began + load.get("ramp", 0) * number / load["connections"]
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        _, connection = await loop.create_connection(
            lambda: Connection(load, numbers), "127.0.0.1", load["port"]
        )
        connections.append(connection)
    await asyncio.gather(*(connection.done for connection in connections))
    wall = time.perf_counter() - began
    results = [result for connection in connections for result in connection.results]
    print(json.dumps(summary(results, wall)))


def summary(results, wall):
    gaps = sorted(b - a for _, _, times in results for a, b in pairwise(times))
    ttfts = sorted(times[0] for _, _, times in results if times)
    # From the first to the last event, so the set-up of the request is not in it.
    spans = sorted(times[-1] - times[0] for _, _, times in results if times)
    return {
        "events": sum(events for events, _, _ in results),
        "requests": len(results),
        "wall": wall,
        "ttft_p50": at(ttfts, 0.5),
        "ttft_p99": at(ttfts, 0.99),
        "gap_p50": at(gaps, 0.5),
        "gap_p99": at(gaps, 0.99),
        "span_p50": at(spans, 0.5),
        "total_p50": at(sorted(total for _, total, _ in results), 0.5),
    }


def at(values, share):
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


if __name__ == "__main__":
    try:
        import uvloop

        uvloop.install()
    except ImportError:
        pass
    asyncio.run(run(json.load(sys.stdin)))
