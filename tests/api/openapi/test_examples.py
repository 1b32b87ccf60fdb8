"""Generated requests: whatever is sent, the answer is one that the document describes."""

from typing import Any

import schemathesis
from hypothesis import settings
from schemathesis.checks import CHECKS

from tests.properties import EXHAUSTIVE
from tests.support import quiet, scripted
from tokenlap.app import create_app

SERVER = create_app(quiet(host="0.0.0.0"), models=scripted("one two three"))
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", SERVER.app)
# Alone, the phase that visits every bound of every parameter sends over 4,000 requests.
SCHEMA.config.phases.coverage.enabled = EXHAUSTIVE
CHECKED: list[Any] = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    ]
)


@SCHEMA.parametrize()
@settings(max_examples=140 if EXHAUSTIVE else 4)
def test_no_request_is_answered_with_a_fault_or_an_undocumented_status(
    case: "schemathesis.Case[Any]",
) -> None:
    case.call_and_validate(checks=CHECKED)
