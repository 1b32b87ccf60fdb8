"""From results to the table of ratios in README.md."""

from typing import NamedTuple

BEGIN, END = "<!-- results -->\n", "<!-- end of results -->"


class Compared(NamedTuple):
    """A row of two figures of one measure: what it is called, whose they are, what to reach."""

    measure: str
    what: str
    ours: str
    theirs: str
    unit: str
    reach: str = "-"
    moonshot: str = "-"


SCRIPTED, BLOCKING, US = "tokenlap, scripted", "a blocking answer of 200 tokens", "us an event"
FRESH, SEEN = "tokenlap, n-gram, fresh prompts", "tokenlap, n-gram, same prompt"
FIRST, STARTED = "start to first completion", "tokenlap, default model"
COMPARED = (
    Compared("zero delay", "zero delay, scripted", SCRIPTED, "raw ASGI", US, "2.0", "1.0"),
    Compared("zero delay", "zero delay, n-gram, fresh prompts", FRESH, "raw ASGI", US, "16", "8"),
    Compared("zero delay", "zero delay, n-gram, prompt seen", SEEN, "raw ASGI", US, "4", "2"),
    Compared("zero delay", "zero delay, scripted", SCRIPTED, "aimock", US, "0.8", "0.5"),
    Compared("zero delay", "zero delay, scripted", SCRIPTED, "llmock", US),
    Compared("zero delay", "zero delay, scripted", SCRIPTED, "FastAPI, StreamingResponse", US),
    Compared("paced", "500 streams", SCRIPTED, "raw ASGI with deadlines", US, "1.6", "1.0"),
    Compared("paced", "500 streams", SCRIPTED, "aimock", US),
    Compared("requests", "one token", "tokenlap, one token", "raw ASGI, one token", "us"),
    Compared("requests", BLOCKING, "tokenlap, blocking", "FastAPI, blocking", "us", "3", "1.5"),
    Compared("start-up", FIRST, STARTED, "minimal FastAPI", "ms", "1.6", "1.2"),
    Compared("start-up", FIRST, STARTED, "aimock", "ms"),
)


def report(results, readme):
    """Put the table into README.md between its marks, and return it."""
    rows = [*compared(results), *drift(results), *rest(results)]
    lines = [
        "| measure | against | figures | ratio | reach | moonshot |",
        "|---|---|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    ran = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    table = "\n".join(lines) + f"\n\nMedians of {results['rounds']}. Versions: {ran}.\n"
    before, begin, after = readme.read_text().partition(BEGIN)
    readme.write_text(before + begin + table + END + after.partition(END)[2])
    return table


def compared(results):
    for row in COMPARED:
        figures = results.get(row.measure, {})
        if row.ours in figures and row.theirs in figures:
            ours, theirs = figures[row.ours], figures[row.theirs]
            shown = f"{ours:.2f} / {theirs:.2f} {row.unit}"
            yield row.what, row.theirs, shown, f"{ours / theirs:.2f}", row.reach, row.moonshot


def drift(results):
    figures = results.get("punctuality", {})
    for streams, reach, moonshot in ((1, "-", "-"), (50, "5 ms", "1 ms"), (500, "10 ms", "3 ms")):
        key = f"tokenlap, {streams} streams: drift ms"
        if key in figures:
            ours, raw = figures[key], figures[key.replace("tokenlap", "raw ASGI")]
            gap = figures[key.replace("drift", "p99 gap")]
            shown = f"{ours:.1f} / {raw:.1f} ms, p99 gap {gap:.1f} ms"
            what = f"drift of a 4 s stream, {streams} at once"
            yield what, "raw ASGI", shown, f"{ours:.1f} ms", reach, moonshot


def rest(results):
    if memory := results.get("memory"):
        raw = f"raw ASGI {memory['raw ASGI']:.0f}"
        yield "KB an open stream", "-", raw, f"{memory['tokenlap']:.0f}", "60", "25"
    if growth := results.get("growth"):
        long = growth["us per event, 2,000 tokens"] / growth["us per event, 200 tokens"]
        yield "CPU an event, reply of 2,000 tokens", "of 200", "-", f"{long:.2f}", "1.1", "1.0"
        decode = "us per token of 2,000, prompt of "
        prompt = growth[decode + "8,000"] / growth[decode + "80"]
        yield "CPU an event, prompt of 8,000 tokens", "of 80", "-", f"{prompt:.2f}", "1.1", "1.0"
        first = growth["ms to first token, prompt of 100,000"]
        what = "prompt of 100,000 tokens, to the first token"
        yield what, "-", "-", f"{first:.0f} ms", "300 ms", "100 ms"
    if workers := results.get("workers"):
        one, two = workers.values()
        shown = f"{two:.0f} / {one:.0f} events a second"
        yield "two workers on two cores", "one", shown, f"{two / one:.2f}", "-", "-"
    if health := results.get("health"):
        median, slowest = health.values()
        what, shown = "/health beside 1,000 streams", f"median {median:.1f} ms"
        yield what, "-", shown, f"slowest {slowest:.1f} ms", "50 ms", "-"
