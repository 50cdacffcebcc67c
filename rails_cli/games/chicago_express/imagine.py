"""Conversion of a view of Chicago Express to a position. The position is exact because nothing is hidden."""

from rails_cli.games.chicago_express.board import PLAYERS, Board
from rails_cli.games.chicago_express.questions import (
    ANY_COMPANY,
    NOBODY,
    BidOrPass,
    DevelopHex,
    Expand,
    OfferShare,
    PickDial,
    Question,
)
from rails_cli.games.chicago_express.state import State, derive
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.games.view_checks import (
    check_amounts,
    check_auction,
    check_each,
    check_once,
    check_seats,
    with_value_errors,
)
from rails_cli.protocol.chicago_express import View
from rails_cli.protocol.log import Seed


@with_value_errors
def imagine(view: View, board: Board, seed: Seed) -> State:
    """Return the position that a view describes. `seed` is not used. Raise ValueError if no position has this view."""
    check(view, board)
    cash = [player.cash for player in view.players]
    treasuries = [company.treasury for company in view.companies]
    state = State()
    state.pending = asked(view, board)
    state.options = view.options
    state.seats = len(view.players)
    state.turn = NOBODY if view.turn is None else view.turn
    state.money = [*cash, *treasuries, -sum(cash) - sum(treasuries)]
    state.held = [player.shares[company.id] for company in view.companies for player in view.players]
    state.income = [company.income for company in view.companies]
    state.left = [company.locomotives_left for company in view.companies]
    state.track = [mask_of(board.hex_number[place] for place in company.track) for company in view.companies]
    state.developed = mask_of(board.hex_number[place] for place in view.developed)
    state.houses = view.houses_left
    state.scales = [values.index(scale.value) for values, scale in zip(board.scale_values, view.scales, strict=True)]
    state.dials = [dial.moved for dial in view.dials]
    derive(state, board)
    return state


def check(view: View, board: Board) -> None:
    """Raise ValueError if the view contains numbers that the board does not allow."""
    auction, question, companies = view.auction, view.question, view.companies
    in_auction = () if auction is None else (auction.first_bidder, auction.leader, *auction.still_in)
    check_seats(view, PLAYERS, (view.turn, *in_auction))
    if [company.id for company in companies] != board.company_ids:
        raise ValueError("these are not the companies of the board")
    check_amounts("cash", (player.cash for player in view.players))
    check_amounts("treasury", (company.treasury for company in companies))
    check_amounts("income", (company.income for company in companies))
    for company, most in zip(companies, board.shares, strict=True):
        shares = [player.shares[company.id] for player in view.players]
        check_amounts("shares", (*shares, sum(shares)), most)
        check_once("track", company.track)
    check_each("locomotives", (company.locomotives_left for company in companies), board.locomotives)
    check_once("houses", view.developed)
    check_amounts("houses", (view.houses_left,), board.houses)
    check_each("dials", (dial.moved for dial in view.dials), board.red_at)
    check_auction(view, "bid_or_pass")
    if auction is not None and auction.is_opening != (view.turn is None):
        raise ValueError("opening auctions come before the first turn, and no others do")
    if question is None:
        return
    if question.asks == "expand":
        check_amounts("builds", (question.builds_left or 0,), board.expand_max, least=1)


def asked(view: View, board: Board) -> Question | None:
    """Return the question object of the rules for the question in a view, or None if the game has ended."""
    question, auction = view.question, view.auction
    if question is None:
        return None
    seat = question.seat
    if auction is not None:
        leader = NOBODY if auction.leader is None else auction.leader
        company, still_in = board.company_number[auction.company], mask_of(auction.still_in)
        return BidOrPass(company, auction.first_bidder, auction.is_opening, leader, auction.minimum, seat, still_in)
    if question.asks == "expand":
        company = ANY_COMPANY if question.company is None else board.company_number[question.company]
        return Expand(company, question.has_reached_chicago, question.builds_left or 0, seat)
    if question.asks == "offer_share":
        return OfferShare(seat)
    return DevelopHex(seat) if question.asks == "develop" else PickDial(seat)
