"""Notes how each test of a statement ended, for the test that compares CONFORMANCE.md, which runs
last.
"""

from collections.abc import Generator

import pytest

OUTCOMES = pytest.StashKey[dict[str, bool]]()
LAST = "test_the_committed_file_says_what_this_run_says"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.name == LAST)  # a stable sort: the others stay as they are


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    outcomes = item.session.stash.setdefault(OUTCOMES, {})
    test = item.name.partition("[")[0]
    if report.when == "call" or not report.passed:
        outcomes[test] = outcomes.get(test, True) and report.passed
    return report


@pytest.fixture
def outcomes(request: pytest.FixtureRequest) -> dict[str, bool]:
    """By name of test, whether it has passed in this run with all its parameters."""
    return request.session.stash.get(OUTCOMES, {})
