"""How calls are spelled: as tool_calls, as the one function_call of old, as custom calls."""

import pytest

from tests.support import Json
from tokenlap.api.chat.callform import CallForm
from tokenlap.api.chat.chunks import OpenedCall

CALL = OpenedCall(0, "call_1", "f")
WHOLE: Json = {"id": "call_1", "type": "function"}
FUNCTION: Json = {"name": "f", "arguments": ""}


@pytest.mark.parametrize(
    ("form", "opened", "piece", "message"),
    [
        pytest.param(
            CallForm(),
            {
                "tool_calls": [
                    {"index": 0, "id": "call_1", "type": "function", "function": FUNCTION}
                ]
            },
            {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
            {"tool_calls": [{**WHOLE, "function": {"name": "f", "arguments": "{}"}}]},
            id="tool_calls",
        ),
        pytest.param(
            CallForm(older=True),
            {"function_call": FUNCTION},
            {"function_call": {"arguments": "{}"}},
            {"function_call": {"name": "f", "arguments": "{}"}},
            id="function_call",
        ),
        pytest.param(
            CallForm(custom=frozenset(("f",))),
            {
                "tool_calls": [
                    {"index": 0, "id": "call_1", "type": "function", "function": FUNCTION}
                ]
            },
            {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
            {
                "tool_calls": [
                    {"id": "call_1", "type": "custom", "custom": {"name": "f", "input": "{}"}}
                ]
            },
            id="custom",
        ),
    ],
)
def test_a_call_has_its_form(form: CallForm, opened: Json, piece: Json, message: Json) -> None:
    assert form.opened(CALL) == opened
    assert form.arguments(0, "{}") == piece
    assert form.message([CALL], {0: ["{", "}"]}) == message
    assert form.message([], {}) == {}


@pytest.mark.parametrize(
    ("older", "reason", "told"),
    [
        (False, "tool_calls", "tool_calls"),
        (True, "tool_calls", "function_call"),
        (True, "length", "length"),
    ],
)
def test_the_older_form_has_its_own_finish_reason(older: bool, reason: str, told: str) -> None:
    assert CallForm(older=older).reason(reason) == told
