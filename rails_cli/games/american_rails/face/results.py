"""Tables of possessions in American Rails, and economic figures of the seats, such as money paid for shares."""

from collections.abc import Mapping, Sequence
from typing import Any

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.face.panels import dividends_left
from rails_cli.games.american_rails.face.words import SPACES
from rails_cli.games.faces.economy import EconomyTally, Profile, Transfer, Transfers
from rails_cli.games.faces.sheets import Column, Row, Sheet, gauge
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.companies import letters
from rails_cli.games.railways.results import company_sheet, owners, player_sheet
from rails_cli.protocol.american_rails import (
    Built,
    Developed,
    DividendPaid,
    Founded,
    IncomeChanged,
    LinkMade,
    MoneyTaken,
    PlayersPaid,
    ShareRemoved,
    ShareSold,
    View,
)
from rails_cli.protocol.live_view import ActionTrackShown, CalendarShown, SpaceShown


def sheets(board: WireBoard, view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    spaces = list(dict.fromkeys(board["spaces"]))
    years = len(board["years"]) - 1
    in_play = {company.id for company in view.companies if company.in_play}
    shares = sum(company["shares"] for company in board["companies"] if company["id"] in in_play)
    return [
        player_sheet(board, view, names, prices, dividends_left(view)),
        company_sheet(
            board,
            view,
            prices,
            [Column("Shares", "owners"), Column("Cubes", "count"), Column("Links", "count")],
            [
                (
                    owners(view, company.id, company.shares_left),
                    company.cubes_left,
                    company.links,
                )
                if company.in_play
                else ("out", None, None)
                for company in view.companies
            ],
            [company.id for company in view.companies if not company.in_play],
        ),
        Sheet(
            "Action spaces",
            "Space",
            [Column(f"Phase {phase}", "text") for phase in range(1, board["phases"] + 1)],
            [Row(SPACES[space].name) for space in spaces],
            [[names[taken[space]] if space in taken else "" for taken in view.columns] for space in spaces],
        ),
        Sheet(
            "The table",
            "What",
            [Column("Now", "text"), Column("So far", "gauge")],
            [Row("Year"), Row("Dividends left"), Row("Shares left"), Row("Markers left"), Row("Low supplies")],
            [
                [str(view.year), None],
                [str(dividends_left(view)), gauge(years - view.end.years_left + view.has_ended, years + 1)],
                [str(view.end.shares_left), gauge(shares - view.end.shares_left, shares)],
                [str(view.markers_left), gauge(board["markers"] - view.markers_left, board["markers"])],
                [
                    f"{view.end.low_supplies} of {view.end.low_supplies_needed}{_low_supplies(view)}",
                    gauge(view.end.low_supplies, view.end.low_supplies_needed),
                ],
            ],
        ),
    ]


def _low_supplies(view: View) -> str:
    """Return the low supplies as a text in parentheses.

    The text has the letters of companies and the word "markers". It is empty if no supply is low.
    """
    letter_of, low = letters(view), view.end.low_means
    found = [letter_of[company.id] for company in view.companies if company.in_play and company.cubes_left <= low]
    found += ["markers"] if view.markers_left <= low else []
    return f" ({', '.join(found)})" if found else ""


def action_track(board: WireBoard, view: View) -> ActionTrackShown | None:
    """Return the spaces of the action track and the seats on them. Return None in the opening and after the end."""
    if view.is_opening or view.has_ended:
        return None
    return ActionTrackShown(
        "Higher spaces move first next phase",
        [str(phase) for phase in range(1, board["phases"] + 1)],
        view.phase - 1,
        [
            SpaceShown(
                SPACES[space].name,
                SPACES[space].note.format_map(board),
                f"choose {space}",
                [taken.get(space) for taken in view.columns],
            )
            for space in dict.fromkeys(board["spaces"])
        ],
    )


def calendar(board: WireBoard, view: View) -> CalendarShown:
    return CalendarShown([str(year) for year in board["years"]], board["years"].index(view.year))


TRANSFERS: Transfers = {
    ShareSold: Transfer("shares", -1, "price", part="paid"),
    DividendPaid: Transfer("dividends", 1, "payouts", "company", part="returned"),
    MoneyTaken: Transfer("taken", 1, "amount"),
    PlayersPaid: Transfer("lost to Take", -1, "payments"),
}


def economy(board: Board, players: int, events: Sequence[Any]) -> list[Profile]:
    """Return the economic figures of each seat, such as money paid for shares, from all events of a game."""
    tally = EconomyTally(players, events, TRANSFERS, board.company_ids)
    built, gained = tally.built, tally.gained
    incomes = dict.fromkeys(board.company_ids, 0)
    builder = 0
    for event in events:
        kind = type(event)
        if kind is Built or kind is Founded:
            builder, income, company = event.seat, event.income, event.company
            gained[builder] += income - incomes[company]
            incomes[company] = income
            if kind is Built:
                built[builder] += event.cost
        elif kind is IncomeChanged or kind is LinkMade:
            income, company = event.income, event.company
            gained[builder] += max(0, income - incomes[company])  # losses of other companies are not counted
            incomes[company] = income
        elif kind is Developed:
            builder = event.seat
        elif kind is ShareSold:
            tally.held[event.company][event.seat] += 1
        elif kind is ShareRemoved and event.seat is not None:
            tally.held[event.company][event.seat] -= 1
    return tally.profiles()
