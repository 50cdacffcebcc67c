"""Actions and observations of a game as numbers, for programs that learn. The manual is docs/LEARNING.md."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rails_cli.games import load_numbers
from rails_cli.games.game import entry_phrase
from rails_cli.games.observations import Bools, Expander, Floats, fields_of
from rails_cli.games.plain import union_members
from rails_cli.library.errors import BadArgument, checked_players, listed, shown, whole
from rails_cli.library.position import Position
from rails_cli.library.stepping import pack_all
from rails_cli.protocol.common import Bid

if TYPE_CHECKING:
    from rails_cli.library.engine import Engine

MAX_BID = 100
"""Default maximum bid in dollars."""
MOST_BID = 1_000_000
"""Highest possible limit of bids in a space of moves, in dollars."""


class Space:
    """The actions and observations of one game as numbers, for one board and number of players.

    An action is an index from 0 to `size - 1`. It equals the number that stands for the action in `Position.moves`. If
    the game has auctions, the last indices are the bids from $0 to `max_bid`. Larger bids have no index. A pass is
    legal whenever a bid is legal, so there is always a legal action until the game ends.
    """

    def __init__(self, engine: "Engine", players: int, max_bid: int = MAX_BID) -> None:
        """Prepare the actions and observations of games with `players` players. `max_bid` is in dollars.

        Raise BadArgument if the game defines no observations, or does not allow `players` or `max_bid`.
        """
        game = engine.game
        players, max_bid = checked_players(game, players), whole("max_bid", max_bid)
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
        """Return the action `index` in words, such as `bid 12`. Raise BadArgument if there is no such action."""
        return entry_phrase(self.engine.action(self._checked(index)))

    @property
    def names(self) -> list[str]:
        """All actions in words, in the order of their indices."""
        return [self.action_name(index) for index in range(self.size)]

    def move(self, position: Position, index: int) -> int:
        """Return the move in `position` that stands for the action `index`. Both numbers are equal.

        Raise BadArgument if the space has no such action, or if `position` is of another game, board or player count.
        """
        self._check(position)
        return self._checked(index)

    def index(self, position: Position, move: int) -> int:
        """Return the index of the action that `move` stands for in `position`. Both numbers are equal.

        Raise BadArgument if the action has no index, such as a bid above `max_bid`, or if `position` is of another
        game, board or player count.
        """
        return self.move(position, move)

    def mask(self, position: Position) -> Bools:
        """Return an array with True for legal and False for other actions. All are False when the game is over."""
        self._check(position)
        mask = np.zeros(self.size, np.bool_)
        mask[self.legal(position.state)] = True
        return mask

    def is_exact(self, position: Position) -> bool:
        """Return whether every legal move of a position has an index.

        The result is false if a bid above `max_bid` is legal.
        """
        self._check(position)
        return len(self.legal(position.state)) == len(self._moves(position.state))

    def observe(self, position: Position, seat: int) -> Floats:
        """Return the position as numbers, as `seat` sees it. Raise BadArgument if there is no such seat."""
        return self.observe_all([position], [seat]).reshape(-1)

    def observe_all(self, positions: Sequence[Position], seats: Sequence[int]) -> Floats:
        """Return `positions` as numbers, one row for each position. `seats` has the seat that sees each position.

        Raise BadArgument if a seat does not exist, or if there are not as many seats as positions.
        """
        positions, seats = listed("positions", positions), [whole("seat", seat) for seat in listed("seats", seats)]
        count = len(positions)
        if len(seats) != count:
            raise BadArgument(f"expected a seat for each of {count} positions, got {len(seats)} seats")
        for position, seat in zip(positions, seats, strict=True):
            self._check(position)
            if not 0 <= seat < self.players:
                raise BadArgument(f"there is no seat {seat}; seats go from 0 to {self.players - 1}")
        rows = pack_all([position.state for position in positions], seats, self.pack)
        observations = np.zeros((count, self.observation_size), np.float32)
        if count:
            self.expander.expand(rows, np.array(seats, np.intp), observations, self.expander.no_bits(count))
        return observations

    def legal(self, state: Any) -> list[int]:
        """Return the indices of the legal actions in a state of the game, without bids above `max_bid`."""
        moves = self._moves(state)
        if self.has_bids and len(moves) > 1 and max(moves) >= self.size:
            return [move for move in moves if move < self.size]
        return moves

    def _moves(self, state: Any) -> list[int]:
        return self.engine.game.moves.legal(state, self.engine.board)

    def _checked(self, index: int) -> int:
        index = whole("action", index)
        if not 0 <= index < self.size:
            is_bid = self.has_bids and index >= self.size
            why = (
                f"a bid of ${index - self._first_bid:,}, and the maximum is ${self.max_bid:,}"
                if is_bid
                else "no action"
            )
            raise BadArgument(f"{index} is {why}; actions go from 0 to {self.size - 1}")
        return index

    def _check(self, position: Position) -> None:
        """Raise BadArgument unless the position belongs to the game, board and number of players of the space."""
        if not isinstance(position, Position):
            raise BadArgument(f"expected a position, got {shown(position)}")
        engine = position.engine
        if engine.board is not self._known_board:
            game, own = engine.game, self.engine
            if game is not own.game or game.wire_board(engine.board) != game.wire_board(own.board):
                raise BadArgument(f"this is a position of another game or board than those of {self!r}")
            self._known_board = engine.board
        players = len(position.scores())
        if players != self.players:
            raise BadArgument(f"this is a position of {players} players; {self!r} was expected")
