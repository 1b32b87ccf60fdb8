"""From results to the tables in README.md."""

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.contenders import TOKENS
from bench.load import ITL, Table

Tables = Mapping[str, Table]
BEGIN, END = "<!-- results -->\n", "<!-- end of results -->"


class Row(NamedTuple):
    """A line of the table; `values` are the rounds' ratios, or figures of a `unit`."""

    what: str
    against: str
    figures: str
    values: list[float]
    unit: str
    reach: float | None
    moonshot: float | None

    @property
    def value(self) -> float:
        return statistics.median(self.values)


class Asked(NamedTuple):
    """What to read from a measure: whose column, against whose, and what it ought to be."""

    measure: str
    what: str
    ours: str
    theirs: str
    column: str
    unit: str
    reach: float | None = None
    moonshot: float | None = None


SCRIPTED, FIRST = "tokenlap, scripted", "start to first 200"
FRESH, SEEN = "tokenlap, n-gram, fresh prompts", "tokenlap, n-gram, same prompt"
ZERO, PACED, RAW = "zero delay", "paced", "raw ASGI"
EVENT, REQUEST, US, MS = "us_per_event", "us_per_request", "us an event", "ms"
DEADLINES, DEFAULT = "raw ASGI with deadlines", "tokenlap, default model"
NEW = "a newcomer's TTFT, "
RATIOS = (
    Asked(ZERO, "zero delay, scripted", SCRIPTED, RAW, EVENT, US, 2.0, 1.0),
    Asked(ZERO, "zero delay, n-gram, fresh prompts", FRESH, RAW, EVENT, US, 16, 8),
    Asked(ZERO, "zero delay, n-gram, prompt seen", SEEN, RAW, EVENT, US, 4, 2),
    Asked(ZERO, "zero delay, scripted", SCRIPTED, "aimock", EVENT, US, 0.8, 0.5),
    Asked(ZERO, "zero delay, scripted", SCRIPTED, "FastAPI, StreamingResponse", EVENT, US),
    Asked(ZERO, "zero delay, scripted", SCRIPTED, "stubllm", EVENT, US),
    Asked(ZERO, "zero delay, scripted", SCRIPTED, "xpyd-sim", EVENT, US),
    Asked(ZERO, "zero delay, scripted", SCRIPTED, "llmock", EVENT, US),
    Asked(PACED, "500 streams, scripted", SCRIPTED, DEADLINES, EVENT, US, 1.6, 1.0),
    Asked(PACED, "500 streams, n-gram, fresh prompts", FRESH, DEADLINES, EVENT, US),
    Asked(PACED, "500 streams, scripted", SCRIPTED, "aimock", EVENT, US),
    Asked(PACED, "500 streams, scripted", SCRIPTED, "stubllm", EVENT, US),
    Asked("requests", "a stream of one token", "tokenlap, one token", "raw ASGI, one token",
          REQUEST, "us"),
    Asked("requests", "a stream of 200 tokens", "tokenlap, streamed", "raw ASGI, streamed",
          REQUEST, "us"),
    Asked("requests", "a blocking answer of 200 tokens", "tokenlap, blocking",
          "FastAPI, blocking", REQUEST, "us", 3, 1.5),
    Asked("requests", "a blocking answer of 200 tokens", "tokenlap, blocking",
          "tokenlap, streamed", REQUEST, "us"),
    Asked("newcomer", NEW + "scripted", SCRIPTED, RAW, "ttft_p50_ms", MS),
    Asked("newcomer", NEW + "scripted, p99", SCRIPTED, RAW, "ttft_p99_ms", MS),
    Asked("newcomer", NEW + "n-gram", FRESH, RAW, "ttft_p50_ms", MS),
    Asked("newcomer", NEW + "n-gram, p99", FRESH, RAW, "ttft_p99_ms", MS),
    Asked("start-up", FIRST, DEFAULT, "minimal FastAPI", "ms", MS, 1.6, 1.2),
    Asked("start-up", FIRST, DEFAULT, "aimock", "ms", MS),
    Asked("growth", "reply of 2,000 tokens", "reply of 2,000", "reply of 200", EVENT, US,
          1.1, 1.0),
    Asked("growth", "prompt of 8,000 tokens, after prefill", "prompt of 8,000", "prompt of 80",
          EVENT, US, 1.1, 1.0),
    Asked("growth", "256 streams at once", "256 streams", "reply of 200", EVENT, US),
    Asked("workers", "two workers on two cores", "2 workers", "1 worker", "events_per_s",
          "events a second"),
)  # fmt: skip
FIGURES = (
    Asked("punctuality", "drift of a 4 s stream, alone", "tokenlap, 1", "raw ASGI, 1", "span_ms",
          MS),
    Asked("punctuality", "drift, 50 streams", "tokenlap, 50", "raw ASGI, 50", "span_ms", MS,
          5, 1),
    Asked(PACED, "drift, 500 streams", SCRIPTED, DEADLINES, "span_ms", MS, 10, 3),
    Asked("punctuality", "p99 gap, 50 streams", "tokenlap, 50", "raw ASGI, 50", "gap_p99_ms", MS),
    Asked(PACED, "p99 gap, 500 streams", SCRIPTED, DEADLINES, "gap_p99_ms", MS),
    Asked("memory", "an open stream", "tokenlap", RAW, "kb", "KB", 60, 25),
    Asked("growth", "first token, prompt of 100,000", "first token, prompt of 100,000",
          "first token, prompt of 80", "ttft_ms", MS, 300, 100),
    Asked("health", "/health beside 1,000 streams, slowest", "tokenlap", "-", "slowest_ms", MS,
          50),
)  # fmt: skip
PLAN = {"span_ms": TOKENS * ITL * 1000}
"""What is no drift: the planned time of a stream."""


