"""The latency of one request: what its headers ask for, over what the server does by itself.

    x-tokenlap-ttft: 300ms          constant
    x-tokenlap-itl: 20ms/80ms       median/p99, lognormal
    x-tokenlap-prefill: 0.1ms       for each prompt token that is not cached

Differences from OpenAI: all of it; the platform has no such headers.
"""

from collections.abc import Mapping

from tokenlap.delivery.latency import Latency, Law, law
from tokenlap.errors import BadRequest

PREFIX = "x-tokenlap-"


def asked_latency(headers: Mapping[str, str], given: Latency) -> Latency:
    """Return given, with the laws that the headers name in place of its own.

    Raises BadRequest that names the header which is no law: a typo must not give a green test.
    """
    ttft, itl, prefill = (headers.get(PREFIX + name) for name in ("ttft", "itl", "prefill"))
    if ttft is itl is prefill is None:
        return given
    return given.altered(
        None if ttft is None else _law("ttft", ttft),
        None if itl is None else _law("itl", itl),
        None if prefill is None else _law("prefill", prefill),
    )


def _law(name: str, text: str) -> Law:
    try:
        return law(text)
    except ValueError as error:
        header = PREFIX + name
        raise BadRequest(f"Invalid header '{header}': {error}.", header, "invalid_value") from None
