"""Views of Chicago Express. They are built field by field, and nothing is hidden."""

from typing import Any

import msgspec

from rails_cli.games.chicago_express.board import ACTIONS, PLAYERS, Board
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
from rails_cli.games.shared.hexgrid import grown, numbers_in
from rails_cli.games.shared.money import per_share
from rails_cli.protocol.chicago_express import (
    Auction,
    Company,
    Dial,
    EndCondition,
    Event,
    Options,
    Player,
    Question,
    Scale,
    View,
)

ASKS: dict[type, Any] = {PickDial: "choose_action", OfferShare: "offer_share", DevelopHex: "develop"}

_encode = msgspec.json.Encoder().encode

SEATS_IN = [numbers_in(mask) for mask in range(1 << max(PLAYERS))]


class Parts:
    """Cached parts of the last view of a state, and the numbers from which each was computed.

    Parts that a view uses are replaced, never modified. With `is_written`, parts are stored as encoded JSON.
    """

    def __init__(self, seats: int, companies: int, is_written: bool) -> None:
        self.is_written = is_written

        self.cash: list[int] = []
        self.held: list[int] = []
        self.player_keys: list[Any] = [None] * seats
        self.players: list[Any] = [None] * seats

        self.left: list[int] = []
        self.money: list[int] = []
        self.income: list[int] = []
        self.sold: list[int] = []
        self.track: list[int] = [0] * companies
        self.track_hexes: list[list[str]] = [[]] * companies
        self.company_keys: list[Any] = [None] * companies
        self.companies: list[Any] = [None] * companies

        self.dials_key: list[int] = []
        self.dials: Any = None
        self.scales_key: list[int] = []
        self.scales: Any = None
        self.developed_key = 0
        self.developed_hexes: list[str] = []
        self.developed: Any = self.finish([])
        self.end_key: Any = None
        self.end_conditions: Any = None

    def finish(self, part: Any) -> Any:
        return msgspec.Raw(_encode(part)) if self.is_written else part


def view(state: State, board: Board, seer: int) -> View:
    """Return the position as a seat or a spectator sees it."""
    return _view(state, board, seer, _parts(state, board, is_written=False))


def wire_view(state: State, board: Board, seer: int) -> View:
    """Like `view`, but with parts already encoded as JSON. The result can only be encoded."""
    return _view(state, board, seer, _parts(state, board, is_written=True))


def _parts(state: State, board: Board, *, is_written: bool) -> Parts:
    """Return the cache of a state for one kind of view."""
    kept: dict[bool, Parts] | None = state.memo
    if kept is None:
        kept = state.memo = {}
    if is_written not in kept:
        kept[is_written] = Parts(state.seats, board.companies, is_written)
    return kept[is_written]


def _view(state: State, board: Board, seer: int, parts: Parts) -> View:
    _renew(state, board, parts)
    has_ended = state.pending is None
    return View(
        seat=seer if seer >= 0 else None,
        question=_question(state, board),
        turn=None if state.turn == NOBODY else state.turn,
        auction=_auction(state, board),
        players=parts.players,
        companies=parts.companies,
        dials=parts.dials,
        scales=parts.scales,
        developed=parts.developed,
        houses_left=state.houses,
        end_conditions=parts.end_conditions,
        has_ended=has_ended,
        end_reasons=end_conditions_met(state, board) if has_ended else [],
        options=state.options,
    )


def _renew(state: State, board: Board, parts: Parts) -> None:
    """Recompute the parts whose numbers have changed."""
    if parts.held != state.held or parts.cash != state.money[: state.seats]:
        _renew_players(state, board, parts)
    if (
        parts.left != state.left
        or parts.money != state.money
        or parts.income != state.income
        or parts.sold != state.sold
        or parts.track != state.track
    ):
        _renew_companies(state, board, parts)
    if parts.dials_key != state.dials:
        parts.dials_key = state.dials[:]
        parts.dials = parts.finish(_dials(state, board))
    if parts.scales_key != state.scales:
        parts.scales_key = state.scales[:]
        parts.scales = parts.finish(_scales(state, board))
    if parts.developed_key != state.developed:
        parts.developed_hexes = grown(parts.developed_hexes, board.hex_ids, parts.developed_key, state.developed)
        parts.developed_key = state.developed
        parts.developed = parts.finish(parts.developed_hexes)
    end_key = (parts.sold, state.left.count(0), state.houses, state.scales[board.detroit])
    if parts.end_key != end_key:
        parts.end_key = end_key
        parts.end_conditions = parts.finish(_end_conditions(state, board))


