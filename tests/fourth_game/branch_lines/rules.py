"""The rules of Branch Lines, in the order of RULES.md: set-up, the auction, building, dividends, the end."""

from collections.abc import Sequence
from typing import Any, assert_never

from branch_lines.board import Board
from branch_lines.protocol import (
    Build,
    Built,
    CharterPaid,
    Dealt,
    DividendPaid,
    EndReason,
    Entry,
    Event,
    GameEnded,
    Options,
    ShareDrawn,
    ShareSold,
    ShareUnsold,
)
from branch_lines.state import NOBODY, BidOrPass, BuildOrStop, State
from rails_cli.games.game import ImpossibleEvents
from rails_cli.games.shared.auction import is_only, next_bidder
from rails_cli.games.shared.luck import seeded, shuffle
from rails_cli.games.shared.money import BANK, open_accounts, pay, per_share
from rails_cli.protocol.common import Bid, BidMade, BidRange, Pass, Passed
from rails_cli.protocol.log import Seed

Events = list[Event] | None
PASS = Pass()


def legal_actions(state: State, board: Board) -> list[Entry]:
    """Return the legal actions, with pass last."""
    question = state.pending
    if question is None:
        return []
    if type(question) is BidOrPass:
        return [BidRange(lowest_bid(board, question), state.money[question.seat]), PASS]
    if type(question) is BuildOrStop:
        return [*legal_builds(state, board, question.seat), PASS]
    assert_never(question)


def apply(state: State, board: Board, action: Any, events: Events = None) -> None:
    """Play `action` for the seat to move. The caller must check that `action` is legal."""
    question = state.pending
    assert question is not None
    if type(question) is BidOrPass:
        on_bid(state, board, question, action, events)
    elif type(question) is BuildOrStop:
        on_build(state, board, question, action, events)
    else:
        assert_never(question)


# Set-up: BL-1 to BL-4


def setup(board: Board, players: int, options: Options, seed: Seed, events: Events) -> State:
    lines = range(len(board.line_ids))
    charters, luck = shuffle(lines, seeded(seed))
    pile, _ = shuffle([line for line in lines for _ in range(board.shares)], luck)
    return initial_state(board, options, charters[:players], pile, events)


def initial_state(board: Board, options: Options, charters: list[int], pile: list[int], events: Events) -> State:
    """Return the state after the deal. The first share is auctioned.

    `charters` holds, for each seat, the number of the line on its charter. `pile` holds the line number of each share.
    """
    state = State(
        pending=None,
        money=open_accounts([board.cash[len(charters)]] * len(charters), len(board.line_ids)),
        charters=charters,
        pile=pile,
        held=[[0] * len(charters) for _ in board.line_ids],
        built=[0] * len(board.line_ids),
        opener=NOBODY,
        options=options,
        ended=[],
    )
    if events is not None:
        events.append(Dealt([board.line_ids[line] for line in charters]))
    begin_round(state, board, events)
    return state


def setup_from_events(board: Board, players: int, options: Options, events: Sequence[Event]) -> State:
    """Return the state after the deal recorded in `events`. Raise `ImpossibleEvents` if there is no valid deal."""
    deals = [event for event in events if type(event) is Dealt]
    if len(deals) != 1 or len(deals[0].charters) != players or len(set(deals[0].charters)) != players:
        raise ImpossibleEvents(f"expected one dealt event with different charters for {players} players")
    charters = [line_number(board, line) for line in deals[0].charters]
    pile = [line for line in range(len(board.line_ids)) for _ in range(board.shares)]
    put_on_top(pile, board, events)
    return initial_state(board, options, charters, pile, None)


def preload_chance(state: State, board: Board, events: Sequence[Event]) -> None:
    """Put the share that `events` name on top of the pile, so that the rules auction it next."""
    put_on_top(state.pile, board, events)


def put_on_top(pile: list[int], board: Board, events: Sequence[Event]) -> None:
    for line in [line_number(board, event.line) for event in events if type(event) is ShareDrawn]:
        if line not in pile:
            raise ImpossibleEvents(f"a share of {board.line_ids[line]} is told that is not in the pile")
        pile.reverse()
        pile.remove(line)
        pile.reverse()
        pile.append(line)


def line_number(board: Board, line: str | None) -> int:
    if line not in board.line_number:
        raise ImpossibleEvents("a charter is not told" if line is None else f"unknown line {line}")
    return board.line_number[line]


# The auction: BL-10 to BL-13


def begin_round(state: State, board: Board, events: Events) -> None:
    line = state.pile.pop()
    seats = len(state.charters)
    if events is not None:
        events.append(ShareDrawn(board.line_ids[line], board.lowest_bid))
    before, state.opener = state.opener, (state.opener + 1) % seats
    ask_next(state, board, BidOrPass(0, NOBODY, line, before, (1 << seats) - 1), events)


def lowest_bid(board: Board, auction: BidOrPass) -> int:
    return auction.bid + 1 if auction.bid else board.lowest_bid


