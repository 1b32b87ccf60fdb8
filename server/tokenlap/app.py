"""create_app(settings): the only place where the parts meet."""

import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp

from tokenlap.api import azure, health, models, stored
from tokenlap.api.backend import Backend, random_id
from tokenlap.api.calls import Calls, Observer
from tokenlap.api.chat import route as chat
from tokenlap.api.envelope import Envelope, answer_to, is_loopback
from tokenlap.api.front import Endpoint, Front
from tokenlap.api.wording import short
from tokenlap.delivery.background import Background
from tokenlap.delivery.deployment import Deployment, Deployments
from tokenlap.delivery.drain import Drain
from tokenlap.delivery.pace import Clock
from tokenlap.engine.batch import Model
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.tokenizer import Tokenizer, o200k
from tokenlap.errors import MethodNotAllowed, NotFound
from tokenlap.predictors.echo import EchoPredictor
from tokenlap.predictors.memo import MemoPredictor
from tokenlap.predictors.ngram.ngram import NgramPredictor, default_model
from tokenlap.predictors.ngram.store import NgramModel
from tokenlap.predictors.script import ScriptPredictor
from tokenlap.predictors.table import LESSON, TablePredictor, read_table
from tokenlap.settings import Settings
from tokenlap.store import MemoryStore, Store

