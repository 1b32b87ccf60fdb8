"""The die as numbers: each roll a pure function of (seed, position), each choice with a seed of its
own.
"""

from collections.abc import Sequence
from hashlib import shake_128
from struct import Struct

_ROLLS = 64
"""Rolls that are made at once."""
_BLOCK = Struct(f"<{_ROLLS}Q")


class Dice:
    """Rolls in [0, 1), each a pure function of (seed, position); 53 bits, the same on every
    machine.
    """

    def __init__(self, seed: int) -> None:
        """Take any integer as the seed."""
        self._seed = seed
        self._block = -1
        self._drawn: Sequence[int] = ()

    def roll(self, position: int) -> float:
        """Return the roll of one position in the document, 0 being its first token."""
        block, offset = divmod(position, _ROLLS)
        if block != self._block:
            drawn = shake_128(b"%d/%d" % (self._seed, block)).digest(_BLOCK.size)
            self._drawn = _BLOCK.unpack(drawn)
            self._block = block
        return (self._drawn[offset] >> 11) * 2.0**-53


def mixed_seed(seed: int, choice: int) -> int:
    """Return the seed of one of n choices: the seed itself for choice 0, another for each later
    one.
    """
    if choice == 0:
        return seed
    return int.from_bytes(shake_128(b"%d#%d" % (seed, choice)).digest(8), "little")
