"""Views of Branch Lines, built field by field: the part of a position that a seat may see (BL-4)."""

from branch_lines import rules
from branch_lines.board import Board
from branch_lines.protocol import Auction, Dealt, Event, Line, Options, Player, Question, View
from branch_lines.state import NOBODY, BidOrPass, State
from rails_cli.games.game import ALL_SEATS


def view(state: State, board: Board, observer: int) -> View:
    asked = state.pending
    is_auction = type(asked) is BidOrPass
    return View(
        observer if observer >= 0 else None,
        None if asked is None else Question(asked.seat, "bid" if is_auction else "build"),
        _auction(board, asked) if type(asked) is BidOrPass else None,
        [
            Player(
                seat,
                state.money[seat],
                board.line_ids[line] if state.ended or _sees(seat, observer, state.options) else None,
            )
            for seat, line in enumerate(state.charters)
        ],
        [_line(state, board, line) for line in range(len(board.line_ids))],
        len(state.pile),
        state.opener,
        state.ended,
        state.options,
    )


def _sees(seat: int, observer: int, options: Options) -> bool:
    return observer in (seat, ALL_SEATS) or options.charters == "open"


def _auction(board: Board, asked: BidOrPass) -> Auction:
    return Auction(
        board.line_ids[asked.line],
        asked.bid or None,
        None if asked.leader == NOBODY else asked.leader,
        rules.lowest_bid(board, asked),
        [seat for seat in range(asked.still_in.bit_length()) if asked.still_in >> seat & 1],
    )


def _line(state: State, board: Board, line: int) -> Line:
    return Line(
        board.line_ids[line],
        state.built[line],
        None if rules.is_complete(state, board, line) else board.cost[line][state.built[line]],
        state.money[rules.treasury(state, line)],
        rules.income(state, board, line),
        rules.dividend(state, board, line),
        state.held[line].copy(),
        state.pile.count(line),
    )


def redact(event: Event, observer: int, options: Options) -> Event:
    """Return `event` without the charters that `observer` may not see. `observer` is a seat or the public."""
    if type(event) is Dealt:
        return Dealt([line if _sees(seat, observer, options) else None for seat, line in enumerate(event.charters)])
    return event
