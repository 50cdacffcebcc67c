"""Who has what in Chicago Express."""

from collections.abc import Mapping, Sequence

from protocol.chicago_express import View
from rails_cli.games.chicago_express.face.narrate import END_REASONS
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.sheets import company_sheet, player_sheet
from rails_cli.games.sheets import Column, Row, Sheet


def sheets(board: WireBoard, view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    return [
        player_sheet(board, view, names, prices),
        company_sheet(
            board,
            view,
            prices,
            [Column("Min. bid", "money"), Column("Sold", "text"), Column("Locos", "count")],
            [
                (
                    company.minimum_bid,
                    f"{company.shares_sold} of {company.shares_sold + company.shares_left}",
                    company.locomotives_left,
                )
                for company in view.companies
            ],
        ),
        Sheet(
            "The table",
            "What",
            [Column("Now", "text"), Column("Limit", "text")],
            [
                *(Row(f"Dial: {dial.action}") for dial in view.dials),
                *(Row(END_REASONS[condition.reason].row) for condition in view.end_conditions),
            ],
            [
                *([str(dial.moved), f"red at {dial.red_at}"] for dial in view.dials),
                *([str(condition.now), f"ends at {condition.limit}"] for condition in view.end_conditions),
            ],
        ),
    ]
