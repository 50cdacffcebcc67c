"""Chance: the only place that knows a random generator.

Inside a game, chance is an integer of 128 bits that travels in the state (`luck`). What is drawn from it comes through
SHAKE-256, which nobody can run backwards: who sees all cards but one cannot tell the last, nor what is drawn next. A
seed means the same game for ever, whatever the version of Python. Outside a game, `stream` serves policies.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256, shake_256
from struct import unpack_from
from typing import Final, TypeVar

from protocol.log import Seed

T = TypeVar("T")

_LUCK: Final = 16  # bytes
_WORD: Final = 8
_WORD_MASK: Final = 2**64 - 1
_AT_ONCE: Final = 1024


def seeded(seed: Seed) -> int:
    """The luck a game starts with."""
    return int.from_bytes(shake_256(f"seed {seed}".encode()).digest(_LUCK), "big")


def derived_seed(seed: Seed, *parts: str | int) -> str:
    """A seed that follows from another one; who knows it learns nothing of the other, nor of those beside it."""
    return _hash("seed", seed, parts)[:32]


def opaque_id(seed: Seed, *parts: str | int) -> str:
    """A name that tells nothing, and is the same for the same seed and parts."""
    return _hash("id", seed, parts)[:16]


def below(luck: int, limit: int) -> tuple[int, int]:
    """A whole number from 0 to limit - 1, and the luck that is left."""
    drawn = int.from_bytes(shake_256(luck.to_bytes(_LUCK, "big")).digest(_LUCK + _WORD), "big")
    return (drawn & _WORD_MASK) * limit >> 64, drawn >> 64


def draws(seed: Seed) -> Iterator[int]:
    """All that `below` draws from the luck of a seed, one after another, as words of 64 bits: `word * limit >> 64`."""
    luck = seeded(seed)
    while True:
        words, luck = _drawn(luck)
        yield from words


@lru_cache(maxsize=256)
def _drawn(luck: int) -> tuple[list[int], int]:
    """Kept, as schedules begin with the same seeds again and again."""
    words = []
    for _ in range(_AT_ONCE):
        word, luck = below(luck, 2**64)
        words.append(word)
    return words, luck


def shuffle(items: Sequence[T], luck: int) -> tuple[list[T], int]:
    """The items in a chance order, and the luck that is left."""
    mixed = list(items)
    if len(mixed) < 2:
        return mixed, luck
    last = len(mixed)
    words, luck = _words(luck, last - 1)
    for word in words:
        chosen = word * last >> 64
        last -= 1
        mixed[last], mixed[chosen] = mixed[chosen], mixed[last]
    return mixed, luck


def stream(seed: Seed) -> Callable[[], float]:
    """Numbers from 0 up to 1 for players that choose by chance; `random()` is stable across versions of Python."""
    return random.Random(seed).random


def _words(luck: int, count: int) -> tuple[Sequence[int], int]:
    """Words of 64 bits, and the luck that is left."""
    drawn = shake_256(luck.to_bytes(_LUCK, "big")).digest(_LUCK + _WORD * count)
    return unpack_from(f">{count}Q", drawn, _LUCK), int.from_bytes(drawn[:_LUCK], "big")


def _hash(kind: str, seed: Seed, parts: Sequence[str | int]) -> str:
    return sha256(repr((kind, str(seed), *parts)).encode()).hexdigest()
