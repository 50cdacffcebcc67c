"""Actions and observations of a game as numbers, for programs that learn. The manual is docs/LEARNING.md."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rails_cli.games import load_numbers
from rails_cli.games.game import entry_phrase
from rails_cli.games.numbers import BYTES, Column, Layout, Map, Table, mask_words
from rails_cli.games.plain import union_members
from rails_cli.library.errors import BadArgument, checked_players
from rails_cli.protocol.common import Bid

if TYPE_CHECKING:
    from rails_cli.library.engine import Engine
    from rails_cli.library.position import Position

MAX_BID = 100
"""Default maximum bid in dollars."""
MOST_BID = 1_000_000

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


class Space:
    """The actions and observations of one game, board and number of players.

    An action is an index from 0 to `size - 1`. The index of an action is its move number in the library. The last
    indices are the bids from $0 to `max_bid`, if the game has auctions. Larger bids are missing. A pass is legal
    whenever a bid is, so there is always a legal action until the game ends.
    """

    def __init__(self, engine: "Engine", players: int, max_bid: int = MAX_BID) -> None:
        """Raises BadArgument if the game defines no observations, or does not allow `players` or `max_bid`."""
        game = engine.game
        players = checked_players(game, players)
        if not 0 <= max_bid <= MOST_BID:
            raise BadArgument(f"the maximum bid is {max_bid}; expected 0 to {MOST_BID:,}")
        numbers = load_numbers(game.name)
        if numbers is None:
            raise BadArgument(f"{game.title} has no observations: its package has no module `numbers`")
        self.engine = engine
        self._known_board = engine.board
        self.players = players
        self.has_bids = Bid in union_members(game.action_type)
        self.max_bid = max_bid if self.has_bids else 0
        self._first_bid = len(game.moves.actions(engine.board))
        self.size = self._first_bid + (max_bid + 1 if self.has_bids else 0)
        layout = numbers.layout(engine.board, players)
        self.fields = fields_of(layout)
        self.observation_size = sum(field.length for field in self.fields)
        self.expander = Expander(layout, players)
        self.pack = numbers.packer(engine.board, players)

    def __repr__(self) -> str:
        sizes = f"{self.size} actions, observations of {self.observation_size} numbers"
        return f"<Space of {self.engine.game.name} for {self.players} players: {sizes}>"

    def action_name(self, index: int) -> str:
        """Return an action in words, such as `bid 12`. Raises BadArgument if there is no such action."""
        return entry_phrase(self.engine.action(self._checked(index)))

    @property
    def names(self) -> list[str]:
        """All actions in words."""
        return [self.action_name(index) for index in range(self.size)]

    def move(self, position: "Position", index: int) -> int:
        """Return the move number of the action `index`. Raises BadArgument if the space has no such action."""
        self._check(position)
        return self._checked(index)

    def index(self, position: "Position", move: int) -> int:
        """Return the action of the move number `move`. Raises BadArgument if there is none, as for too large bids."""
        self._check(position)
        return self._checked(move)

    def mask(self, position: "Position") -> Bools:
        """Return an array with True for each legal action. All are False when the game is over."""
        self._check(position)
        mask = np.zeros(self.size, np.bool_)
        mask[self.legal(position.state)] = True
        return mask

    def is_exact(self, position: "Position") -> bool:
        """Return whether the space has all legal moves of a position. False if a bid above the maximum is legal."""
        self._check(position)
        return len(self.legal(position.state)) == len(self._moves(position.state))

    def observe(self, position: "Position", seat: int) -> Floats:
        """Return the position as numbers, as `seat` sees it. Raises BadArgument if there is no such seat."""
        return self.observe_all([position], [seat]).reshape(-1)

    def observe_all(self, positions: "Sequence[Position]", seats: Sequence[int]) -> Floats:
        """Return several positions as numbers, one row for each, as the seat with the same index in `seats` sees it.

        Raises BadArgument if there is no such seat.
        """
        rows = []
        for position, seat in zip(positions, seats, strict=True):
            self._check(position)
            if not 0 <= seat < self.players:
                raise BadArgument(f"there is no seat {seat}; seats go from 0 to {self.players - 1}")
            rows.append(self.pack(position.state, seat))
        observations = np.empty((len(rows), self.observation_size), np.float32)
        joined = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
        self.expander.expand(joined, np.array(seats, np.intp), observations, Scratch(self.expander, len(rows)))
        return observations

    def legal(self, state: Any) -> list[int]:
        """Return the legal actions in a state of the game, without bids above the maximum."""
        moves = self._moves(state)
        if self.has_bids and len(moves) > 1 and max(moves) >= self.size:
            return [move for move in moves if move < self.size]
        return moves

    def _moves(self, state: Any) -> list[int]:
        return self.engine.game.moves.legal(state, self.engine.board)

    def _checked(self, index: int) -> int:
        if not 0 <= index < self.size:
            is_bid = self.has_bids and index >= self.size
            why = (
                f"a bid of ${index - self._first_bid:,}, and the maximum is ${self.max_bid:,}"
                if is_bid
                else "no action"
            )
            raise BadArgument(f"{index} is {why}; actions go from 0 to {self.size - 1}")
        return int(index)

    def _check(self, position: "Position") -> None:
        """Raise BadArgument unless the position belongs to the game, board and number of players of the space."""
        engine = position.engine
        if engine.board is not self._known_board:
            game, own = engine.game, self.engine
            if game is not own.game or game.wire_board(engine.board) != game.wire_board(own.board):
                raise BadArgument(f"this is a position of another game or board than those of {self!r}")
            self._known_board = engine.board
        players = len(position.scores())
        if players != self.players:
            raise BadArgument(f"this is a position of {players} players; {self!r} was expected")


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
