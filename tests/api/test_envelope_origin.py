from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support import application, chat, quiet
from tokenlap.api.envelope import is_local, is_loopback

URL = "/v1/chat/completions"
ORIGIN = {"origin": "http://app.test"}
Ask = Callable[[httpx.AsyncClient], Any]


@pytest.mark.parametrize("path", [URL, "/v1/nope", "/openai/deployments/x/chat/completions"])
async def test_a_preflight_passes_without_a_key_and_gets_every_header_it_asks_for(
    path: str,
) -> None:
    asked = "authorization,content-type,x-stainless-retry-count,x-made-up"
    async with application(quiet(api_key="k", strict=True)) as client:
        answer = await client.options(
            path,
            headers={
                **ORIGIN,
                "access-control-request-method": "POST",
                "access-control-request-headers": asked,
            },
        )

    assert answer.status_code == 204 and answer.content == b""
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-headers"] == asked
    assert {"GET", "POST", "DELETE"} <= {
        *answer.headers["access-control-allow-methods"].replace(" ", "").split(",")
    }


async def test_errors_of_an_api_key_can_be_read_by_a_page() -> None:
    async with application(quiet(api_key="k")) as client:
        answer = await client.post(URL, json=chat(), headers=ORIGIN)

    assert answer.status_code == 401
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("localhost", True),
        ("localhost:8000", True),
        ("LocalHost:8000", True),
        ("tokenlap.localhost", True),
        ("127.0.0.1:8000", True),
        ("127.8.8.8", True),
        ("[::1]:8000", True),
        ("evil.example", False),
        ("evil.example:8000", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("192.168.1.5", False),
        ("[fe80::1]", False),
        ("", False),
    ],
)
async def test_what_is_not_under_v1_answers_to_local_names_alone(host: str, served: bool) -> None:
    assert is_local(host) is served
    async with application(quiet(host="127.0.0.1")) as client:
        outside = await client.get("/health", headers={"host": host})
        inside = await client.get("/v1/models", headers={"host": host})

    assert outside.status_code == (200 if served else 403)
    assert inside.status_code == 200


async def test_a_server_for_every_interface_answers_to_every_name() -> None:
    async with application(quiet(host="0.0.0.0")) as client:
        answer = await client.get("/health", headers={"host": "mock.internal"})

    assert answer.status_code == 200
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "::1", "localhost")] == [
        False,
        False,
        True,
        True,
    ]
