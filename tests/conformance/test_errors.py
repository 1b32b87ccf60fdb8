"""Statements 143-160: errors."""

import json
from typing import Any

import httpx
import openai
import pytest
from openai import APIStatusError

from tests import spec
from tests.conformance.asking import CHAT, HELLO, KEY, Broken, answer, error, official, refusal
from tests.support import Json, application, chat, quiet

REFUSED: dict[str, tuple[int, Any]] = {
    "no key": (401, {"settings": quiet(api_key="k"), "headers": {}}),
    "a wrong key": (401, {"settings": quiet(api_key="k"), "headers": {"api-key": "bad"}}),
    "no model": (404, {"settings": quiet(strict=True), "headers": KEY}),
    "no JSON": (400, {"content": "{"}),
    "no object": (400, {"content": "[]"}),
    "a wrong type": (400, {"content": json.dumps(chat(n="x"))}),
    "too large": (413, {"settings": quiet(max_body_size=10)}),
    "an unknown path": (404, {"path": "/v1/nope"}),
    "a wrong method": (405, {"method": "PUT"}),
    "an unknown encoding": (415, {"headers": {"content-encoding": "x"}}),
    "a fault": (500, {"models": {"mock-1": Broken()}}),
}


async def refused(name: str) -> httpx.Response:
    """The answer to a request that is refused."""
    status, how = REFUSED[name]
    models = how.get("models", HELLO if name != "no model" else {})
    async with application(how.get("settings"), models=models) as client:
        given = await client.request(
            how.get("method", "POST"),
            how.get("path", CHAT),
            content=how.get("content", json.dumps(chat())),
            headers={"content-type": "application/json", **how.get("headers", KEY)},
        )
    assert given.status_code == status, given.text
    return given


@pytest.mark.parametrize("name", REFUSED)
async def test_143_an_error_is_an_object_with_four_keys(name: str) -> None:
    body = (await refused(name)).json()

    spec.check("ErrorResponse", body)
    assert set(body) == {"error"}
    assert set(body["error"]) == {"message", "type", "param", "code"}
    assert isinstance(body["error"]["code"], str | None)


@pytest.mark.parametrize("name", REFUSED)
async def test_144_no_error_is_flat_or_a_detail(name: str) -> None:
    given = await refused(name)

    assert not {"detail", "object", "message"} & given.json().keys()


WRONG = '{"model":1,"input":1,"prompt":1,"messages":1}'


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '"x"', WRONG, "\x00", "NaN"])
async def test_145_nothing_is_answered_with_422(content: str) -> None:
    for path in (CHAT, "/v1/completions", "/v1/responses", "/v1/embeddings", "/v1/moderations"):
        assert (await answer(content, path)).status_code == 400


CLASSES: dict[str, tuple[type[APIStatusError], Json, Json]] = {
    "a wrong key": (openai.AuthenticationError, {"api_key": "k"}, {}),
    "no model": (openai.NotFoundError, {"strict": True}, {"model": "x"}),
    "a wrong type": (openai.BadRequestError, {}, {"n": 0}),
    "too large": (openai.APIStatusError, {"max_body_size": 10}, {}),
    "a fault": (openai.InternalServerError, {}, {}),
}


@pytest.mark.parametrize("name", CLASSES)
async def test_146_the_status_gives_the_class_of_the_clients_error(name: str) -> None:
    expected, settings, options = CLASSES[name]
    models = {"mock-1": Broken()} if name == "a fault" else HELLO
    async with official(quiet(**settings), models) as client:
        with pytest.raises(expected) as raised:
            await client.chat.completions.create(**{**chat(), **options})

    assert type(raised.value) is expected
    assert raised.value.status_code == REFUSED[name][0]


async def test_147_the_clients_message_tells_ours() -> None:
    async with official() as client:
        with pytest.raises(openai.BadRequestError) as raised:
            await client.chat.completions.create(**chat(n=0))

    assert raised.value.message.startswith("Error code: 400 - ")
    assert "Invalid 'n': integer below minimum value" in raised.value.message
    assert (raised.value.param, raised.value.code) == ("n", "integer_below_min_value")


