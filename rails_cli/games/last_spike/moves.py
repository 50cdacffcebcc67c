"""The actions of The Last Spike as numbers, called moves.

The moves of one kind of action are consecutive. Pieces are numbered from the most to the least expensive, cities and
properties in the order of the board file. On the standard board:

| moves    | action                                             |
| -------- | -------------------------------------------------- |
| 0 - 47   | `Play` a piece: the number of the piece            |
| 48 - 56  | `Buy` in a city: `board.first_buy` + its number    |
| 57 - 101 | `Sell` a property: `board.first_sale` + its number |
| 102      | `Pass`: `board.to_pass`                            |
"""

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.rules import apply_move, legal_moves
from rails_cli.games.last_spike.state import State
from rails_cli.games.moves import Moves
from rails_cli.protocol.common import Pass
from rails_cli.protocol.last_spike import Action, Buy, Play, Sell


def actions(board: Board) -> list[Action]:
    """Return the action of each move: play each piece, buy in each city, sell each property, and pass."""
    return [*map(Play, board.piece_ids), *map(Buy, board.city_ids), *map(Sell, board.property_ids), Pass()]


MOVES: Moves[State, Board] = Moves(actions, legal_moves, apply_move)
