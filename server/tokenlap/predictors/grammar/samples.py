"""Texts for patterns that the grammar library cannot follow: some that are known to fit, instead of
all.

Candidates are the usual texts of all kinds, and texts of the pattern with its look-around left out;
those count in which the pattern is found (patterns.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from tokenlap.predictors.grammar.formats import PATTERNS, WIDER
from tokenlap.predictors.grammar.kinds import FORMATS, KINDS
from tokenlap.predictors.grammar.matcher import Matcher, follow
from tokenlap.predictors.grammar.patterns import occurs
from tokenlap.predictors.grammar.shape import SchemaRefused

MOST_KEPT = 24
_MOST_TRIED = 120
_MOST_OF_A_WALK = 4
_LONGEST_TEXT = 60
_PREFERRED = (b"abcde", b"mnopq", b"ABCDE", b"Xy1z-", b"12345", b"a1B2!", b"a.b-c", b"Tuvwx_9")
"""Bytes that are written in turn, where they are allowed."""


def texts_of(patterns: Sequence[str], formats: Sequence[str]) -> list[str]:
    """Return some texts in which every pattern is found and that have every format; a few at the
    most, none where none is known.
    """
    kept: dict[str, None] = {}
    for text in islice(_candidates(patterns, formats), _MOST_TRIED):
        if all(occurs(pattern, text) for pattern in patterns) and _has(text, formats):
            kept[text] = None
            if len(kept) >= MOST_KEPT:
                break
    return list(kept)


def _has(text: str, formats: Iterable[str]) -> bool:
    """Say whether a text has formats, as far as their patterns tell."""
    for name in formats:
        known = [patterns[name] for patterns in (PATTERNS, WIDER) if name in patterns]
        if not any(occurs(pattern, text) for pattern in known):
            return False
    return True


def _candidates(patterns: Sequence[str], formats: Sequence[str]) -> Iterator[str]:
    for name in formats:
        if name in FORMATS:
            yield from FORMATS[name].usual
    for pattern in patterns:
        yield from _walks(without_lookaround(pattern))
    for kind in (*FORMATS.values(), *KINDS):
        yield from kind.usual


def without_lookaround(pattern: str) -> str:
    """Return a pattern whose look-ahead and look-behind are left out, unanchored at its ends.

    Example: "^(?!foo)[a-z]+(?<!x)$" -> "[a-z]+"
    """
    kept, at = "", 0
    while at < len(pattern):
        if pattern.startswith(("(?=", "(?!", "(?<=", "(?<!"), at):
            at = _group_end(pattern, at)
        elif pattern[at] == "\\":
            kept += pattern[at : at + 2]
            at += 2
        elif pattern[at] == "[":
            end = _class_end(pattern, at)
            kept += pattern[at:end]
            at = end
        else:
            kept += pattern[at] if pattern[at] not in "^$" else ""
            at += 1
    return kept


def _group_end(pattern: str, begin: int) -> int:
    """Return where the group that begins here ends, the end of the pattern where it does not."""
    depth, at = 0, begin
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 1
        elif sign == "[":
            at = _class_end(pattern, at) - 1
        else:
            depth += (sign == "(") - (sign == ")")
            if depth == 0:
                return at + 1
        at += 1
    return at


def _class_end(pattern: str, begin: int) -> int:
    """Return where the character class that begins here ends."""
    at = begin + 1 + pattern.startswith("[^", begin)
    at += pattern.startswith("]", at)
    while at < len(pattern) and pattern[at] != "]":
        at += 1 + (pattern[at] == "\\")
    return min(at + 1, len(pattern))


def _walks(pattern: str) -> Iterator[str]:
    """Yield short texts of a regular expression, each with other letters where it leaves them."""
    try:
        beginning = follow(pattern, "regex")
    except SchemaRefused:
        return
    for preferred in _PREFERRED:
        yield from islice(_walk(beginning.copy(), preferred), _MOST_OF_A_WALK)


def _walk(matcher: Matcher, preferred: bytes) -> Iterator[str]:
    """Yield every text that is complete on one way through a grammar."""
    text = b""
    while len(text) < _LONGEST_TEXT:
        if matcher.accepts():
            yield text.decode("utf-8", "ignore")
        options = matcher.options()
        if not options:
            return
        wanted = preferred[len(text) % len(preferred) :] + preferred
        byte = next((each for each in wanted if each in options), options[len(options) // 2])
        matcher.take(bytes((byte,)))
        text += bytes((byte,))
