"""Cubes on the map, and what companies earn by them: AR-36, AR-40 to AR-42."""

from bisect import insort
from functools import reduce
from operator import or_

from protocol.american_rails import Event, IncomeChanged, LinkMade
from rails_cli.core.hexgrid import numbers_in
from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.state import MARKER, State

Events = list[Event] | None


def occupied(state: State) -> int:
    """The mask of hexes that hold a cube."""
    return reduce(or_, state.track)


def place_cube(state: State, board: Board, company: int, place: int, events: Events) -> int:
    """Places a cube, and earns what it brings; gives the company's income before any link."""
    bit = board.bit[place]
    income = state.income[company]
    if board.is_city[place]:
        income = enter_city(state, board, company, place, events)
        if bit & board.link_cities:
            link(state, board, company, place, events)
    state.track[company] |= bit
    state.stands[place] |= 1 << company
    state.cubes[company] -= 1
    state.cost[place] = board.costs[place][state.stands[place].bit_count()]
    new = board.near[place] & state.beyond[company]
    state.beyond[company] ^= new
    frontier = state.frontier[company][:]
    frontier.remove(place)
    while new:
        beside = new.bit_length() - 1
        new ^= board.bit[beside]
        insort(frontier, beside)
    state.frontier[company] = frontier if state.cubes[company] else []
    return income


def enter_city(state: State, board: Board, company: int, city: int, events: Events) -> int:
    """AR-40: alone, the full value; with others, the shared one, to which a company alone so far falls back."""
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
    """AR-41: a bonus for every pair that the city just reached makes; a company's cubes are one network."""
    bonus = board.file.links.income_per_pair
    for city in numbers_in(state.track[company] & board.link_cities):
        state.income[company] += bonus
        if events is not None:
            cities = [board.hex_ids[city], board.hex_ids[reached]]
            names = [board.names[city], board.names[reached]]
            events.append(LinkMade(board.company_ids[company], cities, names, bonus, state.income[company]))
