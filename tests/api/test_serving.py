"""What leaves together: each message of a stream is one write."""

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

import pytest

from tests.support import chat, quiet, scripted
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
