"""A position of Branch Lines as JSON, and back."""

import msgspec

from branch_lines.board import PLAYERS, Board
from branch_lines.protocol import EndReason, Options
from branch_lines.state import BidOrPass, Question, State
from rails_cli.games.game import changed_options


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A state as JSON, keys in alphabetical order."""

    built: list[int]
    charters: list[int]
    ended: list[EndReason]
    held: list[list[int]]
    money: list[int]
    opener: int
    options: dict[str, str] = {}
    pending: Question | None
    pile: list[int]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(SavedState).decode


def dump(state: State) -> bytes:
    return _encode(
        SavedState(
            built=state.built,
            charters=state.charters,
            ended=state.ended,
            held=state.held,
            money=state.money,
            opener=state.opener,
            options=changed_options(state.options),
            pending=state.pending,
            pile=state.pile,
        )
    )


def load(dumped: bytes, board: Board) -> State:
    parts = _decode(dumped)
    if not _is_possible(parts, board):
        raise msgspec.ValidationError("this is not a position on this board")
    state = State()
    state.built = parts.built
    state.charters = parts.charters
    state.ended = parts.ended
    state.held = parts.held
    state.money = parts.money
    state.opener = parts.opener
    state.options = msgspec.convert(parts.options, Options)
    state.pending = parts.pending
    state.pile = parts.pile
    return state


def _is_possible(parts: SavedState, board: Board) -> bool:
    """Whether numbers are in their ranges: the rules do not look again."""
    seats, lines, question = len(parts.charters), range(len(board.line_ids)), parts.pending
    return (
        seats in PLAYERS
        and len(parts.money) == seats + len(lines) + 1
        and len(parts.held) == len(parts.built) == len(lines)
        and all(len(shares) == seats and min(shares) >= 0 for shares in parts.held)
        and all(0 <= built <= len(costs) for built, costs in zip(parts.built, board.cost, strict=True))
        and all(line in lines for line in (*parts.charters, *parts.pile))
        and parts.opener in range(-1, seats)
        and (question is None or question.seat in range(seats))
        and (
            type(question) is not BidOrPass
            or (
                question.line in lines
                and question.leader in range(-1, seats)
                and question.still_in in range(1 << seats)
                and question.still_in >> question.seat & 1 == 1
            )
        )
    )
