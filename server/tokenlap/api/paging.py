"""Lists that come in pages: what a query may ask for, and the list object that answers it.

Source: API reference (list endpoints: `after`, `limit`, `order`); wire checklist 168, 200.
"""

import json
from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from tokenlap.api.complaints import complaint
from tokenlap.errors import BadRequest
from tokenlap.store import Order


class Query(BaseModel):
    """A query string: texts that are read as what the fields are; unknown keys are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class PageQuery(Query):
    """Which part of a list. order: None for the endpoint's own."""

    after: str | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    order: Order | None = None


Asked = TypeVar("Asked", bound=Query)


def read_query(model: type[Asked], request: Request) -> Asked:
    """Return the query of a request as a model, or raise BadRequest in the platform's words."""
    try:
        return model.model_validate(dict(request.query_params))
    except ValidationError as invalid:
        raise complaint(invalid) from None


def unknown_cursor(after: str) -> BadRequest:
    """Return the complaint about an `after` that is not in the list."""
    return BadRequest(f"Invalid 'after': there is no item '{after}' in this list.", "after")


def list_answer(bodies: Sequence[bytes], ids: Sequence[str], has_more: bool) -> Response:
    """Return a list object of finished JSON bodies, whose ids these are, in the same order.

    The ids of an empty list are "": the document allows no null there.
    """
    ends = {"first_id": ids[0] if ids else "", "last_id": ids[-1] if ids else ""}
    rest = json.dumps({**ends, "has_more": has_more}, separators=(",", ":")).encode()
    content = b'{"object":"list","data":[' + b",".join(bodies) + b"]," + rest[1:]
    return Response(content, media_type="application/json")
