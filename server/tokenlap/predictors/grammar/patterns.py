"""Whether a pattern is found in a text: a caller's pattern, so without an engine that may run for
hours.

The grammar library answers in linear time; Python's own engine is asked only where the library
cannot follow a pattern (look-around, back references), and only about short texts.
"""

import json
import re
from functools import lru_cache

from tokenlap.predictors.grammar.matcher import Matcher, follow_shape
from tokenlap.predictors.grammar.shape import NO_LIMIT, SchemaRefused, Text

SHORT = 20
"""Characters up to which Python's engine is asked: backtracking is exponential in them."""
_LONGEST_PATTERN = 500


def occurs(pattern: str, text: str) -> bool | None:
    """Say whether pattern is found in text as a validator would, None where it is not decided.

    Beyond ASCII, and where lines end, the engines differ.
    """
    plain = text.isascii() and text.isprintable()
    beginning = _beginning(pattern) if plain else None
    if beginning is not None:
        matcher = beginning.copy()
        return matcher.take(json.dumps(text).encode()) and matcher.accepts()
    if len(text) > SHORT or len(pattern) > _LONGEST_PATTERN:
        return None
    found = _compiled(pattern)
    return None if found is None else found.search(text) is not None


@lru_cache(maxsize=256)
def _beginning(pattern: str) -> Matcher | None:
    """Return the beginning of the strings in which pattern is found, None where it cannot be
    followed.
    """
    try:
        return follow_shape(Text((pattern,), 0, NO_LIMIT))
    except SchemaRefused:
        return None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """Return a pattern of Python's engine, None where it spells it otherwise."""
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
