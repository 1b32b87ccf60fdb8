"""One run of a server under load, and several contenders in turns.

A measure is run several times, all its contenders one after the other each time, so that what else
the machine does hits all of them alike; only ratios within a measure mean anything.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.contenders import TOKENS, Start, started

Run = Callable[[], Mapping[str, float]]
Table = dict[str, dict[str, list[float]]]
"""By contender and column: the figures of the rounds."""
ITL, TTFT = 0.02, 0.2


def loaded(
    start: Start, bodies: Sequence[str] = (), warm: int = 50, **load: Any
) -> dict[str, float]:
    """One run of a server: what its load cost.

    bodies: of the requests, the first `warm` of them before the clock starts; by default what the
    contender is to be asked.
    """
    asked = list(bodies) or [start(0).body]
    with started(start) as server:
        if warm:
            server.load(connections=16, requests=warm, bodies=asked[:warm])
        told = server.load(bodies=asked[warm:] or asked, **load)
    events, requests, ms = told["events"], told["requests"], 1000.0
    row = {"us_per_request": told["cpu"] / requests * 1e6}
    if events:
        row |= {
            "us_per_event": told["cpu"] / events * 1e6,
            "events": events / requests,
            "bytes": told["bytes"] / events,
            "events_per_s": events / told["wall"],
            "ttft_ms": told["ttft_p50"] * ms,
            "span_ms": told["span_p50"] * ms,
            "gap_p99_ms": told["gap_p99"] * ms,
        }
    return row


def alike(row: Mapping[str, float], tokens: int = TOKENS) -> Mapping[str, float]:
    """The row of streams of about so many tokens; anything else cannot be compared by the event."""
    if not 0.9 * tokens <= row["events"] <= 1.15 * tokens:
        raise SystemExit(f"{row['events']} events a stream where {tokens} tokens were asked for")
    return row


def interleaved(rounds: int, contenders: Mapping[str, Run], *columns: str) -> Table:
    """The columns of every contender, round by round; the first one is shown meanwhile."""
    table: Table = {name: {column: [] for column in columns} for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            row = run()
            for column in columns:
                table[name][column].append(round(row[column], 3))
            print(f"    {name:34} {row[columns[0]]:10.2f} {columns[0]}", flush=True)
    return table
