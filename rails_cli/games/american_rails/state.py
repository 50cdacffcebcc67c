"""A position of American Rails: plain numbers, and the open question.

Companies, hexes and spaces go by their numbers on the board; sets of them are bitmasks.
"""

from typing import Any

from protocol.american_rails import Options
from rails_cli.core.hexgrid import beside, mask_of, numbers_in
from rails_cli.core.money import open_accounts
from rails_cli.games.american_rails.board import MOST_COMPANIES, Board
from rails_cli.games.american_rails.questions import Nominate, Question

FREE = 255
"""In a column: nobody has taken the space."""
MARKER = 1 << MOST_COMPANIES
"""On a hex: the bit of a development marker, above those of the companies."""


class State:
    """A position. Lists are by company, but `money` is seats, treasuries, bank, and `held` is seat by seat.

    `absent` is the mask of companies drawn out, `lots` of those still to be put up in the opening, `track` has the
    mask of hexes of each company. `year` and `phase` count from 0; `order` is the turn order of the phase (in the
    opening, the seats that have a number) and `turn` the place in it; `taken` holds the columns one after the other,
    each from top to bottom.

    The rest follows from these and is kept for speed: `stands` has the mask of companies on each hex, and MARKER where
    it is developed; `cost` is what the next cube costs there (FULL if there is no room). By company, `frontier` are the
    hexes beside its track in rising order (none once it has no cube left), `beyond` is the mask of those neither in nor
    beside it. `owned` are the companies each seat holds shares of, `free` is the mask of free spaces in the current
    column.

    Copies share `held`, `order`, `owned` and the lists in `frontier`: these are replaced, never changed. `memo` is no
    part of the position: it keeps parts of the last views for the next ones.
    """

    __slots__ = (
        *("absent", "banker", "beyond", "cost", "cubes", "developed", "free", "frontier", "held", "income", "lots"),
        *("memo", "money", "options", "order", "owned", "pending", "phase", "seats", "stands", "supply", "taken"),
        *("track", "turn", "year"),
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
    beyond: list[int]
    frontier: list[list[int]]
    owned: list[tuple[int, ...]]
    free: int
    memo: Any

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
        twin.beyond = self.beyond[:]
        twin.frontier = self.frontier[:]
        twin.owned = self.owned
        twin.free = self.free
        twin.memo = None
        return twin


def new_state(board: Board, seats: int, options: Options, absent: int, banker: int) -> State:
    """The position before the opening auctions (AR-1 to AR-6); `absent` is the mask of companies drawn out."""
    companies = board.companies
    state = State()
    state.memo = None
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
    state.stands = bytearray(len(board.hexes))
    state.cost = bytearray(costs[0] for costs in board.costs)
    state.beyond = [board.everywhere] * companies
    state.frontier = [[]] * companies
    state.owned = [()] * seats
    state.free = (1 << board.height) - 1
    return state


def keep_caches(state: State, board: Board) -> None:
    """Makes everything anew that follows from the rest of the state."""
    state.memo = None
    state.stands = bytearray(len(board.hexes))
    for company, track in enumerate(state.track):
        for place in numbers_in(track):
            state.stands[place] |= 1 << company
    for place in numbers_in(state.developed):
        state.stands[place] |= MARKER
    state.cost = bytearray(costs[stands.bit_count()] for costs, stands in zip(board.costs, state.stands, strict=True))
    state.beyond = []
    state.frontier = []
    for track, left in zip(state.track, state.cubes, strict=True):
        frontier = beside(board.near, track)
        state.beyond.append(board.everywhere & ~(track | frontier))
        state.frontier.append(numbers_in(frontier) if left else [])
    state.owned = [owned_companies(state, board, seat) for seat in range(state.seats)]
    column = state.phase * board.height
    state.free = mask_of(space for space in range(board.height) if state.taken[column + space] == FREE)


def owned_companies(state: State, board: Board, seat: int) -> tuple[int, ...]:
    """The companies of which a seat holds a share."""
    companies = board.companies
    return tuple(company for company in range(companies) if state.held[seat * companies + company])
