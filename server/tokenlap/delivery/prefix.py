"""The prefix cache: which beginnings of prompts have been read before, and need no prefill.

A block is 16 tokens, known by the hash of its tokens and of all blocks before it. Blocks of running
requests are pinned; the others go, least recently used first, and of one request the last first.
Source: vLLM, design of automatic prefix caching. API keys never share blocks, as organisations on
the platform do not.
Differences from vLLM: a block counts as cached when its prefill begins; the tokens of a reply fill
no blocks, so the next turn of a chat hits what was sent before, and not the last answer.
"""

from collections import OrderedDict
from collections.abc import Sequence

from tokenlap.engine.tokenizer import TokenId

BLOCK = 16
"""Tokens of a block."""
_SHOWN_FROM, _SHOWN_STEP = 1024, 128


class Lease:
    """The blocks of one request, pinned until it is released. cached_tokens: what need not be
    computed.
    """

    __slots__ = ("_blocks", "_cache", "cached_tokens")

    def __init__(self, cache: "PrefixCache", blocks: Sequence[int], cached_tokens: int) -> None:
        """Take the pinned blocks, in the order of the prompt."""
        self._cache = cache
        self._blocks = blocks
        self.cached_tokens = cached_tokens

    def release(self) -> None:
        """Unpin the blocks; once is enough, more does nothing."""
        blocks, self._blocks = self._blocks, ()
        self._cache.unpin(blocks)


class PrefixCache:
    """Blocks by hash, with how many requests pin each."""

    def __init__(self, size_tokens: int) -> None:
        """size_tokens: how much is kept at the most; fewer than one block keeps nothing."""
        self._capacity = size_tokens // BLOCK
        self._pins: dict[int, int] = {}
        self._idle: OrderedDict[int, None] = OrderedDict()  # not pinned, next to go first

    @property
    def usage(self) -> float:
        """The pinned share of the cache, 0..1."""
        pinned = len(self._pins) - len(self._idle)
        return pinned / self._capacity if self._capacity else 0.0

    def lease(self, scope: str, prompt: Sequence[TokenId]) -> Lease:
        """Pin the blocks of a prompt and return how much of it was known.

        scope: whose prompts may share blocks. At least the last token is always computed.
        """
        if not self._capacity:
            return Lease(self, (), 0)
        blocks = chain_hashes(scope, prompt)
        known = 0
        while known < len(blocks) and blocks[known] in self._pins:
            known += 1
        kept = 0
        while kept < len(blocks) and self._pin(blocks[kept]):
            kept += 1
        cached = min(known, max(0, len(prompt) - 1) // BLOCK) * BLOCK
        return Lease(self, blocks[:kept], cached)

    def unpin(self, blocks: Sequence[int]) -> None:
        """Let go of blocks that lease pinned; the last one is the first to be evicted."""
        for block in reversed(blocks):
            self._pins[block] -= 1
            if not self._pins[block]:
                self._idle[block] = None

    def _pin(self, block: int) -> bool:
        """Pin a block, old or new; return False where all the room is pinned."""
        pins = self._pins.get(block)
        if pins is None:
            if len(self._pins) >= self._capacity:
                if not self._idle:
                    return False
                evicted, _ = self._idle.popitem(last=False)
                del self._pins[evicted]
            pins = 0
        elif pins == 0:
            del self._idle[block]
        self._pins[block] = pins + 1
        return True


def chain_hashes(scope: str, prompt: Sequence[TokenId]) -> list[int]:
    """Return the hash of each full block of a prompt and of all before it."""
    hashes: list[int] = []
    parent = hash(scope)
    for begin in range(0, len(prompt) - BLOCK + 1, BLOCK):
        parent = hash((parent, *prompt[begin : begin + BLOCK]))
        hashes.append(parent)
    return hashes


def shown(cached_tokens: int) -> int:
    """Return what usage tells of cached tokens: 0 below 1024, then steps of 128 (the platform's
    guide on prompt caching).
    """
    return 0 if cached_tokens < _SHOWN_FROM else cached_tokens // _SHOWN_STEP * _SHOWN_STEP
