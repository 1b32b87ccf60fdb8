"""The access line: one a request, when it ends, as text or as JSON with the same fields.

A key is shown by its last characters only.
"""

import json
import time
from collections.abc import Sequence
from typing import Any, TextIO

from tokenlap.api.calls import Call, Refusal
from tokenlap.engine.batch import Lap


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
        self._write(fields(call))

    def refused(self, refusal: Refusal) -> None:
        """Write the line of a request that was answered with an error."""
        self._write(
            {
                "status": refusal.status,
                "endpoint": f"{refusal.method} {refusal.path}",
                "mode": "-",
                "ending": refusal.message,
            }
        )

    def _write(self, line: dict[str, Any]) -> None:
        now = time.time()
        if self._as_json:
            text = json.dumps({"time": round(now, 3), **line})
        else:
            text = f"{time.strftime('%H:%M:%S', time.localtime(now))} {as_text(line)}"
        print(text, file=self._out, flush=True)


def fields(call: Call) -> dict[str, Any]:
    """Return what an access line tells of a call; times in seconds, rate in laps a second."""
    total = (call.finished or call.arrived) - call.arrived
    return {
        "status": 200,
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


def as_text(line: dict[str, Any]) -> str:
    """Return an access line for people, its unprintable characters escaped: one request stays one
    line.
    """
    parts = [str(line["status"]), line["endpoint"], f"{line['mode']:8}"]
    if "tokens_in" in line:
        parts += [line["key"], f"in {line['tokens_in']}", f"out {line['tokens_out']}"]
        parts += [f"ttft {line['ttft']:.2f}s"] if line["ttft"] is not None else []
        parts += [f"{line['rate']:.1f} tok/s"] if line["rate"] is not None else []
        parts += [f"{line['total']:.2f}s"]
    return "".join(
        c if c.isprintable() else ascii(c)[1:-1] for c in "  ".join([*parts, str(line["ending"])])
    )
