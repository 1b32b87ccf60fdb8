"""The access line: one a request, when it ends, as text or as JSON with the same fields.

A key is shown by its last characters only, and no character that is not printable is written raw.
"""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TextIO

from tokenlap.api.calls import Call, Ending, Exchange
from tokenlap.engine.batch import Lap

_CUT_SHORT: Mapping[Ending | None, int] = {"client left": 499, "shutdown": 503, "error": 500}
"""The status of a blocking answer that did not come to its end; a stream has sent its 200."""


class AccessLog:
    """Writes a line for each request that has ended."""

    def __init__(self, out: TextIO, as_json: bool) -> None:
        """out: where the lines go."""
        self._out = out
        self._as_json = as_json

    def began(self, call: Call) -> None:
        """Say nothing: the line comes at the end."""

    def lapped(self, call: Call, laps: Sequence[Lap]) -> None:
        """Say nothing: the line comes at the end."""

    def ended(self, call: Call) -> None:
        """Write the line of a call."""
        self._write(call_line(call))

    def answered(self, exchange: Exchange) -> None:
        """Write the line of a request without a lap; probes and preflights that succeed are no
        news.
        """
        silent = exchange.path == "/health" or exchange.method == "OPTIONS"
        if not (silent and exchange.status < 400):
            self._write(exchange_line(exchange))

    def _write(self, line: Mapping[str, Any]) -> None:
        now = time.time()
        if self._as_json:
            text = json.dumps({"time": round(now, 3), **line})
        else:
            text = f"{time.strftime('%H:%M:%S', time.localtime(now))} {as_text(line)}"
        write(self._out, text + "\n")


def call_line(call: Call) -> dict[str, Any]:
    """Return what an access line tells of a call; times in seconds, rate in laps a second."""
    total = (call.finished or call.arrived) - call.arrived
    return {
        "status": 200 if call.stream else _CUT_SHORT.get(call.ending, 200),
        "endpoint": f"POST {call.endpoint}",
        "mode": "stream" if call.stream else "blocking",
        "model": call.model,
        "key": f"…{call.key}" if call.key else "-",
        "tokens_in": call.prompt_tokens,
        "tokens_out": call.tokens or call.laps,
        "ttft": None if call.ttft is None else round(call.ttft, 4),
        "rate": None if call.rate is None else round(call.rate, 1),
        "total": round(total, 4),
        "ending": call.ending,
    }


def exchange_line(exchange: Exchange) -> dict[str, Any]:
    """Return what an access line tells of a request without a lap."""
    return {
        "status": exchange.status,
        "endpoint": f"{exchange.method} {exchange.path}",
        "mode": "-",
        "total": round(exchange.total, 4),
        "ending": exchange.message or "end",
    }


def as_text(line: Mapping[str, Any]) -> str:
    """Return an access line for people: one request stays one line."""
    parts = [str(line["status"]), line["endpoint"], f"{line['mode']:8}"]
    if "tokens_in" in line:
        parts += [line["key"], f"in {line['tokens_in']}", f"out {line['tokens_out']}"]
        parts += [f"ttft {line['ttft']:.2f}s"] if line["ttft"] is not None else []
        parts += [f"{line['rate']:.1f} tok/s"] if line["rate"] is not None else []
    return printable("  ".join([*parts, f"{line['total']:.2f}s", str(line["ending"])]))


def write(out: TextIO, text: str) -> None:
    """Write text at once. Whoever read it may have gone, as `head` does: requests go on without."""
    with suppress(BrokenPipeError):
        out.write(text)
        out.flush()


def printable(text: str, keep: str = "") -> str:
    """Return text with the characters that could act on a terminal spelled out (`\\x1b`).

    keep: characters to leave as they are all the same.
    """
    return "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in text)
