"""A player of Chicago Express that builds companies to Chicago at any cost.

It reaches positions that are rare in random play.
"""

from functools import lru_cache

from rails_cli.games.chicago_express.board import Board
from rails_cli.games.railways.players import Aim, aim_of, build_for_aim, may_build, pieces_by_hex
from rails_cli.games.shared.hexgrid import way_costs
from rails_cli.protocol.chicago_express import Action, Choose, Entry, View
from rails_cli.protocol.common import Bid, BidRange

DOUBLE = 2  # maximum bid for a share of other companies, as a multiple of its minimum


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Return the action that advances the company lacking the least money to reach Chicago."""
    assert view.question is not None
    aims = sorted(aims_of(view, board))
    if view.question.asks == "bid_or_pass":
        return _bid(view, legal, aims)
    if view.question.asks == "choose_action":
        order = ("expand", "auction", "develop") if may_build(view, aims) else ("auction", "develop", "expand")
        return min((entry for entry in legal if isinstance(entry, Choose)), key=lambda entry: order.index(entry.action))
    action: Action = build_for_aim(aims, legal)
    return action


def _bid(view: View, legal: list[Entry], aims: list[Aim]) -> Action:
    assert view.auction is not None
    lowest, leave = legal
    assert isinstance(lowest, BidRange)
    assert not isinstance(leave, BidRange)
    company = view.auction.company
    is_aim = bool(aims) and aims[0].company == company and not view.auction.is_opening
    usual = next(entry.minimum_bid for entry in view.companies if entry.id == company) or lowest.min
    return Bid(lowest.min) if is_aim or lowest.min <= DOUBLE * usual else leave


def aims_of(view: View, board: Board) -> list[Aim]:
    """Return, for each company that can still reach Chicago, the money it lacks and its next step."""
    pieces = pieces_by_hex(board, (company.track for company in view.companies))
    costs = tuple(board.costs[place][count] for place, count in enumerate(pieces))
    to_chicago = _costs_to_chicago(board, costs)
    able = (one for one in view.companies if one.locomotives_left and not one.has_reached_chicago)
    found = (aim_of(company, board, board.around, costs, to_chicago) for company in able)
    return [aim for aim in found if aim is not None]


@lru_cache(maxsize=16)
def _costs_to_chicago(board: Board, costs: tuple[int | None, ...]) -> list[int | None]:
    return way_costs(board.around, costs, 1 << board.chicago)
