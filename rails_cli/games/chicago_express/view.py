"""Views of Chicago Express. Most parts of a view are the same as in the previous view, so parts of views are cached."""

from functools import lru_cache
from itertools import repeat
from typing import Any

from rails_cli.games.chicago_express.board import ACTIONS, Board
from rails_cli.games.chicago_express.questions import (
    ANY_COMPANY,
    NOBODY,
    BidOrPass,
    DevelopHex,
    Expand,
    OfferShare,
    PickDial,
)
from rails_cli.games.chicago_express.rules import end_conditions, end_conditions_met, may_offer, minimum_bid, scores
from rails_cli.games.chicago_express.state import State
from rails_cli.games.shared.hexgrid import numbers_in
from rails_cli.games.shared.money import per_share
from rails_cli.protocol.chicago_express import Auction, Company, Dial, EndCondition, Player, Question, Scale, View

ASKS: dict[type, Any] = {PickDial: "choose_action", OfferShare: "offer_share", DevelopHex: "develop"}
CACHED = 1 << 14
"""Maximum number of values in each cache: enough for the companies or players of 2,000 games in progress."""

Numbers = tuple[int, ...]


def view(state: State, board: Board, observer: int) -> View:
    """Return the position as the seat `observer` sees it. A negative `observer` stands for a spectator."""
    seats, left, sold = state.seats, tuple(state.left), tuple(state.sold)
    cash, treasuries = tuple(state.money[:seats]), tuple(state.money[seats:-1])
    has_ended = state.pending is None
    return View(
        seat=observer if observer >= 0 else None,
        question=_question(state, board),
        turn=None if state.turn == NOBODY else state.turn,
        auction=_auction(state, board),
        players=_players(board, cash, tuple(state.held)),
        companies=_companies(board, tuple(state.track), treasuries, tuple(state.income), sold, left),
        dials=_dials(board, tuple(state.dials)),
        scales=_scales(board, tuple(state.scales)),
        developed=_hex_list(board, state.developed),
        houses_left=state.houses,
        end_conditions=_end_conditions(board, left, sold, state.houses, state.scales[board.detroit]),
        has_ended=has_ended,
        end_reasons=end_conditions_met(state, board) if has_ended else [],
        options=state.options,
    )


def _question(state: State, board: Board) -> Question | None:
    question = state.pending
    if question is None:
        return None
    if type(question) is BidOrPass:
        return Question(question.seat, "bid_or_pass", board.company_ids[question.company], None)
    if type(question) is Expand:
        company = None if question.company == ANY_COMPANY else board.company_ids[question.company]
        return Question(question.seat, "expand", company, question.left, question.has_reached_chicago)
    return Question(question.seat, ASKS[type(question)], None, None)


def _auction(state: State, board: Board) -> Auction | None:
    question = state.pending
    if type(question) is not BidOrPass:
        return None
    company, still_in, minimum = board.company_ids[question.company], numbers_in(question.still_in), question.minimum
    bid, leader = (None, None) if question.leader == NOBODY else (minimum - 1, question.leader)
    return Auction(company, question.is_opening, question.first, minimum, bid, leader, still_in)


@lru_cache(CACHED)
def _players(board: Board, cash: Numbers, held: Numbers) -> list[Player]:
    shares = [dict(zip(board.company_ids, held[seat :: len(cash)], strict=True)) for seat in range(len(cash))]
    return [Player(seat, cash[seat], shares[seat]) for seat in range(len(cash))]


@lru_cache(CACHED)
def _companies(
    board: Board, tracks: Numbers, treasuries: Numbers, incomes: Numbers, sold: Numbers, left: Numbers
) -> list[Company]:
    return list(map(_company, repeat(board), range(board.companies), tracks, treasuries, incomes, sold, left))


def _company(board: Board, company: int, track: int, treasury: int, income: int, sold: int, left: int) -> Company:
    return Company(
        id=board.company_ids[company],
        is_open=track != 0,
        treasury=treasury,
        income=income,
        shares_sold=sold,
        shares_left=board.shares[company] - sold,
        locomotives_left=left,
        track=_hex_list(board, track),
        has_reached_chicago=bool(track >> board.chicago & 1),
        minimum_bid=minimum_bid(income, sold) if may_offer(board, company, track, sold) else None,
        dividend=per_share(income, sold),
    )


@lru_cache(CACHED)
def _end_conditions(board: Board, left: Numbers, sold: Numbers, houses: int, detroit: int) -> list[EndCondition]:
    return [EndCondition(*condition) for condition in end_conditions(board, left, sold, houses, detroit)]


@lru_cache(CACHED)
def _hex_list(board: Board, hexes: int) -> list[str]:
    return [board.hex_ids[place] for place in numbers_in(hexes)]


def _dials(board: Board, dials: tuple[int, ...]) -> list[Dial]:
    return list(map(Dial, ACTIONS, dials, board.red_at))


@lru_cache(CACHED)
def _scales(board: Board, steps: tuple[int, ...]) -> list[Scale]:
    scales = []
    for place, values, step in zip(board.scale_hexes, board.scale_values, steps, strict=True):
        following = values[step + 1] if step + 1 < len(values) else None
        scales.append(Scale(board.hex_ids[place], board.hex_names[place], values[step], following))
    return scales


def figures(state: State, board: Board) -> dict[str, Any]:
    return {
        "cash": scores(state),
        "income": dict(zip(board.company_ids, state.income, strict=True)),
        "treasury": dict(zip(board.company_ids, state.money[state.seats : -1], strict=True)),
    }