def _renew_players(state: State, board: Board, parts: Parts) -> None:
    parts.cash, parts.held = state.money[: state.seats], state.held[:]
    parts.players = parts.players[:]
    for seat in range(state.seats):
        key = (state.money[seat], state.held[seat :: state.seats])
        if parts.player_keys[seat] != key:
            parts.player_keys[seat] = key
            parts.players[seat] = parts.finish(_player(state, board, seat))


def _renew_companies(state: State, board: Board, parts: Parts) -> None:
    money, income, sold, left = state.money, state.income, state.sold, state.left
    parts.companies = parts.companies[:]
    for company, track in enumerate(state.track):
        key = (track, money[state.seats + company], income[company], sold[company], left[company])
        if parts.company_keys[company] != key:
            parts.company_keys[company] = key
            hexes = grown(parts.track_hexes[company], board.hex_ids, parts.track[company], track)
            parts.track_hexes[company] = hexes
            parts.companies[company] = parts.finish(_company(state, board, company, hexes))
    parts.money, parts.income, parts.sold, parts.left = money[:], income[:], sold[:], left[:]
    parts.track = state.track[:]


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
    company, still_in, minimum = board.company_ids[question.company], SEATS_IN[question.still_in][:], question.minimum
    bid, leader = (None, None) if question.leader == NOBODY else (minimum - 1, question.leader)
    return Auction(company, question.is_opening, question.first, minimum, bid, leader, still_in)


def _player(state: State, board: Board, seat: int) -> Player:
    seats, held = state.seats, state.held
    shares = {name: held[company * seats + seat] for company, name in enumerate(board.company_ids)}
    return Player(seat, state.money[seat], shares)


def _company(state: State, board: Board, company: int, track: list[str]) -> Company:
    sold = state.sold[company]
    income = state.income[company]
    return Company(
        id=board.company_ids[company],
        is_open=bool(track),
        treasury=state.money[state.seats + company],
        income=income,
        shares_sold=sold,
        shares_left=board.shares[company] - sold,
        locomotives_left=state.left[company],
        track=track,
        has_reached_chicago=bool(state.track[company] >> board.chicago & 1),
        minimum_bid=minimum_bid(state, company) if may_offer(state, board, company) else None,
        dividend=per_share(income, sold),
    )


def _dials(state: State, board: Board) -> list[Dial]:
    return [Dial(name, state.dials[action], board.red_at[action]) for action, name in enumerate(ACTIONS)]


def _scales(state: State, board: Board) -> list[Scale]:
    return [_scale(state, board, scale) for scale in range(len(state.scales))]


def _scale(state: State, board: Board, scale: int) -> Scale:
    place = board.scale_hexes[scale]
    values = board.scale_values[scale]
    step = state.scales[scale]
    following = values[step + 1] if step + 1 < len(values) else None
    return Scale(board.hex_ids[place], board.hex_names[place], values[step], following)


def _end_conditions(state: State, board: Board) -> list[EndCondition]:
    return [EndCondition(*condition) for condition in end_conditions(state, board)]


def redact(event: Event, seer: int, options: Options) -> Event:
    """Return the event unchanged, because all events are public."""
    return event


def figures(state: State, board: Board) -> dict[str, Any]:
    """Return the cash by seat, and the income and treasury by company."""
    return {
        "cash": scores(state),
        "income": dict(zip(board.company_ids, state.income, strict=True)),
        "treasury": dict(zip(board.company_ids, state.money[state.seats : -1], strict=True)),
    }
