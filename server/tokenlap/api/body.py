"""From the bytes of a request to a validated model, or to the platform's own complaint.

The bytes go straight to pydantic: FastAPI's dependency solving costs ten times the validation
(measured). Where a key occurs twice in an object, the last one counts, everywhere (RFC 8259,
section 4, leaves it open). A byte order mark before the JSON is passed over.
"""

import asyncio
import re
import sys
from collections.abc import Iterable
from types import NoneType
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json
from starlette.requests import Request

from tokenlap.api.backend import Backend
from tokenlap.api.complaints import NOT_JSON, complaint
from tokenlap.api.encodings import OverLimit, decoded
from tokenlap.api.headers import header
from tokenlap.api.wording import unknown
from tokenlap.delivery.connected import ClientLeft
from tokenlap.errors import BadRequest, TooLarge

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""
_MOST = sys.float_info.max
_NUMBERS = frozenset({int, float})
_PLAIN = frozenset({str, int, float, bool, dict, NoneType})
"""Types of values in which nothing can be unknown, or anything may stand."""
_PERHAPS_ENDLESS = re.compile(rb"[eE\d][+\d]\d\d")
"""What a number beyond a double must have: some digits of an exponent, or hundreds of others."""
_SHORT = 8_192
"""Bytes of a body up to which looking for such a number is quicker than looking at all values."""


class Lenient(BaseModel):
    """A nested object: strict types; unknown keys are kept aside, and refused with --strict.

    Whether a value is one, its `__mro__` says: to ask pydantic (isinstance) takes a microsecond.
    """

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
ModelName = Annotated[str, Field(min_length=1, max_length=1000)]
"""Which model shall answer. It is repeated in every chunk of a stream, so its length is bounded."""


async def received(backend: Backend, request: Request, model: type[Model]) -> Model:
    """Return the body of a request as a model; what is unknown in it is named in the answer.

    Raises Unauthorized, TooLarge, UnknownEncoding or BadRequest, in this order of checks, and
    ClientLeft.
    """
    backend.key(request)
    strict = backend.settings.strict
    if strict and not is_json(header(request.scope, b"content-type") or ""):
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
    body = await _sent(request, limit)
    encoding = header(request.scope, b"content-encoding")
    if not encoding:
        return body
    try:
        # In a thread, whatever its length: a few hundred bytes may stand for the whole limit.
        return await asyncio.to_thread(decoded, body, encoding, limit)
    except OverLimit:
        raise too_large(limit) from None


async def _sent(request: Request, limit: int) -> bytes:
    """Return the bytes that the client sends.

    Raises TooLarge as soon as they are more than limit, or are announced to be, and ClientLeft.
    """
    if _announced(request) > limit:
        raise _unread(limit)
    chunks: list[bytes] = []
    length, more = 0, True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        chunk: bytes = message.get("body", b"")
        length += len(chunk)
        if length > limit:
            raise _unread(limit)
        chunks.append(chunk)
        more = message.get("more_body", False)
    return chunk if len(chunks) == 1 else b"".join(chunks)


def _announced(request: Request) -> int:
    try:
        return int(header(request.scope, b"content-length") or 0)
    except ValueError:
        return 0


def _unread(limit: int) -> TooLarge:
    error = too_large(limit)
    error.headers["connection"] = "close"  # where what follows begins, nobody knows
    return error


def too_large(limit: int) -> TooLarge:
    """Return the complaint about a body of more than limit bytes."""
    return TooLarge(
        f"Request body too large: this server accepts at most {limit} bytes (--max-body-size)."
    )


def parse(model: type[Model], body: bytes, strict: bool = False) -> Model:
    """Return body as a model, or raise BadRequest with the platform's text for the first thing that
    is wrong.

    strict: unknown parameters are wrong too, and come before types and bounds.
    """
    body = body.removeprefix(MARK)
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
    if len(body) > _SHORT or _PERHAPS_ENDLESS.search(body):
        _refuse_endless([parsed])
    return parsed


def _absent(found: BadRequest) -> bool:
    """Whether there is no JSON object, or a parameter is missing at its top: both come first."""
    missing = found.code == "missing_required_parameter"
    return found.param is None or (missing and found.param.isidentifier())


def _refuse(names: Iterable[str]) -> None:
    for name in names:
        raise unknown(name)


def _refuse_endless(values: Iterable[Any]) -> None:
    """Raise BadRequest for a number beyond a double, such as 1e999, that stands where anything may.

    Fields with a type of their own have been checked.
    """
    for value in values:
        kind = type(value)
        if kind is dict:
            _refuse_endless(value.values())
        elif kind is list:
            _refuse_endless(value)
        elif kind in _NUMBERS:
            if not -_MOST <= value <= _MOST:
                raise BadRequest(NOT_JSON)
        elif Lenient in kind.__mro__:
            _refuse_endless(map(value.__dict__.get, value.model_fields_set))
            if value.model_extra:
                _refuse_endless(value.model_extra.values())


def loose(body: bytes) -> dict[str, Any]:
    """Return the top level of a body that must be a JSON object, unvalidated; raises BadRequest
    otherwise.
    """
    try:
        loaded = from_json(body.removeprefix(MARK), allow_inf_nan=False)
    except ValueError:
        raise BadRequest(NOT_JSON) from None
    if not isinstance(loaded, dict):
        raise BadRequest(NOT_JSON)
    return loaded


def unknown_parameters(value: Lenient, path: str = "", strict: bool = False) -> list[str]:
    """Return the paths of the keys that no field knows, nested ones after those of the top.

    strict: fields that only engines know count as unknown.
    """
    names = []
    extra = value.__pydantic_extra__
    if extra and not value.opaque:
        names = [path + name for name in extra]
    fields = value.__dict__
    for name in sorted(value.__pydantic_fields_set__ & fields.keys()):
        field = fields[name]
        kind = type(field)
        if kind is list:
            if field and Lenient in type(field[0]).__mro__:
                for i, item in enumerate(field):
                    names += unknown_parameters(item, f"{path}{name}[{i}].", strict)
        elif kind not in _PLAIN and Lenient in kind.__mro__:
            names += unknown_parameters(field, f"{path}{name}.", strict)
        if strict and field is not None and name in value.extensions:
            names.append(path + name)
    return names
