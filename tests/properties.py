"""How much properties are tried, and made-up values that several of them need."""

import os

from hypothesis import settings

EXHAUSTIVE = os.environ.get("TOKENLAP_EXHAUSTIVE") == "1"


def examples(count: int) -> settings:
    """How many examples a property is tried on: count of the same ones every time, or ten times as
    many new ones with TOKENLAP_EXHAUSTIVE=1.
    """
    return settings(max_examples=count * (10 if EXHAUSTIVE else 1))
