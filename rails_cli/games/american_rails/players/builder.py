"""A player of American Rails that builds links between cities at any cost.

Games of this player reach positions that are rare in random play.
"""

from functools import lru_cache

from rails_cli.games.american_rails.board import FULL, Board
from rails_cli.games.railways.players import Aim, aim_of, build_for_aim, may_build, pieces_by_hex
from rails_cli.games.shared.hexgrid import mask_of, way_costs
from rails_cli.protocol.american_rails import Action, Choose, CompanyView, Entry, Found, View
from rails_cli.protocol.common import Bid, BidRange

GENEROUS = 5  # maximum bid for a share above the minimum, in dollars
EXPANDING = ("expand4", "expand3", "fund", "auction", "take", "develop", "pass")
SAVING = ("fund", "auction", "take", "expand3", "expand4", "develop", "pass")

Costs = tuple[int | None, ...]
"""Cost of the next cube in each hex, or None if there is no room."""


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Return the action that helps the company which lacks the least money for its next link."""
    assert view.question is not None
    asks = view.question.asks
    if asks == "bid":
        lowest, leave = legal
        assert isinstance(lowest, BidRange)
        assert not isinstance(leave, BidRange)
        return Bid(lowest.min) if lowest.min <= board.file.minimum_bid + GENEROUS else leave
    costs = _costs(view, board)
    if asks == "found":
        starts = (entry for entry in legal if isinstance(entry, Found))
        return min(starts, key=lambda entry: _start(entry, board, costs))
    aims = sorted(aim for company in view.companies if (aim := _aim(company, board, costs)) is not None)
    if asks == "choose":
        order = EXPANDING if may_build(view, aims) else SAVING
        return min((entry for entry in legal if isinstance(entry, Choose)), key=lambda entry: order.index(entry.action))
    action: Action = build_for_aim(aims, legal)
    return action


def _costs(view: View, board: Board) -> Costs:
    pieces = pieces_by_hex(board, (*(company.track for company in view.companies), view.developed))
    costs = (board.costs[place][count] for place, count in enumerate(pieces))
    return tuple(None if cost == FULL else cost for cost in costs)


@lru_cache(maxsize=64)
def _costs_to(board: Board, costs: Costs, cities: int) -> list[int | None]:
    return way_costs(board.near, costs, cities)


def _aim(company: CompanyView, board: Board, costs: Costs) -> Aim | None:
    track = mask_of(board.hex_number[place] for place in company.track)
    to_city = _costs_to(board, costs, board.link_cities & ~track)
    return aim_of(company, board, board.near, costs, to_city) if company.cubes_left else None


def _start(entry: Found, board: Board, costs: Costs) -> int:
    """Return the cost in dollars from a start city to the nearest link city, 0 if it is a link city itself."""
    cost = _costs_to(board, costs, board.link_cities)[board.hex_number[entry.hex]]
    return board.everywhere if cost is None else cost
