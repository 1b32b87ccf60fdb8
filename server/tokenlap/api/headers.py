"""The headers of a request, each looked up at once: Starlette goes through all of them each time
(measured: 2 us).
"""

from collections.abc import Collection, Mapping

from starlette.types import Scope

_KEY = "tokenlap.headers"


def header(scope: Scope, name: bytes) -> str | None:
    """Return the value of a header, None where it was not sent; of several the first.

    name: in lower case.
    """
    known: Mapping[bytes, bytes] | None = scope.get(_KEY)
    if known is None:
        known = scope[_KEY] = dict(reversed(list(scope["headers"])))
    value = known.get(name)
    return None if value is None else value.decode("latin-1")


def strip(scope: Scope, names: Collection[bytes]) -> None:
    """Remove headers from a request. names: in lower case."""
    scope["headers"] = [pair for pair in scope["headers"] if pair[0] not in names]
    scope.pop(_KEY, None)
