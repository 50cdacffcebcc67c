"""A position of American Rails: plain numbers and the pending question.

Companies, hexes and spaces are the numbers that `Board` gives them. Sets of companies, hexes or spaces are bitmasks.
"""

from functools import lru_cache
from typing import Final

from rails_cli.games.american_rails.board import FULL, MOST_COMPANIES, Board
from rails_cli.games.american_rails.questions import Nominate, Question
from rails_cli.games.shared.hexgrid import adjacent, mask_of, numbers_in
from rails_cli.games.shared.money import open_accounts
from rails_cli.protocol.american_rails import Options

FREE: Final = 255
"""Value in `State.taken` for a space that no seat has taken."""
MARKER: Final = 1 << MOST_COMPANIES
"""Bit of a development marker in `State.stands`, above the bits of the companies."""
EVERYBODY: Final = (1 << MOST_COMPANIES) - 1


class State:
    """A position. Most lists are indexed by company.

    - `absent`: mask of companies not in play.
    - `banker`: the seat that chooses the first opening share.
    - `cubes` and `supply`: numbers of unplaced cubes and of unsold shares.
    - `developed`: mask of the developed hexes.
    - `lots`: mask of companies whose opening share is still to be offered.
    - `money`: the cash of each seat, then the treasury of each company, then the bank.
    - `held`: number of shares of each company held by seat 0, then by seat 1, and so on.
    - `track`: mask of the hexes with a cube of the company.
    - `year` and `phase`: numbers of the current year and phase, from 0.
    - `order`: turn order of the phase. In the opening, only the seats that have a place in the turn order already.
    - `turn`: index in `order` of the seat to move.
    - `taken`: the seat on each space of the action track, or FREE. The spaces are listed column by column, each column
      from top to bottom.

    The function `keep_caches` computes the following attributes from the others. They are stored for speed:

    - `stands`, by hex: mask of companies with a cube there. If the hex is developed, MARKER is added.
    - `cost`, by hex: cost of the next cube. FULL if the hex has no room.
    - `dearest`: an upper bound of all costs.
    - `closed`, by hex: mask of the companies with a cube in the hex or next to it. These cannot get the hex as a new
      building site. For a full hex, EVERYBODY (the mask of all companies).
    - `sites`, by company: sorted moves that place a cube in a hex with room next to its track. The company may be
      unable to pay. Empty if the company has no cubes left.
    - `starts`: moves that place a first cube in an empty city.
    - `develops`: moves that develop a city, even if no marker is left.
    - `owned`, by seat: companies in which the seat holds shares.
    - `free`: mask of free spaces in the current column.

    `cost` and `closed` are bytearrays, because lists with eight bytes for each hex would not fit into the processor's
    caches. Copies share `develops`, `held`, `order`, `owned`, `starts` and the lists in `sites`. These lists are never
    modified. A change replaces the whole list.
    """

    __slots__ = (
        *("absent", "banker", "closed", "cost", "cubes", "dearest", "developed", "develops", "free", "held", "income"),
        *("lots", "money", "options", "order", "owned", "pending", "phase", "seats", "sites"),
        *("stands", "starts", "supply", "taken", "track", "turn", "year"),
    )

    options: Options
    pending: Question | None
    absent: int
    banker: int
    cubes: list[int]
    developed: int
    held: bytearray
    income: list[int]
    lots: int
    money: list[int]
    order: list[int]
    phase: int
    seats: int
    supply: list[int]
    taken: bytearray
    track: list[int]
    turn: int
    year: int
    stands: bytearray
    cost: bytearray
    dearest: int
    closed: bytearray
    sites: list[list[int]]
    starts: list[int]
    develops: list[int]
    owned: list[tuple[int, ...]]
    free: int

    def copy(self) -> "State":
        twin = State.__new__(State)
        twin.options = self.options
        twin.pending = self.pending
        twin.absent = self.absent
        twin.banker = self.banker
        twin.cubes = self.cubes[:]
        twin.developed = self.developed
        twin.held = self.held
        twin.income = self.income[:]
        twin.lots = self.lots
        twin.money = self.money[:]
        twin.order = self.order
        twin.phase = self.phase
        twin.seats = self.seats
        twin.supply = self.supply[:]
        twin.taken = self.taken[:]
        twin.track = self.track[:]
        twin.turn = self.turn
        twin.year = self.year
        twin.stands = self.stands[:]
        twin.cost = self.cost[:]
        twin.dearest = self.dearest
        twin.closed = self.closed[:]
        twin.sites = self.sites[:]
        twin.starts = self.starts
        twin.develops = self.develops
        twin.owned = self.owned
        twin.free = self.free
        return twin


@lru_cache(maxsize=64)
def before_auctions(board: Board, seats: int, options: Options, absent: int, banker: int) -> State:
    """Return the state before the opening auctions (AR-1 to AR-6). The state is cached, so callers must copy it.

    `absent` is the mask of companies not in play. `banker` is the seat that chooses the first opening share.
    """
    companies = board.companies
    state = State()
    state.options = options
    state.pending = Nominate(banker)
    state.absent = absent
    state.banker = banker
    state.cubes = board.cubes[:]
    state.developed = 0
    state.held = bytearray(seats * companies)
    state.income = [0] * companies
    state.lots = ((1 << companies) - 1) & ~absent
    state.money = open_accounts([board.rules_for[seats].cash] * seats, companies)
    state.order = []
    state.phase = 0
    state.seats = seats
    state.supply = board.shares[:]
    state.taken = bytearray([FREE]) * (board.height * board.file.phases)
    state.track = [0] * companies
    state.turn = 0
    state.year = 0
    for company in numbers_in(absent):
        state.cubes[company] = 0
        state.supply[company] = 0
    keep_caches(state, board)
    return state


def keep_caches(state: State, board: Board) -> None:
    """Recompute all attributes of a state that are derived from other attributes."""
    state.stands = bytearray(len(board.hexes))
    for company, track in enumerate(state.track):
        for place in numbers_in(track):
            state.stands[place] |= 1 << company
    for place in numbers_in(state.developed):
        state.stands[place] |= MARKER
    costs = [prices[pieces] for prices, pieces in zip(board.price, state.stands, strict=True)]
    state.cost = bytearray(costs)
    state.dearest = max((cost for cost in costs if cost != FULL), default=0)
    state.closed = bytearray([EVERYBODY if cost == FULL else 0 for cost in costs])
    state.sites = []
    for company, track in enumerate(state.track):
        frontier = numbers_in(adjacent(board.near, track))
        open_to = [place for place in frontier if costs[place] != FULL] if state.cubes[company] else []
        state.sites.append([board.builds[company][place] for place in open_to])
        for place in (*frontier, *numbers_in(track)):
            state.closed[place] |= 1 << company
    state.starts = [board.founds_at + city for city in board.start_cities if not state.stands[city]]
    cities = [place for place in numbers_in(board.developable) if 0 < state.stands[place] < MARKER]
    state.develops = [board.develops_at + city for city in cities]
    held, companies = state.held, range(board.companies)
    state.owned = [
        tuple(company for company in companies if held[seat * board.companies + company]) for seat in range(state.seats)
    ]
    column = state.phase * board.height
    state.free = mask_of(space for space in range(board.height) if state.taken[column + space] == FREE)
