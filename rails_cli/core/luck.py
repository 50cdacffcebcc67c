"""Chance: the only place that knows a random generator.

Inside a game, chance is an integer that travels in the state (`luck`); the generator (SplitMix64) is written out here so
that a seed means the same game for ever, whatever the version of Python. Outside a game, `stream` serves policies.
"""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

MAX_SEED = 2**53 - 1  # the largest integer that every JSON reader keeps exact

_WORD = 2**64 - 1


def seeded(seed: int) -> int:
    """The luck a game starts with."""
    return _scramble((seed + 0x9E3779B97F4A7C15) & _WORD)


def below(luck: int, limit: int) -> tuple[int, int]:
    """A whole number from 0 to limit - 1, and the luck that is left."""
    luck = (luck + 0x9E3779B97F4A7C15) & _WORD
    return (_scramble(luck) * limit) >> 64, luck


def shuffle(items: Sequence[T], luck: int) -> tuple[list[T], int]:
    """The items in a chance order, and the luck that is left."""
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        chosen, luck = below(luck, last + 1)
        mixed[last], mixed[chosen] = mixed[chosen], mixed[last]
    return mixed, luck


def stream(seed: int | str) -> Callable[[], float]:
    """Numbers from 0 up to 1 for players that choose by chance; `random()` is stable across versions of Python."""
    return random.Random(seed).random


def _scramble(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
    return word ^ (word >> 31)
