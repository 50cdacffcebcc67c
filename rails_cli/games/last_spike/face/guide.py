"""The illustrated guide of The Last Spike."""

from collections.abc import Collection, Sequence
from typing import Any

from rails_cli.games.faces.guides import Cover, Guide, GuidePicture, at_event
from rails_cli.games.game import WireBoard
from rails_cli.protocol.last_spike import (
    Event,
    GameEnded,
    LastSpikeDriven,
    PiecePlayed,
    PropertyBought,
    PropertyTaken,
    RouteCompleted,
    View,
)

MANY_LAID = 12
"""Minimum number of laid pieces in a picture, so that the board looks like a game in progress."""


def _piece_in_hand(_board: WireBoard, view: View, _events: Sequence[Event]) -> Collection[str]:
    """Return the id of a piece in the hand of the player to move that continues laid track.

    Return an empty list if there is no such piece.
    """
    if view.question is None or view.question.asks != "play" or sum(len(r.laid) for r in view.routes) < MANY_LAID:
        return []
    begun = {piece for route in view.routes if route.laid for piece in route.missing}
    hand = view.players[view.question.seat].hand or []
    return [piece for piece in hand if piece in view.touching and piece in begun][:1]


def _piece_at_a_city(_board: WireBoard, _view: View, events: Sequence[Any]) -> Collection[str]:
    """If a free property was taken, return two ids: that of its city, and that of the piece laid beside the city."""
    taken = [event.city for event in events if isinstance(event, PropertyTaken)]
    return [*taken, *(event.piece for event in events if isinstance(event, PiecePlayed))] if taken else []


def _completed_route(board: WireBoard, _view: View, events: Sequence[Event]) -> Collection[str]:
    """Return the ids of the pieces of a route that was completed."""
    routes = [event.route for event in events if isinstance(event, RouteCompleted)]
    return [piece["id"] for route in board["routes"] if route["id"] in routes for piece in route["pieces"]]


def _end_city(board: WireBoard, _view: View, events: Sequence[Event]) -> Collection[str]:
    return [board["end_city"]] if any(isinstance(event, GameEnded) for event in events) else []


GUIDE = Guide(
    "2 to 6 players, half an hour. On your turn: lay, collect, buy, draw.",
    "medium",
    3,
    2,
    [
        GuidePicture(
            "Lay one piece",
            "Pay its price. It must touch a city or laid track of its route. If you can pay for none that does, "
            "another costs double.",
            _piece_in_hand,
        ),
        GuidePicture(
            "Be first in a city",
            "The first piece to touch a city takes its free property. You then buy nothing this turn.",
            _piece_at_a_city,
        ),
        GuidePicture(
            "Finish a route",
            "When all its pieces lie, both its cities pay every owner. The more properties you have in a city, the "
            "more it pays you.",
            _completed_route,
        ),
        GuidePicture(
            "Buy one property",
            "After laying, buy the cheapest in any city that somebody has reached. The price is on its plate.",
            at_event(PropertyBought, lambda event: [event.city]),
        ),
        GuidePicture(
            "Drive the last spike",
            "Complete the line from St. Louis to Sacramento: $20,000 for you, and the game is over.",
            at_event(LastSpikeDriven, lambda event: [event.piece]),
        ),
        GuidePicture(
            "Count your cash",
            "Most cash wins. Property counts only in a tie. If you cannot pay for a piece, sell property at half its "
            "price. If that is not enough for any piece, you are out.",
            _end_city,
        ),
    ],
    cover=Cover(40, ("OMA", "STL")),
)
