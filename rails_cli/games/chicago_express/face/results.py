"""Tables of possessions in Chicago Express, and economic figures of the seats, such as money paid for shares."""

from collections.abc import Mapping, Sequence
from typing import Any

from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.face.panels import dividends_to_come
from rails_cli.games.chicago_express.face.words import END_REASONS
from rails_cli.games.chicago_express.rules import setup
from rails_cli.games.faces.economy import EconomyTally, Profile, Transfer, Transfers
from rails_cli.games.faces.sheets import Column, Row, Sheet, gauge
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.results import company_sheet, owners, player_sheet
from rails_cli.protocol.chicago_express import (
    Built,
    DetroitMoved,
    Developed,
    DividendPaid,
    EndCondition,
    Options,
    ShareSold,
    View,
    WabashOpened,
)


def sheets(board: WireBoard, view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    return [
        player_sheet(board, view, names, prices, dividends_to_come(view)),
        company_sheet(
            board,
            view,
            prices,
            [Column("Min. bid", "money"), Column("Shares", "owners"), Column("Locos", "count")],
            [
                (
                    company.minimum_bid,
                    owners(view, company.id, company.shares_left),
                    company.locomotives_left,
                )
                for company in view.companies
            ],
        ),
        Sheet(
            "The table",
            "What",
            [Column("Now", "text"), Column("So far", "gauge")],
            [
                *(Row(dial.action.capitalize()) for dial in view.dials),
                *(Row(END_REASONS[condition.reason].row) for condition in view.end_conditions),
            ],
            [
                *([f"{dial.moved} of {dial.red_at}", gauge(dial.moved, dial.red_at)] for dial in view.dials),
                *([_against_limit(condition), _how_far(board, condition)] for condition in view.end_conditions),
            ],
        ),
    ]


def _against_limit(condition: EndCondition) -> str:
    between = ", end at" if condition.reason == "houses_out" else " of"
    return f"{condition.now}{between} {condition.limit}"


def _how_far(board: WireBoard, condition: EndCondition) -> str:
    if condition.reason == "houses_out":
        return gauge(board["houses"] - condition.now, board["houses"] - condition.limit)
    return gauge(condition.now, condition.limit)


TRANSFERS: Transfers = {
    ShareSold: Transfer("shares", -1, "price", part="paid"),
    DividendPaid: Transfer("dividends", 1, "payouts", "company", part="returned"),
}


ECONOMY_EVENTS = {Built, Developed, DetroitMoved, ShareSold, WabashOpened}


def economy(board: Board, players: int, events: Sequence[Any]) -> list[Profile]:
    """Return the economic figures of each seat, such as money paid for shares, from all events of a game."""
    tally = EconomyTally(players, events, TRANSFERS, board.company_ids)
    built, gained = tally.built, tally.gained
    incomes = dict(zip(board.company_ids, setup(board, players, Options(), 0).income, strict=True))
    for event in events:
        kind = type(event)
        if kind not in ECONOMY_EVENTS:
            continue
        if kind is Built:
            seat, income, company = event.seat, event.income, event.company
            built[seat] += event.cost
            gained[seat] += income - incomes[company]
            incomes[company] = income
        elif kind is Developed:
            for company, income in event.incomes.items():
                gained[event.seat] += income - incomes[company]
                incomes[company] = income
        elif kind is ShareSold:
            tally.held[event.company][event.seat] += 1
        elif kind is DetroitMoved:
            incomes.update(event.incomes)
        elif kind is WabashOpened:
            incomes[event.company] = event.income
    return tally.profiles()
