"""A text as a vector: hashed features, so that texts with the same words point the same way.

Each word, each pair of neighbours and the letter groups inside each word are features; common words
weigh little. A feature adds to one place in each block of the vector, +1 or -1, chosen by its hash.
The blocks grow fourfold (1, 3, 12, 48, ... 768, 2048), so the first k numbers are a coarser view of
the whole text, whatever k is: a vector may be shortened. Nothing is learnt: texts are near because
they share words and parts of words, not because they mean the same.

Source: Weinberger et al. 2009, arXiv:0902.2206 (feature hashing with signs); Kusupati et al. 2022,
arXiv:2205.13147 (prefixes as coarser vectors).
"""

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from math import log, sqrt
from operator import mul
from struct import Struct

from tokenlap.engine.tokenizer import VOCABULARY_SIZE, Tokenizer

LONGEST = 3072
"""The most numbers a vector has."""

_BLOCKS = ((0, 1), (1, 3), (4, 12), (16, 48), (64, 192), (256, 768), (1024, 2048))
"""Where each block begins, and its size."""
_SHARES = [sqrt(size / LONGEST) for _, size in _BLOCKS]
_SIGNED = [
    array("d", [share if signs >> i & 1 else -share for i, share in enumerate(_SHARES)])
    for signs in range(2 ** len(_SHARES))
]
_WORDS = re.compile(r"\w{1,16}|[^\w\s]")
_DIGEST = Struct(f"<{len(_BLOCKS)}HH")
_GROUPS, _PAIR, _BASE = 0.6, 0.4, 0.05
"""What weighs beside the words (1): all letter groups of a word, a pair of words, any text at all.
"""
_COMMON, _RARE = log(150), log(VOCABULARY_SIZE)

Sparse = tuple["array[int]", "array[float]"]
"""Places in a vector, and what is added there."""


def embed(text: str, tokenizer: Tokenizer, dimensions: int) -> "array[float]":
    """Return the vector of a text: dimensions float32 numbers (1..LONGEST), of length 1.

    Takes about 15 us a word. Example: the vectors of "a red cat" and "red cats" enclose a smaller
    angle than those of "a red cat" and "stock prices".
    """
    vector = [0.0] * LONGEST
    _add(vector, _feature(""), _BASE)
    words = _WORDS.findall(unicodedata.normalize("NFKC", text).casefold())
    for word, count in Counter(words).items():
        _add(vector, _word(word, tokenizer), 1 + log(count))
    for (one, other), count in Counter(pairwise(words)).items():
        rarity = min(_rarity(one, tokenizer), _rarity(other, tokenizer))
        _add(vector, _feature(f"{one} {other}"), _PAIR * rarity * (1 + log(count)))
    return _unit(vector[:dimensions])


def _add(vector: list[float], sparse: Sparse, factor: float) -> None:
    for place, value in zip(*sparse, strict=True):
        vector[place] += value * factor


def _unit(vector: list[float]) -> "array[float]":
    length = sqrt(sum(map(mul, vector, vector)))
    if not length:  # all signs of the kept blocks cancel out
        return array("f", [1.0] + [0.0] * (len(vector) - 1))
    return array("f", [value / length for value in vector])


@lru_cache(maxsize=4096)
def _word(word: str, tokenizer: Tokenizer) -> Sparse:
    """Return the features of a word: itself and its letter groups."""
    rarity, groups = _rarity(word, tokenizer), list(_groups(word))
    weighed = [(word, rarity), *((group, rarity * _GROUPS / sqrt(len(groups))) for group in groups)]
    places, values = array("H"), array("d")
    for feature, weight in weighed:
        there, what = _feature(feature)
        places += there
        values.extend([value * weight for value in what])
    return places, values


def _groups(word: str) -> Iterator[str]:
    """Yield the letter groups of a word: of 3 and 4 letters, of 1 and 2 in other scripts."""
    marked = f"<{word}>" if word.isascii() else word
    for size in (3, 4) if word.isascii() else (1, 2):
        for begin in range(len(marked) - size + 1):
            yield f"{size}:{marked[begin : begin + size]}"


@lru_cache(maxsize=4096)
def _rarity(word: str, tokenizer: Tokenizer) -> float:
    """Return how much a word weighs, 0.1 to 1, by its rank in the vocabulary.

    Tokens were merged in the order of how often they occur, so " the" has a low id.
    """
    rank = max(tokenizer.encode(f" {word}"))
    return min(1.0, max(0.1, (log(rank + 1) - _COMMON) / (_RARE - _COMMON)))


@lru_cache(maxsize=16384)
def _feature(feature: str) -> Sparse:
    """Return the place of a feature in each block, with its sign."""
    raw = blake2b(feature.encode(errors="replace"), digest_size=_DIGEST.size).digest()
    *hashes, signs = _DIGEST.unpack(raw)
    places = [start + h % size for (start, size), h in zip(_BLOCKS, hashes, strict=True)]
    return array("H", places), _SIGNED[signs % len(_SIGNED)]
