"""What a seat may see of American Rails: everything, for all money, shares and pieces lie open."""

from typing import Any

from protocol.american_rails import (
    AuctionView,
    CompanyView,
    EndView,
    Event,
    OpenQuestion,
    Options,
    PlayerView,
    SpaceName,
    View,
)
from rails_cli.core.hexgrid import numbers_in
from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.end import dividend, low_supplies, met_conditions
from rails_cli.games.american_rails.state import FREE, NOBODY, BidOrPass, Expand, PickSource, PlaceFirstCube, State


def view(state: State, board: Board, seer: int) -> View:
    question = state.pending
    dividends = [dividend(state, board, company) for company in range(board.companies)]
    in_opening = bool(state.lots) or (isinstance(question, BidOrPass | PlaceFirstCube) and question.opening)
    return View(
        seat=seer if seer >= 0 else None,
        stage="ended" if question is None else "opening" if in_opening else "actions",
        question=_question(state, board),
        auction=_auction(question, board) if type(question) is BidOrPass else None,
        opening_lots=[board.company_ids[company] for company in numbers_in(state.lots)],
        year=board.file.years[state.year],
        phase=state.phase + 1,
        order=state.order[:],
        columns=[_column(state, board, phase) for phase in range(board.file.phases)],
        players=[_player(state, board, seat, dividends) for seat in range(state.seats)],
        companies=[_company(state, board, company, each) for company, each in enumerate(dividends)],
        developed=board.hex_list(state.developed),
        markers_left=board.file.markers - state.developed.bit_count(),
        end=EndView(
            years_left=len(board.file.years) - state.year - 1,
            shares_left=sum(state.supply),
            low_supplies=low_supplies(state, board),
            low_supplies_needed=board.rules_for[state.seats].low_supplies,
            low_means=board.file.low_supply,
        ),
        reasons=[] if question is not None else met_conditions(state, board),
    )


def _question(state: State, board: Board) -> OpenQuestion | None:
    question = state.pending
    if question is None:
        return None
    company = board.company_ids[question.company] if isinstance(question, BidOrPass | PlaceFirstCube) else None
    cubes = question.cubes if isinstance(question, Expand | PickSource) else None
    ask: Any = question.__struct_config__.tag
    return OpenQuestion(question.seat, ask, company, cubes)


def _auction(question: BidOrPass, board: Board) -> AuctionView:
    has_bid = question.leader != NOBODY
    return AuctionView(
        company=board.company_ids[question.company],
        opening=question.opening,
        seat=question.seat,
        minimum=question.minimum,
        standing=question.minimum - 1 if has_bid else None,
        leader=question.leader if has_bid else None,
        still_in=numbers_in(question.still_in),
    )


def _column(state: State, board: Board, phase: int) -> dict[SpaceName, int]:
    seats = state.taken[phase * board.height : (phase + 1) * board.height]
    return {space: seat for space, seat in zip(board.spaces, seats, strict=True) if seat != FREE}


def _player(state: State, board: Board, seat: int, dividends: list[int]) -> PlayerView:
    companies = board.companies
    held = state.held[seat * companies : (seat + 1) * companies]
    return PlayerView(
        seat=seat,
        cash=state.money[seat],
        shares={company: shares for company, shares in zip(board.company_ids, held, strict=True) if shares},
        due=sum(shares * each for shares, each in zip(held, dividends, strict=True)),
    )


def _company(state: State, board: Board, company: int, each: int) -> CompanyView:
    in_play = not state.absent >> company & 1
    held = sum(state.held[company :: board.companies])
    left = state.supply[company]
    reached = (state.track[company] & board.link_cities).bit_count()
    return CompanyView(
        company=board.company_ids[company],
        in_play=in_play,
        treasury=state.money[state.seats + company],
        income=state.income[company],
        dividend=each,
        shares_left=left,
        shares_held=held,
        shares_removed=board.shares[company] - left - held,
        cubes_left=state.cubes[company],
        track=board.hex_list(state.track[company]),
        links=reached * (reached - 1) // 2,
    )


def redact(event: Event, seer: int, options: Options) -> Event:
    """Everybody may see every event."""
    return event


def figures(state: State, board: Board) -> dict[str, Any]:
    """Cash by seat, income and treasury of each company in play."""
    in_play = [company for company in range(board.companies) if not state.absent >> company & 1]
    return {
        "cash": state.money[: state.seats],
        "income": {board.company_ids[company]: state.income[company] for company in in_play},
        "treasury": {board.company_ids[company]: state.money[state.seats + company] for company in in_play},
    }
