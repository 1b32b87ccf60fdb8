"""The tables say what the figures say."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from bench.load import Table, alike, interleaved
from bench.plot import LATE, RIGHT, WIDTH, plot
from bench.report import Row, report, rows

ZERO: Table = {
    "raw ASGI": {"us_per_event": [1.0, 3.0, 4.0], "events": [203.0] * 3, "bytes": [283.0] * 3},
    "tokenlap, scripted": {
        "us_per_event": [3.0, 4.5, 5.0],
        "events": [203.0] * 3,
        "bytes": [276.0] * 3,
    },
}
PUNCTUALITY: Table = {
    "raw ASGI, 50": {"span_ms": [4001.0], "gap_p99_ms": [22.0]},
    "tokenlap, 50": {"span_ms": [4002.5], "gap_p99_ms": [23.0]},
}
TABLES = {"zero delay": ZERO, "punctuality": PUNCTUALITY}
RESULTS: dict[str, Any] = {"tables": TABLES, "load": 0.1, "versions": {"uvloop": "0.22.1"}}


def named(what: str) -> Row:
    return next(row for row in rows(TABLES) if row.what == what)


def test_ratio_is_taken_within_a_round() -> None:
    row = named("zero delay, scripted")

    assert row.values == [3.0, 1.5, 1.25]
    assert row.value == 1.5
    assert row.figures == "4.50 / 3.00 us an event"
    assert (row.reach, row.moonshot) == (2.0, 1.0)


def test_drift_is_what_a_stream_took_beyond_its_plan() -> None:
    row = named("drift, 50 streams")

    assert row.value == 2.5
    assert row.figures == "2.50 / 1.00 ms"


def test_what_was_not_measured_has_no_row() -> None:
    assert not [row for row in rows(TABLES) if row.against == "aimock"]


def test_report_replaces_what_stands_between_its_marks(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- results -->\nold\n<!-- end of results -->\nafter\n")

    report(RESULTS, readme)

    shown = readme.read_text()
    assert shown.startswith("before\n<!-- results -->\n| measure |")
    assert shown.endswith("<!-- end of results -->\nafter\n")
    assert "old" not in shown
    assert "| **1.50** x | 1.25 to 3.00 | 2 | 1 |" in shown
    assert "| tokenlap, scripted | 4.50 | 203 | 276 |" in shown
    assert "uvloop 0.22.1" in shown
    assert "Medians of 3 rounds (punctuality 1)." in shown


@pytest.mark.parametrize("cost", [0.001, 4.0, 5000.0])
def test_plot_is_xml_whose_bars_lie_within_it(cost: float) -> None:
    zero: Table = {**ZERO, "tokenlap, scripted": {"us_per_event": [cost] * 3}}
    drawn = ElementTree.fromstring(plot({"zero delay": zero, "punctuality": PUNCTUALITY}))

    bars = [bar for bar in drawn.iter("{http://www.w3.org/2000/svg}rect") if bar.get("x")]
    assert len(bars) == 4  # two rows that have an aim, two contenders
    ends = [float(bar.attrib["x"]) + float(bar.attrib["width"]) for bar in bars]
    assert all(float(bar.attrib["width"]) > 0 for bar in bars)
    assert max(ends) <= WIDTH - RIGHT


def test_plot_shows_what_is_late_in_another_colour() -> None:
    slow: Table = {**ZERO, "tokenlap, scripted": {"us_per_event": [9.0] * 3}}

    assert LATE not in plot({"zero delay": ZERO})
    assert LATE in plot({"zero delay": slow})


def test_contenders_run_in_turns() -> None:
    ran = []

    def run(name: str) -> dict[str, float]:
        ran.append(name)
        return {"us": float(len(ran)), "left out": 0.0}

    table = interleaved(2, {"a": lambda: run("a"), "b": lambda: run("b")}, "us")

    assert ran == ["a", "b", "a", "b"]
    assert table == {"a": {"us": [1.0, 3.0]}, "b": {"us": [2.0, 4.0]}}


@pytest.mark.parametrize("events", [29.0, 346.0])
def test_streams_of_another_length_are_not_compared(events: float) -> None:
    assert alike({"events": 203.0}) == {"events": 203.0}

    with pytest.raises(SystemExit, match="200 tokens were asked for"):
        alike({"events": events})
