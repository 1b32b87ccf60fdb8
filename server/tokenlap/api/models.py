"""GET and DELETE /v1/models/{id}, GET /v1/models: the models that are listed; every other name is
answered by the default one.

Differences from OpenAI: `tokenlap` in each object is an extension (context window, end token).
Where any name is a model, any unlisted one is deleted with success, so that a program that cleans
up its fine-tuned models runs; nothing was kept, and the name is answered on. A listed one is a 403.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.backend import Backend, no_model
from tokenlap.api.serving import json_answer
from tokenlap.api.wording import short
from tokenlap.engine.tokenizer import END
from tokenlap.errors import Forbidden


def model_object(backend: Backend, name: str) -> dict[str, Any]:
    """Return the Model object of a listed id."""
    return {
        "id": name,
        "object": "model",
        "created": backend.started,
        "owned_by": "tokenlap",
        "tokenlap": {"context_window": backend.settings.context_window, "end_token": END},
    }


async def list_models(backend: Backend, request: Request) -> Response:
    """List the models; no paging."""
    backend.key(request)
    data = [model_object(backend, name) for name in backend.models]
    return json_answer({"object": "list", "data": data})


async def get_model(backend: Backend, request: Request) -> Response:
    """Return one model; ids may contain `/`. Raises NotFound for an unlisted one with --strict."""
    backend.key(request)
    name = request.path_params["model"]
    if name not in backend.models and backend.settings.strict:
        raise no_model(name)
    return json_answer(model_object(backend, name))


async def delete_model(backend: Backend, request: Request) -> Response:
    """Say that an unlisted model is deleted; raises Forbidden for a listed one, and NotFound for an
    unlisted one with --strict.
    """
    backend.key(request)
    name = request.path_params["model"]
    if name in backend.models:
        raise Forbidden(f"The model `{short(name)}` is built in and cannot be deleted.", "model")
    if backend.settings.strict:
        raise no_model(name)
    return json_answer({"id": name, "object": "model", "deleted": True})
