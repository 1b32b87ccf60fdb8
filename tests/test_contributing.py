"""Every dependency says in CONTRIBUTING what it saves."""

import re
import tomllib
from collections.abc import Iterable, Iterator

import pytest

from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


def names(requirements: Iterable[object]) -> Iterator[str]:
    """The packages that requirements name, groups that include others left out."""
    for requirement in requirements:
        if isinstance(requirement, str) and (found := re.match(r"[\w.-]+", requirement)):
            yield found[0]


GROUPS = {
    "runtime": names(PROJECT["project"]["dependencies"]),
    "tests and tools": names(
        requirement for group in PROJECT["dependency-groups"].values() for requirement in group
    ),
}


@pytest.mark.parametrize(
    ("table", "package"),
    [(table, package) for table, packages in GROUPS.items() for package in packages],
)
def test_dependency_says_what_it_saves(table: str, package: str) -> None:
    rows = PAGE.partition(f"| {table} | saves |")[2].partition("\n\n")[0]

    assert re.search(rf"^\|[^|]*\b{re.escape(package)}\b[^|]*\| \S", rows, re.M)
