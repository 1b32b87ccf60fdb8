"""llguidance, wrapped: follows a grammar byte by byte and says what may come next.

Its tokenizer has 256 tokens, one for each byte, and an end: a token of ours is allowed if its bytes
are, one after the other. So nothing is built over a vocabulary (over o200k that takes 1.6 s), and a
mask is 32 bytes. Measured: importing 4 ms, tokenizer 0.3 ms, a usual schema 1-3 ms (in a thread,
since the library lets go of the interpreter lock), a look ahead 1-2 us.
Nothing is imported before the first grammar is asked for: plain chat pays nothing.
"""

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

from tokenlap.predictors.grammar.shape import Json, SchemaRefused, Shape, Text, plain_schema

if TYPE_CHECKING:
    from llguidance import LLMatcher, LLTokenizer

_END = 256
_KEPT = 128
"""How many compiled grammars are kept."""
_LARGEST_KEPT = 100_000
LONGEST_SOURCE = 20_000
"""Characters of a schema that is kept, and of a regular expression or a Lark grammar."""
Syntax = Literal["regex", "lark"]


class Matcher:
    """A place in a grammar. It belongs to one reply; copy() gives another its own."""

    __slots__ = ("_matcher",)

    def __init__(self, matcher: "LLMatcher") -> None:
        """Take the library's matcher."""
        self._matcher = matcher

    def copy(self) -> "Matcher":
        """Return the same place, for another reply."""
        return Matcher(self._matcher.deep_copy())

    def allows(self, raw: bytes) -> bool:
        """Say whether raw may come next."""
        return self._matcher.validate_tokens(list(raw)) == len(raw)

    def take(self, raw: bytes) -> bool:
        """Move on by raw; return False, and move no further, where it is not allowed."""
        return self._matcher.try_consume_tokens(list(raw)) == len(raw)

    def forced(self) -> bytes:
        """Return the bytes that must come next whatever is chosen, b"" where there is a choice."""
        return self._matcher.compute_ff_bytes()

    def accepts(self) -> bool:
        """Say whether the text so far is complete, though it may go on."""
        return self._matcher.is_accepting()

    def mask(self) -> bytes:
        """Return the bytes that may come next, as a bit each: bit i % 8 of byte i // 8."""
        return self._matcher.compute_bitmask()[:32]

    def options(self) -> bytes:
        """Return the bytes that may come next, ascending."""
        return _options(self.mask())


@lru_cache(maxsize=1024)
def _options(mask: bytes) -> bytes:
    return bytes(i for i in range(256) if mask[i >> 3] >> (i & 7) & 1)


def follow_shape(shape: Shape) -> Matcher:
    """Return the beginning of the JSON texts of shape, written without blanks.

    Raises SchemaRefused for what the library cannot follow.
    """
    return _follow_schema(json.dumps(plain_schema(shape)), False).copy()


def follow_any(kind: Literal["object", "array"]) -> Matcher:
    """Return the beginning of any JSON object or array, with or without blanks."""
    return _follow_schema(json.dumps({"type": kind}), True).copy()


def follow(source: str, syntax: Syntax) -> Matcher:
    """Return the beginning of the texts of a regular expression or a Lark grammar.

    Raises SchemaRefused for what the library cannot follow.
    """
    if len(source) > LONGEST_SOURCE:
        raise SchemaRefused(f"it is longer than {LONGEST_SOURCE} characters")
    return _follow(source, syntax).copy()


@lru_cache(maxsize=1024)
def satisfiable(text: Text) -> str:
    """Return why no string fits text, "" where one does."""
    try:
        follow_shape(text)
    except SchemaRefused as refused:
        return str(refused)
    return ""


def _follow_schema(schema: str, blanks: bool) -> Matcher:
    # A large one is made anew each time: kept ones would fill the memory.
    return (_kept_schema if len(schema) <= _LARGEST_KEPT else _made_schema)(schema, blanks)


@lru_cache(maxsize=_KEPT)
def _kept_schema(schema: str, blanks: bool) -> Matcher:
    return _made_schema(schema, blanks)


def _made_schema(schema: str, blanks: bool) -> Matcher:
    from llguidance import LLMatcher

    return _compiled(
        LLMatcher.grammar_from_json_schema(schema, overrides={"whitespace_flexible": blanks})
    )


@lru_cache(maxsize=_KEPT)
def _follow(source: str, syntax: Syntax) -> Matcher:
    from llguidance import LLMatcher

    made = LLMatcher.grammar_from_regex if syntax == "regex" else LLMatcher.grammar_from_lark
    return _compiled(made(source))


def _compiled(grammar: str) -> Matcher:
    from llguidance import LLMatcher

    matcher = LLMatcher(_tokenizer(), grammar, log_level=0)
    if matcher.is_error():
        raise SchemaRefused(_reason(matcher.get_error()))
    return Matcher(matcher)


def _reason(error: str) -> str:
    """Return the library's message in one line that fits an answer."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    last = next((line for line in lines if line.startswith("error:")), lines[0] if lines else "")
    return last.removeprefix("error:").strip()[:200]


class _Bytes:
    """The tokenizer that the library asks for: one token for each byte."""

    eos_token_id = _END
    bos_token_id = None
    tokens: Sequence[bytes] = (*(bytes((i,)) for i in range(256)), b"<end>")
    special_token_ids = (_END,)

    def __call__(self, text: Json) -> list[int]:
        """Return the bytes of a text as token ids."""
        return list(text if isinstance(text, bytes) else text.encode())


@cache
def _tokenizer() -> "LLTokenizer":
    from llguidance import LLTokenizer, TokenizerWrapper

    return LLTokenizer(TokenizerWrapper(_Bytes()), slices=[])
