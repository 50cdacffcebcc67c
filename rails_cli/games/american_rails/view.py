"""Views of American Rails. Every seat sees everything, because all money, shares and pieces are public.

Most of a view is the same as in the previous one, so its parts are cached with the state, for the wire as encoded JSON.
A part is cached with the numbers it was computed from and is outdated only if these have changed.
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

NOT_MADE = -1

_encode = msgspec.json.Encoder().encode


def view(state: State, board: Board, seer: int) -> View:
    return _view(state, board, seer, _parts(state, board, is_written=False))


def wire_view(state: State, board: Board, seer: int) -> View:
    """Like `view`, but with parts already encoded as JSON. The result can only be encoded."""
    return _view(state, board, seer, _parts(state, board, is_written=True))


def _parts(state: State, board: Board, *, is_written: bool) -> "Parts":
    """Return the cache of a state for one kind of view."""
    kept: dict[bool, Parts] | None = state.memo
    if kept is None:
        kept = state.memo = {}
    if is_written not in kept:
        kept[is_written] = Parts(state, board, is_written)
    return kept[is_written]


class Parts:
    """Cached parts of the last view, and the numbers of the state from which they were computed.

    With `is_written`, parts are stored as encoded JSON. Lists of parts are replaced, never modified, because views
    share them.
    """

    def __init__(self, state: State, board: Board, is_written: bool) -> None:
        self.is_written = is_written
        self.lots_mask = NOT_MADE
        self.lots: Any = None
        self.taken = b""
        self.taken_by_phase = [b""] * board.file.phases
        self.columns: list[Any] = [None] * board.file.phases
        self.developed_mask = 0
        self.developed_list: list[str] = []
        self.developed: Any = self.finish([])
        self.markers_left = board.file.markers
        self.year = NOT_MADE
        self.end: Any = None
        self.held = b""
        self.held_by_seat = [b""] * state.seats
        self.shares: list[Any] = [None] * state.seats
        self.shares_held: list[int] = []
        self.income: list[int] = []
        self.dividends: list[int] = []
        self.cash: list[int] = []
        self.players: Any = None
        self.money: list[int] = []
        self.supply: list[int] = []
        self.cubes: list[int] = []
        self.track = [0] * board.companies
        self.networks: list[list[str]] = [[]] * board.companies
        self.sheets: list[Sheet] = [NO_SHEET] * board.companies
        self.companies: list[Any] = [None] * board.companies

    def finish(self, part: Any) -> Any:
        return msgspec.Raw(_encode(part)) if self.is_written else part


def _view(state: State, board: Board, seer: int, parts: Parts) -> View:
    """Build a view from positional arguments, because keyword arguments take five times as long."""
    _renew(parts, state, board)
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
        parts.lots,
        board.file.years[state.year],
        state.phase + 1,
        state.order,
        parts.columns,
        parts.players,
        parts.companies,
        parts.developed,
        parts.markers_left,
        parts.end,
        has_ended,
        met_conditions(state, board) if has_ended else [],
        state.banker,
        state.options,
    )


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


def _renew(parts: Parts, state: State, board: Board) -> None:
    """Recompute the parts that are outdated."""
    if parts.lots_mask != state.lots:
        parts.lots_mask = state.lots
        parts.lots = parts.finish([board.company_ids[company] for company in numbers_in(state.lots)])
    if parts.taken != state.taken:
        _renew_columns(parts, state, board)
    has_new_supplies = parts.cubes != state.cubes or parts.supply != state.supply
    if has_new_supplies or parts.developed_mask != state.developed or parts.year != state.year:
        _renew_supplies(parts, state, board)
    has_new_shares = parts.held != state.held
    if has_new_shares:
        _renew_shares(parts, state, board)
    has_new_dividends = has_new_shares or parts.income != state.income
    if has_new_dividends:
        _renew_dividends(parts, state)
    if has_new_supplies or has_new_dividends or parts.money != state.money or parts.track != state.track:
        _renew_companies(parts, state, board)
        cash = state.money[: state.seats]
        if has_new_dividends or parts.cash != cash:
            parts.cash = cash
            parts.players = parts.finish(_players(parts))


def _renew_columns(parts: Parts, state: State, board: Board) -> None:
    parts.taken = bytes(state.taken)
    columns = parts.columns[:]
    first = 0
    for phase, last in enumerate(parts.taken_by_phase):
        taken = parts.taken[first : first + board.height]
        first += board.height
        if taken != last:
            parts.taken_by_phase[phase] = taken
            columns[phase] = parts.finish({space: seat for space, seat in zip(board.spaces, taken) if seat != FREE})
    parts.columns = columns


def _renew_supplies(parts: Parts, state: State, board: Board) -> None:
    """Recompute supplies of cubes, shares, markers and years, and how close the end is."""
    parts.cubes, parts.supply, parts.year = state.cubes[:], state.supply[:], state.year
    if parts.developed_mask != state.developed:
        parts.developed_list = grown(parts.developed_list, board.hex_ids, parts.developed_mask, state.developed)
        parts.developed_mask = state.developed
        parts.developed = parts.finish(parts.developed_list)
        parts.markers_left = board.file.markers - state.developed.bit_count()
    years_left = len(board.file.years) - state.year - 1
    needed = board.rules_for[state.seats].low_supplies
    low = low_supplies(state, board)
    parts.end = EndView(years_left, sum(state.supply), low, needed, board.file.low_supply)


def _renew_shares(parts: Parts, state: State, board: Board) -> None:
    parts.held = bytes(state.held)
    first = 0
    for seat, last in enumerate(parts.held_by_seat):
        held = parts.held[first : first + board.companies]
        first += board.companies
        if held != last:
            parts.held_by_seat[seat] = held
            parts.shares[seat] = parts.finish(dict(zip(board.company_ids, held)))
    parts.shares_held = list(map(sum, zip(*parts.held_by_seat)))


def _renew_dividends(parts: Parts, state: State) -> None:
    parts.income = state.income[:]
    parts.dividends = list(map(per_share, parts.income, parts.shares_held))


def _players(parts: Parts) -> list[PlayerView]:
    return [
        PlayerView(seat, cash, shares, sum(map(mul, held, parts.dividends)))
        for seat, (cash, shares, held) in enumerate(zip(parts.cash, parts.shares, parts.held_by_seat))
    ]


Sheet = tuple[int, int, int, int, int, int, int]
"""The numbers of a company: treasury, income, dividend, shares left, shares held, cubes left, track."""
NO_SHEET: Sheet = (NOT_MADE, 0, 0, 0, 0, 0, 0)


def _renew_companies(parts: Parts, state: State, board: Board) -> None:
    parts.money = state.money[:]
    old_track, parts.track = parts.track, state.track[:]
    treasuries = parts.money[state.seats :]
    sheets = list(
        zip(treasuries, parts.income, parts.dividends, parts.supply, parts.shares_held, parts.cubes, parts.track)
    )
    companies = parts.companies[:]
    for company, sheet in enumerate(sheets):
        if sheet == parts.sheets[company]:
            continue
        network = grown(parts.networks[company], board.hex_ids, old_track[company], parts.track[company])
        parts.networks[company] = network
        is_in_play = not state.absent >> company & 1
        companies[company] = parts.finish(_company(board, company, is_in_play, network, sheet))
    parts.companies, parts.sheets = companies, sheets


def _company(board: Board, company: int, is_in_play: bool, network: list[str], sheet: Sheet) -> CompanyView:
    treasury, income, dividend, left, held, cubes, track = sheet
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
