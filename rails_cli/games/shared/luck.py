"""Random numbers. No other module uses a random number generator.

Inside a game, the random state is a 128-bit integer in the game state (`luck`). Random values are computed from the
random state with SHAKE-256, which cannot be inverted. So a player cannot compute hidden cards or later draws from
the cards that are known. A seed produces the same game in every version of Python.

Code outside of games, such as players, gets random numbers from `stream`.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256, shake_256
from struct import unpack_from
from typing import Final, TypeVar

from rails_cli.protocol.log import Seed

T = TypeVar("T")

_LUCK: Final = 16  # bytes of a random state
_WORD: Final = 8
_WORD_MASK: Final = 2**64 - 1
_AT_ONCE: Final = 1024


def seeded(seed: Seed) -> int:
    """Return the initial random state (`luck`) of a game with the seed `seed`."""
    return int.from_bytes(shake_256(f"seed {seed}".encode()).digest(_LUCK), "big")


def derived_seed(seed: Seed, *parts: str | int) -> str:
    """Return a seed derived from `seed` and `parts`. The result reveals nothing about `seed` or other derived seeds."""
    return _hash("seed", seed, parts)[:32]


def opaque_id(seed: Seed, *parts: str | int) -> str:
    """Return an identifier derived from `seed` and `parts`. The identifier reveals nothing about `seed` or `parts`."""
    return _hash("id", seed, parts)[:16]


def bot_seed(seed: Seed, *parts: str | int) -> int:
    """Return a seed for the random choices of a bot, derived from `seed` and `parts`.

    It is a number below 2^31, which fits a signed 32-bit integer in every programming language.

    A bot cannot compute a `seed` of 128 bits from this short number. A short `seed` such as 7 is not protected: a bot
    can try all short seeds and compare the resulting cards with its own.
    """
    return int(_hash("bot", seed, parts)[:8], 16) >> 1


def below(luck: int, limit: int) -> tuple[int, int]:
    """Return a random integer from 0 to `limit` - 1, and the next random state. `luck` is the current random state."""
    drawn = int.from_bytes(shake_256(luck.to_bytes(_LUCK, "big")).digest(_LUCK + _WORD), "big")
    return (drawn & _WORD_MASK) * limit >> 64, drawn >> 64


def draws(seed: Seed) -> Iterator[int]:
    """Yield random 64-bit numbers without end.

    For such a number, `number * limit >> 64` is a random integer from 0 to `limit - 1`.
    """
    luck = seeded(seed)
    while True:
        words, luck = _drawn(luck)
        yield from words


@lru_cache(maxsize=256)
def _drawn(luck: int) -> tuple[list[int], int]:
    """Return a list of random 64-bit numbers, and the next random state. `luck` is the current random state.

    The length of the list is _AT_ONCE. Results are cached, because schedules of tournaments often use the same seed.
    """
    words = []
    for _ in range(_AT_ONCE):
        word, luck = below(luck, 2**64)
        words.append(word)
    return words, luck


def shuffle(items: Sequence[T], luck: int) -> tuple[list[T], int]:
    """Return the items in random order, and the next random state. `luck` is the current random state."""
    mixed = list(items)
    if len(mixed) < 2:
        return mixed, luck
    last = len(mixed)
    drawn = shake_256(luck.to_bytes(_LUCK, "big")).digest(_LUCK + _WORD * (last - 1))
    for word in unpack_from(f">{last - 1}Q", drawn, _LUCK):
        chosen = word * last >> 64
        last -= 1
        mixed[last], mixed[chosen] = mixed[chosen], mixed[last]
    return mixed, int.from_bytes(drawn[:_LUCK], "big")


def stream(seed: Seed) -> Callable[[], float]:
    """Return a function that returns random numbers in [0, 1), the same in all versions of Python."""
    return random.Random(seed).random


def _hash(kind: str, seed: Seed, parts: Sequence[str | int]) -> str:
    return sha256(repr((kind, str(seed), *parts)).encode()).hexdigest()
