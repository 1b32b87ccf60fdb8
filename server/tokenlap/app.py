"""create_app(settings): the only place where the parts meet."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tokenlap.api import azure, health, models
from tokenlap.api.backend import Backend, random_id
from tokenlap.api.calls import Calls, Observer
from tokenlap.api.chat import route as chat
from tokenlap.api.envelope import Envelope, answer_to, is_loopback
from tokenlap.api.front import Front
from tokenlap.delivery.background import Background
from tokenlap.delivery.deployment import Deployment, Deployments
from tokenlap.delivery.drain import Drain
from tokenlap.delivery.pace import Clock
from tokenlap.engine.batch import Model
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.tokenizer import Tokenizer, o200k
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
    that a chat does not need takes 60 ms. In a thread, so that streams keep their pace.
    """
    module, _, name = place.partition(":")
    handler: Handler | None = None

    async def handle(backend: Backend, request: Request) -> Response:
        nonlocal handler
        if handler is None:
            found = await asyncio.to_thread(import_module, f"tokenlap.api.{module}")
            handler = getattr(found, name)
            assert handler is not None
        return await handler(backend, request)

    return handle


ROUTES: Sequence[tuple[str, str, Handler]] = (
    ("POST", "/v1/chat/completions", chat.create_chat_completion),
    ("GET", "/v1/chat/completions", late("stored:list_completions")),
    ("GET", "/v1/chat/completions/{completion_id}", late("stored:get_completion")),
    ("POST", "/v1/chat/completions/{completion_id}", late("stored:update_completion")),
    ("DELETE", "/v1/chat/completions/{completion_id}", late("stored:delete_completion")),
    ("GET", "/v1/chat/completions/{completion_id}/messages", late("stored:list_messages")),
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
    envelope = Envelope(_front(backend), backend.calls, local=is_loopback(settings.host))
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


def _front(backend: Backend) -> Front:
    """Return the way in to every endpoint."""
    routes = (*ROUTES, *azure.azure_routes(ROUTES))
    endpoints = [(method, path, _guarded(backend, handler)) for method, path, handler in routes]
    exact = {(method, path): endpoint for method, path, endpoint in endpoints if "{" not in path}

    def application() -> ASGIApp:
        from tokenlap.api.paths import application  # FastAPI takes 160 ms of a start

        return application(endpoints)

    return Front(application, exact)


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
