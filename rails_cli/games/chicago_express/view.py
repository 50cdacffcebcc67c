"""What players and spectators see: a view is built field by field; nothing is hidden in Chicago Express."""

from collections.abc import Callable
from typing import Any

import msgspec

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
from rails_cli.games.chicago_express.board import ACTIONS, PLAYERS, Board
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


SEATS_IN = [numbers_in(mask) for mask in range(1 << max(PLAYERS))]


class Parts:
    """The parts of the last view that was made of a state, each with the numbers that it was made from."""

    __slots__ = ("companies", "company_keys", "finish", "kept")

    def __init__(self, board: Board, finish: Callable[[Any], Any]) -> None:
        """`finish` is done to a part once, before it is kept."""
        self.finish = finish
        self.kept: dict[str, tuple[Any, Any]] = dict.fromkeys(PART_NAMES, (None, None))
        self.company_keys: list[Any] = [None] * board.companies
        self.companies: list[Any] = [None] * board.companies

    def part(self, name: str, key: Any, make: Callable[[State, Board], Any], state: State, board: Board) -> Any:
        """What `make` makes, or made for the last view if `key`, on which alone it depends, is still the same."""
        last_key, part = self.kept[name]
        if last_key != key:
            part = self.finish(make(state, board))
            self.kept[name] = (key, part)
        return part

    def all_companies(self, state: State, board: Board) -> list[Any]:
        """The same for each company."""
        keys = list(zip(state.track, state.money[state.seats :], state.income, state.sold, state.left, strict=False))
        if keys != self.company_keys:
            last = zip(self.company_keys, self.companies, strict=True)
            self.companies = [
                part if key == last_key else self.finish(_company(state, board, company))
                for company, (key, (last_key, part)) in enumerate(zip(keys, last, strict=True))
            ]
            self.company_keys = keys
        return self.companies


PART_NAMES = ("players", "dials", "scales", "developed", "end_conditions")


class Memo:
    """What a state keeps of its views: parts as they are, and parts that are JSON already."""

    __slots__ = ("plain", "written")

    def __init__(self, board: Board) -> None:
        self.plain = Parts(board, lambda part: part)
        self.written = Parts(board, lambda part: msgspec.Raw(_encode(part)))


_encode = msgspec.json.Encoder().encode


def view(state: State, board: Board, seer: int) -> View:
    """The position as a seat sees it, or anybody else."""
    return _view(state, board, seer, _memo(state, board).plain)


def wire_view(state: State, board: Board, seer: int) -> View:
    """The same once it is written as JSON; good for nothing else."""
    return _view(state, board, seer, _memo(state, board).written)


def _memo(state: State, board: Board) -> Memo:
    memo: Memo | None = state.memo
    if memo is None:
        memo = state.memo = Memo(board)
    return memo


def _view(state: State, board: Board, seer: int, parts: Parts) -> View:
    part = parts.part
    scales = state.scales[:]
    cash_and_shares = (state.money[: state.seats], state.held[:])
    nearness = (state.left.count(0), state.sold[:], state.houses, scales)
    has_ended = state.pending is None
    return View(
        seat=seer if seer >= 0 else None,
        asked=_asked(state, board),
        turn=None if state.turn == NOBODY else state.turn,
        auction=_auction(state, board),
        players=part("players", cash_and_shares, _players, state, board),
        companies=parts.all_companies(state, board),
        dials=part("dials", state.dials[:], _dials, state, board),
        scales=part("scales", scales, _scales, state, board),
        developed=part("developed", state.developed, _developed, state, board),
        houses_left=state.houses,
        end_conditions=part("end_conditions", nearness, _end_conditions, state, board),
        has_ended=has_ended,
        end_reasons=end_conditions_met(state, board) if has_ended else [],
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
        board.company_ids[question.company],
        question.is_opening,
        question.first,
        question.minimum,
        question.minimum - 1 if has_bid else None,
        question.leader if has_bid else None,
        SEATS_IN[question.still_in][:],
    )


def _players(state: State, board: Board) -> list[Player]:
    return [_player(state, board, seat) for seat in range(state.seats)]


def _player(state: State, board: Board, seat: int) -> Player:
    return Player(seat, state.money[seat], dict(zip(board.company_ids, state.held[seat :: state.seats], strict=True)))


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


def _dials(state: State, board: Board) -> list[Dial]:
    return [
        Dial(action, moved, red_at) for action, moved, red_at in zip(ACTIONS, state.dials, board.red_at, strict=True)
    ]


def _scales(state: State, board: Board) -> list[Scale]:
    return [_scale(state, board, scale) for scale in range(len(state.scales))]


def _scale(state: State, board: Board, scale: int) -> Scale:
    place = board.scale_hexes[scale]
    values = board.scale_values[scale]
    step = state.scales[scale]
    following = values[step + 1] if step + 1 < len(values) else None
    return Scale(board.hex_ids[place], board.hex_names[place], values[step], following)


def _end_conditions(state: State, board: Board) -> list[EndCondition]:
    return [
        EndCondition(reason, now, limit, is_met(reason, now, limit))
        for reason, now, limit in end_conditions(state, board)
    ]


def _developed(state: State, board: Board) -> list[str]:
    return _hexes(board, state.developed)


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
