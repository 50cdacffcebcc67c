"""Cubes on the map and the income of companies (rules AR-36, AR-40 to AR-42)."""

from bisect import bisect_left, insort

from rails_cli.games.american_rails.board import FULL, Board
from rails_cli.games.american_rails.state import EVERYBODY, MARKER, State
from rails_cli.games.shared.hexgrid import few_numbers_in, numbers_in
from rails_cli.protocol.american_rails import Event, IncomeChanged, LinkMade

Events = list[Event] | None


def place_cube(state: State, board: Board, company: int, place: int, events: Events) -> int:
    """Place a cube of a company in the hex `place`, and update the incomes of all companies there.

    Return the company's new income. Link bonuses for this cube are not yet included.
    """
    income = state.income[company]
    if board.is_city[place]:
        if not state.stands[place]:
            open_city(state, board, place)
        income = enter_city(state, board, company, place, events)
        if board.is_linked[place]:
            link(state, board, company, place, events)
    state.track[company] |= board.bit[place]
    state.cubes[company] -= 1
    builds, closed, piece = board.builds[company], state.closed, 1 << company
    sites = state.sites[company][:]
    del sites[bisect_left(sites, builds[place])]
    for beside in board.around[place]:
        if not closed[beside] & piece:
            closed[beside] |= piece
            sites.append(builds[beside])
    sites.sort()
    state.sites[company] = sites if state.cubes[company] else []
    put_piece(state, board, place, piece)
    return income


def put_piece(state: State, board: Board, place: int, piece: int) -> None:
    """Add a cube or marker to the hex `place`. Update the cost of the next cube there and the building sites (AR-36).

    `piece` is the bit of the company whose cube is added, or MARKER.
    """
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
    """Update the legal moves after the first cube in a city.

    No other company can start in the city (AR-12). The city can be developed, if it is developable (AR-30).
    """
    state.starts = state.starts[:]
    state.starts.remove(board.founds_at + city)
    if board.is_developable[city]:
        state.develops = state.develops[:]
        insort(state.develops, board.develops_at + city)


def enter_city(state: State, board: Board, company: int, city: int, events: Events) -> int:
    """Add the value of a city to the income of a company that enters it.

    Return the company's new income (AR-40). A company that is alone in the city earns the full value. Several companies
    each earn the shared value. If a company was alone there before, its income falls.
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
        company_id, hex_id, income = board.company_ids[company], board.hex_ids[city], state.income[company]
        events.append(IncomeChanged(company_id, hex_id, board.names[city], change, income))


def link(state: State, board: Board, company: int, reached: int, events: Events) -> None:
    """Add the bonuses for new links to a company's income (AR-41).

    A new link connects the bonus city `reached` to another bonus city of the company's track.
    """
    bonus = board.file.links.income_per_pair
    for city in numbers_in(state.track[company] & board.link_cities):
        state.income[company] += bonus
        if events is not None:
            cities = [board.hex_ids[city], board.hex_ids[reached]]
            names = [board.names[city], board.names[reached]]
            events.append(LinkMade(board.company_ids[company], cities, names, bonus, state.income[company]))
