"""What a seat may see of American Rails: everything, for all money, shares and pieces lie open.

Most of a view is as it was in the view before, so its parts are kept with the state; for the wire, as written JSON. A
part is made of nothing but the numbers that are kept with it, so it is out of date only if these have changed.
"""

from collections.abc import Callable
from operator import mul
from typing import Any, get_args

import msgspec

from protocol.american_rails import (
    AuctionView,
    CompanyView,
    EndView,
    Event,
    OpenQuestion,
    Options,
    PlayerView,
    View,
)
from rails_cli.core.hexgrid import numbers_in
from rails_cli.core.money import per_share
from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.end import low_supplies, met_conditions
from rails_cli.games.american_rails.state import (
    FREE,
    NOBODY,
    AnyQuestion,
    BidOrPass,
    Expand,
    PickSource,
    PlaceFirstCube,
    State,
    memo_of,
)

ASKS: dict[type, Any] = {kind: kind.__struct_config__.tag for kind in get_args(AnyQuestion)}

NOT_MADE = -1

_encode = msgspec.json.Encoder().encode


def view(state: State, board: Board, seer: int) -> View:
    memo = memo_of(state)
    if memo.parts is None:
        memo.parts = Parts(state, board, lambda part: part)
    return _view(state, board, seer, memo.parts)


def wire_view(state: State, board: Board, seer: int) -> View:
    """The same once it is written as JSON; good for nothing else."""
    memo = memo_of(state)
    if memo.written_parts is None:
        memo.written_parts = Parts(state, board, lambda part: msgspec.Raw(_encode(part)))
    return _view(state, board, seer, memo.written_parts)


class Parts:
    """Parts of the last view, and the numbers of the state that they were made of.

    `finish` is done to every new part. A list is replaced, never changed, as views share it.
    """

    __slots__ = (
        "cash",
        "columns",
        "companies",
        "cubes",
        "developed",
        "developed_mask",
        "dividends",
        "end",
        "finish",
        "held",
        "income",
        "lots",
        "lots_mask",
        "markers_left",
        "money",
        "networks",
        "players",
        "purses",
        "sheets",
        "shares",
        "supply",
        "taken",
        "track",
        "year",
    )

    def __init__(self, state: State, board: Board, finish: Callable[[Any], Any]) -> None:
        self.finish = finish
        self.lots: Any = None
        self.lots_mask = NOT_MADE
        self.columns: list[Any] = [None] * board.file.phases
        self.taken = bytearray()
        self.developed: Any = None
        self.developed_mask = NOT_MADE
        self.markers_left = 0
        self.end: Any = None
        self.year = NOT_MADE
        self.cubes: list[int] = []
        self.supply: list[int] = []
        self.dividends: list[int] = []
        self.income: list[int] = []
        self.held = bytearray()
        self.shares: list[int] = []
        self.companies: list[Any] = [None] * board.companies
        self.sheets: list[Sheet | None] = [None] * board.companies
        self.networks: list[list[str]] = [[]] * board.companies
        self.track = [0] * board.companies
        self.money: list[int] = []
        self.players: list[Any] = [None] * state.seats
        self.purses: list[Purse | None] = [None] * state.seats
        self.cash: list[int] = []


def _view(state: State, board: Board, seer: int, parts: Parts) -> View:
    """By position, in the order of the fields: by name, it takes five times as long."""
    _renew(parts, state, board)
    question = state.pending
    has_ended = question is None
    return View(
        seer if seer >= 0 else None,
        _is_opening(state),
        _question(question, board),
        _auction(question, board) if type(question) is BidOrPass else None,
        parts.lots,
        board.file.years[state.year],
        state.phase + 1,
        state.order[:],
        parts.columns,
        parts.players,
        parts.companies,
        parts.developed,
        parts.markers_left,
        parts.end,
        has_ended,
        met_conditions(state, board) if has_ended else [],
    )


# Parts that change with every question


def _is_opening(state: State) -> bool:
    question = state.pending
    if type(question) is BidOrPass or type(question) is PlaceFirstCube:
        return question.opening
    return state.lots != 0


def _question(question: AnyQuestion | None, board: Board) -> OpenQuestion | None:
    if question is None:
        return None
    asks = ASKS[type(question)]
    if type(question) is Expand or type(question) is PickSource:
        return OpenQuestion(question.seat, asks, None, question.cubes)
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


# Parts that are kept


