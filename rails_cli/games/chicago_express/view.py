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
Key = tuple[Any, ...]
NOTHING: tuple[Key, Any] = ((), None)


class Parts:
    """The parts of the last view that was made of a state, each with the numbers that it was made from."""

    __slots__ = ("finish", "kept", "members")

    def __init__(self, finish: Callable[[Any], Any]) -> None:
        """`finish` is done to a part once, before it is kept."""
        self.finish = finish
        self.kept: dict[str, tuple[Key, Any]] = {}
        self.members: dict[str, dict[Key, Any]] = {}

    def part(self, name: str, key: Key, make: Callable[[State, Board], Any], state: State, board: Board) -> Any:
        """What `make` makes, or made for the last view if `key`, on which alone it depends, is still the same."""
        last_key, part = self.kept.get(name, NOTHING)
        if last_key != key:
            part = self.finish(make(state, board))
            self.kept[name] = (_copied(key), part)
        return part

    def each(
        self,
        name: str,
        key: Key,
        keys: Callable[[State, Board], list[Key]],
        make: Callable[[State, Board, int], Any],
        state: State,
        board: Board,
    ) -> Any:
        """A list of parts; if `key` has changed, the parts are made again whose own keys have; these begin with a number."""
        last_key, parts = self.kept.get(name, NOTHING)
        if last_key != key:
            last = self.members.get(name, {})
            members = {
                own: last[own] if own in last else self.finish(make(state, board, own[0])) for own in keys(state, board)
            }
            self.members[name] = members
            parts = list(members.values())
            self.kept[name] = (_copied(key), parts)
        return parts


def _copied(key: Key) -> Key:
    """A key that stays as it is when the state changes."""
    return tuple([value[:] if type(value) is list else value for value in key])


class Memo:
    """What a state keeps of its views: parts as they are, and parts that are JSON already."""

    __slots__ = ("plain", "written")

    def __init__(self) -> None:
        self.plain = Parts(lambda part: part)
        self.written = Parts(lambda part: msgspec.Raw(_encode(part)))


_encode = msgspec.json.Encoder().encode


def view(state: State, board: Board, seer: int) -> View:
    """The position as a seat sees it, or anybody else."""
    return _view(state, board, seer, _memo(state).plain)


def wire_view(state: State, board: Board, seer: int) -> View:
    """The same once it is written as JSON; good for nothing else."""
    return _view(state, board, seer, _memo(state).written)


def _memo(state: State) -> Memo:
    memo: Memo | None = state.memo
    if memo is None:
        memo = state.memo = Memo()
    return memo


def _view(state: State, board: Board, seer: int, parts: Parts) -> View:
    part, each = parts.part, parts.each
    money, seats, sold, left, scales = state.money, state.seats, state.sold, state.left, state.scales
    has_ended = state.pending is None
    return View(
        seat=seer if seer >= 0 else None,
        asked=_asked(state, board),
        turn=None if state.turn == NOBODY else state.turn,
        auction=_auction(state, board),
        players=each("players", (money[:seats], state.held), _player_keys, _player, state, board),
        companies=each(
            "companies", (state.track, money[seats:-1], state.income, sold, left), _company_keys, _company, state, board
        ),
        dials=part("dials", (state.dials,), _dials, state, board),
        scales=part("scales", (scales,), _scales, state, board),
        developed=part("developed", (state.developed,), _developed, state, board),
        houses_left=state.houses,
        end_conditions=part(
            "end_conditions", (left.count(0), sold, state.houses, scales), _end_conditions, state, board
        ),
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


def _player_keys(state: State, board: Board) -> list[Key]:
    return [(seat, state.money[seat], *state.held[seat :: state.seats]) for seat in range(state.seats)]


def _player(state: State, board: Board, seat: int) -> Player:
    seats, held = state.seats, state.held
    shares = {name: held[company * seats + seat] for company, name in enumerate(board.company_ids)}
    return Player(seat, state.money[seat], shares)


def _company_keys(state: State, board: Board) -> list[Key]:
    return [
        (
            company,
            track,
            state.money[state.seats + company],
            state.income[company],
            state.sold[company],
            state.left[company],
        )
        for company, track in enumerate(state.track)
    ]


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
