"""Views of American Rails. Every seat sees everything, because all money, shares and pieces are public.

Most of a view is the same as in the previous view of the game. So its parts are cached in the state's `memo`. For views
that are sent to clients, the parts are cached as encoded JSON. A part is outdated if the numbers of the state from
which it was computed have changed.
"""
# ruff: noqa: B905 (a strict zip takes twice the time)

from operator import mul
from typing import Any, get_args

import msgspec

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.end import low_supplies, met_conditions
from rails_cli.games.american_rails.questions import BidOrPass, Expand, PickSource, PlaceFirstCube, Question
from rails_cli.games.american_rails.state import FREE, State
from rails_cli.games.shared.auction import NOBODY
from rails_cli.games.shared.hexgrid import grown, numbers_in
from rails_cli.games.shared.money import per_share
from rails_cli.protocol.american_rails import (
    AuctionView,
    CompanyView,
    EndView,
    Event,
    OpenQuestion,
    Options,
    PlayerView,
    View,
)

ASKS: dict[type, Any] = {kind: kind.__struct_config__.tag for kind in get_args(Question)}

_encode = msgspec.json.Encoder().encode


def view(state: State, board: Board, seer: int) -> View:
    return _view(state, board, seer, _parts(state, board, is_written=False))


def wire_view(state: State, board: Board, seer: int) -> View:
    """Return a view in which some parts are already encoded as JSON. The result can only be encoded."""
    return _view(state, board, seer, _parts(state, board, is_written=True))


def _view(state: State, board: Board, seer: int, parts: "Parts") -> View:
    """Build a view from positional arguments, because keyword arguments take five times as long."""
    question = state.pending
    has_ended = question is None
    is_opening = state.lots != 0
    if type(question) is BidOrPass or type(question) is PlaceFirstCube:
        is_opening = question.opening
    return View(
        seer if seer >= 0 else None,
        is_opening,
        _question(question, board),
        _auction(question, board) if type(question) is BidOrPass else None,
        [board.company_ids[company] for company in numbers_in(state.lots)],
        board.file.years[state.year],
        state.phase + 1,
        state.order,
        parts.columns,
        parts.players,
        parts.companies,
        parts.developed,
        board.markers - state.developed.bit_count(),
        _end(state, board),
        has_ended,
        met_conditions(state, board) if has_ended else [],
        state.banker,
        state.options,
    )


def _end(state: State, board: Board) -> EndView:
    years_left = len(board.file.years) - state.year - 1
    needed = board.rules_for[state.seats].low_supplies
    return EndView(years_left, sum(state.supply), low_supplies(state, board), needed, board.file.low_supply)


# Parts that change with every question


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


# Cached parts


class Parts:
    """Cached parts of the last view of one state, and the values of the state from which the parts were computed.

    If `is_written` is set, parts are stored as encoded JSON. Lists of parts are replaced, never modified, because views
    share them.
    """

    columns: list[Any]
    players: Any
    developed: Any

    def __init__(self, state: State, board: Board, is_written: bool) -> None:
        self.is_written = is_written
        self.taken = b""
        self.developed_mask = NOT_MADE
        self.held = b""
        self.shares: list[Any] = []
        self.shares_held: list[int] = []
        self.sums: Sums = ([], [], [], [])
        self.numbers: list[CompanyNumbers] = [NO_NUMBERS] * board.companies
        self.networks: list[list[str]] = [[]] * board.companies
        self.companies: list[Any] = [None] * board.companies

    def encoded(self, part: Any) -> Any:
        return msgspec.Raw(_encode(part)) if self.is_written else part


Sums = tuple[list[int], list[int], list[int], list[int]]
"""The money of all accounts, and the income, the shares left and the track of each company."""
CompanyNumbers = tuple[int, int, int, int, int, int, int]
"""The numbers of a company: treasury, income, dividend, shares left, shares held, cubes left, track."""
NOT_MADE = -1
NO_NUMBERS: CompanyNumbers = (NOT_MADE, 0, 0, 0, 0, 0, 0)


