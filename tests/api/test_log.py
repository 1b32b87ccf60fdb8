"""The access line: one a request, whatever became of it."""

import io
import json
import os
from contextlib import suppress
from typing import Any

import pytest

from tests.support import application, chat, quiet, scripted
from tokenlap.api.calls import Call, Ending
from tokenlap.api.log import AccessLog, call_line, printable
from tokenlap.api.watch import Watch

URL = "/v1/chat/completions"


async def lines_of(*requests: tuple[str, str, Any], as_json: bool = True) -> list[str]:
    """The lines that these requests (method, path, body) are worth."""
    out = io.StringIO()
    log = AccessLog(out, as_json)
    async with application(quiet(), models=scripted("a b c"), observers=[log]) as client:
        for method, path, body in requests:
            await client.request(method, path, json=body)
    return out.getvalue().splitlines()


@pytest.mark.parametrize(
    ("request_", "status", "endpoint", "mode", "ending"),
    [
        pytest.param(("POST", URL, chat()), 200, f"POST {URL}", "blocking", "end", id="blocking"),
        pytest.param(
            ("POST", URL, chat(stream=True)), 200, f"POST {URL}", "stream", "end", id="stream"
        ),
        pytest.param(
            ("POST", URL, chat(max_tokens=1)), 200, f"POST {URL}", "blocking", "length", id="wall"
        ),
        pytest.param(("GET", "/v1/models", None), 200, "GET /v1/models", "-", "end", id="models"),
        pytest.param(
            ("GET", "/v1/no", None), 404, "GET /v1/no", "-", "Invalid URL (GET /v1/no)", id="404"
        ),
        pytest.param(
            ("POST", URL, chat(n=0)),
            400,
            f"POST {URL}",
            "-",
            "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0 instead.",
            id="400",
        ),
        pytest.param(("GET", "/health/", None), None, "", "", "", id="a probe is no news"),
        pytest.param(("OPTIONS", URL, None), None, "", "", "", id="a preflight is no news"),
    ],
)
async def test_line(
    request_: tuple[str, str, Any], status: int | None, endpoint: str, mode: str, ending: str
) -> None:
    lines = [json.loads(line) for line in await lines_of(request_)]

    told = [(line["status"], line["endpoint"], line["mode"], line["ending"]) for line in lines]
    assert told == ([] if status is None else [(status, endpoint, mode, ending)])


async def test_text_has_the_fields_of_json() -> None:
    [line] = await lines_of(("POST", URL, chat()), as_json=False)
    [fields] = map(json.loads, await lines_of(("POST", URL, chat())))

    assert f"200  POST {URL}  blocking  -  in {fields['tokens_in']}  out 3" in line
    assert "ttft " in line and line.endswith("s  end")


@pytest.mark.parametrize(
    ("stream", "ending", "status"),
    [
        (False, "end", 200),
        (False, "length", 200),
        (False, "client left", 499),
        (False, "shutdown", 503),
        (False, "error", 500),
        (True, "client left", 200),
        (True, "shutdown", 200),
    ],
)
def test_status_is_what_the_client_got(stream: bool, ending: Ending, status: int) -> None:
    call = Call("id", URL, stream, "m", 1, "", arrived=0.0, ending=ending)

    assert call_line(call)["status"] == status


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("naïve 🦜", "naïve 🦜"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\nb\r\0", "a\\nb\\r\\x00"),
        ("\u202etxt\u2028\x9b", "\\u202etxt\\u2028\\x9b"),
    ],
)
def test_only_printable_characters_are_written_raw(text: str, shown: str) -> None:
    assert printable(text) == shown


async def test_log_whose_reader_has_gone_does_not_disturb_requests() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as out:
        observers = [AccessLog(out, False), Watch(out)]
        async with application(quiet(), models=scripted("a"), observers=observers) as client:
            answers = [await client.post(URL, json=chat()) for _ in range(2)]
        with suppress(BrokenPipeError):
            out.close()

    assert [answer.status_code for answer in answers] == [200, 200]
