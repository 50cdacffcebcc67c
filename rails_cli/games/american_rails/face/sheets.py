"""Who has what in American Rails."""

from collections.abc import Mapping, Sequence

from protocol.american_rails import View
from rails_cli.games.american_rails.face.narrate import SPACES
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.sheets import company_sheet, player_sheet
from rails_cli.games.sheets import Column, Row, Sheet


def sheets(board: WireBoard, view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    spaces = list(dict.fromkeys(board["spaces"]))
    phases = range(board["phases"])
    return [
        player_sheet(board, view, names, prices, [Column("Due", "money")], [(player.due,) for player in view.players]),
        company_sheet(
            board,
            view,
            prices,
            [Column("Held", "text"), Column("Cubes", "count"), Column("Links", "count")],
            [
                (
                    f"{company.shares_held} of {company.shares_held + company.shares_left}",
                    company.cubes_left,
                    company.links,
                )
                if company.in_play
                else ("not in play", None, None)
                for company in view.companies
            ],
            [company.id for company in view.companies if not company.in_play],
        ),
        Sheet(
            "Action spaces",
            "Space",
            [Column(f"Phase {phase + 1}", "text") for phase in phases],
            [Row(SPACES[space].name) for space in spaces],
            [
                [
                    names[view.columns[phase][space]]
                    if phase < len(view.columns) and space in view.columns[phase]
                    else ""
                    for phase in phases
                ]
                for space in spaces
            ],
        ),
        Sheet(
            "The table",
            "What",
            [Column("Now", "text")],
            [Row("Year"), Row("Years left"), Row("Shares left"), Row("Markers left"), Row("Low supplies")],
            [
                [str(view.year)],
                [str(view.end.years_left)],
                [str(view.end.shares_left)],
                [str(view.markers_left)],
                [f"{view.end.low_supplies} of {view.end.low_supplies_needed}"],
            ],
        ),
    ]
