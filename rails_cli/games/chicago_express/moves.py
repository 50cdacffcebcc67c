"""The rules of Chicago Express with actions as objects: lists of legal actions, and `apply`.

The rules themselves represent each action as a number, called a move:

| moves | meaning |
| --- | --- |
| 0 | pass |
| 1, 2, 3 | take the action auction, expand or develop |
| then one for each company, in board order | offer a share of it |
| then one for each hex, in board order | develop it |
| then, company by company, one for each hex | place a locomotive of the company there |
| then one for each amount from $0 up, without limit | bid it |
"""

from rails_cli.games.chicago_express.board import PASS, PASS_ACTION, Board
from rails_cli.games.chicago_express.questions import BidOrPass, Expand, PickDial
from rails_cli.games.chicago_express.rules import apply_move, legal_builds, legal_moves
from rails_cli.games.chicago_express.state import State
from rails_cli.protocol.chicago_express import Action, Entry, Event
from rails_cli.protocol.common import Bid, BidRange


def expansion(state: State, board: Board, moves: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sequence `moves`, which builds in one expansion, and a pass to end the expansion if necessary."""
    after = state.copy()
    for move in moves:
        apply_move(after, board, move)
    return (*moves, PASS) if type(after.pending) is Expand else moves


def legal_actions(state: State, board: Board) -> list[Entry]:
    """Return the legal answers to the pending question in board order, a pass last, or an empty list after the end."""
    question = state.pending
    if type(question) is PickDial:
        return board.choice_entries[state.red][:]
    if type(question) is Expand:
        return build_entries(state, board, question)
    if type(question) is BidOrPass:
        return [BidRange(question.minimum, state.money[question.seat]), PASS_ACTION]
    actions = board.actions
    return [actions[move] for move in legal_moves(state, board)]


def build_entries(state: State, board: Board, question: Expand) -> list[Entry]:
    """Return the legal builds with their costs and the pass, in the order of `legal_builds`."""
    legal = legal_builds(state, board, question)
    legal.pop()
    priced, place_of, stands = board.priced, board.place_of, state.stands
    entries: list[Entry] = [priced[move][stands[place_of[move]]] for move in legal]
    entries.append(PASS_ACTION)
    return entries


def apply(state: State, board: Board, action: Action, events: list[Event] | None = None) -> None:
    """Play a legal action for the seat to move, without validation, and change `state`.

    Append the resulting events to `events` if a list is given.
    """
    move = board.bids_at + action.amount if type(action) is Bid else board.numbers[action]
    apply_move(state, board, move, events)
