"""A position of Chicago Express: the pending question, and the places of all pieces and money."""

from typing import Final

from rails_cli.games.chicago_express.board import COMPANY_LIMIT, Board
from rails_cli.games.chicago_express.questions import Question
from rails_cli.games.shared.hexgrid import adjacent, mask_of, numbers_in
from rails_cli.protocol.chicago_express import Options

EVERYBODY: Final = (1 << COMPANY_LIMIT) - 1


class State:
    """A position: ints and short lists of ints. Companies and hexes are numbers, sets of hexes are bitmasks.

    - `money`: the cash of each seat, then the treasury of each company, then the bank.
    - `held[company * seats + seat]`: number of shares of a company that a seat holds.
    - `turn`: the seat that has the turn, or NOBODY in the opening.
    - `left`, by company: number of locomotives not yet placed.
    - `track`, by company: mask of the hexes with its locomotives. A company is open if it has track.
    - `developed`: mask of the developed hexes. `houses`: number of houses left.
    - `dials` and `scales`: current step of each action dial and each industrial scale.

    The following attributes are derived from the others and stored for speed:

    - `sold`, by company: number of shares sold. `owned`, by seat: companies in which the seat holds shares.
    - `red`: mask of red dials. `occupied`: mask of hexes with a locomotive.
    - `stands`, by hex: mask of companies with a locomotive in the hex.
    - `cost`, by hex: cost of the next locomotive, 0 if no more may be placed. `dearest`: an upper bound of all costs.
    - `closed`, by hex: mask of the companies in the hex or next to it. These cannot get the hex as a new building site.
      If the hex is full, EVERYBODY (the mask of all companies).
    - `builds`, by company: sorted moves that build in a hex with room next to the company's track, even if the company
      cannot pay.
    - `developments`: sorted moves that develop a hex.

    Copies share `developments`, `owned` and the lists in `builds`. These lists are replaced, never modified.
    """

    __slots__ = (
        *("builds", "closed", "cost", "dearest", "developed", "developments", "dials", "held", "houses", "income"),
        *("left", "money", "occupied", "options", "owned", "pending", "red", "scales", "seats", "sold"),
        *("stands", "track", "turn"),
    )

    pending: Question | None
    options: Options
    seats: int
    turn: int
    money: list[int]
    held: list[int]
    sold: list[int]
    owned: list[tuple[int, ...]]
    income: list[int]
    left: list[int]
    track: list[int]
    developed: int
    houses: int
    scales: list[int]
    dials: list[int]
    red: int
    stands: bytearray
    occupied: int
    cost: list[int]
    dearest: int
    closed: list[int]
    builds: list[list[int]]
    developments: list[int]

    def copy(self) -> "State":
        new = State()
        new.pending = self.pending
        new.options = self.options
        new.seats = self.seats
        new.turn = self.turn
        new.money = self.money[:]
        new.held = self.held[:]
        new.sold = self.sold[:]
        new.owned = self.owned
        new.income = self.income[:]
        new.left = self.left[:]
        new.track = self.track[:]
        new.developed = self.developed
        new.houses = self.houses
        new.scales = self.scales[:]
        new.dials = self.dials[:]
        new.red = self.red
        new.stands = self.stands[:]
        new.occupied = self.occupied
        new.cost = self.cost[:]
        new.dearest = self.dearest
        new.closed = self.closed[:]
        new.builds = self.builds[:]
        new.developments = self.developments
        return new


def derive(state: State, board: Board) -> None:
    """Recompute all attributes of a state that are derived from other attributes."""
    state.sold = [sum(state.held[first : first + state.seats]) for first in range(0, len(state.held), state.seats)]
    state.owned = [
        tuple(company for company in range(board.companies) if state.held[company * state.seats + seat])
        for seat in range(state.seats)
    ]
    state.red = mask_of(action for action, moved in enumerate(state.dials) if moved == board.red_at[action])
    state.stands = bytearray(len(board.hex_ids))
    state.occupied = 0
    for company, track in enumerate(state.track):
        state.occupied |= track
        for place in numbers_in(track):
            state.stands[place] |= 1 << company
    state.cost = [prices[there] for prices, there in zip(board.prices, state.stands, strict=True)]
    state.dearest = max(state.cost)
    full = state.occupied & board.single
    state.closed = [EVERYBODY if full & bit else 0 for bit in board.bits]
    state.builds = []
    for company, track in enumerate(state.track):
        frontier = adjacent(board.around, track)
        sites = numbers_in(frontier & ~full)  # CE-40 to CE-42
        state.builds.append([board.builds_from[company] + place for place in sites])
        for place in numbers_in(frontier | track):
            state.closed[place] |= 1 << company
    state.developments = developments_of(state, board)


def developable(state: State, board: Board) -> int:
    """Return the mask of hexes that have a locomotive and may be developed (CE-50)."""
    hexes = state.occupied & board.house_hexes & ~state.developed if state.houses else 0  # CE-51, CE-52
    for scale, bit, last_step in board.player_scales:
        if state.occupied & bit and state.scales[scale] < last_step:  # CE-53
            hexes |= bit
    return hexes


def developments_of(state: State, board: Board) -> list[int]:
    return [board.develops_at + place for place in numbers_in(developable(state, board))]
