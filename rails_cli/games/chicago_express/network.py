"""Networks: what a locomotive is worth where it stands, and what placing one means for all that can be built there.

What is kept for speed follows from the track: `derive` in `state.py` says how, in whole.
"""

from bisect import insort

from rails_cli.core.hexgrid import few_numbers_in
from rails_cli.games.chicago_express.board import NOWHERE, Board
from rails_cli.games.chicago_express.state import State


def hex_value(state: State, board: Board, place: int) -> int:
    """What a locomotive in this hex is worth in income now (CE-6, CE-44)."""
    scale = board.scale_of[place]
    if scale != NOWHERE:
        return board.scale_values[scale][state.scales[scale]]
    return board.values[place][state.developed >> place & 1]


def place_locomotive(state: State, board: Board, company: int, place: int) -> None:
    bit = board.bits[place]
    track, others = state.track[company], state.stands[place]
    state.track[company] = track | bit
    state.stands[place] = others | 1 << company
    state.left[company] -= 1
    state.income[company] += hex_value(state, board, place)
    if not others:
        state.occupied |= bit
        if board.is_developable[place]:
            open_development(state, board, place)
    if board.is_single[place]:
        state.full |= bit
        close_sites(state, board, company, place, bit)
    else:
        price = board.prices[place][others | 1 << company]
        if price > state.dearest:
            state.dearest = price

    first, reached = board.builds_from[company], state.reached[company]
    builds = state.builds[company][:]
    if track:
        builds.remove(first + place)
    for beside in few_numbers_in(board.around[place] & ~(reached | state.full)):  # CE-40 to CE-42
        insort(builds, first + beside)
    state.builds[company] = builds
    state.reached[company] = reached | board.spread[place]


def close_sites(state: State, board: Board, company: int, place: int, bit: int) -> None:
    """The company has taken a hex in which there is room for one: it is no building site of the others (CE-42)."""
    for other in board.others[company]:
        if state.reached[other] & bit:
            builds = state.builds[other][:]
            builds.remove(board.builds_from[other] + place)
            state.builds[other] = builds


def open_development(state: State, board: Board, place: int) -> None:
    """The first locomotive in a hex: it can be developed now (CE-50), a house provided (CE-51)."""
    if state.houses or board.scale_of[place] != NOWHERE:
        developments = state.developments[:]
        insort(developments, board.develops_at + place)
        state.developments = developments


def close_development(state: State, board: Board, place: int) -> None:
    """A hex was developed for the last time (CE-51, CE-53)."""
    developments = state.developments[:]
    developments.remove(board.develops_at + place)
    state.developments = developments
