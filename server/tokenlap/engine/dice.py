"""The die as numbers: each roll a pure function of (seed, position), each choice with a seed of its
own.
"""

from hashlib import shake_128

_ROLLS = 64
"""Rolls that are made at once."""


class Dice:
    """Rolls in [0, 1), each a pure function of (seed, position); 53 bits, the same on every
    machine.
    """

    def __init__(self, seed: int) -> None:
        """Take any integer as the seed."""
        self._seed = seed
        self._block = -1
        self._rolls: list[float] = []

    def roll(self, position: int) -> float:
        """Return the roll of one position in the document, 0 being its first token."""
        block, offset = divmod(position, _ROLLS)
        if block != self._block:
            drawn = shake_128(b"%d/%d" % (self._seed, block)).digest(8 * _ROLLS)
            self._rolls = [
                (int.from_bytes(drawn[i : i + 8], "little") >> 11) * 2.0**-53
                for i in range(0, len(drawn), 8)
            ]
            self._block = block
        return self._rolls[offset]


def mixed_seed(seed: int, choice: int) -> int:
    """Return the seed of one of n choices: the seed itself for choice 0, another for each later
    one.
    """
    if choice == 0:
        return seed
    return int.from_bytes(shake_128(b"%d#%d" % (seed, choice)).digest(8), "little")
