"""Cubes on the map and the income of companies: AR-36, AR-40 to AR-42."""

from bisect import bisect_left, insort

from rails_cli.games.american_rails.board import FULL, Board
from rails_cli.games.american_rails.state import EVERYBODY, MARKER, State
from rails_cli.games.shared.hexgrid import few_numbers_in, numbers_in
from rails_cli.protocol.american_rails import Event, IncomeChanged, LinkMade

Events = list[Event] | None


def place_cube(state: State, board: Board, company: int, place: int, events: Events) -> int:
    """Place a cube and update the income. Return the company's income before link bonuses."""
    income = state.income[company]
    if board.is_city[place]:
        if not state.stands[place]:
            open_city(state, board, place)
        income = enter_city(state, board, company, place, events)
        if board.is_linked[place]:
            link(state, board, company, place, events)
    state.track[company] |= board.bit[place]
    state.cubes[company] -= 1
    first, closed, piece = board.builds_from[company], state.closed, 1 << company
    sites = state.sites[company][:]
    del sites[bisect_left(sites, first + place)]
    for beside in board.around[place]:
        if not closed[beside] & piece:
            closed[beside] |= piece
            sites.append(first + beside)
    sites.sort()
    state.sites[company] = sites if state.cubes[company] else []
    put_piece(state, board, place, piece)
    return income


def put_piece(state: State, board: Board, place: int, piece: int) -> None:
    """Add a cube or marker to a hex, and update the cost and the room for the next cube (AR-36)."""
    pieces = state.stands[place] | piece
    state.stands[place] = pieces
    cost = board.price[place][pieces]
    state.cost[place] = cost
    if cost == FULL:
        others = state.closed[place] & ~pieces
        state.closed[place] = EVERYBODY
        for company in few_numbers_in(others) if others else ():
            if state.cubes[company]:
                sites = state.sites[company][:]
                del sites[bisect_left(sites, board.builds_from[company] + place)]
                state.sites[company] = sites
    elif cost > state.dearest:
        state.dearest = cost


def open_city(state: State, board: Board, city: int) -> None:
    """Update the moves after a city's first cube: it is no longer a start (AR-12) and can be developed (AR-30)."""
    state.starts = state.starts[:]
    state.starts.remove(board.founds_at + city)
    if board.is_developable[city]:
        state.develops = state.develops[:]
        insort(state.develops, board.develops_at + city)


def enter_city(state: State, board: Board, company: int, city: int, events: Events) -> int:
    """Add a city's value to the income (AR-40): the full value if alone, otherwise the shared value.

    A company that was alone there drops to the shared value.
    """
    others = state.stands[city] & ~MARKER
    full, shared = board.values[city][others != state.stands[city]]
    if others.bit_count() == 1:
        change_income(state, board, others.bit_length() - 1, city, shared - full, events)
    state.income[company] += shared if others else full
    return state.income[company]


def change_income(state: State, board: Board, company: int, city: int, change: int, events: Events) -> None:
    state.income[company] += change
    if events is not None:
        told = IncomeChanged(
            board.company_ids[company], board.hex_ids[city], board.names[city], change, state.income[company]
        )
        events.append(told)


def link(state: State, board: Board, company: int, reached: int, events: Events) -> None:
    """Add a bonus for every pair of link cities that the new city completes (AR-41).

    A company's cubes always form one network.
    """
    bonus = board.file.links.income_per_pair
    for city in numbers_in(state.track[company] & board.link_cities):
        state.income[company] += bonus
        if events is not None:
            cities = [board.hex_ids[city], board.hex_ids[reached]]
            names = [board.names[city], board.names[reached]]
            events.append(LinkMade(board.company_ids[company], cities, names, bonus, state.income[company]))