Handler = Callable[[Backend, Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Server:
    """An application, and the backend behind it."""

    app: ASGIApp
    backend: Backend


def late(place: str) -> Handler:
    """Return the handler at `module:name` of tokenlap.api, imported when it is first asked for: all
    that a chat does not need takes 60 ms.
    """
    module, _, name = place.partition(":")

    async def handle(backend: Backend, request: Request) -> Response:
        handler: Handler = getattr(import_module(f"tokenlap.api.{module}"), name)
        return await handler(backend, request)

    return handle


ROUTES: Sequence[tuple[str, str, Handler]] = (
    ("POST", "/v1/chat/completions", chat.create_chat_completion),
    ("GET", "/v1/chat/completions", stored.list_completions),
    ("GET", "/v1/chat/completions/{completion_id}", stored.get_completion),
    ("POST", "/v1/chat/completions/{completion_id}", stored.update_completion),
    ("DELETE", "/v1/chat/completions/{completion_id}", stored.delete_completion),
    ("GET", "/v1/chat/completions/{completion_id}/messages", stored.list_messages),
    ("POST", "/v1/completions", late("completions.route:create_completion")),
    ("POST", "/v1/embeddings", late("embeddings:create_embeddings")),
    ("POST", "/v1/moderations", late("moderations:create_moderation")),
    ("POST", "/v1/responses", late("responses.route:create_response")),
    ("GET", "/v1/responses/{id}", late("responses.retrieval:get_response")),
    ("DELETE", "/v1/responses/{id}", late("responses.retrieval:delete_response")),
    ("POST", "/v1/responses/{id}/cancel", late("responses.retrieval:cancel_response")),
    ("GET", "/v1/responses/{id}/input_items", late("responses.retrieval:list_input_items")),
    ("GET", "/v1/models", models.list_models),
    ("GET", "/v1/models/{model:path}", models.get_model),
    ("DELETE", "/v1/models/{model:path}", models.delete_model),
    ("POST", "/tokenize", late("tokenize:tokenize")),
    ("POST", "/detokenize", late("tokenize:detokenize")),
    ("GET", "/health", health.health),
)
"""Every endpoint: method, path, handler; those under /v1 have their Azure forms as well."""


def create_app(
    settings: Settings | None = None,
    *,
    models: Mapping[str, Predictor[Any]] | None = None,
    observers: Sequence[Observer] = (),
    clock: Clock | None = None,
    store: Store | None = None,
    now: Callable[[], float] = time.time,
    new_id: Callable[[str], str] = random_id,
) -> Server:
    """Build the server that settings describe.

    models: predictors by id that replace or join the built-in ones, for tests and embedding;
    observers: who sees every lap; clock: the one that paces; store: what outlives a request; now:
    seconds since 1970, for `created`; new_id: makes an id that begins with a prefix.
    """
    settings = settings or Settings()
    clock = clock or Clock()
    listed, default = _models(settings.model, models or {})
    drain = Drain(settings.send_timeout, clock.now)
    backend = Backend(
        settings,
        {**dict.fromkeys(settings.model_names, default), **listed},
        default,
        Calls(clock.now, observers),
        _deployments(settings, clock),
        store or MemoryStore(settings.max_stored, settings.max_stored_size),
        drain,
        Background(settings.max_background, drain),
        clock=clock,
        now=now,
        new_id=new_id,
    )
    front = Front(*_application(backend))
    envelope = Envelope(front, backend.calls, local=is_loopback(settings.host))
    return Server(envelope, backend)


def _models(spec: str, given: Mapping[str, Predictor[Any]]) -> tuple[dict[str, Model], Model]:
    """Return the models by id, the given ones among them, and the one that spec makes the
    default.
    """
    tokenizer = o200k()
    known: dict[str, Predictor[Any]] = {
        **{name: default_predictor(name, tokenizer) for name in ("tokenlap", "table", "echo")},
        **given,
    }
    listed = {name: model_of(predictor, tokenizer) for name, predictor in known.items()}
    default = listed.get(spec) or model_of(default_predictor(spec, tokenizer), tokenizer)
    return listed, default


def _deployments(settings: Settings, clock: Clock) -> Deployments:
    """Return an engine for the default latency, and one for each that some models have of their
    own.
    """
    return Deployments(
        Deployment.of(settings.profile, settings.bounds, clock.now),
        {
            pattern: Deployment.of(profile, settings.bounds, clock.now)
            for pattern, profile in settings.profiles_by_model.items()
        },
    )


def model_of(predictor: Predictor[Any], tokenizer: Tokenizer) -> Model:
    """Return the model of a predictor: what comes from a corpus obeys, a script does not."""
    match predictor:
        case NgramPredictor() | MemoPredictor():
            return Model(tokenizer, predictor, "all")
        case ScriptPredictor():
            return Model(tokenizer, predictor, "nothing")
        case _:
            return Model(tokenizer, predictor)


@cache
def _ngram(tokenizer: Tokenizer) -> MemoPredictor:
    """Return the default model; its index takes 80 ms to build, and servers of one process share
    it.
    """
    return MemoPredictor(NgramPredictor(default_model(), tokenizer))


def default_predictor(spec: str, tokenizer: Tokenizer) -> Predictor[Any]:
    """Return the predictor that `--model` names: tokenlap, table, echo, or KIND:FILE.

    Raises ValueError that lists what there is.
    """
    kind, _, file = spec.partition(":")
    match kind, file:
        case "tokenlap", "":
            return _ngram(tokenizer)
        case "table", "":
            return TablePredictor(LESSON, tokenizer)
        case "echo", "":
            return EchoPredictor(tokenizer)
        case "ngram", _ if file:
            trained = NgramModel.load(Path(file).read_bytes())
            return MemoPredictor(NgramPredictor(trained, tokenizer))
        case "table", _:
            return TablePredictor(read_table(Path(file)), tokenizer)
        case "script", _ if file:
            return ScriptPredictor.of_text(Path(file).read_text(encoding="utf-8"), tokenizer)
        case _:
            known = "tokenlap, table, echo, ngram:FILE, table:FILE.yaml or script:FILE"
            raise ValueError(f"unknown model {spec!r}: expected {known}")


def _application(backend: Backend) -> tuple[FastAPI, dict[tuple[str, str], Endpoint]]:
    """Return the application, and those of its endpoints whose path has no parameters."""
    app = FastAPI(title="tokenlap", redirect_slashes=False, docs_url=None, redoc_url=None)
    exact: dict[tuple[str, str], Endpoint] = {}
    for method, path, handler in (*ROUTES, *azure.azure_routes(ROUTES)):
        # Starlette's own Route: FastAPI's dependency solving costs 50-75 us a request, and the
        # bytes are validated by the pydantic models in any case.
        endpoint = _guarded(backend, handler)
        app.router.routes.append(Route(path, endpoint, methods=[method]))
        if "{" not in path:
            exact[method, path] = endpoint
    app.openapi = _document  # type: ignore[method-assign] # FastAPI's own way to replace it
    app.add_exception_handler(HTTPException, _http_error)
    return app, exact


def _document() -> dict[str, Any]:
    from tokenlap.api.openapi.document import document  # knows every endpoint: see late()

    return document()


def _guarded(
    backend: Backend, handler: Handler
) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """Return the endpoint of a handler: whatever it raises is answered in the envelope."""

    async def endpoint(request: Request) -> Response:
        try:
            return await handler(backend, request)
        except Exception as error:
            return answer_to(request.scope, error)

    return endpoint


async def _http_error(request: Request, error: Exception) -> Response:
    """Answer what Starlette refuses by itself: no such path, or not with this method."""
    assert isinstance(error, HTTPException)
    path = short(request.scope["path"], 500)
    if error.status_code == 404:
        return answer_to(request.scope, NotFound(f"Invalid URL ({request.method} {path})"))
    if error.status_code == 405:
        hint = "(HINT: Perhaps you meant to use a different HTTP method?)"
        refused = MethodNotAllowed(f"Not allowed to {request.method} on {path}. {hint}")
        # Starlette names the methods of the first route that has this path, and not of the others.
        routes = [route for route in request.app.routes if isinstance(route, Route)]
        fitting = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
        allowed = {method for route in fitting for method in route.methods or ()}
        refused.headers["allow"] = ", ".join(sorted(allowed))
        return answer_to(request.scope, refused)
    return answer_to(request.scope, error)
