"""The dividend and the end of the game: AR-50 to AR-53."""

from operator import mul

from protocol.american_rails import DividendPaid, EndReason, Event
from rails_cli.core.money import BANK, pay, per_share, ranks_of
from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.state import State

Events = list[Event] | None


def pay_dividends(state: State, board: Board, events: Events) -> None:
    """AR-50: to each share held by a player."""
    companies, held = board.companies, state.held
    earned = [per_share(income, sum(held[company::companies])) for company, income in enumerate(state.income)]
    for seat in range(state.seats):
        first = seat * companies
        pay(state.money, BANK, seat, sum(map(mul, held[first : first + companies], earned)))
    if events is not None:
        for company, each in enumerate(earned):
            if each:
                payouts = [shares * each for shares in list(held[company::companies])]
                events.append(DividendPaid(board.company_ids[company], state.income[company], each, payouts))


def low_supplies(state: State, board: Board) -> int:
    """AR-51: how many supplies have run low: the cubes of each company in play, and the development markers."""
    low = board.file.low_supply
    supplies = 0 if board.markers - state.developed.bit_count() > low else 1
    for left in state.cubes:
        if left <= low:
            supplies += 1
    return supplies - state.absent.bit_count()  # companies drawn out have no cubes


def met_conditions(state: State, board: Board) -> list[EndReason]:
    """AR-51: the end conditions that are met."""
    reasons: list[EndReason] = []
    if state.year + 1 == len(board.file.years):
        reasons.append("last_year")
    if not any(state.supply):
        reasons.append("no_shares")
    if low_supplies(state, board) >= board.rules_for[state.seats].low_supplies:
        reasons.append("low_supplies")
    return reasons


def end_reasons(state: State, board: Board) -> list[str]:
    """Why the game ended; empty until then."""
    return [] if state.pending is not None else [*met_conditions(state, board)]


def scores(state: State) -> list[int]:
    return state.money[: state.seats]


def ranks(state: State, board: Board) -> list[int]:
    """AR-53: most cash wins."""
    return ranks_of(scores(state))
