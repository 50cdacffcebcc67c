"""The illustrated guide of a game: a few pictures of positions with short texts that explain the rules."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from rails_cli.games.game import Event, View, WireBoard

FindPlaces = Callable[[WireBoard, View, Sequence[Event]], Collection[str]]
"""Function that chooses a position for a picture.

It takes the board, a view and the latest events, and returns the ids of the places to show. The result is empty if the
position is not suitable.
"""


class GuidePicture(NamedTuple):
    """A picture of a part of the board, with a title and a text.

    It shows the first position of a game for which `places` returns ids of places. Only the part of the board around
    these places is shown.
    """

    title: str
    text: str
    places: FindPlaces


class Cover(NamedTuple):
    """The picture of a game in the lobby.

    It shows the part of the board around `places`, after the first `actions` actions.
    """

    actions: int
    places: Collection[str]


class Guide(NamedTuple):
    """The guide of a game. Its positions come from a game with `players` players and the seed `seed`.

    The built-in player `player` plays all seats.
    """

    about: str
    """Text with the number of players, the duration, and what a player does in a turn."""
    player: str
    players: int
    seed: int
    pictures: Sequence[GuidePicture]
    cover: Cover | None = None
    """Picture of the game in the lobby. None for a game without such a picture."""


def at_event(kind: type, places: Callable[[Any], Collection[str]]) -> FindPlaces:
    """Return a function that chooses positions for a picture: those directly after an event of type `kind`.

    `places` takes this event and returns the ids of the places to show.
    """

    def found(_board: WireBoard, _view: View, events: Sequence[Event]) -> Collection[str]:
        return next((places(event) for event in events if isinstance(event, kind)), ())

    return found
