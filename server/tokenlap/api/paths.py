"""The long way in, FastAPI's router: paths with parameters, wrong paths, wrong methods, the OpenAPI
document. What the table of front.py knows never comes here.
"""

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from tokenlap.api.envelope import answer_to
from tokenlap.api.front import Endpoint
from tokenlap.api.wording import short
from tokenlap.errors import MethodNotAllowed, NotFound


def application(endpoints: Iterable[tuple[str, str, Endpoint]]) -> FastAPI:
    """Return the application of endpoints: method, path, who answers."""
    app = FastAPI(title="tokenlap", redirect_slashes=False, docs_url=None, redoc_url=None)
    for method, path, endpoint in endpoints:
        # Starlette's own Route: FastAPI's dependency solving costs 50-75 us a request, and the
        # bytes are validated by the pydantic models in any case.
        app.router.routes.append(Route(path, endpoint, methods=[method]))
    app.openapi = _document  # type: ignore[method-assign] # FastAPI's own way to replace it
    app.add_exception_handler(HTTPException, _http_error)
    return app


def _document() -> dict[str, Any]:
    from tokenlap.api.openapi.document import document  # imports every endpoint

    return document()


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
