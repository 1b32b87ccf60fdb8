import os

import pytest

from tests.conformance.report import COMMITTED, proofs, report, statements
from tests.conformance.verdicts import DEVIATES, NOT_APPLICABLE, WITH_STRICT


def test_the_statements_are_numbered_without_a_gap() -> None:
    assert [each.number for each in statements()] == list(range(1, 232))


def test_every_statement_is_tested_or_said_not_to_apply() -> None:
    known = {*proofs().values(), *NOT_APPLICABLE}

    assert {each.number for each in statements()} - known == set()


def test_a_deviation_is_tested_and_is_no_statement_that_does_not_apply() -> None:
    assert DEVIATES.keys() <= {*proofs().values()}
    assert not DEVIATES.keys() & NOT_APPLICABLE.keys()
    assert not NOT_APPLICABLE.keys() & {*proofs().values()}
    assert {*proofs().values()} - DEVIATES.keys() >= WITH_STRICT


def test_the_committed_file_says_what_this_run_says(outcomes: dict[str, bool]) -> None:
    missing = proofs().keys() - outcomes.keys()
    if missing:
        pytest.skip(f"only a run of all tests can tell: {len(missing)} were not run")
    said = report(outcomes)

    assert "**FAILED**" not in said and "**NOT TESTED**" not in said
    if os.environ.get("TOKENLAP_WRITE_CONFORMANCE"):
        COMMITTED.write_text(said, encoding="utf-8")
    assert COMMITTED.read_text(encoding="utf-8") == said, "run `make conformance`"
