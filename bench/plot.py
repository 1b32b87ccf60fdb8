"""A small bar plot of CPU per event, as SVG."""

from html import escape

ROW, LEFT, WIDTH = 22, 230, 640


def plot(results):
    """Bars of the zero-delay and the paced measure, each to its own scale."""
    parts, y = [], 10
    for title, key in (("zero delay", "zero delay"), ("500 streams of 50 tokens/s", "paced")):
        figures = results.get(key)
        if not figures:
            continue
        y += ROW
        parts.append(
            f'<text x="10" y="{y}" font-weight="bold">CPU per event, us: {escape(title)}</text>'
        )
        longest = max(figures.values())
        for name, value in figures.items():
            y += ROW
            length = value / longest * (WIDTH - LEFT - 70)
            colour = "#2a6f97" if name.startswith("tokenlap") else "#a9b4bd"
            parts.append(f'<text x="{LEFT - 8}" y="{y}" text-anchor="end">{escape(name)}</text>')
            parts.append(
                f'<rect x="{LEFT}" y="{y - 12}" width="{length:.1f}" height="14" fill="{colour}"/>'
            )
            parts.append(f'<text x="{LEFT + length + 6:.1f}" y="{y}">{value:.2f}</text>')
        y += ROW // 2
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 20}" '
    return head + 'font-family="sans-serif" font-size="13">\n' + "\n".join(parts) + "\n</svg>\n"
