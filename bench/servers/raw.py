"""The least that Python can do: bare ASGI, prepared events, one event a body.

BENCH_STREAM: a file with the body of a stream, as tokenlap sent it; BENCH_TTFT, BENCH_ITL: seconds,
absolute deadlines, 0 for none.
"""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVENTS = [
    event + b"\n\n"
    for event in Path(os.environ["BENCH_STREAM"]).read_bytes().split(b"\n\n")
    if event
]
TTFT, ITL = float(os.environ["BENCH_TTFT"]), float(os.environ["BENCH_ITL"])
START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"text/event-stream; charset=utf-8")],
}


async def app(scope: dict[str, Any], receive: Callable[..., Any], send: Callable[..., Any]) -> None:
    assert scope["type"] == "http"
    arrived = time.monotonic()
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    await send(START)
    due = arrived + TTFT
    for number, event in enumerate(EVENTS):
        if (
            1 < number < len(EVENTS) - 1
        ):  # the role leaves with the first token, [DONE] with the end
            due += ITL
        if (wait := due - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        await send({"type": "http.response.body", "body": event, "more_body": True})
        if number % 64 == 63:
            await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b"", "more_body": False})
