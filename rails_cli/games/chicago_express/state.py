"""A position of Chicago Express: what is asked, and everything that can be counted on the table.

What is written to JSON has its fields in alphabetical order, the tag first: so the keys come out sorted.
"""

from typing import Any

from protocol.chicago_express import Build, Options
from rails_cli.core.hexgrid import beside, mask_of, numbers_in
from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.questions import Question


class State:
    """A position: ints and short lists of ints; companies and hexes go by number, sets of hexes are bitmasks.

    `money` are the seats, then the treasuries, then the bank; `held[company * seats + seat]` are shares; `left` are
    locomotives not yet placed; `scales` are steps along each industrial scale. A company is open if it has track.

    The rest follows: `sold` are the shares sold, `red` the red dials as a mask, `stands` the companies in each hex as
    masks, `occupied` the hexes with any; by company, `sites` are the hexes where it may build (money apart), `builds`
    the entries for them in hex order. A list in `builds` is replaced, never changed, so that copies can share it.

    `memo` is no part of the position: it keeps parts of the last view for the next one.
    """

    __slots__ = (
        *("builds", "developed", "dials", "held", "houses", "income", "left", "memo", "money", "occupied", "options"),
        *("pending", "red", "scales", "seats", "sites", "sold", "stands", "track", "turn"),
    )

    pending: Question | None
    options: Options
    seats: int
    turn: int
    money: list[int]
    held: list[int]
    sold: list[int]
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
    sites: list[int]
    builds: list[list[Build]]
    memo: Any

    def copy(self) -> "State":
        new = State()
        new.pending = self.pending
        new.options = self.options
        new.seats = self.seats
        new.turn = self.turn
        new.money = self.money[:]
        new.held = self.held[:]
        new.sold = self.sold[:]
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
        new.sites = self.sites[:]
        new.builds = self.builds[:]
        new.memo = None
        return new


def derive(state: State, board: Board) -> None:
    """Works out anew what follows from the shares, the dials and the track."""
    state.memo = None
    state.sold = [sum(state.held[first : first + state.seats]) for first in range(0, len(state.held), state.seats)]
    state.red = mask_of(action for action, moved in enumerate(state.dials) if moved == board.red_at[action])
    state.stands = bytearray(len(board.hex_ids))
    state.occupied = 0
    for company, track in enumerate(state.track):
        state.occupied |= track
        for place in numbers_in(track):
            state.stands[place] |= 1 << company
    state.sites = [building_sites(state, board, company) for company in range(board.companies)]
    state.builds = [
        [board.build[company][place][state.stands[place].bit_count()] for place in numbers_in(sites)]
        for company, sites in enumerate(state.sites)
    ]


def building_sites(state: State, board: Board, company: int) -> int:
    """The hexes beside the company's track that are neither its own, nor start cities, nor full."""
    return beside(board.around, state.track[company]) & ~(state.occupied & board.single)
