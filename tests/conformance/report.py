"""CONFORMANCE.md: what a run of these tests says of each of the 231 statements."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.verdicts import CHOICES, DEVIATES, NOT_APPLICABLE, WITH_STRICT

HERE = Path(__file__).parent
COMMITTED = HERE.parent.parent / "CONFORMANCE.md"
STATEMENTS = HERE.parent / "data/statements.md"

_INTRODUCTION = """# Conformance

What this server does with each of 231 numbered statements on OpenAI's wire format.
Written by `make conformance` from a run of `tests/conformance`.
Each statement that can be tested has a test there, named by its number.
A test fails when this file differs from what the run says.

- **held**: a test has seen it; some only with `--strict`, since tolerance is the default;
- **deviates**: a difference on purpose, with its reason, which a test has seen as well;
- **not applicable**: it says nothing about a server, or is about what this one does not have.

The letter at the end of a statement is its evidence: L a live capture, S the OpenAPI document,
C the official clients, P the practice of other servers, U unverified.
"""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of the checklist."""

    number: int
    section: str
    text: str


def statements() -> list[Statement]:
    """The statements, in their order."""
    found, section = [], ""
    for line in STATEMENTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif match := re.match(r"(\d+)\. (.*)", line):
            found.append(Statement(int(match[1]), section, match[2]))
    return found


def number_of(test: str) -> int | None:
    """The number of the statement that a test is about."""
    match = re.match(r"test_(\d{3})_", test)
    return int(match[1]) if match else None


def proofs() -> dict[str, int]:
    """Every test of a statement that is written here, and the statement's number."""
    return dict(_proofs())


def _proofs() -> Iterator[tuple[str, int]]:
    for path in HERE.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                number = number_of(node.name)
                if number is not None:
                    yield node.name, number


def verdict(number: int, outcomes: Mapping[str, bool]) -> str:
    """What a run says of a statement. outcomes: by name of test, whether it passed."""
    passed = [ok for test, ok in outcomes.items() if number_of(test) == number]
    if not all(passed):
        return "**FAILED**"
    if number in NOT_APPLICABLE:
        return f"not applicable: {NOT_APPLICABLE[number]}"
    if number in DEVIATES:
        return f"**deviates**: {DEVIATES[number]}"
    if not passed:
        return "**NOT TESTED**"
    return "held with `--strict`" if number in WITH_STRICT else "held"


def report(outcomes: Mapping[str, bool]) -> str:
    """The file that a run makes."""
    verdicts = {each.number: verdict(each.number, outcomes) for each in statements()}
    counts = {
        kind: sum(text.removeprefix("**").startswith(kind) for text in verdicts.values())
        for kind in ("held", "deviates", "not applicable")
    }
    lines = [
        _INTRODUCTION,
        ", ".join(f"{count} {kind}" for kind, count in counts.items()) + ".",
        "",
        "## Where the platform leaves a choice",
        "",
        *(f"- {choice}" for choice in CHOICES),
    ]
    section = ""
    for each in statements():
        if each.section != section:
            section = each.section
            lines += ["", f"## {section}", "", "| | statement | this server |", "|---|---|---|"]
        cells = (str(each.number), _cell(each.text), _cell(verdicts[each.number]))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A text as a table cell can hold it: bars escaped, a code span that holds one left alone."""
    return text.replace("|", "\\|")
