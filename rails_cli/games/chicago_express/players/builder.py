"""A player of Chicago Express that wants companies in Chicago, whatever it costs; it goes where chance seldom does."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from protocol.chicago_express import Action, Build, Choose, Company, Entry, Offer, View
from protocol.common import Bid, BidRange
from rails_cli.core.hexgrid import beside, mask_of, numbers_in, way_costs
from rails_cli.games.chicago_express.board import Board

DOUBLE = 2  # up to so many times its minimum it bids for a share of another company


class Aim(NamedTuple):
    """A company that can still get to Chicago: the money it lacks, and the next hex of its way with its cost."""

    lacking: int
    company: str
    hex: str
    cost: int


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Money and locomotives for the company that lacks least to get to Chicago."""
    assert view.question is not None
    aims = sorted(_aims(view, board))
    asks = view.question.asks
    if asks == "bid_or_pass":
        return _bid(view, legal, aims)
    if asks == "choose_action":
        return _choose(view, legal, aims)
    wanted = {(aim.company, aim.hex): number for number, aim in enumerate(aims)}
    builds = [entry for entry in legal if isinstance(entry, Build) and (entry.company, entry.hex) in wanted]
    if builds:
        return min(builds, key=lambda entry: wanted[entry.company, entry.hex])
    offers = {entry.company: entry for entry in legal if isinstance(entry, Offer)}
    entry = next((offers[aim.company] for aim in aims if aim.company in offers), legal[0 if offers else -1])
    assert not isinstance(entry, BidRange)
    return entry


def _bid(view: View, legal: list[Entry], aims: list[Aim]) -> Action:
    assert view.auction is not None
    lowest, leave = legal
    assert isinstance(lowest, BidRange)
    assert not isinstance(leave, BidRange)
    company = view.auction.company
    is_aim = bool(aims) and aims[0].company == company and not view.auction.is_opening
    usual = next(entry.minimum_bid for entry in view.companies if entry.id == company) or lowest.min
    return Bid(lowest.min) if is_aim or lowest.min <= DOUBLE * usual else leave


def _choose(view: View, legal: list[Entry], aims: list[Aim]) -> Action:
    assert view.seat is not None
    shares = view.players[view.seat].shares
    treasury = {company.id: company.treasury for company in view.companies}
    may_build = any(shares[aim.company] and aim.cost <= treasury[aim.company] for aim in aims)
    order = ("expand", "auction", "develop") if may_build else ("auction", "develop", "expand")
    choices = [entry for entry in legal if isinstance(entry, Choose)]
    return min(choices, key=lambda entry: order.index(entry.action))


def _aims(view: View, board: Board) -> list[Aim]:
    crowd = [0] * len(board.hex_ids)
    for company in view.companies:
        for place in company.track:
            crowd[board.hex_number[place]] += 1
    costs = tuple(board.costs[place][count] for place, count in enumerate(crowd))
    to_chicago = _costs_to_chicago(board, costs)
    found = (_aim(company, board, costs, to_chicago) for company in view.companies)
    return [aim for aim in found if aim is not None]


@lru_cache(maxsize=16)
def _costs_to_chicago(board: Board, costs: tuple[int | None, ...]) -> list[int | None]:
    return way_costs(board.around, costs, 1 << board.chicago)


def _aim(company: Company, board: Board, costs: Sequence[int | None], to_chicago: list[int | None]) -> Aim | None:
    if company.has_reached_chicago or not company.locomotives_left:
        return None
    ways = []
    for place in numbers_in(beside(board.around, mask_of(board.hex_number[place] for place in company.track))):
        cost, further = costs[place], to_chicago[place]
        if cost is not None and further is not None:
            ways.append(Aim(cost + further - company.treasury, company.id, board.hex_ids[place], cost))
    return min(ways, default=None)
