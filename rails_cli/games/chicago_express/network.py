"""Networks: what a locomotive is worth where it stands, and what placing one means for all building sites."""

from rails_cli.games.chicago_express.board import NOWHERE, Board
from rails_cli.games.chicago_express.state import State


def hex_value(state: State, board: Board, place: int) -> int:
    """What a locomotive in this hex is worth in income now (CE-6, CE-44)."""
    scale = board.scale_of[place]
    if scale != NOWHERE:
        return board.scale_values[scale][state.scales[scale]]
    return board.values[place][state.developed >> place & 1]


def place_locomotive(state: State, board: Board, company: int, place: int) -> None:
    bit = 1 << place
    state.track[company] |= bit
    state.occupied |= bit
    state.stands[place] |= 1 << company
    state.left[company] -= 1
    state.income[company] += hex_value(state, board, place)
    for other in board.others[company]:
        if state.sites[other] & bit:
            update_site(state, board, other, place, bit)
    move_sites(state, board, company, place, bit)


def update_site(state: State, board: Board, company: int, place: int, bit: int) -> None:
    """Another company's locomotive stands in a building site: it costs more now (CE-43), or has no room (CE-42)."""
    sites = state.sites[company]
    builds = state.builds[company][:]
    index = (sites & (bit - 1)).bit_count()
    if bit & board.single:
        del builds[index]
        state.sites[company] = sites ^ bit
    else:
        builds[index] = board.build[company][place][state.stands[place].bit_count()]
    state.builds[company] = builds


def move_sites(state: State, board: Board, company: int, place: int, bit: int) -> None:
    """A hex where the company has built is a building site no longer; those beside it become sites (CE-40 to CE-42)."""
    sites = state.sites[company]
    builds = state.builds[company][:]
    if sites & bit:
        del builds[(sites & (bit - 1)).bit_count()]
        sites ^= bit
    new = board.around[place] & ~(sites | state.track[company] | state.occupied & board.single)
    if new:
        entries, stands = board.build[company], state.stands
        for beside, beside_bit in board.beside[place]:
            if new & beside_bit:
                builds.insert((sites & (beside_bit - 1)).bit_count(), entries[beside][stands[beside].bit_count()])
                sites |= beside_bit
    state.sites[company] = sites
    state.builds[company] = builds
