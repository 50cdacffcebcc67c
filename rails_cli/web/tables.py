"""Who has what, as tables of plain values: the same rows and columns at every step of a game."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from protocol import american_rails, chicago_express, last_spike
from rails_cli.games.american_rails.face.narrate import SPACES
from rails_cli.games.railways.companies import letters
from rails_cli.web.drawing import Board, clean
from rails_cli.web.paints import company_paints, seat_paint, spot_paint

View = chicago_express.View | american_rails.View | last_spike.View
Cell = int | str | None
"""None: not to be seen, or there is none."""
Kind = Literal["money", "count", "text"]


class Column(NamedTuple):
    name: str
    kind: Kind
    paint: str = ""
    letter: str = ""


class Row(NamedTuple):
    name: str
    paint: str = ""
    letter: str = ""


class Table(NamedTuple):
    """Values by row and column."""

    title: str
    corner: str
    columns: list[Column]
    rows: list[Row]
    cells: list[list[Cell]]


class Chart(NamedTuple):
    """A column of a table, followed through the game: a line for each row."""

    title: str
    table: int
    column: int


def tables(board: Board, view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Table]:
    """The tables of a position; `prices` are what the companies' shares last sold for."""
    match view:
        case chicago_express.View():
            return _chicago_express(board, view, names, prices)
        case american_rails.View():
            return _american_rails(board, view, names, prices)
        case _:
            return _last_spike(board, view, names)


def charts(board: Board) -> list[Chart]:
    """What is worth following."""
    if "routes" in board:
        return [
            Chart("Cash", 0, 0),
            Chart("Net worth: cash and printed property prices", 0, 1),
            Chart("Properties held", 0, 2),
            Chart("Price of the next property", 1, 0),
        ]
    return [
        Chart("Cash", 0, 0),
        Chart("Net worth: cash, and shares at the price last paid", 0, 1),
        Chart("Company income", 1, 0),
        Chart("Share prices: last paid at auction", 1, 3),
    ]


def _seats(names: Sequence[str]) -> list[Row]:
    return [Row(name, seat_paint(seat), str(seat)) for seat, name in enumerate(names)]


def _shares(board: Board, view: chicago_express.View | american_rails.View) -> list[Column]:
    paints = company_paints(board["companies"])
    return [
        Column(clean(company), "count", paint, letter)
        for (company, letter), paint in zip(letters(view).items(), paints, strict=True)
    ]


def _worth(cash: int, shares: Mapping[str, int], prices: Mapping[str, int]) -> int:
    return cash + sum(count * prices.get(company, 0) for company, count in shares.items())


def _chicago_express(
    board: Board, view: chicago_express.View, names: Sequence[str], prices: Mapping[str, int]
) -> list[Table]:
    shares = _shares(board, view)
    return [
        Table(
            "Players",
            "Player",
            [Column("Cash", "money"), Column("Worth", "money"), *shares],
            _seats(names),
            [
                [player.cash, _worth(player.cash, player.shares, prices), *player.shares.values()]
                for player in view.players
            ],
        ),
        Table(
            "Companies",
            "Company",
            [
                Column("Income", "money"),
                Column("Treasury", "money"),
                Column("Per share", "money"),
                Column("Last price", "money"),
                Column("Min. bid", "money"),
                Column("Sold", "text"),
                Column("Locos", "count"),
            ],
            [Row(column.name, column.paint, column.letter) for column in shares],
            [
                [
                    company.income,
                    company.treasury,
                    company.dividend,
                    prices.get(company.id),
                    company.minimum_bid,
                    f"{company.shares_sold} of {company.shares_sold + company.shares_left}",
                    company.locomotives_left,
                ]
                for company in view.companies
            ],
        ),
        Table(
            "The table",
            "What",
            [Column("Now", "text"), Column("Limit", "text")],
            [
                *(Row(f"Dial: {dial.action}") for dial in view.dials),
                *(Row(END_CONDITIONS[condition.reason]) for condition in view.end_conditions),
            ],
            [
                *_texts((str(dial.moved), f"red at {dial.red_at}") for dial in view.dials),
                *_texts((str(one.now), f"ends at {one.limit}") for one in view.end_conditions),
            ],
        ),
    ]


