"""Text to token ids and back: the o200k_base vocabulary, read from the ranks that ship in the
package.

A token is a run of bytes with a number. Text is cut into tokens before the loop sees it, and the
loop writes one token a lap. A token need not be whole characters: the parrot emoji is three tokens
(4103, 99, 250).

Source: tiktoken's `openai_public.py` for the pattern and the ids; the chat markers carry the names
and ids that o200k_harmony, OpenAI's published superset, gives them.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from struct import Struct

import tiktoken

TokenId = int

END: TokenId = 199999
"""The end token, `<|endoftext|>`: a model that draws it has finished."""
CHANNEL: TokenId = 200005
START: TokenId = 200006
CLOSE: TokenId = 200007
MESSAGE: TokenId = 200008
CALL: TokenId = 200012
"""Markers of the chat template (template.py); ordinary text never encodes to them."""

SPECIAL_TOKENS = {
    "<|endoftext|>": END,
    "<|channel|>": CHANNEL,
    "<|start|>": START,
    "<|end|>": CLOSE,
    "<|message|>": MESSAGE,
    "<|call|>": CALL,
    "<|endofprompt|>": 200018,
}
VOCABULARY_SIZE = 200019

# Words with a leading mark, numbers of up to three digits, punctuation, line ends, blanks.
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERN = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_SUFFIX}",
        rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_SUFFIX}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


_LONGEST_RUN = 500_000  # characters; a pattern on a million blanks in a row overflows its stack
_BLANKS = re.compile(r"\s+")


class Tokenizer:
    """The o200k_base encoding; building one takes about 0.15 s of CPU, so build it before
    listening.
    """

    def __init__(self, ranks: dict[bytes, TokenId]) -> None:
        """Take ranks: token bytes to id, 0..n-1 without gaps; a lower id is merged earlier."""
        self._encoding = tiktoken.Encoding(
            "o200k_base",
            pat_str=_PATTERN,
            mergeable_ranks=ranks,
            special_tokens=SPECIAL_TOKENS,
        )

    def encode(self, text: str) -> list[TokenId]:
        """Return the token ids of text; special tokens spelled in it are ordinary text.

        Runs of more than half a million blanks are cut, for the sake of the pattern's stack.
        """
        if len(text) <= _LONGEST_RUN:
            return self._encoding.encode_ordinary(text)
        return [token for part in _parts(text) for token in self._encoding.encode_ordinary(part)]

    def encode_bytes(self, raw: bytes) -> list[TokenId]:
        """Return one id for each byte: every single byte is a token of the vocabulary."""
        return [self._encoding.encode_single_token(raw[i : i + 1]) for i in range(len(raw))]

    def decode_bytes(self, tokens: Sequence[TokenId]) -> bytes:
        """Return the bytes of tokens, markers included; raises KeyError for an id outside the
        vocabulary.
        """
        return self._encoding.decode_bytes(tokens)

    def decode(self, tokens: Sequence[TokenId]) -> str:
        """Return the text of tokens; bytes that are no whole character become U+FFFD."""
        return self.decode_bytes(tokens).decode("utf-8", errors="replace")

    def token_bytes(self, token: TokenId) -> bytes:
        """Return the bytes of one token, perhaps a part of a character.

        Raises KeyError for an id outside the vocabulary.
        Example: 12650 -> b" Paris", 99 -> b"\\xa6"
        """
        return self._encoding.decode_single_token_bytes(token)

    def knows(self, token: TokenId) -> bool:
        """Say whether token is an id of the vocabulary."""
        return 0 <= token < len(self._encoding._mergeable_ranks) or token in _SPECIAL_IDS


_SPECIAL_IDS = frozenset(SPECIAL_TOKENS.values())


def _parts(text: str) -> Iterator[str]:
    """Cut a text in the middle of its overlong runs of blanks, and nowhere else."""
    begin = 0
    for run in _BLANKS.finditer(text):
        for cut in range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN):
            yield text[begin:cut]
            begin = cut
    yield text[begin:]


def read_ranks(packed: bytes) -> dict[bytes, TokenId]:
    """Read token bytes in order of rank: their number (4 bytes, little-endian), one byte of length
    each, then all of them.

    Not compressed, and cut by struct: 45 ms for 200,000 tokens, where xz and one length before each
    took 140.
    """
    begin = 4 + int.from_bytes(packed[:4], "little")
    cuts = [f"{length}s" for length in range(256)]
    tokens = Struct("".join([cuts[length] for length in packed[4:begin]])).unpack(packed[begin:])
    return dict(zip(tokens, range(len(tokens)), strict=True))


def ranks_digest(ranks: Iterable[bytes]) -> str:
    """Return the SHA-256 of the `.tiktoken` file these ranks stand for, one `base64 rank` line a
    token.
    """
    lines = (b"%s %d\n" % (b64encode(token), rank) for rank, token in enumerate(ranks))
    return hashlib.sha256(b"".join(lines)).hexdigest()


@cache
def o200k() -> Tokenizer:
    """Return the tokenizer that every built-in model shares, built on the first call."""
    packed = files("tokenlap").joinpath("data/o200k_base.ranks").read_bytes()
    return Tokenizer(read_ranks(packed))
