"""From the bytes of a request to a validated model, or to the platform's own complaint.

The bytes go straight to pydantic: FastAPI's dependency solving costs ten times the validation
(measured). Where a key occurs twice in an object, the last one counts, everywhere (RFC 8259,
section 4, leaves it open). A byte order mark before the JSON is passed over.
"""

import asyncio
import sys
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request

from tokenlap.api.backend import Backend
from tokenlap.api.complaints import NOT_JSON, complaint
from tokenlap.api.encodings import OverLimit, decoded
from tokenlap.api.wording import unknown
from tokenlap.delivery.connected import ClientLeft
from tokenlap.errors import ApiError, BadRequest, TooLarge

_MARK = b"\xef\xbb\xbf"
_LEFT_OVER = 64 * 2**20
"""Bytes that are still taken from a client whose body is too large, so that it reads the answer."""
_MOST = sys.float_info.max


class Lenient(BaseModel):
    """A nested object: strict types; unknown keys are kept aside, and refused with --strict."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False, frozen=True)

    extensions: ClassVar[frozenset[str]] = frozenset()
    """Fields that engines know and the platform does not: with --strict they are unknown."""
    opaque: ClassVar[bool] = False
    """Whether any other key may stand in it: none is unknown."""


class Body(Lenient):
    """What every request body has in common: strict types, null as absent, unknown keys kept
    aside.
    """

    order: ClassVar[tuple[str, ...]] = ()
    """The fields in the order in which the platform checks them, where their definitions differ."""


Model = TypeVar("Model", bound=Body)


async def received(backend: Backend, request: Request, model: type[Model]) -> Model:
    """Return the body of a request as a model; what is unknown in it is named in the answer.

    Raises Unauthorized, TooLarge, UnknownEncoding or BadRequest, in this order of checks, and
    ClientLeft.
    """
    backend.key(request)
    strict = backend.settings.strict
    if strict and not is_json(request.headers.get("content-type", "")):
        raise BadRequest("expected request with Content-Type: application/json")
    body = await read_body(request, backend.settings.max_body_size)
    asked = parse(model, body, strict)
    request.scope["tokenlap.ignored"] = tuple(unknown_parameters(asked))
    return asked


def is_json(content_type: str) -> bool:
    """Whether a content type is JSON: application/json, or anything that ends in +json."""
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request, without its content-encoding.

    Raises TooLarge where it is over limit bytes, and ClientLeft where the client goes before it has
    sent all of it.
    """
    try:
        body = await _sent(request, limit)
    except ClientDisconnect:
        raise ClientLeft from None
    encoding = request.headers.get("content-encoding")
    if not encoding:
        return body
    try:
        # In a thread, whatever its length: a few hundred bytes may stand for the whole limit.
        return await asyncio.to_thread(decoded, body, encoding, limit)
    except OverLimit:
        raise too_large(limit) from None


async def _sent(request: Request, limit: int) -> bytes:
    """Return the bytes that the client sends; raises TooLarge where they are more than limit.

    What is over the limit is not kept, but for a while it is taken: a connection that is closed
    while bytes are still coming takes the answer with it. A client that waits for `100 Continue`
    has sent nothing yet.
    """
    announced = _announced(request)
    if announced > limit and "expect" in request.headers:
        raise _closing(too_large(limit))
    chunks: list[bytes] = []
    length = 0
    async for chunk in request.stream():
        length += len(chunk)
        if max(announced, length) <= limit:
            chunks.append(chunk)
        elif length > limit + _LEFT_OVER:
            break
    if max(announced, length) > limit:
        raise _closing(too_large(limit))
    return b"".join(chunks)


def _announced(request: Request) -> int:
    try:
        return int(request.headers.get("content-length", "0"))
    except ValueError:
        return 0


def _closing(error: ApiError) -> ApiError:
    error.headers["connection"] = "close"
    return error


def too_large(limit: int) -> ApiError:
    """Return the complaint about a body of more than limit bytes."""
    return TooLarge(
        f"Request body too large: this server accepts at most {limit} bytes (--max-body-size)."
    )


def parse(model: type[Model], body: bytes, strict: bool = False) -> Model:
    """Return body as a model, or raise BadRequest with the platform's text for the first thing that
    is wrong.

    strict: unknown parameters are wrong too, and come before types and bounds.
    """
    body = body.removeprefix(_MARK)
    if b"NaN" in body or b"Infinity" in body:
        loose(body)  # JSON has no such numbers, though pydantic's parser takes them
    try:
        parsed = model.model_validate_json(body)
    except ValidationError as invalid:
        found = complaint(invalid, model.order)
        if strict and not _absent(found):
            _refuse(sorted(loose(body).keys() - model.model_fields.keys()))
        raise found from None
    if strict:
        _refuse(unknown_parameters(parsed, strict=True))
    _refuse_endless(parsed)
    return parsed


def _absent(found: BadRequest) -> bool:
    """Whether there is no JSON object, or a parameter is missing at its top: both come first."""
    missing = found.code == "missing_required_parameter"
    return found.param is None or (missing and found.param.isidentifier())


def _refuse(names: Iterable[str]) -> None:
    for name in names:
        raise unknown(name)


def _refuse_endless(value: object) -> None:
    """Raise BadRequest for a number beyond a double, such as 1e999, wherever it stands.

    The fields with a type of their own have been checked; this is for what may be anything.
    """
    match value:
        case Lenient():
            for _, field in value:
                _refuse_endless(field)
        case dict():
            for item in value.values():
                _refuse_endless(item)
        case list():
            for item in value:
                _refuse_endless(item)
        case int() | float() if not -_MOST <= value <= _MOST:
            raise BadRequest(NOT_JSON)


def loose(body: bytes) -> dict[str, Any]:
    """Return the top level of a body that must be a JSON object, unvalidated; raises BadRequest
    otherwise.
    """
    try:
        loaded = from_json(body.removeprefix(_MARK), allow_inf_nan=False)
    except ValueError:
        raise BadRequest(NOT_JSON) from None
    if not isinstance(loaded, dict):
        raise BadRequest(NOT_JSON)
    return loaded


def unknown_parameters(value: Lenient, path: str = "", strict: bool = False) -> Iterator[str]:
    """Yield the paths of the keys that no field knows, in the order of the fields, nested ones too.

    strict: fields that only engines know count as unknown.
    """
    for name in () if value.opaque else value.model_extra or ():
        yield path + name
    for name, field in value:
        if strict and name in value.extensions and field is not None:
            yield path + name
        if isinstance(field, Lenient):
            yield from unknown_parameters(field, f"{path}{name}.", strict)
        elif isinstance(field, list):
            for i, item in enumerate(field):
                if isinstance(item, Lenient):
                    yield from unknown_parameters(item, f"{path}{name}[{i}].", strict)
