"""Views of American Rails. Every seat sees everything. Parts of a view that seldom change are cached."""

from functools import lru_cache
from itertools import repeat
from operator import mul
from typing import Any, get_args

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.end import low_supplies, met_conditions
from rails_cli.games.american_rails.questions import BidOrPass, Expand, PickSource, PlaceFirstCube, Question
from rails_cli.games.american_rails.state import FREE, State
from rails_cli.games.shared.auction import NOBODY
from rails_cli.games.shared.hexgrid import numbers_in
from rails_cli.games.shared.money import per_share
from rails_cli.protocol.american_rails import (
    AuctionView,
    CompanyView,
    EndView,
    OpenQuestion,
    PlayerView,
    SpaceName,
    View,
)

ASKS: dict[type, Any] = {kind: kind.__struct_config__.tag for kind in get_args(Question)}
CACHED = 1 << 14
"""Maximum number of values in each cache: enough for the companies of 2,000 games in progress."""

Numbers = tuple[int, ...]


def view(state: State, board: Board, observer: int) -> View:
    """Return the position as the seat `observer` sees it. A negative `observer` stands for a spectator."""
    question = state.pending
    has_ended = question is None
    is_opening = state.lots != 0
    if type(question) is BidOrPass or type(question) is PlaceFirstCube:
        is_opening = question.opening
    seats, held, supply = state.seats, bytes(state.held), tuple(state.supply)
    cash, treasuries = tuple(state.money[:seats]), tuple(state.money[seats:-1])
    shares_held = _shares_held(board, held)
    dividends = tuple(map(per_share, state.income, shares_held))
    tracks, incomes, cubes = tuple(state.track), tuple(state.income), tuple(state.cubes)
    return View(  # keyword arguments would take five times as long
        observer if observer >= 0 else None,
        is_opening,
        _question(question, board),
        _auction(question, board) if type(question) is BidOrPass else None,
        [board.company_ids[company] for company in numbers_in(state.lots)],
        board.file.years[state.year],
        state.phase + 1,
        state.order,
        _columns(board, bytes(state.taken)),
        _players(board, cash, held, dividends),
        _companies(board, state.absent, tracks, treasuries, incomes, dividends, supply, shares_held, cubes),
        _hex_list(board, state.developed),
        board.file.markers - state.developed.bit_count(),
        _end(state, board),
        has_ended,
        met_conditions(state, board) if has_ended else [],
        state.banker,
        state.options,
    )


def _question(question: Question | None, board: Board) -> OpenQuestion | None:
    if question is None:
        return None
    asks = ASKS[type(question)]
    if type(question) is Expand or type(question) is PickSource:
        return OpenQuestion(question.seat, asks, None, question.cubes or None)
    if type(question) is BidOrPass or type(question) is PlaceFirstCube:
        return OpenQuestion(question.seat, asks, board.company_ids[question.company])
    return OpenQuestion(question.seat, asks)


def _auction(question: BidOrPass, board: Board) -> AuctionView:
    company = board.company_ids[question.company]
    minimum, leader = question.minimum, question.leader
    still_in = numbers_in(question.still_in)
    if leader == NOBODY:
        return AuctionView(company, question.opening, question.seat, minimum, None, None, still_in)
    return AuctionView(company, question.opening, question.seat, minimum, minimum - 1, leader, still_in)


def _end(state: State, board: Board) -> EndView:
    years_left = len(board.file.years) - state.year - 1
    needed = board.rules_for[state.seats].low_supplies
    return EndView(years_left, sum(state.supply), low_supplies(state, board), needed, board.file.low_supply)


@lru_cache(CACHED)
def _columns(board: Board, taken: bytes) -> list[dict[SpaceName, int]]:
    """Return, for each phase, a dictionary from the name of each taken space to the seat on the space."""
    columns = [taken[first : first + board.height] for first in range(0, len(taken), board.height)]
    return [
        {space: seat for space, seat in zip(board.spaces, column, strict=True) if seat != FREE} for column in columns
    ]


@lru_cache(CACHED)
def _shares_held(board: Board, held: bytes) -> Numbers:
    """Return, by company, the total number of shares that players hold."""
    return tuple(sum(held[company :: board.companies]) for company in range(board.companies))


@lru_cache(CACHED)
def _players(board: Board, cash: Numbers, held: bytes, dividends: Numbers) -> list[PlayerView]:
    players = []
    for seat, own_cash in enumerate(cash):
        own = held[seat * board.companies : (seat + 1) * board.companies]
        shares = dict(zip(board.company_ids, own, strict=True))
        players.append(PlayerView(seat, own_cash, shares, sum(map(mul, own, dividends))))
    return players


@lru_cache(CACHED)
def _companies(board: Board, absent: int, tracks: Numbers, *numbers: Numbers) -> list[CompanyView]:
    is_in_play = [not absent >> company & 1 for company in range(board.companies)]
    return list(map(_company, repeat(board), range(board.companies), is_in_play, tracks, *numbers))


def _company(
    board: Board,
    company: int,
    is_in_play: bool,
    track: int,
    treasury: int,
    income: int,
    dividend: int,
    left: int,
    held: int,
    cubes: int,
) -> CompanyView:
    removed = board.shares[company] - left - held
    cities = (track & board.link_cities).bit_count()
    links = cities * (cities - 1) // 2
    name, network = board.company_ids[company], _hex_list(board, track)
    return CompanyView(name, is_in_play, treasury, income, dividend, left, held, removed, cubes, network, links)


@lru_cache(CACHED)
def _hex_list(board: Board, hexes: int) -> list[str]:
    return board.hex_list(hexes)


def figures(state: State, board: Board) -> dict[str, Any]:
    """Return statistics of a position in dollars.

    `cash` is a list by seat. `income` and `treasury` are mappings from company id. Companies that are not in play are
    left out.
    """
    in_play = [company for company in range(board.companies) if not state.absent >> company & 1]
    return {
        "cash": state.money[: state.seats],
        "income": {board.company_ids[company]: state.income[company] for company in in_play},
        "treasury": {board.company_ids[company]: state.money[state.seats + company] for company in in_play},
    }
