"""Sums on paper: given what is written so far, what comes next? Nothing is remembered but the text.

A product:                          A sum:            A difference:
    482 * 194 = 482 * 4 + 482 * 90 + 482 * 100   2 + 4 = 6         12 - 4 = 8, borrow 1
    482 * 4 = 1928                  8 + 9 = 17        18 - 10 = 8, borrow 1
    482 * 90 = 43380                4 + 1 + 1 = 6     4 - 2 = 2
    482 * 100 = 48200               482 + 194 = 676   482 - 194 = 288
    1928 + 43380 = 45308
    45308 + 48200 = 93508
"""

import re

_PRODUCT = re.compile(r"(\d+) \* (\d+)")
_RIGHT = re.compile(r"= (-?\d+)(?:, borrow 1)?$")


def working(left: int, sign: str, right: int, text: str) -> str:
    """Return the rest of the line that text ends in, with the line end before it where one is
    needed; "" where the working is done, or where text is not a working of this kind.
    """
    lines = text.split("\n")
    done, begun = lines[:-1], lines[-1]
    target = _line(left, sign, right, done)
    if not target:
        return ""
    left_side, _, right_side = target.partition(" = ")
    if " = " in begun and not target.startswith(begun):
        # The left side, or the digits so far, are not what we would have written: reckon with them.
        left_side = begun.partition(" = ")[0]
        right_side = _reckoned(left_side)
        target = f"{left_side} = {right_side}"
    if target == begun or (len(begun) >= len(target) and " = " in begun):
        following = _line(left, sign, right, [*done, begun])
        return f"\n{following}" if following else ""
    return target[len(begun) :] if target.startswith(begun) else ""


def _line(left: int, sign: str, right: int, done: list[str]) -> str:
    """Return the line that comes after those that are done, "" after the last."""
    if sign == "*":
        return _product_line(left, right, done)
    if sign == "-" and left < right:
        line = _column_line(right, sign, left, done)
        swapped = f"{right} - {left} = "
        last = len(done) == _columns(right, left)
        return f"{left} - {right} = -{line.removeprefix(swapped)}" if line and last else line
    return _column_line(left, sign, right, done)


def _product_line(left: int, right: int, done: list[str]) -> str:
    places = [digit + "0" * i for i, digit in enumerate(reversed(str(right))) if digit != "0"]
    if len(places) < 2:
        return "" if done else f"{left} * {right} = {left * right}"
    if not done:
        terms = " + ".join(f"{left} * {place}" for place in places)
        return f"{left} * {right} = {terms}"
    parts = _PRODUCT.findall(done[0].partition(" = ")[2])
    results = [match[1] for line in done[1:] if (match := _RIGHT.search(line))]
    if len(results) < len(parts):
        factor, place = parts[len(results)]
        return f"{factor} * {place} = {int(factor) * int(place)}"
    added = len(results) - len(parts)
    if added >= len(parts) - 1:
        return ""
    total = results[-1] if added else results[0]
    return f"{total} + {results[added + 1]} = {int(total) + int(results[added + 1])}"


def _column_line(left: int, sign: str, right: int, done: list[str]) -> str:
    a, b = str(left)[::-1], str(right)[::-1]
    columns = _columns(left, right)
    if len(done) > columns:
        return ""
    if not columns:
        return f"{left} {sign} {right} = {left + right if sign == '+' else left - right}"
    if len(done) == columns:
        return f"{left} {sign} {right} = {_gathered(sign, done)}"
    x, y = (int(number[len(done)]) if len(done) < len(number) else 0 for number in (a, b))
    before = done[-1] if done else ""
    if sign == "+":
        carried = int((_RIGHT.search(before) or [" ", "0"])[1]) // 10
        return f"{x} + {y}" + f" + {carried}" * bool(carried) + f" = {x + y + carried}"
    y += before.endswith("borrow 1")
    return f"{x + 10} - {y} = {x + 10 - y}, borrow 1" if x < y else f"{x} - {y} = {x - y}"


def _columns(left: int, right: int) -> int:
    """Return how many columns have a line of their own; single digits have none."""
    width = max(len(str(left)), len(str(right)))
    return width if width > 1 else 0


def _gathered(sign: str, done: list[str]) -> str:
    """Return the number whose columns are the right sides of the lines, units first."""
    results = [int(match[1]) if (match := _RIGHT.search(line)) else 0 for line in done]
    units = "".join(str(result % 10) for result in reversed(results[:-1]))
    first = str(results[-1])
    return (first + units).lstrip("0") or "0"


def _reckoned(left_side: str) -> str:
    """Return what a left side comes to, as it is written."""
    numbers = [int(number) for number in re.findall(r"\d+", left_side)]
    if not numbers:
        return ""
    if "*" in left_side:
        return str(numbers[0] * (numbers[1] if len(numbers) > 1 else 1))
    if " - " in left_side:
        return str(numbers[0] - sum(numbers[1:]))
    return str(sum(numbers))
