"""A card on the map. It has the title of the board, and a small picture of the cities whose links pay a bonus."""

from collections.abc import Sequence
from html import escape
from itertools import combinations
from typing import NamedTuple

from rails_cli.games.faces.svg import element, number

WIDTH, HEIGHT = 378, 196
LONGEST_TITLE = 22
MOST_CITIES = 5
"""Maximum number of cities in the picture on a card. A card with more cities has no picture."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 292, 104, 150


class Card(NamedTuple):
    """A card on the map: its texts, and the ids of the cities in its picture."""

    title: str
    note: str
    cities: Sequence[str]


def card_svg(card: Card, x: float, y: float, cities: Sequence[tuple[str, float, float]]) -> str:
    """Return a card as SVG. `x` and `y` are its left and top edge. `cities` has tuples (name, x, y)."""
    outer = {"class": "dial", "width": str(WIDTH), "height": str(HEIGHT), "rx": "14"}
    inner = {"class": "dial-ring", "x": "6", "y": "6", "width": str(WIDTH - 12), "height": str(HEIGHT - 12), "rx": "9"}
    drawn = element("rect", outer) + element("rect", inner)
    drawn += _text("card-title", WIDTH / 2, 46, card.title[:LONGEST_TITLE])
    drawn += _text("card-note", WIDTH / 2, 72, card.note)
    points = _fitted(cities) if len(cities) <= MOST_CITIES else []
    for (_, one_x, one_y), (_, other_x, other_y) in combinations(points, 2):
        way = f"M{number(one_x)} {number(one_y)}L{number(other_x)} {number(other_y)}"
        drawn += element("path", {"class": "card-link", "d": way})
    for name, city_x, city_y in points:
        drawn += element("circle", {"class": "card-star", "cx": number(city_x), "cy": number(city_y), "r": "8"})
        drawn += _text("card-note strong", city_x, city_y + 26, name)
    return element("g", {"class": "map-card", "transform": f"translate({number(x)} {number(y)})"}, drawn)


def _fitted(cities: Sequence[tuple[str, float, float]]) -> list[tuple[str, float, float]]:
    """Return the cities with their map coordinates scaled to the area of the picture on the card."""
    if not cities:
        return []
    xs, ys = [x for _, x, _ in cities], [y for _, _, y in cities]
    across, down = (max(max(found) - min(found), 1) for found in (xs, ys))
    return [
        (name, _LEFT + (_RIGHT - _LEFT) * (x - min(xs)) / across, _TOP + (_BOTTOM - _TOP) * (y - min(ys)) / down)
        for name, x, y in cities
    ]


def _text(look: str, x: float, y: float, text: str) -> str:
    return element("text", {"class": look, "x": number(x), "y": number(y)}, escape(text))
