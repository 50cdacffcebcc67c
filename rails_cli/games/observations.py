"""Observations of many positions at once: numbers computed from rows of bytes (see `numbers.py`)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rails_cli.games.numbers import BYTES, Column, Layout, Map, Table, mask_words

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

    The name of a field consists of the name of its block or map, the name of the thing, if there are several, and the
    name of the item. Seats are numbered in turn order from the observing seat, as in `seat+1`.
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
    """Computes the observations of many rows of bytes at once.

    Each number of a block is found with two lookups: the byte in the row, and the value of this byte in a table. Both
    the byte and the table depend on the observing seat, so the order of seats in a row is always that of the position.
    """

    def __init__(self, layout: Layout, players: int) -> None:
        self.row_bytes = layout.row_bytes
        shares = layout.shares
        self.has_shares = shares is not None
        if shares is not None:
            self.held: Indices = np.array(shares.held, np.intp)
            self.income: Indices = np.array(shares.income, np.intp)
            self.dividends = slice(shares.dividends[0], shares.dividends[-1] + 1)
            self.earnings = slice(shares.earnings[0], shares.earnings[-1] + 1)
        self.maps = layout.maps
        self.first_end = min([shown.byte for shown in layout.maps if shown.kind == "members"], default=self.row_bytes)
        self.end_bytes = self.row_bytes - self.first_end
        masks = [shown.byte for shown in layout.maps if shown.kind == "bitmasks"]
        self.first_mask = min([byte for byte in masks if byte < self.first_end], default=self.row_bytes)
        self.first_end_mask = min([byte for byte in masks if byte > self.first_end], default=self.row_bytes)
        by_seer = [_columns(layout, seer) for seer in range(players)]
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
        self.tables: Floats = np.array(list(tables), np.float32).reshape(-1)
        seats = range(players)
        self.turned: Indices = np.array([[(seer + number) % players for number in seats] for seer in seats], np.intp)

    def expand(
        self, rows: Bytes, seers: Indices, observations: Floats, scratch: "Scratch", changed: list[int] | None = None
    ) -> None:
        """Write the observations of `rows` into `observations`. `seers` has the observing seat of each row.

        The last `end_bytes` bytes of a row contain the longest maps. If `changed` is given, these bytes differ from
        those of the last call only in the rows with the indices `changed`. `observations` must then be the array of the
        last call, and the longest maps are written for these rows only.
        """
        if self.has_shares:
            rows = self._with_dividends(rows)
        columns, indices, numbers = self.columns, scratch.indices, scratch.numbers
        self.sources.take(seers, 0, indices, "clip")
        indices += scratch.row_starts
        rows.reshape(-1).take(indices, None, scratch.picked, "clip")
        self.starts.take(seers, 0, indices, "clip")
        indices += scratch.picked
        self.tables.take(indices, None, numbers, "clip")
        observations[:, :columns] = numbers[:, :columns]
        observations[:, self.amounts] += numbers[:, columns:]
        turned = self.turned[seers]
        ends = rows if changed is None else rows[changed]
        bits, end_bits = self._bits(rows, self.first_mask), self._bits(ends, self.first_end_mask)
        offset = columns
        for number, shown in enumerate(self.maps):
            stop = offset + len(shown.names) * shown.length
            if shown.byte < self.first_end:
                sets = self._sets(shown, rows, bits, self.first_mask, turned, scratch.sets[number])
                observations[:, offset:stop].reshape(sets.shape)[:] = sets
            elif len(ends):
                used = scratch.sets[number][: len(ends)]
                sets = self._sets(shown, ends, end_bits, self.first_end_mask, turned, used)
                observations[slice(None) if changed is None else changed, offset:stop] = sets.reshape(len(ends), -1)
            offset = stop

    def _with_dividends(self, rows: Bytes) -> Bytes:
        """Return a copy of `rows` to which dividends and earnings are written (see `Shares`)."""
        held = rows.take(self.held, 1).astype(np.float32)
        sold = held.sum(axis=1)
        each = np.ceil(rows.take(self.income, 1) / np.maximum(sold, 1))  # exact: the numbers are small
        each *= sold > 0
        rows = rows.copy()
        rows[:, self.dividends] = each
        rows[:, self.earnings] = np.minimum((held * each[:, None, :]).sum(axis=2), BYTES - 1)
        return rows

    @staticmethod
    def _bits(rows: Bytes, first: int) -> Bytes:
        """Return the bits of each row, without the bytes before the index `first`."""
        return np.unpackbits(rows[:, first:], 1, None, "little")

    @staticmethod
    def _sets(shown: Map, rows: Bytes, bits: Bytes, first: int, turned: Indices, sets: Bytes) -> Bytes | Bools:
        """Return the sets of a map as an array of zeros and ones, with the axes row, thing and element.

        `bits` is the result of `_bits` for `rows` and `first`. `turned` has all seats for each row, starting with the
        observing seat. `sets` is an array for the result, which is not always used.
        """
        things = len(shown.names)
        if shown.kind == "bitmasks":
            width = 64 * mask_words(shown.length)
            start = 8 * (shown.byte - first)
            unpacked = bits[:, start : start + things * width].reshape(len(rows), things, width)
            if shown.is_by_seat:
                unpacked = unpacked[np.arange(len(rows))[:, None], turned]
            return unpacked[:, :, : shown.length]
        elements = rows[:, None, shown.byte : shown.byte + shown.length]
        if shown.kind == "owners":
            return np.equal(elements, turned[:, :, None].astype(np.uint8), sets.view(np.bool_))
        things_bits = np.uint8(1) << np.arange(shown.first_bit, shown.first_bit + things, dtype=np.uint8)
        np.bitwise_and(elements, things_bits[:, None], sets)
        return np.not_equal(sets, 0, sets.view(np.bool_))


class Scratch:
    """Temporary arrays of `Expander.expand` for `count` rows. They are reused, because allocating them is slow."""

    def __init__(self, expander: Expander, count: int) -> None:
        shape = count, expander.sources.shape[1]
        self.indices = np.empty(shape, np.intp)
        self.picked = np.empty(shape, np.uint8)
        self.numbers = np.empty(shape, np.float32)
        self.row_starts = np.arange(0, count * expander.row_bytes, expander.row_bytes)[:, None]
        self.sets = [np.empty((count, len(shown.names), shown.length), np.uint8) for shown in expander.maps]


def _columns(layout: Layout, seer: int) -> list[Column]:
    """Return the columns of all blocks for the observing seat `seer`."""
    columns: list[Column] = []
    for block in layout.blocks:
        things = len(block.names)
        for number in range(things):
            thing = (seer + number) % things if block.is_by_seat else number
            for item in block.items:
                columns += item.columns(thing)
    return columns
