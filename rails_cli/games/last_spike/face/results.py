"""Tables of possessions in The Last Spike, and economic figures of the seats, such as money paid for properties."""

from collections.abc import Mapping, Sequence
from typing import Any

from rails_cli.games.faces.economy import EconomyTally, EconomyWords, Profile, Transfer, Transfers
from rails_cli.games.faces.paints import spot_paint
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.faces.sheets import Chart, Column, Row, Sheet, gauge, seat_rows
from rails_cli.games.game import WireBoard
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.face.panels import shortest_line, to_come
from rails_cli.games.last_spike.face.words import hand_in_words
from rails_cli.games.shared.text import printable
from rails_cli.protocol.last_spike import (
    LastSpikeDriven,
    PiecePlayed,
    PropertyBought,
    PropertySold,
    PropertyTaken,
    RouteCompleted,
    RoutePaid,
    View,
    WentBankrupt,
)
from rails_cli.protocol.live_view import PlayerShown

CHARTS = (
    Chart("Cash", 0, 0),
    Chart("Book value: cash and printed property prices", 0, 1),
    Chart("Properties held", 0, 2),
    Chart("Price of the next property", 1, 0),
)


def sheets(board: WireBoard, view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    """Return three tables: the players, the cities, and the railway.

    The table of the railway has the undrawn pieces and the line that lacks the fewest pieces. In the table of the
    players, the book value is the cash plus the printed prices of the properties. The estimated end is the cash plus
    the payments that can be expected from routes.
    """
    lacking, _ = shortest_line(board, {route.id: len(route.missing) for route in view.routes})
    whole, _ = shortest_line(board, {route["id"]: len(route["pieces"]) for route in board["routes"]})
    pieces = sum(len(route["pieces"]) for route in board["routes"])
    more = to_come(board, view)
    return [
        Sheet(
            "Players",
            "Player",
            [
                Column("Cash", "money"),
                Column("Book value", "money"),
                Column("Properties", "count"),
                Column("Estimated end", "money"),
                Column("Resale", "money"),
                Column("Hand", "text"),
            ],
            seat_rows(names),
            [
                [
                    player.cash,
                    None if player.cash is None else player.cash + player.property_total,
                    len(player.properties),
                    None if player.cash is None else player.cash + more[player.seat],
                    player.resale,
                    hand_in_words(player),
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
                *(Column(name, "count", paint, mark) for name, paint, mark in seat_rows(names)),
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
            [Column("Now", "text"), Column("Drawn or laid", "gauge")],
            [Row("Pieces in the draw pile"), Row("The line lacks"), Row("Set aside"), Row("Would be the last spike")],
            [
                [str(view.mix), gauge(pieces - view.mix, pieces)],
                [str(lacking), gauge(whole - lacking, whole)],
                [view.set_aside_piece or (f"{view.set_aside} unseen" if view.set_aside else "none"), None],
                [" ".join(view.last_spikes) or "none", None],
            ],
        ),
    ]


def possessions(board: WireBoard, view: View) -> list[PlayerShown]:
    """Return, by seat, the cash of each player and a text that says how many properties and pieces the player has."""
    return [
        PlayerShown(
            player.cash,
            note="bankrupt"
            if player.bankrupt
            else f"{len(player.properties)} {'property' if len(player.properties) == 1 else 'properties'}, "
            f"{count_phrase(player.pieces, 'piece')}",
        )
        for player in view.players
    ]


TRANSFERS: Transfers = {
    PiecePlayed: Transfer("track", -1, "cost", part="built"),
    PropertyBought: Transfer("property", -1, "cost", part="paid"),
    PropertySold: Transfer("property", 1, "gain", part="returned"),
    RoutePaid: Transfer("routes", 1, "amounts", "city", part="returned"),
    LastSpikeDriven: Transfer("spike", 1, "bonus"),
    WentBankrupt: Transfer("bankrupt", -1, "cash"),
}


WORDS = EconomyWords("properties", "city", "cities", "paid out by routes it completed")


def economy(board: Board, players: int, events: Sequence[Any]) -> list[Profile]:
    """Return the economic figures of each seat, such as money paid for properties, from all events of a game."""
    tally = EconomyTally(players, events, TRANSFERS)
    held = tally.held
    builder = 0
    for event in events:
        kind = type(event)
        if kind is PropertyBought:
            held[event.city][event.seat] += 1
        elif kind is RoutePaid:
            tally.gained[builder] += sum(event.amounts)
        elif kind is PropertyTaken:
            held.setdefault(event.city, [0] * players)[event.seat] += 1
        elif kind is RouteCompleted:
            builder = event.seat
        elif kind is PropertySold:
            held[event.city][event.seat] -= 1
        elif kind is WentBankrupt:
            for owned in held.values():
                owned[event.seat] = 0
    return tally.profiles()
