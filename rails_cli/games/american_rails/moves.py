"""The rules of American Rails with actions as objects: lists of legal actions, and `apply`.

The rules themselves represent each action as a number, called a move:

| moves | meaning |
| --- | --- |
| 0 | pass |
| then one for each space of a column, from top to bottom | take the space |
| the next two | take money from the bank, or make the other players pay |
| then one for each company, in board order | offer a share of it |
| then one for each company | fund it |
| then one for each hex, in board order | place a first cube there |
| then one for each hex | develop it |
| then, company by company, one for each hex | place a cube of the company there |
| then one for each amount from $0 up, without limit | bid it |
"""

from rails_cli.games.american_rails.board import PASS, PASS_ACTION, Board
from rails_cli.games.american_rails.questions import BidOrPass, ChooseSpace, Expand, PickSource
from rails_cli.games.american_rails.rules import apply_move, legal_builds, legal_moves
from rails_cli.games.american_rails.state import State
from rails_cli.protocol.american_rails import Action, Entry, Event
from rails_cli.protocol.common import Bid, BidRange


def expansion(state: State, board: Board, moves: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sequence `moves`, which builds in one expansion, and a pass to end the expansion if necessary."""
    after = state.copy()
    for move in moves:
        apply_move(after, board, move)
    return (*moves, PASS) if type(after.pending) is Expand else moves


def legal_actions(state: State, board: Board) -> list[Entry]:
    """Return all legal actions with their costs, in the order of `legal_moves`."""
    question = state.pending
    if type(question) is ChooseSpace:
        return board.choice_entries[state.free][:]
    if type(question) is Expand:
        return build_entries(state, board, question.seat)
    if type(question) is BidOrPass:
        return [BidRange(question.minimum, state.money[question.seat]), PASS_ACTION]
    actions = board.actions
    if type(question) is PickSource and question.cubes:
        return [*actions[board.takes_at : board.offers_at], *build_entries(state, board, question.seat)]
    return [actions[move] for move in legal_moves(state, board)]


def build_entries(state: State, board: Board, seat: int) -> list[Entry]:
    """Return the legal builds with their costs and the pass, in the order of `legal_builds`."""
    legal = legal_builds(state, board, seat)
    legal.pop()
    priced, cost, place_of = board.priced, state.cost, board.place_of
    entries: list[Entry] = [priced[move][cost[place_of[move]]] for move in legal]
    entries.append(PASS_ACTION)
    return entries


def apply(state: State, board: Board, action: Action, events: list[Event] | None = None) -> None:
    """Play a legal action for the seat to move, without validation, and change `state`.

    Append the resulting events to `events` if a list is given.
    """
    move = board.bids_at + action.amount if type(action) is Bid else board.numbers[action]
    apply_move(state, board, move, events)
