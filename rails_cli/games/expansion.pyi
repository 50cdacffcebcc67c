"""Types of `expansion.c`, which only compiled wheels have."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]

def expand(
    players: int,
    numbers: bytes | bytearray,
    amounts: bytes | bytearray,
    words: bytes | bytearray,
    pieces: bytes | bytearray,
    observers: Array,
    sources: Array,
    starts: Array,
    high_columns: Array,
    tables: Array,
    held: Array,
    income: Array,
    first_map_byte: int,
    targets: Array,
    seat_maps: Array,
    written_bytes: int,
    row_bytes: int,
    before: Array,
    observations: Array,
) -> None: ...
def mark(masks: Array, moves: list[int], counts: list[int]) -> None: ...
