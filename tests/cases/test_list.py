import ast
import re
from pathlib import Path

from tests.cases.cases import PARTLY, WAITING, cases


def covered() -> set[str]:
    """The ids of the cases that have a test here."""
    found = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found |= set(re.findall(r"^test_(B\d{3})_", node.name))
    return found


def test_every_case_is_tested_or_waits_for_a_reason() -> None:
    assert covered() | WAITING.keys() == cases().keys()
    assert not covered() & WAITING.keys()
    assert len(covered()) + len(WAITING) == len(cases()) == 81


def test_what_waits_in_part_is_tested_for_the_rest() -> None:
    assert PARTLY.keys() <= covered()
