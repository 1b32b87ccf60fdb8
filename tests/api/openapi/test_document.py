import json
import re

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from tests.support import Json, application, chat, quiet, scripted
from tokenlap.api.azure import azure_routes
from tokenlap.api.openapi.document import ERRORS, document
from tokenlap.app import ROUTES

HTTP = {"get", "post", "delete", "put", "patch"}
OPERATIONS = [
    (path, method)
    for path, described in document()["paths"].items()
    for method in described
    if method in HTTP
]


def described(path: str, method: str) -> Json | None:
    """The operation of a path, found also where a server's prefix stands before it."""
    plain = re.sub(r":path}", "}", path)
    for spelled, operations in document()["paths"].items():
        servers = [server["url"].rstrip("/") for server in operations.get("servers", [{"url": ""}])]
        if plain in [prefix + spelled for prefix in servers] and method in operations:
            operation: Json = operations[method]
            return operation
    return None


def valid(schema: Json, value: object) -> bool:
    whole = {**schema, "components": document()["components"]}
    return Draft202012Validator(whole).is_valid(value)


async def test_the_document_is_served_and_valid() -> None:
    async with application() as client:
        served = (await client.get("/openapi.json")).json()

    validate(served)
    assert served == json.loads(json.dumps(document()))


@pytest.mark.parametrize(("method", "path"), [route[:2] for route in ROUTES])
def test_every_route_is_described(method: str, path: str) -> None:
    assert described(path, method.lower()) is not None


@pytest.mark.parametrize(
    ("method", "path"),
    [route[:2] for route in azure_routes(ROUTES) if route[1].startswith("/openai/deployments")],
)
def test_the_routes_of_deployments_are_described(method: str, path: str) -> None:
    operation = described(path, method.lower())

    assert operation is not None
    assert "api-version" in [parameter["name"] for parameter in operation["parameters"]]


def test_the_v1_form_of_azure_is_a_further_server() -> None:
    assert described("/openai/v1/chat/completions", "post") == described(
        "/v1/chat/completions", "post"
    )


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_nothing_is_described_that_is_not_served(path: str, method: str) -> None:
    routes = [*ROUTES, *azure_routes(ROUTES)]

    assert (method.upper(), path) in [(m, p.replace(":path}", "}")) for m, p, _ in routes]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_operation_names_its_errors_in_the_envelope(path: str, method: str) -> None:
    responses = document()["paths"][path][method]["responses"]

    assert {"200", "400", "401", "404", "405", "413", "415", "429", "500", "503"} <= set(responses)
    for status in ERRORS:
        assert responses[status] == {"$ref": f"#/components/responses/{status}"}
        content = document()["components"]["responses"][status]["content"]
        assert content["application/json"]["schema"]["$ref"].endswith("/ErrorResponse")


def test_the_ids_of_operations_are_unique() -> None:
    ids = [document()["paths"][path][method]["operationId"] for path, method in OPERATIONS]

    assert len(set(ids)) == len(ids)


def test_what_can_be_streamed_says_so() -> None:
    streamed = {
        (path, method)
        for path, method in OPERATIONS
        if "text/event-stream" in document()["paths"][path][method]["responses"]["200"]["content"]
    }

    assert streamed == {
        ("/v1/chat/completions", "post"),
        ("/v1/completions", "post"),
        ("/v1/responses", "post"),
        ("/v1/responses/{id}", "get"),
        ("/openai/deployments/{deployment}/chat/completions", "post"),
        ("/openai/deployments/{deployment}/completions", "post"),
    }


BODIES: dict[str, list[Json]] = {
    "/v1/chat/completions": [
        chat(store=True, logprobs=True, top_logprobs=2, n=2),
        chat(stop="x", tool_choice=None, logit_bias={"1": 2}),
        {
            "model": "mock-1",
            "messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}],
        },
    ],
    "/v1/completions": [
        {"model": "mock-1", "prompt": "a", "logprobs": 2, "echo": True},
        {"model": "mock-1", "prompt": [[1, 2], [3]], "stop": ["x"]},
        {"model": "mock-1"},
    ],
    "/v1/embeddings": [
        {"model": "m", "input": ["a", "b"]},
        {"model": "m", "input": [1, 2], "encoding_format": "base64", "dimensions": 3},
    ],
    "/v1/moderations": [{"input": "kill"}, {"input": [{"type": "text", "text": "a"}]}],
    "/v1/responses": [{"model": "mock-1", "input": "a"}, {"model": "mock-1", "input": []}],
    "/tokenize": [{"prompt": "a"}, {**chat(), "return_token_strs": True}],
    "/detokenize": [{"tokens": [1, 2]}],
}


@pytest.mark.parametrize(
    ("path", "body"), [(path, body) for path, bodies in BODIES.items() for body in bodies]
)
async def test_what_is_accepted_and_answered_is_as_described(path: str, body: Json) -> None:
    operation = document()["paths"][path]["post"]
    async with application(models=scripted("one two")) as client:
        answer = await client.post(path, json=body)

    assert answer.status_code == 200
    assert valid(operation["requestBody"]["content"]["application/json"]["schema"], body)
    assert valid(
        operation["responses"]["200"]["content"]["application/json"]["schema"], answer.json()
    )


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"model": "m"}),
        ("/v1/chat/completions", chat(n=0)),
        ("/v1/chat/completions", chat(stop=["a"] * 5)),
        ("/v1/completions", {"model": "m", "prompt": 1}),
        ("/v1/completions", {"model": "m", "logprobs": 6}),
        ("/v1/embeddings", {"model": "m"}),
        ("/detokenize", {"tokens": "a"}),
    ],
)
async def test_what_is_refused_is_described_as_wrong(path: str, body: Json) -> None:
    operation = document()["paths"][path]["post"]
    async with application(quiet(), models=scripted("one")) as client:
        answer = await client.post(path, json=body)

    assert answer.status_code == 400
    assert not valid(operation["requestBody"]["content"]["application/json"]["schema"], body)
