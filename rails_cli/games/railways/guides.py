"""Code shared by the illustrated guides of the games on maps of hexes."""

from collections.abc import Collection, Sequence
from typing import Any

from rails_cli.games.faces.guides import FindPlaces


def busiest_place(game_ended: type) -> FindPlaces:
    """Return a function that chooses the hex with the most companies.

    It returns the id of the hex after an event of type `game_ended`, and nothing after other events.
    """

    def found(_board: Any, view: Any, events: Sequence[Any]) -> Collection[str]:
        if not any(isinstance(event, game_ended) for event in events):
            return []
        places = [place for company in view.companies for place in company.track]
        return [max(sorted(set(places)), key=places.count)]

    return found
