"""The Azure form: /openai/deployments/{name}/chat/completions?api-version=..., for the official
AzureOpenAI client.

    /openai/deployments/{name}/...   the deployment names the model where the body has none
    /openai/v1/...   /openai/...     the same endpoints as under /v1

Source: Azure OpenAI REST reference; openai-python, lib/azure.py.
Differences from Azure: any api-version is accepted, and none; the answers and errors are OpenAI's
own, without content filter results. The `api-key` header is read everywhere.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from typing import Any

from pydantic_core import from_json, to_json
from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend
from tokenlap.api.body import MARK, read_body
from tokenlap.api.headers import strip

Handler = Callable[[Backend, Request], Awaitable[Response]]
Route = tuple[str, str, Handler]
"""Method, path, handler."""
DEPLOYMENTS = "/openai/deployments/{deployment}"
DEPLOYED = ("/chat/completions", "/completions", "/embeddings")
"""The endpoints that a deployment has."""


def azure_routes(routes: Iterable[Route]) -> Iterator[Route]:
    """Yield the routes of the Azure form of those among routes that are under /v1."""
    for method, path, handler in routes:
        if not path.startswith("/v1/"):
            continue
        end = path.removeprefix("/v1")
        if method == "POST" and end in DEPLOYED:
            yield method, DEPLOYMENTS + end, deployed(handler)
        yield method, "/openai/v1" + end, handler
        yield method, "/openai" + end, handler


def deployed(handler: Handler) -> Handler:
    """Return the handler of an endpoint for the deployment that its path names."""

    async def handle(backend: Backend, request: Request) -> Response:
        backend.key(request)
        body = await read_body(request, backend.settings.max_body_size)
        return await handler(
            backend, _with_body(request, named(body, request.path_params["deployment"]))
        )

    return handle


def named(body: bytes, model: str) -> bytes:
    """Return a request body that names model, unless it names one itself or is no JSON object."""
    try:
        loaded = from_json(body.removeprefix(MARK), allow_inf_nan=False)
    except ValueError:
        return body  # the endpoint says what is wrong with it
    if not isinstance(loaded, dict) or loaded.get("model") is not None:
        return body
    # A number beyond a double stays one that no JSON has, so that it is refused later.
    return to_json({**loaded, "model": model}, inf_nan_mode="constants")


def _with_body(request: Request, body: bytes) -> Request:
    """Return a request that sends body in place of its own, which has been read."""
    unread = True

    async def receive() -> MutableMapping[str, Any]:
        nonlocal unread
        if unread:
            unread = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await request.receive()

    strip(request.scope, (b"content-encoding", b"content-length"))
    # The same scope: what is noted in it is read where the answer is dressed (envelope.py).
    return Request(request.scope, receive)
