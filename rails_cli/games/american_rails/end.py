"""Dividends and the end of the game (rules AR-50 to AR-53)."""

from operator import mul

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.state import State
from rails_cli.games.shared.money import BANK, pay, per_share
from rails_cli.protocol.american_rails import DividendPaid, EndReason, Event

Events = list[Event] | None


def pay_dividends(state: State, board: Board, events: Events) -> None:
    """Pay every player the yearly dividend of each share that the player holds (AR-50)."""
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
    """Return the number of supplies with at most `board.file.low_supply` pieces (AR-51).

    A supply is the unplaced cubes of a company in play, or the unplaced development markers.
    """
    low = board.file.low_supply
    supplies = 0 if board.markers - state.developed.bit_count() > low else 1
    for left in state.cubes:
        if left <= low:
            supplies += 1
    return supplies - state.absent.bit_count()  # absent companies have no cubes


def met_conditions(state: State, board: Board) -> list[EndReason]:
    """Return those conditions for the end of the game (AR-51) that are met."""
    reasons: list[EndReason] = []
    if state.year + 1 == len(board.file.years):
        reasons.append("last_year")
    if not any(state.supply):
        reasons.append("no_shares")
    if low_supplies(state, board) >= board.rules_for[state.seats].low_supplies:
        reasons.append("low_supplies")
    return reasons


def end_reasons(state: State, board: Board) -> list[str]:
    """Return the conditions that ended the game, or an empty list if the game has not ended."""
    return [] if state.pending is not None else [*met_conditions(state, board)]


def scores(state: State) -> list[int]:
    return state.money[: state.seats]