def _parts(state: State, board: Board, *, is_written: bool) -> Parts:
    """Return the cache of a state for one kind of view, with its outdated parts recomputed."""
    kept: dict[bool, Parts] | None = state.memo
    if kept is None:
        kept = state.memo = {}
    if is_written not in kept:
        kept[is_written] = Parts(state, board, is_written)
    parts = kept[is_written]
    if parts.taken != state.taken:
        _renew_columns(parts, state, board)
    if parts.developed_mask != state.developed:
        parts.developed_mask = state.developed
        parts.developed = parts.encoded(board.hex_list(state.developed))
    if parts.held != state.held:
        _renew_shares(parts, state, board)
    sums = (state.money, state.income, state.supply, state.track)
    if parts.sums != sums:
        parts.sums = (state.money[:], state.income[:], state.supply[:], state.track[:])
        _renew_owners(parts, state, board)
    return parts


def _renew_columns(parts: Parts, state: State, board: Board) -> None:
    parts.taken = bytes(state.taken)
    parts.columns = []
    for first in range(0, len(parts.taken), board.height):
        taken = parts.taken[first : first + board.height]
        parts.columns.append(parts.encoded({space: seat for space, seat in zip(board.spaces, taken) if seat != FREE}))


def _renew_shares(parts: Parts, state: State, board: Board) -> None:
    parts.held = bytes(state.held)
    parts.shares_held = [sum(parts.held[company :: board.companies]) for company in range(board.companies)]
    parts.shares = []
    for first in range(0, len(parts.held), board.companies):
        held = parts.held[first : first + board.companies]
        parts.shares.append(parts.encoded(dict(zip(board.company_ids, held))))


def _renew_owners(parts: Parts, state: State, board: Board) -> None:
    """Recompute the players, and the companies whose numbers have changed."""
    dividends = list(map(per_share, state.income, parts.shares_held))
    players = []
    for seat, shares in enumerate(parts.shares):
        held = parts.held[seat * board.companies : (seat + 1) * board.companies]
        players.append(PlayerView(seat, state.money[seat], shares, sum(map(mul, held, dividends))))
    parts.players = parts.encoded(players)
    treasuries = state.money[state.seats :]
    numbers = list(zip(treasuries, state.income, dividends, state.supply, parts.shares_held, state.cubes, state.track))
    companies = parts.companies[:]
    for company, before in enumerate(parts.numbers):
        if numbers[company] != before:
            network = grown(parts.networks[company], board.hex_ids, before[-1], state.track[company])
            parts.networks[company] = network
            is_in_play = not state.absent >> company & 1
            companies[company] = parts.encoded(_company(board, company, is_in_play, network, numbers[company]))
    parts.companies, parts.numbers = companies, numbers


def _company(board: Board, company: int, is_in_play: bool, network: list[str], numbers: CompanyNumbers) -> CompanyView:
    treasury, income, dividend, left, held, cubes, track = numbers
    removed = board.shares[company] - left - held
    cities = (track & board.link_cities).bit_count()
    links = cities * (cities - 1) // 2
    name = board.company_ids[company]
    return CompanyView(name, is_in_play, treasury, income, dividend, left, held, removed, cubes, network, links)


def redact(event: Event, seer: int, options: Options) -> Event:
    """Return the event unchanged, because all events are public."""
    return event


def figures(state: State, board: Board) -> dict[str, Any]:
    """Return the cash by seat, and the income and treasury of each company in play."""
    in_play = [company for company in range(board.companies) if not state.absent >> company & 1]
    return {
        "cash": state.money[: state.seats],
        "income": {board.company_ids[company]: state.income[company] for company in in_play},
        "treasury": {board.company_ids[company]: state.money[state.seats + company] for company in in_play},
    }
