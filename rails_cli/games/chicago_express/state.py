"""A position of Chicago Express: what is asked, and everything that can be counted on the table.

What is written to JSON has its fields in alphabetical order, the tag first: so the keys come out sorted.
"""

from typing import Any

from protocol.chicago_express import Options
from rails_cli.core.hexgrid import beside, mask_of, numbers_in
from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.questions import Question


class State:
    """A position: ints and short lists of ints; companies and hexes go by number, sets of hexes are bitmasks.

    `money` are the seats, then the treasuries, then the bank; `held[company * seats + seat]` are shares; `left` are
    locomotives not yet placed; `scales` are steps along each industrial scale. A company is open if it has track.

    The rest follows: `sold` are the shares sold, `red` the red dials as a mask, `stands` the companies in each hex as
    masks, `occupied` the hexes with any, `full` those without room; by company, `reached` is its track with all hexes
    beside it, `builds` the moves that build in those with room (money apart), `dearest` the most that any may cost;
    `developments` are the moves for the hexes that may be developed. Moves are in rising order; a list of moves is
    replaced, never changed, so that copies can share it.

    `memo` is no part of the position: it keeps parts of the last view for the next one.
    """

    __slots__ = (
        *("builds", "dearest", "developed", "developments", "dials", "full", "held", "houses", "income"),
        *("left", "memo", "money", "occupied", "options", "pending", "reached", "red", "scales", "seats", "sold"),
        *("stands", "track", "turn"),
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
    full: int
    dearest: int
    reached: list[int]
    builds: list[list[int]]
    developments: list[int]
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
        new.full = self.full
        new.dearest = self.dearest
        new.reached = self.reached[:]
        new.builds = self.builds[:]
        new.developments = self.developments
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
    state.full = state.occupied & board.single
    state.dearest = max(prices[state.stands[place]] for place, prices in enumerate(board.prices))
    state.reached = [beside(board.around, track) | track for track in state.track]
    state.builds = [
        [board.builds_from[company] + place for place in numbers_in(building_sites(state, company))]
        for company in range(board.companies)
    ]
    state.developments = developments_of(state, board)


def building_sites(state: State, company: int) -> int:
    """The hexes beside the company's track that are neither its own, nor start cities, nor full (CE-40 to CE-42)."""
    return state.reached[company] & ~(state.track[company] | state.full)


def developable(state: State, board: Board) -> int:
    """The hexes with a locomotive that may be developed (CE-50)."""
    hexes = state.occupied & board.house_hexes & ~state.developed if state.houses else 0  # CE-51, CE-52
    for scale, bit, last_step in board.player_scales:
        if state.occupied & bit and state.scales[scale] < last_step:  # CE-53
            hexes |= bit
    return hexes


def developments_of(state: State, board: Board) -> list[int]:
    return [board.develops_at + place for place in numbers_in(developable(state, board))]
