"""Requests made up from our own OpenAPI document: none may break the server, or be answered with a
status that the document does not know.
"""

from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from tests.properties import EXHAUSTIVE
from tests.support import quiet
from tokenlap.app import create_app

WHOLE = 3000 if EXHAUSTIVE else 46
"""Examples of all operations together."""

# Named 0.0.0.0 it answers to the test client's host; short replies leave time for more requests.
SERVER = create_app(quiet(host="0.0.0.0", default_max_tokens=8, context_window=4096))
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", SERVER.app)
OPERATIONS = sum(1 for _ in SCHEMA.get_all_operations())


@SCHEMA.parametrize()
@settings(
    max_examples=max(1, WHOLE // OPERATIONS),
    deadline=None,
    derandomize=not EXHAUSTIVE,
    suppress_health_check=list(HealthCheck),
)
def test_the_document_is_kept(case: schemathesis.Case[Any]) -> None:
    response = case.call()

    case.validate_response(
        response,
        checks=[not_a_server_error, status_code_conformance, content_type_conformance],
    )
