"""The actions of Chicago Express in numbers, and the typed edge of the rules: legal lists with costs, actions as moves.

| moves | mean |
| --- | --- |
| 0 | pass |
| 1, 2, 3 | take the action auction, expand or develop |
| then one for each company, in board order | offer a share of it |
| then one for each hex, in board order | develop it |
| then, company by company, one for each hex | place a locomotive of the company there |
| then one for each amount from $0 on, without end | bid it |
"""

from collections.abc import Sequence

from protocol.chicago_express import Action, Entry, Event
from protocol.common import Bid, BidRange
from rails_cli.games.chicago_express.board import PASS, PASSING, Board
from rails_cli.games.chicago_express.questions import BidOrPass, Expand, PickDial
from rails_cli.games.chicago_express.rules import apply_move, legal_builds, legal_moves
from rails_cli.games.chicago_express.state import State


def actions(board: Board) -> Sequence[Action]:
    """All but bids, each at its number."""
    return board.actions


def build_of(board: Board, company: int, place: int) -> int:
    """The move that places a locomotive of a company in a hex."""
    return board.builds_from[company] + place


def expansion(state: State, board: Board, moves: tuple[int, ...]) -> tuple[int, ...]:
    """The builds of an expansion, with the pass that ends it where more could be built.

    They may come after the choice of the action. Trusts its caller: all of it is legal.
    """
    after = state.copy()
    for move in moves:
        apply_move(after, board, move)
    return (*moves, PASS) if type(after.pending) is Expand else moves


def legal_actions(state: State, board: Board) -> list[Entry]:
    """Every answer to the pending question, in board order, the mildest last."""
    question = state.pending
    if type(question) is PickDial:
        return board.choice_entries[state.red][:]
    if type(question) is Expand:
        return build_entries(state, board, question)
    if type(question) is BidOrPass:
        return [BidRange(question.minimum, state.money[question.seat]), PASSING]
    actions = board.actions
    return [actions[move] for move in legal_moves(state, board)]


def build_entries(state: State, board: Board, question: Expand) -> list[Entry]:
    """The moves of `legal_builds` with their costs."""
    legal = legal_builds(state, board, question)
    legal.pop()
    priced, place_of, stands = board.priced, board.place_of, state.stands
    entries: list[Entry] = [priced[move][stands[place_of[move]]] for move in legal]
    entries.append(PASSING)
    return entries


def apply(state: State, board: Board, action: Action, events: list[Event] | None = None) -> None:
    """Plays a legal action for the seat that is asked; trusts its caller and changes the state."""
    move = board.bids_at + action.amount if type(action) is Bid else board.numbers[action]
    apply_move(state, board, move, events)
