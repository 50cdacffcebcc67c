"""Simultaneous perturbation stochastic approximation (SPSA), an optimisation of noisy functions of many parameters.

Iteration k changes all parameters at once, up or down at random, and compares the two opposite changes. The compared
versions differ from the current values by c_k = c / k^gamma. The values then move towards the better version, by a_k /
c_k times the difference of the results. Here a_k = a / (A + k)^alpha. Parameters are shares of their ranges: 0 is the
minimum, and 1 the maximum.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from rails_cli.games.shared.luck import derived_seed, stream
from rails_cli.protocol.log import Seed

ALPHA = 0.602
GAMMA = 0.101
"""`ALPHA` and `GAMMA` are the smallest exponents for which SPSA is proved to converge."""
STABILITY = 0.1
"""The constant A of SPSA, as a fraction of the number of iterations. With a larger A, steps shrink more slowly."""


class Trial(NamedTuple):
    """The two versions that an iteration compares."""

    plus: list[float]
    """Position of each parameter in its range (0 to 1) in the first version. `minus` has the opposite changes."""
    minus: list[float]
    signs: list[int]
    """1 for each parameter that is larger in `plus`, and -1 for each parameter that is larger in `minus`."""
    chance: list[float]
    """A random number in [0, 1) for each parameter, which decides the rounding of its values in both versions."""


class Spsa(msgspec.Struct, frozen=True):
    """The constants of an SPSA optimisation. Its iterations are numbered from 1."""

    iterations: int
    steps: Sequence[float]
    """Distance between two neighbouring values of each parameter, as a share of its range.

    Iterations change a parameter at least by this distance.
    """
    c: float
    """Change of a parameter in the first iteration, up or down, as a share of its range."""
    r: float
    """Distance by which parameters move in the first iteration if one version wins all games, divided by `c`."""

    def trial(self, number: int, shares: Sequence[float], seed: Seed) -> Trial:
        """Return the two versions that iteration `number` compares.

        `shares` are the parameter values before the iteration, as positions in their ranges (0 to 1).
        """
        chance = stream(derived_seed(seed, "signs", number))
        signs = [1 if chance() < 0.5 else -1 for _ in shares]
        changes = [sign * first / number**GAMMA for sign, first in zip(signs, self._firsts(), strict=True)]
        plus = [_clipped(share + change) for share, change in zip(shares, changes, strict=True)]
        minus = [_clipped(share - change) for share, change in zip(shares, changes, strict=True)]
        return Trial(plus, minus, signs, [chance() for _ in shares])

    def moved(self, number: int, shares: Sequence[float], signs: Sequence[int], difference: float) -> list[float]:
        """Return the parameter values after iteration `number`. `shares` are the values before the iteration.

        Values are positions in the ranges of the parameters (0 to 1). `signs` is `Trial.signs` of the iteration.
        `difference` is the result of `plus` minus the result of `minus`, from -1 to 1.
        """
        stability = STABILITY * self.iterations
        pace = self.r * ((stability + 1) / (stability + number)) ** ALPHA * number**GAMMA
        moves = [sign * first * pace * difference for sign, first in zip(signs, self._firsts(), strict=True)]
        return [_clipped(share + move) for share, move in zip(shares, moves, strict=True)]

    def _firsts(self) -> list[float]:
        """Return the change of each parameter in the first iteration, up or down, as a share of its range."""
        return [max(self.c, step * float(self.iterations**GAMMA)) for step in self.steps]


def _clipped(share: float) -> float:
    return min(max(share, 0.0), 1.0)
