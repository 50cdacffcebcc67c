"""Chance: the only place that knows a random generator.

Inside a game, chance is an integer that travels in the state (`luck`); the generator (SplitMix64) is written out here
so that a seed means the same game for ever, whatever the version of Python. Outside a game, `stream` serves policies.
"""

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import unpack
from typing import TypeVar

T = TypeVar("T")

MAX_SEED = 2**53 - 1  # the largest integer that every JSON reader keeps exact

_WORD = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15
_LANE = 128  # bits: room for the product of two words


def seeded(seed: int) -> int:
    """The luck a game starts with."""
    return _scramble((seed + _STEP) & _WORD)


def below(luck: int, limit: int) -> tuple[int, int]:
    """A whole number from 0 to limit - 1, and the luck that is left."""
    luck = (luck + _STEP) & _WORD
    return (_scramble(luck) * limit) >> 64, luck


def shuffle(items: Sequence[T], luck: int) -> tuple[list[T], int]:
    """The items in a chance order, and the luck that is left: the same as by `below` for each, from the last on."""
    mixed = list(items)
    if len(mixed) < 2:
        return mixed, luck
    last = len(mixed)
    for word in _words(luck, last - 1):
        chosen = word * last >> 64
        last -= 1
        mixed[last], mixed[chosen] = mixed[chosen], mixed[last]
    return mixed, (luck + _STEP * (len(mixed) - 1)) & _WORD


def stream(seed: int | str) -> Callable[[], float]:
    """Numbers from 0 up to 1 for players that choose by chance; `random()` is stable across versions of Python."""
    return random.Random(seed).random


def _scramble(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
    return word ^ (word >> 31)


def _words(luck: int, count: int) -> Sequence[int]:
    """The next words, scrambled all at once: side by side in one long integer, which takes a third of the time."""
    each, steps, low = _lanes(count)
    words = (luck * each + steps) & low
    words = ((words ^ (words >> 30 & low)) * 0xBF58476D1CE4E5B9) & low
    words = ((words ^ (words >> 27 & low)) * 0x94D049BB133111EB) & low
    words ^= words >> 31 & low
    return unpack(f"<{2 * count}Q", words.to_bytes(16 * count, "little"))[::2]


@lru_cache(maxsize=256)
def _lanes(count: int) -> tuple[int, int, int]:
    """By lanes: the number 1, the steps of luck to each word, and the bits that a word has."""
    each = sum(1 << _LANE * lane for lane in range(count))
    steps = sum((_STEP * (lane + 1) & _WORD) << _LANE * lane for lane in range(count))
    return each, steps, each * _WORD
