"""The latency of one request: what its headers ask for, over what the server does by itself.

    x-tokenlap-ttft: 300ms          constant
    x-tokenlap-itl: 20ms/80ms       median/p99, lognormal
    x-tokenlap-prefill: 0.1ms       for each prompt token that is not cached

Differences from OpenAI: all of it; the platform has no such headers.
"""

from collections.abc import Iterable

from tokenlap.delivery.latency import Latency, Law, law
from tokenlap.errors import BadRequest

_HEADERS = {b"x-tokenlap-ttft": "ttft", b"x-tokenlap-itl": "itl", b"x-tokenlap-prefill": "prefill"}


def asked_latency(headers: Iterable[tuple[bytes, bytes]], given: Latency) -> Latency:
    """Return given, with the laws that the headers name in place of its own.

    headers: as ASGI has them, names in lower case. Raises BadRequest that names the header which is
    no law: a typo must not give a green test.
    """
    named = [pair for pair in headers if pair[0] in _HEADERS]
    if not named:
        return given
    return given.altered(**{_HEADERS[name]: _law(name, value) for name, value in named})


def _law(name: bytes, value: bytes) -> Law:
    try:
        return law(value.decode("latin-1"))
    except ValueError as error:
        header = name.decode()
        raise BadRequest(f"Invalid header '{header}': {error}.", header, "invalid_value") from None
