"""Random draws of The Last Spike: lists of possible draws, new random orders, and play with given results.

A position contains its future draws: the order of the undrawn pieces, and the random state. `DRAWS` uses numbers for
results. The result of drawing a piece is the number of the piece. The result of choosing the first seat is the number
of pieces plus the number of the seat.
"""

from collections.abc import Sequence
from typing import Final

from rails_cli.games.draws import Drawn, Draws
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.moves import MOVES
from rails_cli.games.last_spike.rules import apply, piece_names, setup_from_events
from rails_cli.games.last_spike.state import State
from rails_cli.games.moves import action_of
from rails_cli.games.shared.luck import derived_seed, seeded, shuffle
from rails_cli.protocol.last_spike import Dealt, Drew, Event, Options, WentBankrupt
from rails_cli.protocol.log import Seed


def outcomes(state: State, board: Board) -> list[tuple[str, int, State]]:
    """Return the pieces that may be drawn next.

    Each is a tuple: id, weight 1, and a position in which this piece is drawn next. Return an empty list if no piece is
    left to draw or the game has ended.
    """
    if state.pending is None:
        return []
    possible = []
    for piece in sorted(state.mix):
        after = state.copy()
        after.mix.remove(piece)
        after.mix.append(piece)
        possible.append((board.piece_ids[piece], 1, after))
    return possible


def reseed(state: State, board: Board, seed: Seed) -> State:
    """Return a copy of a position with another future.

    `seed` decides the order of the undrawn pieces and all later chance.
    """
    after = state.copy()
    after.mix, after.luck = shuffle(sorted(state.mix), seeded(derived_seed(seed, "reseeded")))
    return after


def names(board: Board, players: int) -> list[str]:
    return [*board.piece_ids, *(f"seat {seat + 1} begins" for seat in range(players))]


def setup(board: Board, players: int, options: Options, results: Sequence[int]) -> list[int] | Drawn[State]:
    """Set up a game with the given results of its first draws.

    The draws are the first seat (LS-3), the hands by seat, and the piece set aside (LS-4). Return the possible results
    of the next draw, or the position if all results are given.
    """
    pieces, size = len(board.piece_ids), board.hand_size
    if not results:
        return [pieces + seat for seat in range(players)]
    dealt, hands_size = results[1:], players * size
    if len(dealt) < hands_size + board.set_aside[players]:
        return [piece for piece in range(pieces) if piece not in dealt]
    hands = [piece_names(board, dealt[first : first + size]) for first in range(0, hands_size, size)]
    aside = board.piece_ids[dealt[hands_size]] if board.set_aside[players] else None
    event = Dealt(results[0] - pieces, [*hands], aside)
    return Drawn(setup_from_events(board, players, options, [event]), [event])


def play(state: State, board: Board, move: int, results: Sequence[int]) -> list[int] | Drawn[State]:
    """Play a move with given results of its first draws, without changing `state`.

    `results` are the pieces drawn. Return the possible results of the next draw, or the new position if the move needs
    no more draws.
    """
    after = state.copy()
    after.logged_draws = list(results)
    events: list[Event] = []
    apply(after, board, action_of(MOVES, board, move), events)
    undrawn, known = set(state.mix), len(results)
    for event in events:
        if type(event) is Drew:
            if not known:
                return sorted(undrawn)
            known -= 1
            undrawn.remove(board.piece_number[str(event.piece)])
        elif type(event) is WentBankrupt:  # LS-23: the pieces of its hand can be drawn again
            undrawn.update(board.piece_number[str(piece)] for piece in event.hand or ())
    return Drawn(after, events)


def shown(board: Board, events: Sequence[Event]) -> list[int]:
    """Return the results of draws that one seat sees: who starts, and the seat's own pieces.

    `events` are the events as this seat sees them. They do not show the pieces that other seats got.
    """
    results: list[int] = []
    for event in events:
        if type(event) is Dealt:
            own = [piece for hand in event.hands for piece in hand or ()]
            results += [len(board.piece_ids) + event.first, *(board.piece_number[str(piece)] for piece in own)]
        elif type(event) is Drew and event.piece is not None:
            results.append(board.piece_number[str(event.piece)])
    return results


DRAWS: Final = Draws(names, setup, play, shown)
