"""What players and spectators see: a view is built field by field; nothing is hidden in Chicago Express."""

from typing import Any

from protocol.chicago_express import (
    Asked,
    Auction,
    Company,
    Dial,
    EndCondition,
    Event,
    Options,
    Player,
    Scale,
    View,
)
from rails_cli.core.hexgrid import numbers_in
from rails_cli.core.money import per_share
from rails_cli.games.chicago_express.board import ACTIONS, Board
from rails_cli.games.chicago_express.rules import (
    end_conditions,
    end_conditions_met,
    is_met,
    may_offer,
    minimum_bid,
    scores,
)
from rails_cli.games.chicago_express.state import (
    ANY_COMPANY,
    NOBODY,
    BidOrPass,
    DevelopHex,
    Expand,
    OfferShare,
    PickDial,
    State,
)


def view(state: State, board: Board, seer: int) -> View:
    """The position as a seat sees it, or anybody else."""
    return View(
        seat=seer if seer >= 0 else None,
        asked=_asked(state, board),
        turn=None if state.turn == NOBODY else state.turn,
        auction=_auction(state, board),
        players=[_player(state, board, seat) for seat in range(state.seats)],
        companies=[_company(state, board, company) for company in range(board.companies)],
        dials=[
            Dial(action, moved, red_at)
            for action, moved, red_at in zip(ACTIONS, state.dials, board.red_at, strict=True)
        ],
        scales=[_scale(state, board, scale) for scale in range(len(state.scales))],
        developed=_hexes(board, state.developed),
        houses_left=state.houses,
        end_conditions=[
            EndCondition(reason, now, limit, is_met(reason, now, limit))
            for reason, now, limit in end_conditions(state, board)
        ],
        has_ended=state.pending is None,
        end_reasons=end_conditions_met(state, board) if state.pending is None else [],
        dividend_timing="before_action" if state.before_action else "after_action",
    )


def _asked(state: State, board: Board) -> Asked | None:
    question = state.pending
    if question is None:
        return None
    if type(question) is BidOrPass:
        return Asked(question.seat, "bid_or_pass", board.company_ids[question.company], None)
    if type(question) is Expand:
        company = None if question.company == ANY_COMPANY else board.company_ids[question.company]
        return Asked(question.seat, "expand", company, question.left)
    if type(question) is PickDial:
        return Asked(question.seat, "choose_action", None, None)
    if type(question) is OfferShare:
        return Asked(question.seat, "offer_share", None, None)
    assert type(question) is DevelopHex
    return Asked(question.seat, "develop", None, None)


def _auction(state: State, board: Board) -> Auction | None:
    question = state.pending
    if type(question) is not BidOrPass:
        return None
    has_bid = question.leader != NOBODY
    return Auction(
        company=board.company_ids[question.company],
        is_opening=question.is_opening,
        first_bidder=question.first,
        minimum=question.minimum,
        bid=question.minimum - 1 if has_bid else None,
        leader=question.leader if has_bid else None,
        still_in=numbers_in(question.still_in),
    )


def _player(state: State, board: Board, seat: int) -> Player:
    shares = {name: state.held[company * state.seats + seat] for company, name in enumerate(board.company_ids)}
    return Player(seat, state.money[seat], shares)


def _company(state: State, board: Board, company: int) -> Company:
    sold = state.sold[company]
    return Company(
        id=board.company_ids[company],
        is_open=state.track[company] != 0,
        treasury=state.money[state.seats + company],
        income=state.income[company],
        shares_sold=sold,
        shares_left=board.shares[company] - sold,
        locomotives_left=state.left[company],
        track=_hexes(board, state.track[company]),
        has_reached_chicago=bool(state.track[company] >> board.chicago & 1),
        minimum_bid=minimum_bid(state, company) if may_offer(state, board, company) else None,
        dividend=per_share(state.income[company], sold) if sold else 0,
    )


def _scale(state: State, board: Board, scale: int) -> Scale:
    place = board.scale_hexes[scale]
    values = board.scale_values[scale]
    step = state.scales[scale]
    following = values[step + 1] if step + 1 < len(values) else None
    return Scale(board.hex_ids[place], board.hex_names[place], values[step], following)


def _hexes(board: Board, mask: int) -> list[str]:
    return [board.hex_ids[place] for place in numbers_in(mask)]


def redact(event: Event, seer: int, options: Options) -> Event:
    """What a seat may know of an event: all of it."""
    return event


def figures(state: State, board: Board) -> dict[str, Any]:
    """Cash by seat, income and treasury by company."""
    return {
        "cash": scores(state),
        "income": dict(zip(board.company_ids, state.income, strict=True)),
        "treasury": dict(zip(board.company_ids, state.money[state.seats : -1], strict=True)),
    }
