"""The results as a picture: how far each measure is from its aim, and what an event costs."""

from collections.abc import Iterator, Sequence
from html import escape
from math import log2

from bench.report import EVENT, PACED, ZERO, Row, Tables, number, rows

ROW, LEFT, WIDTH, RIGHT = 22, 330, 900, 230
SPAN = WIDTH - LEFT - RIGHT
OURS, OTHERS, LATE, LINE, MOON = "#2a6f97", "#a9b4bd", "#c8553d", "#6c757d", "#e9a820"
LEAST, MOST = 1 / 16, 4.0
"""Of the aim: the scale's ends."""


def plot(tables: Tables) -> str:
    """An SVG of the rows that have an aim, and of CPU per event by contender."""
    height, parts = _aims([row for row in rows(tables) if row.reach])
    for title, key in (("zero delay", ZERO), ("500 streams of 50 tokens/s", PACED)):
        if table := tables.get(key):
            costs = {name: sorted(columns[EVENT])[len(columns[EVENT]) // 2]
                     for name, columns in table.items()}  # fmt: skip
            height, more = _costs(f"CPU per event, us: {title}", costs, height)
            parts += more
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height + 10}" '
        'font-family="DejaVu Sans, sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{height + 10}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _aims(aimed: Sequence[Row]) -> tuple[int, list[str]]:
    """One bar a row, on a scale on which everybody's aim is at the same place."""
    top, bottom = 54, 54 + ROW * len(aimed)
    parts = [
        _text(10, 20, "How far from the aim: left is better, a step is a factor of two", bold=True),
        _text(_at(1), 44, "reach", "middle"),
        f'<path d="M{LEFT} 32 v14" stroke="{MOON}" stroke-width="3"/>',
        _text(LEFT + 8, 44, "moonshot"),
        f'<line x1="{_at(1):.1f}" x2="{_at(1):.1f}" y1="{top - 4}" y2="{bottom}" '
        f'stroke="{LINE}" stroke-width="2"/>',
    ]
    for step in (1 / 8, 1 / 4, 1 / 2, 2):
        parts.append(
            f'<line x1="{_at(step):.1f}" x2="{_at(step):.1f}" y1="{top - 4}" y2="{bottom}" '
            'stroke="#e3e7ea"/>'
        )
    for place, row in enumerate(aimed):
        parts += _aim(row, top + ROW * place)
    return bottom, parts


def _aim(row: Row, y: int) -> Iterator[str]:
    assert row.reach is not None
    here = _at(row.value / row.reach)
    against = "" if row.unit != "x" else f" / {row.against}"
    yield _text(LEFT - 8, y + 14, row.what + against, "end", small=True)
    colour = OURS if row.value <= row.reach else LATE
    yield _bar(LEFT, y + 4, here - LEFT, colour)
    aims = f"reach {row.reach:g}"
    if row.moonshot is not None:
        moon = _at(row.moonshot / row.reach)
        yield f'<path d="M{moon:.1f} {y + 2} v18" stroke="{MOON}" stroke-width="3"/>'
        aims += f", moonshot {row.moonshot:g}"
    yield _text(LEFT + SPAN + 8, y + 14, f"{number(row.value)} {row.unit}  ({aims})", small=True)


def _at(share: float) -> float:
    """Where a share of the aim lies."""
    within = min(max(share, LEAST), MOST)
    return LEFT + SPAN * (log2(within) - log2(LEAST)) / (log2(MOST) - log2(LEAST))


def _costs(title: str, costs: dict[str, float], top: int) -> tuple[int, list[str]]:
    """Bars from the cheapest to the dearest; what is longer than the plot says so by its number."""
    y = top + 34
    parts = [_text(10, y, title, bold=True)]
    longest = min(max(costs.values()), 16 * min(costs.values()))
    for name, value in sorted(costs.items(), key=lambda cost: cost[1]):
        y += ROW
        length = min(1.0, value / longest) * SPAN
        cut = " (bar cut)" if value > longest else ""
        parts += [
            _text(LEFT - 8, y, name, "end"),
            _bar(LEFT, y - 11, length, OURS if name.startswith("tokenlap") else OTHERS),
            _text(LEFT + length + 6, y, number(value) + cut),
        ]
    return y, parts


def _bar(x: float, y: float, width: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y}" width="{max(width, 1):.1f}" height="14" fill="{colour}"/>'


def _text(
    x: float, y: float, said: str, anchor: str = "start", bold: bool = False, small: bool = False
) -> str:
    style = ' font-weight="bold"' * bold + ' font-size="11"' * small
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}"{style}>{escape(said)}</text>'
