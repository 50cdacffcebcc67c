"""Actions and observations of a game as numbers, for programs that learn. The manual is docs/LEARNING.md."""

from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rails_cli.games import load_numbers
from rails_cli.games.game import entry_phrase
from rails_cli.games.numbers import BYTES, Column, Layout, Map, Table, mask_words
from rails_cli.library.errors import BadArgument
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
        """Raises BadArgument if the game has no numbers, or does not allow `players` or `max_bid`."""
        game = engine.game
        if players not in game.players:
            few, most = game.players[0], game.players[-1]
            raise BadArgument(f"{game.title} is for {few} to {most} players, not {players}")
        if not 0 <= max_bid <= MOST_BID:
            raise BadArgument(f"the maximum bid is {max_bid}; expected 0 to {MOST_BID:,}")
        numbers = load_numbers(game.name)
        if numbers is None:
            raise BadArgument(f"{game.title} has no observations: its package has no module `numbers`")
        self.engine = engine
        self._known_board = engine.board
        self.players = players
        self.has_bids = Bid in (get_args(game.action_type) or (game.action_type,))
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
        """Return the move of an action. Raises BadArgument if the space has no such action."""
        self._check(position)
        return self._checked(index)

    def index(self, position: "Position", move: int) -> int:
        """Return the action of a move. Raises BadArgument if it has none, such as a bid above the maximum."""
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
        self._check(position)
        if not 0 <= seat < self.players:
            raise BadArgument(f"there is no seat {seat}; seats go from 0 to {self.players - 1}")
        observation = np.empty((1, self.observation_size), np.float32)
        row = np.frombuffer(self.pack(position.state, seat), np.uint8)
        self.expander.expand(row[None, :], np.array([seat]), observation, Scratch(self.expander, 1))
        return observation.reshape(-1)

    def legal(self, state: Any) -> list[int]:
        """Return the legal actions in a state of the game."""
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
    """Turns rows of bytes into observations, many at once.

    Each number of a block is found with two lookups: the byte in the row, and the value of this byte in a table. Which
    byte and which table depends on the observing seat. So rows need not be rotated when they are written.
    """

    def __init__(self, layout: Layout, players: int) -> None:
        self.row_bytes = layout.row_bytes
        self.maps = layout.maps
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

    def expand(self, rows: Bytes, seers: Indices, observations: Floats, scratch: "Scratch") -> None:
        """Write the observations of `rows` into `observations`. `seers` has the observing seat of each row."""
        columns, indices, numbers = self.columns, scratch.indices, scratch.numbers
        self.sources.take(seers, 0, indices, "clip")
        indices += scratch.row_starts
        rows.reshape(-1).take(indices, None, scratch.picked, "clip")
        self.starts.take(seers, 0, indices, "clip")
        indices += scratch.picked
        self.tables.take(indices, None, numbers, "clip")
        observations[:, :columns] = numbers[:, :columns]
        if len(self.amounts):
            observations[:, self.amounts] += numbers[:, columns:]
        turned = self.turned[seers]
        changed = scratch.changed_maps(rows)
        offset = columns
        for number, shown in enumerate(self.maps):
            end = offset + len(shown.names) * shown.length
            if shown.is_by_seat or changed is None:
                view = observations[:, offset:end].reshape(len(rows), len(shown.names), shown.length)
                view[:] = self._sets(shown, rows, turned, scratch.sets[number])
            else:
                sets = self._sets(shown, rows[changed], turned, scratch.sets[number][: len(changed)])
                observations[changed, offset:end] = sets.reshape(len(changed), end - offset)
            offset = end

    @staticmethod
    def _sets(shown: Map, rows: Bytes, turned: Indices, sets: Bytes) -> Bytes | Bools:
        """Return the sets of a map as zeros and ones, by row, thing and element. `sets` may be overwritten."""
        things = len(shown.names)
        if shown.kind == "bitmasks":
            width = 8 * mask_words(shown.length)
            masks = rows[:, shown.byte : shown.byte + things * width]
            unpacked = np.unpackbits(masks, 1, None, "little").reshape(len(rows), things, 8 * width)
            if shown.is_by_seat:
                unpacked = unpacked[np.arange(len(rows))[:, None], turned]
            return unpacked[:, :, : shown.length]
        elements = rows[:, None, shown.byte : shown.byte + shown.length]
        if shown.kind == "owners":
            return np.equal(elements, turned[:, :, None].astype(np.uint8), sets.view(np.bool_))
        bits = np.uint8(1) << np.arange(shown.first_bit, shown.first_bit + things, dtype=np.uint8)
        np.bitwise_and(elements, bits[:, None], sets)
        return np.not_equal(sets, 0, sets.view(np.bool_))


class Scratch:
    """Arrays that `Expander.expand` overwrites for `count` rows. To allocate large ones again takes much time."""

    def __init__(self, expander: Expander, count: int) -> None:
        shape = count, expander.sources.shape[1]
        self.indices = np.empty(shape, np.intp)
        self.picked = np.empty(shape, np.uint8)
        self.numbers = np.empty(shape, np.float32)
        self.row_starts = np.arange(0, count * expander.row_bytes, expander.row_bytes)[:, None]
        self.sets = [np.empty((count, len(shown.names), shown.length), np.uint8) for shown in expander.maps]
        self.first_map_byte = min([shown.byte for shown in expander.maps if not shown.is_by_seat])
        self.rows_before: Bytes | None = None

    def changed_maps(self, rows: Bytes) -> Indices | None:
        """Return the indices of the rows whose maps differ from the last call, or None at the first call.

        Most actions change no map, and maps are the longest part of an observation. So a batch writes them only after
        a change.
        """
        before, self.rows_before = self.rows_before, rows
        if before is None:
            return None
        first = self.first_map_byte
        return np.flatnonzero((rows[:, first:] != before[:, first:]).any(axis=1))


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
