"""Positions as numbers, for programs that learn: the interface of a game's optional module `numbers`.

The module contains `NUMBERS`. A game writes a position as a row of bytes, which takes little time. The `Layout` says
how each number of an observation is looked up in the row. `rails_cli/library/spaces.py` does that for many rows at
once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Generic, Literal, NamedTuple, TypeVar

StateT = TypeVar("StateT")
BoardT = TypeVar("BoardT")

Table = tuple[float, ...]
"""For each value of a byte, the number in an observation."""
BYTES: Final = 256
WORD: Final = (1 << 64) - 1
NONE: Final = 255
"""Byte that stands for no seat, no company or no piece."""
LARGEST_AMOUNT: Final = 65_535
"""Largest amount that two bytes can hold. Larger amounts are written as this amount."""


class Column(NamedTuple):
    """One number of an observation: the value of the byte with the index `byte` in `table`.

    If `high_table` is given, the byte and the next one are an amount in little-endian order. The value of the next byte
    in `high_table` is added.
    """

    byte: int
    table: Table
    high_table: Table | None = None


class Item(NamedTuple):
    """Some numbers of a block. `columns` returns them for the seat, company or other thing with the given number."""

    name: str
    meaning: str
    columns: Callable[[int], list[Column]]


class Block(NamedTuple):
    """Numbers that are repeated for each of several things, which have `names`.

    If `is_by_seat`, the things are the seats, starting with the seat that observes, in turn order. Each thing has the
    same items.
    """

    name: str
    names: list[str]
    items: list[Item]
    is_by_seat: bool = False


class Map(NamedTuple):
    """Sets as zeros and ones, one set of `length` elements for each of the things in `names`.

    The sets start at the index `byte` of a row. `kind` says how they are written there:

    - `bitmasks`: for each thing, a bitmask of `mask_words(length)` words of 64 bits in little-endian order.
    - `members`: for each element, a byte with a bit for each thing, starting with the bit `first_bit`.
    - `owners`: for each element, the number of the seat in whose set it is, or NONE. `is_by_seat` must be true.

    `is_by_seat` is as in `Block`, and is not possible with `members`.
    """

    name: str
    names: list[str]
    meaning: str
    kind: Literal["bitmasks", "members", "owners"]
    byte: int
    length: int
    first_bit: int = 0
    is_by_seat: bool = False


class Shares(NamedTuple):
    """The bytes of a row from which dividends are computed, each given by its index.

    `income` has the byte of each company. `held` has, for each seat, the byte of each company: the number of its shares
    that the seat holds. Dividends are written into the row before observations are computed, because that is faster for
    many rows at once. `dividends` has the byte of the dividend per share of each company, and `earnings` that of
    the dividends of each seat. A game writes 0 there. Dividends above 255 become 255.
    """

    income: list[int]
    held: list[list[int]]
    dividends: list[int]
    earnings: list[int]


class Layout(NamedTuple):
    """The numbers of an observation: those of all blocks, then those of all maps. A row has `row_bytes` bytes."""

    row_bytes: int
    blocks: list[Block]
    maps: list[Map]
    shares: Shares | None = None


class RowParts:
    """Assigns the bytes of a row, one part after another. `length` is the number of bytes assigned so far."""

    def __init__(self) -> None:
        self.length = 0

    def add(self, count: int = 1) -> int:
        """Assign the next `count` bytes. Return the index of the first one."""
        first = self.length
        self.length += count
        return first


@dataclass(frozen=True, slots=True)
class Numbers(Generic[StateT, BoardT]):
    """The observations of a game.

    `layout` and `packer` take a board and a number of players. `packer` returns a function that takes a position and
    the seat that observes it. This function returns the row of bytes, which contains only what the seat may see. Seats
    are numbered in the row as in the position.
    """

    layout: Callable[[BoardT, int], Layout]
    packer: Callable[[BoardT, int], Callable[[StateT, int], bytes]]


def mask_words(length: int) -> int:
    """Return the number of 64-bit words of a bitmask with `length` bits."""
    return (length + 63) // 64


@cache
def divided_by(divisor: float) -> Table:
    return tuple(value / divisor for value in range(BYTES))


@cache
def equal_to(value: int) -> Table:
    return tuple(float(other == value) for other in range(BYTES))


@cache
def has_bit(number: int) -> Table:
    return tuple(float(value >> number & 1) for value in range(BYTES))


def amount(byte: int, divisor: float) -> Column:
    """Return the column of an amount of two bytes."""
    return Column(byte, divided_by(divisor), tuple(BYTES * value for value in divided_by(divisor)))


def one_byte(name: str, meaning: str, first: int, divisor: float = 1) -> Item:
    """Return an item with one number for each thing: the byte `first` plus the number of the thing, divided."""
    return Item(name, meaning, lambda number: [Column(first + number, divided_by(divisor))])


def two_bytes(name: str, meaning: str, first: int, divisor: float = 1) -> Item:
    """Return an item with an amount of two bytes for each thing. The amounts start at the byte `first`."""
    return Item(name, meaning, lambda number: [amount(first + 2 * number, divisor)])


def is_named(name: str, meaning: str, byte: int) -> Item:
    """Return an item that is 1 if `byte` contains the number of the thing, otherwise 0."""
    return Item(name, meaning, lambda number: [Column(byte, equal_to(number))])


def is_in_mask(name: str, meaning: str, byte: int) -> Item:
    """Return an item that is 1 if the thing is in the mask at `byte`, otherwise 0. There are at most 8 things."""
    return Item(name, meaning, lambda number: [Column(byte, has_bit(number))])


def one_of(name: str, meaning: str, byte: int, count: int) -> Item:
    """Return an item with `count` numbers. The number with the index in `byte` is 1, the others are 0."""
    return Item(name, meaning, lambda _: [Column(byte, equal_to(value)) for value in range(count)])


def in_words(masks: Sequence[int], counts: Sequence[int]) -> list[int]:
    """Return bitmasks as words of 64 bits, lowest first. `counts` has the number of words of each bitmask."""
    return [mask >> 64 * word & WORD for mask, count in zip(masks, counts, strict=True) for word in range(count)]


def clipped_bytes(values: Sequence[int]) -> bytearray:
    """Return values as bytes. Values above 255, which only unusual boards have, become 255."""
    return bytearray([min(value, BYTES - 1) for value in values])


def clipped_amounts(amounts: Sequence[int]) -> list[int]:
    """Return amounts, with `LARGEST_AMOUNT` instead of larger ones."""
    return [min(amount, LARGEST_AMOUNT) for amount in amounts]
