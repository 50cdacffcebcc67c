"""Positions as numbers, for programs that learn: the interface of a game's optional module `numbers`.

The module contains `NUMBERS`. A game writes a position as a row of bytes, which takes little time. An observation is
the list of numbers that a program receives for a position. The `Layout` says where each number is found in the row, and
`observations.py` computes the observations of many rows at once. Most numbers belong to one thing: a seat, a company or
a piece. Things of the same kind are numbered from 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from struct import error, pack
from typing import Final, Generic, Literal, NamedTuple, TypeVar

StateT = TypeVar("StateT")
BoardT = TypeVar("BoardT")

Table = tuple[float, ...]
"""A lookup table of 256 numbers: for each value of a byte in a row, the number in the observation."""
BYTES: Final = 256
WORD: Final = (1 << 64) - 1
NONE: Final = 255
"""Byte that stands for no seat, no company or no piece."""
LARGEST_AMOUNT: Final = 65_535
"""Largest amount that two bytes can hold. Larger amounts are written as this amount."""


class Column(NamedTuple):
    """One number of an observation. In a row of bytes `row`, it is `table[row[byte]]`.

    If `high_table` is given, the byte and the next one are an amount in little-endian order. The number is then
    `table[row[byte]] + high_table[row[byte + 1]]`.
    """

    byte: int
    table: Table
    high_table: Table | None = None


class Item(NamedTuple):
    """An attribute that each thing of a block has, such as the cash of each seat.

    `columns` takes the number of a thing and returns its columns.
    """

    name: str
    meaning: str
    columns: Callable[[int], list[Column]]


class Block(NamedTuple):
    """A part of an observation: the same `items` (attributes) for each of several things.

    `names` has the names of the things. If `is_by_seat`, the things are the seats in turn order, starting with the
    observing seat.
    """

    name: str
    names: list[str]
    items: list[Item]
    is_by_seat: bool = False


class Map(NamedTuple):
    """A part of an observation: sets as zeros and ones. Each thing in `names` has one set of `length` elements.

    The sets start at the index `byte` of a row. `kind` says how they are written there:

    - `bitmasks`: for each thing, a bitmask of `mask_words(length)` words of 64 bits in little-endian order.
    - `members`: for each element, a byte with a bit for each thing, starting with the bit `first_bit`.
    - `owners`: for each element, the number of the seat in whose set it is, or NONE. `is_by_seat` must be true.

    If `is_by_seat`, the things are the seats in turn order, starting with the observing seat. This is not possible with
    `members`. If `is_by_seat` is false, no other map may show the same bits.
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
    """Indices of bytes in a row, for the computation of dividends.

    - `income[company]`: the income of a company.
    - `held[seat][company]`: the number of its shares that a seat holds.

    The last bytes of a row are the dividend per share of each company, and then the sum of all dividends of each seat.
    A game does not write these bytes. They are computed before the observations, because that is faster for many rows
    at once. Values above 255 become 255.
    """

    income: list[int]
    held: list[list[int]]


class Layout(NamedTuple):
    """A description of rows of `row_bytes` bytes.

    It says how observations are computed from the rows. An observation has the numbers of the blocks, then those of the
    maps. `shares` is None for a game without dividends.
    """

    row_bytes: int
    blocks: list[Block]
    maps: list[Map]
    shares: Shares | None = None


class RowParts:
    """Allocator of the bytes of a row, in ascending order. `length` is the number of bytes allocated so far."""

    def __init__(self) -> None:
        self.length = 0

    def add(self, count: int = 1) -> int:
        """Allocate the next `count` bytes. Return the index of the first one."""
        first = self.length
        self.length += count
        return first


@dataclass(slots=True)
class Rows:
    """Several rows of bytes.

    A row has four parts: `numbers` (a byte each), `amounts` (two bytes each), `words` (eight bytes each) and `pieces`
    (bytes objects), in this order.

    Each field contains one part of all rows: that of the first row, then that of the second, and so on. In all rows a
    part has the same length. Amounts and words are little-endian.
    """

    numbers: list[int] = field(default_factory=list)
    amounts: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    pieces: list[bytes | bytearray] = field(default_factory=list)

    def parts(self) -> tuple[bytearray, bytes, bytes, bytes]:
        """Return the four parts of all rows, each as bytes.

        A number or amount out of range becomes the nearest possible value. Only unusual boards have such numbers.
        """
        try:
            numbers = bytearray(self.numbers)  # a third of the time of `bytes(self.numbers)`
        except ValueError:
            numbers = bytearray(min(max(number, 0), BYTES - 1) for number in self.numbers)
        words = pack(f"<{len(self.words)}Q", *self.words)
        return numbers, _packed_amounts(self.amounts), words, b"".join(self.pieces)


def _packed_amounts(amounts: list[int]) -> bytes:
    try:
        return pack(f"<{len(amounts)}H", *amounts)
    except error:
        return pack(f"<{len(amounts)}H", *(min(max(amount, 0), LARGEST_AMOUNT) for amount in amounts))


@dataclass(frozen=True, slots=True)
class Numbers(Generic[StateT, BoardT]):
    """The observations of a game. `layout` and `packer` take a board and a number of players.

    `packer` returns a function that takes a position, the seat that observes it, and rows. The function adds a row with
    only what this seat sees. Seats have the same numbers in the row as in the position.
    """

    layout: Callable[[BoardT, int], Layout]
    packer: Callable[[BoardT, int], Callable[[StateT, int, Rows], None]]


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
    """Return the column of the amount in the bytes `byte` and `byte + 1`. The amount is divided by `divisor`."""
    return Column(byte, divided_by(divisor), tuple(BYTES * value for value in divided_by(divisor)))


def one_byte(name: str, meaning: str, first: int, divisor: float = 1) -> Item:
    """Return an item with one number. For thing n, the number is the byte `first + n`, divided by `divisor`."""
    return Item(name, meaning, lambda number: [Column(first + number, divided_by(divisor))])


def two_bytes(name: str, meaning: str, first: int, divisor: float = 1) -> Item:
    """Return an item with one amount. For thing n, the amount is in the two bytes from `first + 2 * n` on.

    The amount is divided by `divisor`.
    """
    return Item(name, meaning, lambda number: [amount(first + 2 * number, divisor)])


def is_named(name: str, meaning: str, byte: int) -> Item:
    """Return an item that is 1 for the thing whose number is the value of `byte`, otherwise 0."""
    return Item(name, meaning, lambda number: [Column(byte, equal_to(number))])


def is_in_mask(name: str, meaning: str, byte: int) -> Item:
    """Return an item that is 1 if the thing is in the mask at `byte`, otherwise 0. There are at most 8 things."""
    return Item(name, meaning, lambda number: [Column(byte, has_bit(number))])


def one_of(name: str, meaning: str, byte: int, count: int) -> Item:
    """Return an item with `count` numbers. The number whose index is the value of `byte` is 1, the others are 0."""
    return Item(name, meaning, lambda _: [Column(byte, equal_to(value)) for value in range(count)])


def in_words(masks: Sequence[int], counts: Sequence[int]) -> list[int]:
    """Return bitmasks as words of 64 bits, lowest first. `counts` has the number of words of each bitmask."""
    return [mask >> 64 * word & WORD for mask, count in zip(masks, counts, strict=True) for word in range(count)]
