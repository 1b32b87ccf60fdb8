from base64 import b64encode
from typing import Any

import httpx
import pytest

from tests.support import application, chat, quiet, scripted
from tokenlap.api.backend import NO_KEY, last_of, masked

URL = "/v1/chat/completions"
KEY = "sk-proj-abcdefghijklmnop"


def basic(password: str) -> dict[str, str]:
    return {"authorization": "Basic " + b64encode(f":{password}".encode()).decode()}


async def answered(headers: dict[str, str], **options: Any) -> httpx.Response:
    async with application(quiet(**options), models=scripted("hello")) as client:
        return await client.post(URL, json=chat(), headers=headers)


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"authorization": f"Bearer {KEY}"}, id="bearer"),
        pytest.param({"authorization": f"bearer  {KEY} "}, id="bearer, loosely written"),
        pytest.param({"api-key": KEY}, id="Azure's header"),
        pytest.param(basic(KEY), id="the password of a browser"),
    ],
)
@pytest.mark.parametrize("options", [{"api_key": KEY}, {"api_key": f"other,{KEY}"}])
async def test_a_key_is_found_wherever_clients_put_it(
    headers: dict[str, str], options: dict[str, str]
) -> None:
    assert (await answered(headers, **options)).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer  "},
        {"authorization": "Basic !!!"},
        {"authorization": "Basic " + b64encode(b"\xff\xfe").decode()},
        {"authorization": "Digest x"},
    ],
    ids=str,
)
@pytest.mark.parametrize("options", [{"api_key": KEY}, {"strict": True}], ids=["key", "strict"])
async def test_no_key_is_told_how_to_send_one(
    headers: dict[str, str], options: dict[str, Any]
) -> None:
    answer = await answered(headers, **options)

    assert answer.status_code == 401
    assert answer.json()["error"] == {
        "message": NO_KEY,
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }


@pytest.mark.parametrize("key", ["sk-bad", "sk-proj-wrongwrongwrong", KEY[:-1], KEY + "x", "ключ"])
async def test_a_wrong_key_is_refused_and_not_shown(key: str) -> None:
    answer = await answered(basic(key), api_key=KEY)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (401, "invalid_api_key")
    assert error["message"].startswith("Incorrect API key provided: ")
    assert key not in error["message"]


async def test_any_key_passes_where_none_is_named() -> None:
    assert (await answered({})).status_code == 200
    assert (await answered({"authorization": "Bearer x"})).status_code == 200
    assert (await answered({"authorization": "Bearer x"}, strict=True)).status_code == 200


@pytest.mark.parametrize("path", ["/v1/models", "/v1/models/echo"])
async def test_every_endpoint_wants_the_key(path: str) -> None:
    async with application(quiet(api_key=KEY)) as client:
        refused = await client.get(path)
        passed = await client.get(path, headers={"authorization": f"Bearer {KEY}"})
        health = await client.get("/health")

    assert (refused.status_code, passed.status_code, health.status_code) == (401, 200, 200)


async def test_the_key_comes_before_what_is_wrong_with_the_body() -> None:
    async with application(quiet(api_key=KEY)) as client:
        assert (await client.post(URL, content="{")).status_code == 401


def test_what_is_shown_of_a_key_is_not_the_key() -> None:
    assert masked(KEY) == "sk-***mnop"
    assert masked("sk-short") == "***"
    assert (last_of(KEY), last_of("sk-short"), last_of("")) == ("mnop", "", "")


async def test_an_unknown_model_exists_in_tolerance_alone() -> None:
    body = {**chat(), "model": "gpt-4o"}
    key = {"authorization": "Bearer x"}
    async with application() as client:
        tolerant = await client.post(URL, json=body)
    async with application(quiet(strict=True)) as client:
        strict = await client.post(URL, json=body, headers=key)
    async with application(quiet(strict=True, model_names="gpt-4o,a/b")) as client:
        listed = await client.post(URL, json=body, headers=key)
        models = await client.get("/v1/models", headers=key)

    assert tolerant.json()["model"] == listed.json()["model"] == "gpt-4o"
    assert strict.status_code == 404
    assert strict.json()["error"] == {
        "message": "The model `gpt-4o` does not exist or you do not have access to it.",
        "type": "invalid_request_error",
        "param": None,
        "code": "model_not_found",
    }
    assert {"gpt-4o", "a/b", "tokenlap"} <= {model["id"] for model in models.json()["data"]}
    assert tolerant.json()["choices"] == listed.json()["choices"]