def rows(tables: Tables) -> Iterator[Row]:
    """The lines that the tables have figures for; a ratio is taken within each round."""
    for asked in RATIOS:
        ours, theirs = _columns(tables, asked)
        if ours and theirs:
            ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
            yield _row(asked, ours, theirs, ratios, "x")
    for asked in FIGURES:
        ours, theirs = _columns(tables, asked)
        if ours:
            yield _row(asked, ours, theirs, ours, asked.unit)


def _columns(tables: Tables, asked: Asked) -> tuple[list[float], list[float]]:
    table, less = tables.get(asked.measure, {}), PLAN.get(asked.column, 0.0)
    ours, theirs = (
        [value - less for value in table.get(name, {}).get(asked.column, [])]
        for name in (asked.ours, asked.theirs)
    )
    return ours, theirs


def _row(
    asked: Asked, ours: list[float], theirs: list[float], values: list[float], unit: str
) -> Row:
    figures = " / ".join(number(statistics.median(column)) for column in (ours, theirs) if column)
    shown = f"{figures} {asked.unit}"
    return Row(asked.what, asked.theirs, shown, values, unit, asked.reach, asked.moonshot)


def number(value: float) -> str:
    """Three digits or so."""
    return (
        f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    )


def report(results: Mapping[str, Any], readme: Path) -> str:
    """Put the tables into README.md between its marks, and return them."""
    lines = ["| measure | against | ours / theirs | result | range | reach | moonshot |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for row in rows(results["tables"]):
        shown = f"**{number(row.value)}** {row.unit}"
        spread = f"{number(min(row.values))} to {number(max(row.values))}"
        aims = ["-" if aim is None else f"{aim:g}" for aim in (row.reach, row.moonshot)]
        cells = [row.what, row.against, row.figures, shown, spread, *aims]
        lines.append(f"| {' | '.join(cells)} |")
    table = "\n".join([*lines, "", *sent(results["tables"]), "", ran(results)]) + "\n"
    before, begin, after = readme.read_text().partition(BEGIN)
    readme.write_text(before + begin + table + END + after.partition(END)[2])
    return table


def sent(tables: Tables) -> Iterator[str]:
    """What the contenders of the zero-delay measure really sent."""
    yield "| zero delay | us an event | events a stream | bytes an event |"
    yield "|---|---|---|---|"
    for name, columns in tables.get(ZERO, {}).items():
        medians = [statistics.median(columns[key]) for key in (EVENT, "events", "bytes")]
        yield f"| {name} | {medians[0]:.2f} | {medians[1]:.0f} | {medians[2]:.0f} |"


def ran(results: Mapping[str, Any]) -> str:
    """How often, beside what, and with what."""
    rounds = {
        measure: len(next(iter(next(iter(table.values())).values())))
        for measure, table in results["tables"].items()
    }
    usual = statistics.mode(rounds.values())
    others = ", ".join(f"{name} {count}" for name, count in rounds.items() if count != usual)
    versions = ", ".join(f"{name} {found}" for name, found in results["versions"].items())
    return (
        f"Medians of {usual} round{'s' * (usual > 1)}{others and f' ({others})'}. "
        f"Load average of the machine before: {results['load']}. Versions: {versions}."
    )
