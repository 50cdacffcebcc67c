"""Observations of many positions at once: numbers computed from rows of bytes (see `numbers.py`)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rails_cli.games.numbers import BYTES, Column, Layout, Map, Rows, Table, mask_words

try:
    from rails_cli.games import expansion
except ImportError:
    IS_COMPILED = False
else:
    IS_COMPILED = True
    """Whether `expansion.c` is compiled. Its loops take a tenth of the time of numpy."""

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Indices = NDArray[np.intp]


class Field(NamedTuple):
    """Consecutive numbers of an observation: those from `offset` to `offset + length - 1`."""

    name: str
    offset: int
    length: int
    meaning: str


def fields_of(layout: Layout) -> list[Field]:
    """Return the fields of all observations with a layout, in order.

    The name of a field consists of the names of its block or map, its thing and its item. If there is only one thing,
    its name is left out. Seats are numbered in turn order from the observing seat, as in `seat+1`.
    """
    fields: list[Field] = []
    offset = 0
    for block in layout.blocks:
        for number, thing in enumerate(block.names):
            prefix = f"{block.name}+{number}" if block.is_by_seat else f"{block.name}.{thing}".rstrip(".")
            for item in block.items:
                length = len(item.columns(number))
                fields.append(Field(f"{prefix}.{item.name}", offset, length, item.meaning))
                offset += length
    for shown in layout.maps:
        for number, thing in enumerate(shown.names):
            name = f"seat+{number}.{shown.name}" if shown.is_by_seat else f"{shown.name}.{thing}".rstrip(".")
            fields.append(Field(name, offset, shown.length, shown.meaning))
            offset += shown.length
    return fields


class Expander:
    """Converter of many rows of bytes to observations at once.

    Two lookups give each number of a block: the byte in the row, and the value of this byte in a table. Both the byte
    and the table depend on the observing seat. A row can therefore list the seats in the order of the position. In a
    map that is not by seat, each number is one bit of the row.
    """

    def __init__(self, layout: Layout, players: int) -> None:
        """Prepare the conversion of rows. Raise ValueError if parts of the layout contradict each other."""
        self.row_bytes = layout.row_bytes
        shares = layout.shares
        self.held: Indices = np.array(shares.held if shares else [], np.intp)
        self.income: Indices = np.array(shares.income if shares else [], np.intp)
        self.written_bytes = self.row_bytes - (len(self.income) + players if len(self.income) else 0)
        """Number of bytes of a row that the game writes. The others are dividends and earnings (see `Shares`)."""
        by_seer = [_columns(layout, observer) for observer in range(players)]
        self.columns = len(by_seer[0])
        self.amounts: Indices = np.array(
            [number for number, column in enumerate(by_seer[0]) if column.high_table is not None], np.intp
        )
        tables: dict[Table, int] = {}
        sources, starts = [], []
        for columns in by_seer:
            highs = [Column(column.byte + 1, column.high_table) for column in columns if column.high_table is not None]
            sources.append([column.byte for column in (*columns, *highs)])
            starts.append([BYTES * tables.setdefault(column.table, len(tables)) for column in (*columns, *highs)])
        self.sources: Indices = np.array(sources, np.intp)
        self.starts: Indices = np.array(starts, np.intp)
        self.tables: Floats = np.array(list(tables), np.float32).reshape(len(tables), BYTES).reshape(-1)
        seats = range(players)
        self.turned: Indices = np.array(
            [[(observer + number) % players for number in seats] for observer in seats], np.intp
        )
        self.maps_by_seat: list[tuple[int, Map]] = []
        targets: Indices = np.full((self.row_bytes, 8), -1, np.intp)
        offset = self.columns
        for shown in layout.maps:
            if shown.is_by_seat:
                self.maps_by_seat.append((offset, shown))
            else:
                _add_targets(targets, shown, offset)
            offset += len(shown.names) * shown.length
        used = np.flatnonzero((targets >= 0).any(axis=1)).tolist() or [0]
        self.map_bytes = slice(used[0], used[-1] + 1)
        self.targets: Indices = targets[self.map_bytes]
        """For each bit of the bytes in `map_bytes`, its index in an observation. -1 for bits that are not shown."""
        self.seat_maps: Indices = np.array(
            [
                (shown.kind == "bitmasks", first, shown.byte, shown.length, len(shown.names))
                for first, shown in self.maps_by_seat
            ],
            np.intp,
        )
        """The maps whose things are seats, as an array of numbers. The C module `expansion` reads it."""
        self._check(layout, players)

    def _check(self, layout: Layout, players: int) -> None:
        """Raise ValueError if parts of the layout contradict each other.

        This is necessary because `expansion.c` does not check indices.
        """
        used = [*self.sources.flat, *self.held.flat, *self.income]
        if layout.shares is not None:
            is_whole = list(map(len, layout.shares.held)) == [len(self.income)] * players
            if not is_whole or max([*self.held.flat, *self.income], default=0) >= self.written_bytes:
                raise ValueError("the shares of a layout need written bytes for all companies and for all seats")
        for shown in layout.maps:
            size = 8 * mask_words(shown.length) * len(shown.names) if shown.kind == "bitmasks" else shown.length
            used += [shown.byte, shown.byte + size - 1]
        if used and not 0 <= min(used) <= max(used) < self.row_bytes:
            raise ValueError(f"a layout of {self.row_bytes} bytes uses the bytes {min(used)} to {max(used)}")

    def expand(self, packed: Rows, observers: Indices, observations: Floats, map_bits: Bytes) -> None:
        """Write the observations of `packed` into `observations`. `observers` has the observing seat of each row.

        `map_bits` stores which bits are set in `observations`, so that the C module writes only the bits that change.
        Both arrays must contain zeros in the first call. Later calls must get the same arrays again.
        """
        if not IS_COMPILED:
            self._expand_with_numpy(packed, observers, observations)
            return
        expansion.expand(
            len(self.turned),
            *packed.parts(),
            observers,
            self.sources,
            self.starts,
            self.amounts,
            self.tables,
            self.held,
            self.income,
            self.map_bytes.start,
            self.targets,
            self.seat_maps,
            self.written_bytes,
            self.row_bytes,
            map_bits,
            observations,
        )

    def no_bits(self, count: int) -> Bytes:
        """Return `count` rows of zeros, the argument `map_bits` for the first call of `expand`."""
        return np.zeros((count, len(self.targets)), np.uint8)

    def _expand_with_numpy(self, packed: Rows, observers: Indices, observations: Floats) -> None:
        count = len(observers)
        rows: Bytes = np.hstack([np.frombuffer(part, np.uint8).reshape(count, -1) for part in packed.parts()])
        if rows.shape[1] != self.written_bytes:
            raise ValueError(f"rows of {rows.shape[1]} bytes do not fit to the layout")
        if len(self.income):
            rows = np.hstack([rows, *self._dividends(rows)])
        indices = self.sources[observers]
        indices += np.arange(0, count * self.row_bytes, self.row_bytes)[:, None]
        picked = rows.reshape(-1).take(indices, mode="clip")
        self.starts.take(observers, 0, indices, "clip")
        indices += picked
        numbers = self.tables.take(indices, mode="clip")
        columns = self.columns
        numbers[:, self.amounts] += numbers[:, columns:]
        observations[:, :columns] = numbers[:, :columns]
        observations[:, columns:] = 0
        self._write_bits(rows[:, self.map_bytes], observations)
        for offset, shown in self.maps_by_seat:
            sets = _sets(shown, rows, self.turned[observers])
            stop = offset + len(shown.names) * shown.length
            observations[:, offset:stop].reshape(sets.shape)[:] = sets

    def _write_bits(self, shown: Bytes, observations: Floats) -> None:
        """Write 1 to `observations` for each bit that is set in `shown`.

        `shown` has the bytes `map_bytes` of the rows.
        """
        rows, places = np.nonzero(shown)
        ones = np.flatnonzero(np.unpackbits(shown[rows, places], None, None, "little").view(np.bool_))
        byte, bit = ones >> 3, ones & 7
        targets = self.targets[places[byte], bit]
        is_shown = targets >= 0
        targets += rows[byte] * observations.shape[1]
        observations.reshape(-1)[targets[is_shown]] = 1

    def _dividends(self, rows: Bytes) -> tuple[Bytes, Bytes]:
        """Return the dividends and the earnings of all rows (see `Shares`)."""
        held = rows.T[self.held].astype(np.float32)  # with the rows as the last axis, sums take a quarter of the time
        sold = held.sum(axis=0)
        each = np.ceil(rows.T[self.income] / np.maximum(sold, 1))  # exact: the numbers are small
        each *= sold > 0
        earnings = np.minimum((held * each).sum(axis=1), BYTES - 1)
        return each.T.astype(np.uint8), earnings.T.astype(np.uint8)


def _add_targets(targets: Indices, shown: Map, offset: int) -> None:
    """Write to `targets` the index in an observation of each bit of a map. `offset` is the lowest of these indices."""
    for thing in range(len(shown.names)):
        for element in range(shown.length):
            if shown.kind == "members":
                byte, bit = shown.byte + element, shown.first_bit + thing
            else:
                byte, bit = shown.byte + 8 * mask_words(shown.length) * thing + element // 8, element % 8
            targets[byte, bit] = offset + thing * shown.length + element


def _sets(shown: Map, rows: Bytes, turned: Indices) -> Bytes | Bools:
    """Return the sets of a map by seat as an array of zeros and ones, with the axes row, seat and element.

    `turned` has all seats for each row, starting with the observing seat.
    """
    seats = len(shown.names)
    if shown.kind == "owners":
        return np.equal(rows[:, None, shown.byte : shown.byte + shown.length], turned[:, :, None].astype(np.uint8))
    width = 8 * mask_words(shown.length)
    masks = rows[:, shown.byte : shown.byte + seats * width].reshape(len(rows), seats, width)
    return np.unpackbits(masks[np.arange(len(rows))[:, None], turned], 2, shown.length, "little")


def _columns(layout: Layout, observer: int) -> list[Column]:
    """Return the columns of all blocks for the observing seat `observer`."""
    columns: list[Column] = []
    for block in layout.blocks:
        things = len(block.names)
        for number in range(things):
            thing = (observer + number) % things if block.is_by_seat else number
            for item in block.items:
                columns += item.columns(thing)
    return columns