async def test_148_without_a_key_it_tells_how_to_send_one() -> None:
    assert (await refused("no key")).json()["error"] == {
        "message": "You didn't provide an API key. You need to provide your API key in an "
        "Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the "
        "password field (with blank username) if you're accessing the API from your browser and "
        "are prompted for a username and password. You can obtain an API key from "
        "https://platform.openai.com/account/api-keys.",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }


async def test_149_a_wrong_key_is_told_and_masked() -> None:
    key = "sk-VKabcdefghijwjh3"
    async with application(quiet(api_key="k")) as client:
        given = await client.post(CHAT, json=chat(), headers={"authorization": f"Bearer {key}"})

    assert given.status_code == 401
    assert given.json()["error"] == {
        "message": "Incorrect API key provided: sk-***wjh3. "
        "You can find your API key at https://platform.openai.com/account/api-keys.",
        "type": "invalid_request_error",
        "param": None,
        "code": "invalid_api_key",
    }


@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings", "/v1/completions"])
async def test_150_an_unknown_model_is_404_with_strict(path: str) -> None:
    body = {**chat(), "model": "x", "input": "hi", "prompt": "hi"}
    wanted = {CHAT: "messages", "/v1/embeddings": "input", "/v1/completions": "prompt"}[path]
    body = {name: value for name, value in body.items() if name in ("model", wanted)}
    given = await answer(body, path, quiet(strict=True))

    assert given.status_code == 404
    assert given.json()["error"] == {
        "message": "The model `x` does not exist or you do not have access to it.",
        "type": "invalid_request_error",
        "param": None,
        "code": "model_not_found",
    }


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_151_an_unknown_path_is_an_invalid_url(method: str) -> None:
    async with application() as client:
        given = await client.request(method, "/v1/foo")

    assert given.status_code == 404
    assert given.json()["error"] == {
        "message": f"Invalid URL ({method} /v1/foo)",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }


async def test_152_a_wrong_method_is_405() -> None:
    async with application() as client:
        given = await client.get("/v1/embeddings")

    assert given.status_code == 405
    assert given.json()["error"] == {
        "message": "Not allowed to GET on /v1/embeddings. "
        "(HINT: Perhaps you meant to use a different HTTP method?)",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }


@pytest.mark.parametrize("content", ["", "{", "{'model': 1}", '{"model":"m",}', "model=m"])
async def test_153_what_is_no_json_is_told_so(content: str) -> None:
    refused = await refusal(content)

    assert refused == error(400, refused["message"])
    assert refused["message"].startswith("We could not parse the JSON body of your request. (HINT:")


@pytest.mark.parametrize(
    "content",
    [
        r'{"model":"m","messages":[{"role":"user","content":"\ud800"}]}',
        r'{"model":"m\udc00","messages":[{"role":"user","content":"x"}]}',
        '{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":NaN}',
    ],
)
async def test_154_lone_surrogates_and_nan_are_the_same_400(content: str) -> None:
    assert await refusal(content) == await refusal("{")


@pytest.mark.parametrize("content", ["[]", '"x"', "null", "1", "true", "[{}]"])
async def test_155_a_body_that_is_no_object_is_400(content: str) -> None:
    refused = await refusal(content)

    assert (refused["status"], refused["type"]) == (400, "invalid_request_error")


async def test_156_of_duplicate_keys_the_last_one_counts() -> None:
    given = await answer(
        '{"model":"a","model":"mock-1","stream":false,"stream":true,"n":7,"n":1,'
        '"messages":[{"role":"user","content":"hi"}]}'
    )

    assert given.headers["content-type"].startswith("text/event-stream")
    assert '"model":"mock-1"' in given.text and '"index":1' not in given.text


async def test_159_a_fault_of_the_server_is_told_in_the_platforms_words() -> None:
    assert (await refused("a fault")).json()["error"] == {
        "message": "The server had an error while processing your request. Sorry about that!",
        "type": "server_error",
        "param": None,
        "code": None,
    }


async def test_160_a_fault_is_json_too() -> None:
    given = await refused("a fault")

    assert given.headers["content-type"] == "application/json"
    assert "broken on purpose" not in given.text


def test_143_the_table_names_every_status_we_refuse_with() -> None:
    assert {status for status, _ in REFUSED.values()} == {400, 401, 404, 405, 413, 415, 500}
