"""Who has what in The Last Spike."""

from collections.abc import Mapping, Sequence

from protocol.last_spike import Player, View
from rails_cli.games.game import WireBoard
from rails_cli.games.paints import seat_paint, spot_paint
from rails_cli.games.phrases import printable
from rails_cli.games.sheets import Chart, Column, Row, Sheet, seat_rows

CHARTS = (
    Chart("Cash", 0, 0),
    Chart("Net worth: cash and printed property prices", 0, 1),
    Chart("Properties held", 0, 2),
    Chart("Price of the next property", 1, 0),
)


def sheets(board: WireBoard, view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    """The properties are worth their printed prices, whatever was paid last."""
    return [
        Sheet(
            "Players",
            "Player",
            [
                Column("Cash", "money"),
                Column("Worth", "money"),
                Column("Properties", "count"),
                Column("Resale", "money"),
                Column("Hand", "text"),
            ],
            seat_rows(names),
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
        Sheet(
            "Cities",
            "City",
            [
                Column("Next price", "money"),
                Column("Routes left", "count"),
                *(Column(f"Seat {seat}", "count", seat_paint(seat), str(seat)) for seat in range(len(names))),
            ],
            [
                Row(printable(city["name"] or city["id"]), spot_paint(number), "")
                for number, city in enumerate(board["cities"])
            ],
            [[city.price, city.routes_left, *city.properties] for city in view.cities],
        ),
        Sheet(
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


def _hand(player: Player) -> str:
    if player.bankrupt:
        return "bankrupt"
    return f"{player.pieces} pieces" if player.hand is None else " ".join(player.hand)
