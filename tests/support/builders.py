"""The policy `builder` of Chicago Express and American Rails: it always builds towards one goal.

In Chicago Express the goal is Chicago. In American Rails the goal is the next city that counts for the link bonus. The
policy ignores the cost. Its games reach positions that are rare in random games.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rails_cli.games.american_rails.board import FULL
from rails_cli.games.american_rails.board import Board as AmericanBoard
from rails_cli.games.chicago_express.board import Board as ChicagoBoard
from rails_cli.games.chicago_express.players.medium import aims_of
from rails_cli.games.railways.players import Aim, aim_of, pieces_by_hex
from rails_cli.games.shared.hexgrid import mask_of, way_costs
from rails_cli.protocol.common import Bid

DOUBLE = 2
"""Maximum bid of the policy in Chicago Express, as a multiple of the minimum bid.

After the opening auctions, bids for the company that can reach Chicago most cheaply have no maximum.
"""
GENEROUS = 5
"""Maximum bid of the policy in American Rails, in dollars above the minimum bid."""
EXPANDING = ("expand4", "expand3", "fund", "auction", "take", "develop", "pass")
SAVING = ("fund", "auction", "take", "expand3", "expand4", "develop", "pass")


def build_to_chicago(view: Any, legal: Sequence[Any], board: ChicagoBoard) -> Any:
    """Return an action for the company whose treasury lacks the fewest dollars for a path to Chicago."""
    aims = sorted(aims_of(view, board))
    if view.question.asks == "bid_or_pass":
        lowest, leave = legal
        company = view.auction.company
        is_aim = bool(aims) and aims[0].company == company and not view.auction.is_opening
        usual = next(entry.minimum_bid for entry in view.companies if entry.id == company) or lowest.min
        return Bid(lowest.min) if is_aim or lowest.min <= DOUBLE * usual else leave
    if view.question.asks == "choose_action":
        order = ("expand", "auction", "develop") if _may_build(view, aims) else ("auction", "develop", "expand")
        return min(legal, key=lambda entry: order.index(entry.action))
    return _build_for_aim(aims, legal)


def build_links(view: Any, legal: Sequence[Any], board: AmericanBoard) -> Any:
    """Return an action for the company whose treasury lacks the fewest dollars for a path to another link city.

    A link city is a city that counts for the link bonus.
    """
    asks = view.question.asks
    if asks == "bid":
        lowest, leave = legal
        return Bid(lowest.min) if lowest.min <= board.file.minimum_bid + GENEROUS else leave
    pieces = pieces_by_hex(board, (*(company.track for company in view.companies), view.developed))
    all_costs = [board.costs[place][count] for place, count in enumerate(pieces)]
    costs = [None if cost == FULL else cost for cost in all_costs]
    if asks == "found":
        to_link_city = way_costs(board.near, costs, board.link_cities)

        def distance(city: int) -> int:
            cost = to_link_city[city]
            return board.everywhere if cost is None else cost

        return min(legal, key=lambda entry: distance(board.hex_number[entry.hex]))
    aims = []
    for company in view.companies:
        track = mask_of(board.hex_number[place] for place in company.track)
        to_city = way_costs(board.near, costs, board.link_cities & ~track)
        aim = aim_of(company, board, board.near, costs, to_city) if company.cubes_left else None
        aims += [] if aim is None else [aim]
    aims.sort()
    if asks == "choose":
        order = EXPANDING if _may_build(view, aims) else SAVING
        return min(legal, key=lambda entry: order.index(entry.action))
    return _build_for_aim(aims, legal)


def _may_build(view: Any, aims: Iterable[Aim]) -> bool:
    """Return whether the seat of `view` holds a share of a company that can pay for the next hex of its path.

    `aims` has the cheapest path of each company to its goal. Companies that are not in `aims` are ignored.
    """
    shares = view.players[view.seat].shares
    treasury = {company.id: company.treasury for company in view.companies}
    return any(shares[aim.company] and aim.cost <= treasury[aim.company] for aim in aims)


def _build_for_aim(aims: Sequence[Aim], legal: Sequence[Any]) -> Any:
    """Return a legal action for the first company in `aims` that has one.

    `aims` describes the cheapest path of each company to its goal. A build in the next hex of such a path is preferred.
    If no such build is legal, return another action for a company of `aims`. If there is none either, return any legal
    action.
    """
    wanted = {(aim.company, aim.hex): number for number, aim in enumerate(aims)}
    builds = [entry for entry in legal if (getattr(entry, "company", None), getattr(entry, "hex", None)) in wanted]
    if builds:
        return min(builds, key=lambda entry: wanted[entry.company, entry.hex])
    others = {entry.company: entry for entry in legal if hasattr(entry, "company") and not hasattr(entry, "hex")}
    return next((others[aim.company] for aim in aims if aim.company in others), legal[0 if others else -1])


BUILDERS: dict[str, dict[str, Callable[..., Any]]] = {
    "chicago_express": {"builder": build_to_chicago},
    "american_rails": {"builder": build_links},
}
"""For each game, the policies that only tests use, by name.

A policy takes a view, the list of legal actions and the board, and returns an action.
"""
