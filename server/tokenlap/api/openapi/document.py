"""The OpenAPI 3.1 document of the server, made from the table of operations.

The endpoints read their bytes themselves, so FastAPI knows nothing of them; this document stands in
place of its own.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from tokenlap.api import azure
from tokenlap.api.openapi.operations import OPERATIONS, Operation
from tokenlap.api.openapi.schemas import SCHEMAS, Schema, event, ref

ERRORS = {
    "400": "the body or a parameter is not as it should be",
    "401": "no key, or not one of ours",
    "403": "not for a page of another host; or a built-in model is to be deleted",
    "404": "an unknown model or stored object",
    "405": "the path exists, with another method",
    "413": "the body is over the limit",
    "415": "the body is compressed in a way that is not known here",
    "429": "too many at once",
    "500": "a fault of the server",
    "503": "the queue is full, or the server is stopping",
}
_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
_MODELS = "#/components/schemas/{model}"
_HEADERS = {
    "x-tokenlap-trace": "1 adds the laps behind each choice: token, roll, candidates",
    "x-tokenlap-ttft": "time to first token, such as 300ms or 200ms/900ms (median/p99)",
    "x-tokenlap-itl": "time between tokens, such as 20ms",
    "x-tokenlap-prefill": "time for each prompt token that is not cached, such as 0.1ms",
}


@cache
def document() -> Schema:
    """Return the document; every route is in it, those of the Azure form as further servers."""
    paths: dict[str, Schema] = {}
    for (method, path), operation in OPERATIONS.items():
        for spelled in _spellings(method, path):
            described = paths.setdefault(_plain(spelled), {})
            described[method.lower()] = _operation(method, spelled, operation)
            if spelled.startswith("/v1/"):
                described["servers"] = _SERVERS
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tokenlap",
            "version": version("tokenlap"),
            "description": "A mock OpenAI backend that really runs the autoregressive loop.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}, {"azure": []}, {}],
        "paths": paths,
        "components": {
            "schemas": {**_request_schemas(), **SCHEMAS},
            "responses": _error_answers(),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "azure": {"type": "apiKey", "in": "header", "name": "api-key"},
            },
        },
    }


_SERVERS = [
    {"url": "/"},
    {"url": "/openai", "description": "the v1 form of Azure"},
]


def _spellings(method: str, path: str) -> list[str]:
    """Return the paths of an operation: its own, and that of a deployment where it has one."""
    end = path.removeprefix("/v1")
    deployed = method == "POST" and end in azure.DEPLOYED
    return [path, azure.DEPLOYMENTS + end] if deployed else [path]


def _plain(path: str) -> str:
    """Return a path as the document spells it: without the converters of its parameters."""
    return _PARAMETER.sub(r"{\1}", path)


def _operation(method: str, path: str, operation: Operation) -> Schema:
    answer: Schema = {"description": "the answer", "content": _contents(operation)}
    if operation.makes is not None:
        answer["links"] = _links(path, operation.makes)
    described: Schema = {
        "operationId": _name(method, path),
        "summary": operation.summary,
        "parameters": [*_parameters(path, operation)],
        "responses": {
            "200": answer,
            **{status: {"$ref": f"#/components/responses/{status}"} for status in ERRORS},
        },
    }
    if operation.body:
        schemas = [ref(model.__name__) for model in operation.body]
        schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        }
    return described


def _name(method: str, path: str) -> str:
    """Return the id of an operation: get_v1_models_model."""
    return re.sub(r"[^a-z0-9]+", "_", f"{method} {_plain(path)}".lower()).strip("_")


def _links(made_at: str, parameter: str) -> Schema:
    """Return the operations that take the id of what is made at a path."""
    return {
        _name(method, path): {
            "operationId": _name(method, path),
            "parameters": {parameter: "$response.body#/id"},
        }
        for method, path in OPERATIONS
        if path.startswith(f"{made_at}/{{{parameter}}}")
    }


def _contents(operation: Operation) -> Schema:
    """Return what an answer holds: JSON, or a stream."""
    contents: Schema = {"application/json": {"schema": ref(operation.answer)}}
    if operation.events is not None:
        contents["text/event-stream"] = {"schema": event(operation.events)}
    return contents


def _parameters(path: str, operation: Operation) -> Iterable[Schema]:
    for name in _PARAMETER.findall(path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    if path.startswith(azure.DEPLOYMENTS):
        yield {"name": "api-version", "in": "query", "schema": {"type": "string"}}
    if operation.query is not None:
        schema = operation.query.model_json_schema(ref_template=_MODELS)
        for name, described in schema["properties"].items():
            yield {"name": name, "in": "query", "schema": _untitled(described)}
    if operation.generates:
        for name, meaning in _HEADERS.items():
            yield {
                "name": name,
                "in": "header",
                "description": meaning,
                "schema": {"type": "string"},
            }


def _request_schemas() -> Schema:
    """Return the schemas of all request bodies, and of what they hold, by name."""
    bodies: dict[type[BaseModel], None] = {}
    for operation in OPERATIONS.values():
        bodies.update(dict.fromkeys(operation.body))
    _, schema = models_json_schema(
        [(model, "validation") for model in bodies], ref_template=_MODELS
    )
    named: Schema = _untitled(schema["$defs"])
    return named


def _untitled(schema: Any) -> Any:
    """Return a schema without the titles that pydantic makes from names."""
    if isinstance(schema, list):
        return [_untitled(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _untitled(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }


def _error_answers() -> Schema:
    content = {"application/json": {"schema": ref("ErrorResponse")}}
    return {
        status: {"description": meaning, "content": content} for status, meaning in ERRORS.items()
    }
