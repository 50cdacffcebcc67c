"""A player of American Rails that wants links between cities, whatever they cost; it goes where chance seldom does."""

from functools import lru_cache
from typing import NamedTuple

from protocol.american_rails import Action, Build, Choose, CompanyView, Entry, Found, Fund, Offer, View
from protocol.common import Bid, BidRange
from rails_cli.core.hexgrid import beside, mask_of, numbers_in, way_costs
from rails_cli.games.american_rails.board import FULL, Board

GENEROUS = 5  # so much above the minimum it bids for a share
EXPANDING = ("expand4", "expand3", "fund", "auction", "take", "develop", "pass")
SAVING = ("fund", "auction", "take", "expand3", "expand4", "develop", "pass")


class Aim(NamedTuple):
    """A company that can still make a link: the money it lacks, and the next hex of its way with its cost."""

    lacking: int
    company: str
    hex: str
    cost: int


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Money and cubes for the company that lacks least to make its next link."""
    assert view.question is not None
    asks = view.question.asks
    if asks == "bid":
        lowest, leave = legal
        assert isinstance(lowest, BidRange)
        assert not isinstance(leave, BidRange)
        return Bid(lowest.min) if lowest.min <= board.file.minimum_bid + GENEROUS else leave
    costs = _costs(view, board)
    aims = sorted(aim for company in view.companies if (aim := _aim(company, board, costs)) is not None)
    if asks == "choose":
        order = EXPANDING if _may_build(view, aims) else SAVING
        return min((entry for entry in legal if isinstance(entry, Choose)), key=lambda entry: order.index(entry.action))
    if asks == "found":
        return min(
            (entry for entry in legal if isinstance(entry, Found)), key=lambda entry: _start(entry, board, costs)
        )
    wanted = {(aim.company, aim.hex): number for number, aim in enumerate(aims)}
    builds = [entry for entry in legal if isinstance(entry, Build) and (entry.company, entry.hex) in wanted]
    if builds:
        return min(builds, key=lambda entry: wanted[entry.company, entry.hex])
    others = {entry.company: entry for entry in legal if isinstance(entry, Fund | Offer)}
    entry = next((others[aim.company] for aim in aims if aim.company in others), legal[0 if others else -1])
    assert not isinstance(entry, BidRange)
    return entry


def _costs(view: View, board: Board) -> tuple[int | None, ...]:
    """What the next cube costs in each hex; None where there is no room."""
    pieces = [0] * len(board.hex_ids)
    for places in (*(company.track for company in view.companies), view.developed):
        for place in places:
            pieces[board.hex_number[place]] += 1
    costs = (board.costs[place][count] for place, count in enumerate(pieces))
    return tuple(None if cost == FULL else cost for cost in costs)


@lru_cache(maxsize=64)
def _costs_to(board: Board, costs: tuple[int | None, ...], cities: int) -> list[int | None]:
    return way_costs(board.near, costs, cities)


def _aim(company: CompanyView, board: Board, costs: tuple[int | None, ...]) -> Aim | None:
    track = mask_of(board.hex_number[place] for place in company.track)
    to_city = _costs_to(board, costs, board.link_cities & ~track)
    ways = []
    for place in numbers_in(beside(board.near, track)):
        cost, further = costs[place], to_city[place]
        if cost is not None and further is not None and company.cubes_left:
            ways.append(Aim(cost + further - company.treasury, company.id, board.hex_ids[place], cost))
    return min(ways, default=None)


def _may_build(view: View, aims: list[Aim]) -> bool:
    assert view.seat is not None
    shares = view.players[view.seat].shares
    treasury = {company.id: company.treasury for company in view.companies}
    return any(shares[aim.company] and aim.cost <= treasury[aim.company] for aim in aims)


def _start(entry: Found, board: Board, costs: tuple[int | None, ...]) -> int:
    """How far a city is from a city with links; nothing if it is one."""
    cost = _costs_to(board, costs, board.link_cities)[board.hex_number[entry.hex]]
    return board.everywhere if cost is None else cost