def _texts(rows: Iterable[tuple[str, ...]]) -> list[list[Cell]]:
    return [list(row) for row in rows]


END_CONDITIONS = {
    "locomotives_out": "Without locomotives",
    "shares_out": "Without shares",
    "houses_out": "Houses left",
    "detroit_full": "Value of Detroit",
}


def _american_rails(
    board: Board, view: american_rails.View, names: Sequence[str], prices: Mapping[str, int]
) -> list[Table]:
    shares = _shares(board, view)
    spaces = list(dict.fromkeys(board["spaces"]))
    return [
        Table(
            "Players",
            "Player",
            [Column("Cash", "money"), Column("Worth", "money"), Column("Due", "money"), *shares],
            _seats(names),
            [
                [player.cash, _worth(player.cash, player.shares, prices), player.due, *player.shares.values()]
                for player in view.players
            ],
        ),
        Table(
            "Companies",
            "Company",
            [
                Column("Income", "money"),
                Column("Treasury", "money"),
                Column("Per share", "money"),
                Column("Last price", "money"),
                Column("Held", "text"),
                Column("Cubes", "count"),
                Column("Links", "count"),
            ],
            [Row(column.name, column.paint, column.letter) for column in shares],
            [
                [
                    company.income,
                    company.treasury,
                    company.dividend,
                    prices.get(company.id),
                    f"{company.shares_held} of {company.shares_held + company.shares_left}",
                    company.cubes_left,
                    company.links,
                ]
                if company.in_play
                else [None, None, None, None, "not in play", None, None]
                for company in view.companies
            ],
        ),
        Table(
            "Action spaces",
            "Space",
            [Column(f"Phase {phase + 1}", "text") for phase in range(board["phases"])],
            [Row(SPACES[space]) for space in spaces],
            [
                [
                    names[column[space]] if space in column else ""
                    for column in [*view.columns, *[{} for _ in range(board["phases"] - len(view.columns))]]
                ]
                for space in spaces
            ],
        ),
        Table(
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


def _last_spike(board: Board, view: last_spike.View, names: Sequence[str]) -> list[Table]:
    return [
        Table(
            "Players",
            "Player",
            [
                Column("Cash", "money"),
                Column("Worth", "money"),
                Column("Properties", "count"),
                Column("Resale", "money"),
                Column("Hand", "text"),
            ],
            _seats(names),
            [
                [
                    player.cash,
                    None if player.cash is None else player.cash + player.property_total,
                    len(player.properties),
                    player.resale,
                    _hand(player),
                ]
                for player in view.players
            ],
        ),
        Table(
            "Cities",
            "City",
            [
                Column("Next price", "money"),
                Column("Routes left", "count"),
                *(Column(f"Seat {seat}", "count", seat_paint(seat), str(seat)) for seat in range(len(names))),
            ],
            [
                Row(clean(city["name"] or city["id"]), spot_paint(number), "")
                for number, city in enumerate(board["cities"])
            ],
            [[city.price, city.routes_left, *city.properties] for city in view.cities],
        ),
        Table(
            "The table",
            "What",
            [Column("Now", "text")],
            [Row("Pieces in the mix"), Row("Set aside"), Row("Would be the last spike")],
            [
                [str(view.mix)],
                [view.set_aside_piece or (f"{view.set_aside} unseen" if view.set_aside else "none")],
                [" ".join(view.last_spikes) or "none"],
            ],
        ),
    ]


def _hand(player: last_spike.Player) -> str:
    if player.bankrupt:
        return "bankrupt"
    return f"{player.pieces} pieces" if player.hand is None else " ".join(player.hand)
