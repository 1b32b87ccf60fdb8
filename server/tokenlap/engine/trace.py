"""The die can be seen: a sampler that keeps what it did, for the trace."""

from dataclasses import dataclass

from tokenlap.engine.dice import Dice
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.sampler import Sampler
from tokenlap.engine.tokenizer import TokenId


@dataclass(frozen=True, slots=True)
class Roll:
    """What the die did in one lap: u in [0, 1) (None where nothing was rolled), the model's shares
    and the die's.
    """

    u: float | None
    model: Distribution
    die: Distribution


class Traced:
    """A sampler that remembers its last roll, for the trace."""

    def __init__(self, sampler: Sampler, seed: int) -> None:
        """Wrap sampler, whose dice have the same seed."""
        self._sampler = sampler
        self._dice = Dice(seed)
        self.last: Roll | None = None

    def pick(self, distribution: Distribution, position: int) -> TokenId:
        """Return what the wrapped sampler picks, and keep the roll."""
        die = self._sampler.die(distribution, position)
        rolled = None if len(die.tokens) == 1 else self._dice.roll(position)
        self.last = Roll(rolled, distribution, die)
        return self._sampler.pick(distribution, position)

    def die(self, distribution: Distribution, position: int) -> Distribution:
        """Return the wrapped sampler's die."""
        return self._sampler.die(distribution, position)
