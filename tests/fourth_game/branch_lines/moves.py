"""The numbering of all moves in Branch Lines: first a build for each line, then pass, then bids."""

from branch_lines.board import Board
from branch_lines.protocol import Action, Build
from branch_lines.rules import apply, legal_actions
from branch_lines.state import State
from rails_cli.games.moves import Moves, listed_moves
from rails_cli.protocol.common import Pass


def actions(board: Board) -> list[Action]:
    return [*map(Build, board.line_ids), Pass()]


MOVES: Moves[State, Board] = listed_moves(actions, legal_actions, apply)
