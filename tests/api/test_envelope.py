import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.support import application, chat, scripted
from tokenlap.api.calls import Calls, Exchange
from tokenlap.api.envelope import Envelope, answer_to, cors, tidy
from tokenlap.delivery.connected import ClientLeft
from tokenlap.errors import NotFound

URL = "/v1/chat/completions"
ORIGIN = {"origin": "http://app.test"}
Ask = Callable[[httpx.AsyncClient], Any]

ANSWERS: dict[str, tuple[int, Ask]] = {
    "a list": (200, lambda client: client.get("/v1/models")),
    "a blocking answer": (200, lambda client: client.post(URL, json=chat())),
    "a stream": (200, lambda client: client.post(URL, json=chat(stream=True))),
    "a bad request": (400, lambda client: client.post(URL, content="{")),
    "an unknown path": (404, lambda client: client.post("/v1/nope")),
    "an unknown path outside": (404, lambda client: client.get("/nope")),
    "a wrong method": (405, lambda client: client.delete("/v1/models")),
    "a preflight": (204, lambda client: client.options(URL, headers=ORIGIN)),
    "health": (200, lambda client: client.get("/health")),
}


@pytest.mark.parametrize("answer", ANSWERS)
async def test_every_answer_has_an_id_and_the_platforms_headers(answer: str) -> None:
    status, ask = ANSWERS[answer]
    async with application(models=scripted("hello")) as client:
        answers = [await ask(client), await ask(client)]

    ids = {each.headers["x-request-id"] for each in answers}
    assert all(each.status_code == status for each in answers)
    assert len(ids) == 2 and all(re.fullmatch(r"req_[0-9a-f]{32}", id) for id in ids)
    assert re.fullmatch(r"\d+", answers[0].headers["openai-processing-ms"])
    assert answers[0].headers["openai-version"] == "2020-10-01"


@pytest.mark.parametrize("answer", [name for name in ANSWERS if not name.startswith("health")])
async def test_every_answer_under_v1_has_the_rate_limits_of_an_unlimited_tenant(
    answer: str,
) -> None:
    async with application(models=scripted("hello")) as client:
        headers = (await ANSWERS[answer][1](client)).headers

    limits = {name: text for name, text in headers.items() if name.startswith("x-ratelimit-")}
    if answer == "an unknown path outside":
        assert not limits
        return
    assert len(limits) == 6
    for what in ("requests", "tokens"):
        assert int(limits[f"x-ratelimit-remaining-{what}"]) < int(
            limits[f"x-ratelimit-limit-{what}"]
        )
        assert re.fullmatch(r"\d+(ms|s)", limits[f"x-ratelimit-reset-{what}"])


@pytest.mark.parametrize("answer", [name for name in ANSWERS if name != "a preflight"])
async def test_pages_of_other_origins_may_read_what_is_under_v1_alone(answer: str) -> None:
    async with application(models=scripted("hello")) as client:
        plain = await ANSWERS[answer][1](client)
        client.headers.update(ORIGIN)
        headers = (await ANSWERS[answer][1](client)).headers

    assert "access-control-allow-origin" not in plain.headers
    if answer in ("health", "an unknown path outside"):
        assert "access-control-allow-origin" not in headers
    else:
        assert headers["access-control-allow-origin"] == "*"
        assert "x-request-id" in headers["access-control-expose-headers"]


@pytest.mark.parametrize(
    ("path", "tidied"),
    [
        ("/v1/models", "/v1/models"),
        ("/v1/models/", "/v1/models"),
        ("//v1///models//", "/v1/models"),
        ("/", "/"),
        ("//", "/"),
    ],
)
def test_a_path_is_read_without_doubled_and_trailing_slashes(path: str, tidied: str) -> None:
    assert tidy(path) == tidied


@pytest.mark.parametrize("path", ["/v1/models/", "/v1//models", "//v1/models", "/v1/models?x=1"])
async def test_such_a_path_is_answered_at_once(path: str) -> None:
    async with application() as client:
        answer = await client.get(f"http://localhost{path}")

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("path", "open_to_pages"),
    [("/v1", True), ("/v1/x", True), ("/openai/x", True), ("/v12", False), ("/tokenlap", False)],
)
def test_the_open_paths_are_those_of_the_api(path: str, open_to_pages: bool) -> None:
    assert cors(path) is open_to_pages


@pytest.mark.parametrize(
    ("method", "path", "status", "message"),
    [
        ("POST", "/v1/nope", 404, "Invalid URL (POST /v1/nope)"),
        ("POST", "/v1/v1/chat/completions", 404, "Invalid URL (POST /v1/v1/chat/completions)"),
        ("POST", "/chat/completions", 404, "Invalid URL (POST /chat/completions)"),
        ("GET", "/", 404, "Invalid URL (GET /)"),
        (
            "GET",
            "/v1/embeddings",
            405,
            "Not allowed to GET on /v1/embeddings. "
            "(HINT: Perhaps you meant to use a different HTTP method?)",
        ),
    ],
)
async def test_unknown_paths_and_methods_are_answered_in_the_envelope(
    method: str, path: str, status: int, message: str
) -> None:
    async with application() as client:
        answer = await client.request(method, path)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "error": {
            "message": message,
            "type": "invalid_request_error",
            "param": None,
            "code": None,
        }
    }


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/embeddings", "POST"),
        ("/v1/chat/completions", "GET, HEAD, POST"),
        ("/v1/models/a/b", "DELETE, GET, HEAD"),
        ("/health", "GET, HEAD"),
    ],
)
async def test_a_wrong_method_is_told_the_right_ones(path: str, allowed: str) -> None:
    async with application() as client:
        answer = await client.request("PATCH", path)

    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed


async def test_a_path_without_end_is_answered_shortly() -> None:
    async with application() as client:
        answer = await client.get("/v1/" + "x" * 50_000)

    assert answer.status_code == 404
    assert len(answer.content) < 1000


async def test_a_fault_of_ours_is_a_500_that_tells_nothing_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("secret detail")

    seen: list[Message] = []

    async def send(message: Message) -> None:
        seen.append(message)

    scope = {"type": "http", "method": "GET", "path": "/v1/x", "headers": []}
    await Envelope(broken, Calls(lambda: 0.0))(scope, None, send)  # type: ignore[arg-type] # unread

    assert seen[0]["status"] == 500
    assert b"The server had an error while processing your request" in seen[1]["body"]
    assert b"secret" not in seen[1]["body"]
    assert "secret detail" in caplog.text  # the operator sees it


def test_a_client_that_has_left_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    assert answer_to({}, ClientLeft()).status_code == 499
    assert not caplog.records


async def test_an_observer_learns_of_what_was_refused() -> None:
    seen: list[Exchange] = []

    class Observer:
        def began(self, *_: object) -> None: ...
        def lapped(self, *_: object) -> None: ...
        def ended(self, *_: object) -> None: ...
        def answered(self, exchange: Exchange) -> None:
            seen.append(exchange)

    async with application(observers=[Observer()]) as client:
        await client.post("/v1/nope")

    assert [(each.status, each.path, each.message) for each in seen] == [
        (404, "/v1/nope", "Invalid URL (POST /v1/nope)")
    ]


def test_an_error_keeps_its_headers() -> None:
    error = NotFound("no")
    error.headers["retry-after"] = "2"

    assert answer_to({}, error).headers["retry-after"] == "2"
