"""The income of locomotives, and updates of a state after a locomotive is placed.

The updates change only the attributes that are derived from other attributes. `derive` in `state.py` computes these
attributes from scratch.
"""

from bisect import bisect_left, insort

from rails_cli.games.chicago_express.board import NOWHERE, Board
from rails_cli.games.chicago_express.state import EVERYBODY, State
from rails_cli.games.shared.hexgrid import few_numbers_in


def hex_value(state: State, board: Board, place: int) -> int:
    """Return the current income of a locomotive in a hex (CE-6, CE-44)."""
    scale = board.scale_of[place]
    if scale != NOWHERE:
        return board.scale_values[scale][state.scales[scale]]
    return board.values[place][state.developed >> place & 1]


def place_locomotive(state: State, board: Board, company: int, place: int) -> None:
    track, others, piece = state.track[company], state.stands[place], 1 << company
    state.track[company] = track | board.bits[place]
    state.stands[place] = others | piece
    state.left[company] -= 1
    state.income[company] += hex_value(state, board, place)
    if not others:
        state.occupied |= board.bits[place]
        if board.is_developable[place]:
            open_development(state, board, place)

    first, closed = board.builds_from[company], state.closed
    builds = state.builds[company][:]
    if track:
        del builds[bisect_left(builds, first + place)]
    else:
        closed[place] |= piece
    for beside in board.beside[place]:  # CE-40 to CE-42
        if not closed[beside] & piece:
            closed[beside] |= piece
            builds.append(first + beside)
    builds.sort()
    state.builds[company] = builds

    cost = board.prices[place][others | piece]
    state.cost[place] = cost
    if cost > state.dearest:
        state.dearest = cost
    if board.is_single[place]:
        close_sites(state, board, place, piece)


def close_sites(state: State, board: Board, place: int, piece: int) -> None:
    """Remove the hex `place` from the building sites of the companies, because it is full (CE-42).

    `piece` is the bit of the company that has just built there. This company is skipped.
    """
    others = state.closed[place] ^ piece
    state.closed[place] = EVERYBODY
    for other in few_numbers_in(others) if others else ():
        builds = state.builds[other][:]
        del builds[bisect_left(builds, board.builds_from[other] + place)]
        state.builds[other] = builds


def open_development(state: State, board: Board, place: int) -> None:
    """Allow the development of a hex: add it to the legal moves. The hex has just got its first locomotive (CE-50)."""
    if state.houses or board.scale_of[place] != NOWHERE:
        developments = state.developments[:]
        insort(developments, board.develops_at + place)
        state.developments = developments


def close_development(state: State, board: Board, place: int) -> None:
    """Forbid further development of a hex: remove it from the legal moves.

    The hex is fully developed (CE-51, CE-53).
    """
    developments = state.developments[:]
    del developments[bisect_left(developments, board.develops_at + place)]
    state.developments = developments