def ask_next(state: State, board: Board, auction: BidOrPass, events: Events) -> None:
    """Ask the next bidder, or end the auction if only the highest bidder has not passed.

    Seats that cannot bid pass automatically (BL-12).
    """
    seat, still_in = auction.seat, auction.still_in
    while still_in and not (is_only(still_in, auction.leader) if auction.leader != NOBODY else False):
        seat = next_bidder(still_in, seat, len(state.charters))
        if state.money[seat] >= lowest_bid(board, auction):
            state.pending = BidOrPass(auction.bid, auction.leader, auction.line, seat, still_in)
            return
        still_in &= ~(1 << seat)
        if events is not None:
            events.append(Passed(seat, forced=True))
    on_auction_over(state, board, auction, events)


def on_bid(state: State, board: Board, auction: BidOrPass, action: Bid | Pass, events: Events) -> None:
    seat = auction.seat
    if type(action) is Bid:
        if events is not None:
            events.append(BidMade(seat, action.amount))
        auction = BidOrPass(action.amount, seat, auction.line, seat, auction.still_in)
    else:
        if events is not None:
            events.append(Passed(seat))
        auction = BidOrPass(auction.bid, auction.leader, auction.line, seat, auction.still_in & ~(1 << seat))
    ask_next(state, board, auction, events)


def on_auction_over(state: State, board: Board, auction: BidOrPass, events: Events) -> None:
    line, buyer = auction.line, auction.leader
    if buyer == NOBODY:
        if events is not None:
            events.append(ShareUnsold(board.line_ids[line]))
        end_round(state, board, events)
        return
    pay(state.money, buyer, treasury(state, line), auction.bid)
    state.held[line][buyer] += 1
    if events is not None:
        events.append(ShareSold(board.line_ids[line], buyer, auction.bid))
    ask_to_build(state, board, buyer, events)


# Building: BL-20, BL-21


def treasury(state: State, line: int) -> int:
    """Return the index of the line's treasury in `state.money`."""
    return len(state.charters) + line


def is_complete(state: State, board: Board, line: int) -> bool:
    return state.built[line] == len(board.cost[line])


def income(state: State, board: Board, line: int) -> int:
    return sum(board.income[line][: state.built[line]])


def legal_builds(state: State, board: Board, seat: int) -> list[Build]:
    return [
        board.build[line][state.built[line]]
        for line, shares in enumerate(state.held)
        if shares[seat]
        and not is_complete(state, board, line)
        and board.cost[line][state.built[line]] <= state.money[treasury(state, line)]
    ]


def ask_to_build(state: State, board: Board, seat: int, events: Events) -> None:
    if legal_builds(state, board, seat):
        state.pending = BuildOrStop(seat)
    else:
        end_round(state, board, events)


def on_build(state: State, board: Board, question: BuildOrStop, action: Build | Pass, events: Events) -> None:
    seat = question.seat
    if type(action) is not Build:
        if events is not None:
            events.append(Passed(seat))
        end_round(state, board, events)
        return
    line = board.line_number[action.line]
    station = state.built[line]
    pay(state.money, treasury(state, line), BANK, board.cost[line][station])
    state.built[line] += 1
    if events is not None:
        name = board.file.lines[line].stations[station].id
        events.append(Built(seat, action.line, name, board.cost[line][station], income(state, board, line)))
    ask_to_build(state, board, seat, events)


# Dividends: BL-30


def dividend(state: State, board: Board, line: int) -> int:
    """Return the dollars paid for each share of the line, or 0 if players hold no share of the line."""
    shares = sum(state.held[line])
    return per_share(income(state, board, line), shares) if shares else 0


def end_round(state: State, board: Board, events: Events) -> None:
    for line, shares in enumerate(state.held):
        each = dividend(state, board, line)
        if each:
            for seat, count in enumerate(shares):
                pay(state.money, BANK, seat, each * count)
            if events is not None:
                events.append(DividendPaid(board.line_ids[line], each, [each * count for count in shares]))
    state.ended = reasons_to_end(state, board)
    if state.ended:
        end_game(state, board, events)
    else:
        begin_round(state, board, events)


# The end: BL-40 to BL-42


def reasons_to_end(state: State, board: Board) -> list[EndReason]:
    reasons: list[EndReason] = [] if state.pile else ["pile_empty"]
    if all(is_complete(state, board, line) for line in range(len(board.line_ids))):
        reasons.append("lines_complete")
    return reasons


def end_game(state: State, board: Board, events: Events) -> None:
    state.pending = None
    for seat, line in enumerate(state.charters):
        bonus = board.bonus if is_complete(state, board, line) else 0
        pay(state.money, BANK, seat, bonus)
        if events is not None:
            events.append(CharterPaid(seat, board.line_ids[line], bonus))
    if events is not None:
        events.append(GameEnded(state.ended))


def end_reasons(state: State, board: Board) -> list[str]:
    return list(state.ended)


def scores(state: State) -> list[int]:
    return state.money[: len(state.charters)]
