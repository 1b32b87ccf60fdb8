"""From the bytes of a request to a validated model, or to the platform's own complaint.

The bytes go straight to pydantic: FastAPI's dependency solving costs ten times the validation
(measured).
"""

import re
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json
from starlette.requests import Request

from tokenlap.api.complaints import NOT_JSON, complaint
from tokenlap.errors import ApiError, BadRequest, TooLarge

_CONSTANTS = re.compile(rb"NaN|Infinity")


class Body(BaseModel):
    """What every request body has in common: strict types, null as absent, unknown keys kept
    aside.
    """

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False, frozen=True)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The keys that no field knows, in the order sent."""
        return tuple(self.model_extra or ())


Model = TypeVar("Model", bound=Body)


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request; raises TooLarge as soon as it is over limit bytes."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > limit:
        raise too_large(limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise too_large(limit)
    return bytes(body)


def too_large(limit: int) -> ApiError:
    """Return the complaint about a body of more than limit bytes; the connection closes, the rest
    is not read.
    """
    error = TooLarge(
        f"Request body too large: this server accepts at most {limit} bytes (--max-body-size)."
    )
    error.headers["connection"] = "close"
    return error


def parse(model: type[Model], body: bytes) -> Model:
    """Return body as a model, or raise BadRequest with the platform's text for the first thing that
    is wrong.
    """
    if _CONSTANTS.search(body):
        _refuse_constants(body)
    try:
        return model.model_validate_json(body)
    except ValidationError as invalid:
        raise complaint(model, invalid) from None


def _refuse_constants(body: bytes) -> None:
    """Raise BadRequest where NaN or Infinity stand as values: JSON has none, though Python's
    parsers take them.
    """
    try:
        from_json(body, allow_inf_nan=False)
    except ValueError:
        raise BadRequest(NOT_JSON) from None


def loose(body: bytes) -> dict[str, Any]:
    """Return the top level of a body that must be a JSON object, unvalidated; raises BadRequest
    otherwise.
    """
    try:
        loaded = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise BadRequest(NOT_JSON) from None
    if not isinstance(loaded, dict):
        raise BadRequest(NOT_JSON)
    return loaded