def _renew(parts: Parts, state: State, board: Board) -> None:
    """Makes the parts anew that are out of date."""
    if parts.lots_mask != state.lots:
        parts.lots_mask = state.lots
        parts.lots = parts.finish([board.company_ids[company] for company in numbers_in(state.lots)])
    if parts.taken != state.taken:
        _renew_columns(parts, state, board)
    if parts.developed_mask != state.developed:
        parts.developed_mask = state.developed
        parts.developed = parts.finish(board.hex_list(state.developed))
        parts.markers_left = board.file.markers - state.developed.bit_count()
        parts.year = NOT_MADE
    has_new_supplies = parts.cubes != state.cubes or parts.supply != state.supply
    if has_new_supplies or parts.year != state.year:
        parts.cubes, parts.supply, parts.year = state.cubes[:], state.supply[:], state.year
        parts.end = parts.finish(_end(state, board))
    has_new_dividends = parts.income != state.income or parts.held != state.held
    if has_new_dividends:
        _renew_dividends(parts, state, board)
    if has_new_supplies or has_new_dividends or parts.money != state.money or parts.track != state.track:
        parts.money = state.money[:]
        _renew_companies(parts, state, board)
        cash = state.money[: state.seats]
        if has_new_dividends or parts.cash != cash:
            parts.cash = cash
            _renew_players(parts, state, board)


def _renew_columns(parts: Parts, state: State, board: Board) -> None:
    old, new, height = parts.taken, state.taken[:], board.height
    columns = []
    first = 0
    for column in parts.columns:
        taken = new[first : first + height]
        if taken != old[first : first + height]:
            column = parts.finish({space: seat for space, seat in zip(board.spaces, taken) if seat != FREE})
        columns.append(column)
        first += height
    parts.columns, parts.taken = columns, new


def _end(state: State, board: Board) -> EndView:
    years_left = len(board.file.years) - state.year - 1
    needed = board.rules_for[state.seats].low_supplies
    return EndView(years_left, sum(state.supply), low_supplies(state, board), needed, board.file.low_supply)


def _renew_dividends(parts: Parts, state: State, board: Board) -> None:
    if parts.held != state.held:
        parts.held = state.held[:]
        parts.shares = [sum(state.held[company :: board.companies]) for company in range(board.companies)]
    parts.income = state.income[:]
    parts.dividends = [
        per_share(income, shares) if shares else 0 for income, shares in zip(parts.income, parts.shares, strict=True)
    ]


Sheet = tuple[int, int, int, int, int, int, int]
"""Of a company: its treasury, income, dividend, shares left and held, cubes left, track."""


def _renew_companies(parts: Parts, state: State, board: Board) -> None:
    treasuries = state.money[state.seats :]
    columns = treasuries, state.income, parts.dividends, state.supply, parts.shares, state.cubes, state.track
    companies = []
    for company, (sheet, last) in enumerate(zip(zip(*columns), parts.sheets)):
        if sheet == last:
            companies.append(parts.companies[company])
            continue
        parts.sheets[company] = sheet
        if state.track[company] != parts.track[company]:
            parts.networks[company] = _grown(board, parts.networks[company], parts.track[company], state.track[company])
        is_in_play = not state.absent >> company & 1
        companies.append(parts.finish(_company(board, company, is_in_play, parts.networks[company], sheet)))
    parts.companies = companies
    parts.track = state.track[:]


def _grown(board: Board, network: list[str], old: int, new: int) -> list[str]:
    """The hexes of the mask `new` in board order, from those of the mask `old`."""
    if old & ~new:
        return board.hex_list(new)
    network = network[:]
    for place in numbers_in(new ^ old):
        before = new & (board.bit[place] - 1)
        network.insert(before.bit_count(), board.hex_ids[place])
    return network


def _company(board: Board, company: int, is_in_play: bool, network: list[str], sheet: Sheet) -> CompanyView:
    treasury, income, dividend, left, held, cubes, track = sheet
    removed = board.shares[company] - left - held
    cities = (track & board.link_cities).bit_count()
    links = cities * (cities - 1) // 2
    name = board.company_ids[company]
    return CompanyView(name, is_in_play, treasury, income, dividend, left, held, removed, cubes, network, links)


Purse = tuple[int, bytearray, int]
"""Of a player: the cash, the shares by company, the dividends to come."""


def _renew_players(parts: Parts, state: State, board: Board) -> None:
    players = []
    first = 0
    for seat, last in enumerate(parts.purses):
        held = state.held[first : first + board.companies]
        purse = (state.money[seat], held, sum(map(mul, held, parts.dividends)))
        first += board.companies
        if purse == last:
            players.append(parts.players[seat])
            continue
        parts.purses[seat] = purse
        cash, _, due = purse
        players.append(parts.finish(PlayerView(seat, cash, dict(zip(board.company_ids, held)), due)))
    parts.players = players


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
