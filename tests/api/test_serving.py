"""How answers leave: what is one write, and what JSON looks like."""

import asyncio
import json
import math
from collections.abc import MutableMapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tests.support import chat, quiet, scripted
from tokenlap.api.serving import json_bytes
from tokenlap.app import create_app
from tokenlap.settings import Settings


async def writes(settings: Settings, **options: Any) -> list[bytes]:
    """The bodies that an application hands to its server, one after the other."""
    body = json.dumps(chat(stream=True, **options)).encode()
    sent: list[bytes] = []
    asked = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> MutableMapping[str, Any]:
        for message in asked:
            return message
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.body":
            sent.append(message["body"])

    path = "/v1/chat/completions"
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": []}
    await create_app(settings, models=scripted("one two three")).app(scope, receive, send)
    return sent


@pytest.mark.parametrize("choices", [1, 3])
@pytest.mark.parametrize(
    "settings",
    [quiet(), quiet(latency="natural", ttft="0", itl="2ms")],
    ids=["with no waits", "paced"],
)
async def test_the_last_lap_and_the_end_of_a_stream_leave_together(
    settings: Settings, choices: int
) -> None:
    *_, last, end = await writes(settings, n=choices)

    assert end == b""  # ends the body
    assert last.endswith(b"data: [DONE]\n\n")
    assert last.count(b'"finish_reason":"stop"') == choices


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text() | st.sampled_from(["NaN", "-Infinity", "\u2028", "\x7f", "\ud800"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=9,
)  # fmt: skip


@examples(200)
@given(VALUES)
def test_json_is_ascii_on_one_line_and_says_the_value(value: Any) -> None:
    told = json_bytes(value)

    assert json.loads(told) == value
    assert told.isascii() and b"\n" not in told


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_no_json(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_bytes({"choices": [number]})
