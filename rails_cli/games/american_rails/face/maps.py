"""The map of American Rails as text and as SVG, with the cost and the income of each hex."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from rails_cli.games.american_rails.board import building_cost, city_values
from rails_cli.games.decision import Decision
from rails_cli.games.game import WireBoard
from rails_cli.games.railways import places
from rails_cli.games.railways.card import Card
from rails_cli.games.railways.scenery import Scenery, WaterName
from rails_cli.games.railways.svg_map import HexFacts, HexMap, Value
from rails_cli.games.shared.text import printable
from rails_cli.protocol.american_rails import View


def cost(board: Mapping[str, Any], view: Any, place: Any) -> int | None:
    """Return the cost of the next cube in a hex, or None if the hex has no room."""
    spot = place["id"]
    return building_cost(
        **board["terrain"][place["terrain"]], pieces=places.standing(view, spot) + (spot in view.developed)
    )


def earned(board: Mapping[str, Any], view: Any, place: Any) -> tuple[int, int]:
    """Return two yearly incomes from the hex `place`: of a company alone in the hex, and of one that is not alone."""
    return city_values(place["full"], place["shared"], board["development"])[place["id"] in view.developed]


def worth(board: Mapping[str, Any], view: Any, place: Any) -> int:
    """Return the yearly income that one more company would have in the hex `place`."""
    return earned(board, view, place)[1 if places.standing(view, place["id"]) else 0]


def link_bonus(board: Mapping[str, Any], track: Collection[str], spot: str) -> int:
    """Return the yearly income from new links of bonus cities if a company enters the hex `spot`.

    `track` has the hexes with cubes of the company.
    """
    links = board["links"]
    linked = sum(city in track for city in links["cities"]) if spot in links["cities"] else 0
    return int(linked * links["income_per_pair"])


def _about(decision: Decision, place: Any) -> list[str]:
    terrain = decision.wire_board["terrain"][place["terrain"]]
    per = f" + ${terrain['per_piece']} for each piece there" if terrain["per_piece"] else ""
    phrases = [f"costs ${terrain['base']}{per}"]
    if not place["full"]:
        return phrases
    alone, shared = earned(decision.wire_board, decision.view, place)
    return [*phrases, f"income ${alone} alone, ${shared} shared"]


describe = partial(places.described, about=_about)
numbers = partial(places.numbered_map, costs=cost, income=worth)


_LANDMARKS = {"Chicago": (2, 1), "Buffalo": (11, 0), "New York": (15, 3), "Savannah": (1, 15), "New Orleans": (-8, 17)}
_EAST = 60

SCENERY = Scenery(
    _LANDMARKS,
    [
        (range(2, 4), range(-30, 1)),  # Lake Michigan
        (range(12, 16), range(-30, 0)),  # Lake Ontario
        (range(9, 11), range(1)),  # Lake Erie
        (range(26, _EAST), range(-30, -3)),  # the Atlantic
        (range(24, _EAST), range(-3, -2)),
        (range(23, _EAST), range(-2, -1)),
        (range(21, _EAST), range(-1, 0)),
        (range(20, _EAST), range(1)),
        (range(1, _EAST), range(1, 16)),
        (range(10, _EAST), range(16, 19)),
        (range(11, _EAST), range(19, 60)),
        (range(1, 7), range(16, 18)),  # the Gulf of Mexico
        (range(7), range(18, 19)),
        (range(8), range(19, 60)),
    ],
    [
        WaterName("L. Erie", 461, 36),
        WaterName("Gulf of Mexico", 234, 828),
        WaterName("Atlantic Ocean", 942, 365, -57, is_ocean=True),
    ],
    (90, 18, 237, 14),
)


def board_map(board: WireBoard) -> HexMap:
    bonus_cities = set(board["links"]["cities"])
    cities = [spot for spot in board["hexes"] if spot["full"] is not None]

    def facts(spot: dict[str, Any]) -> HexFacts:
        is_bonus = spot["id"] in bonus_cities
        notes = (
            [] if spot["full"] is None else [f"earns ${spot['full']}, or ${spot['shared']} for each company if shared"]
        )
        notes += ["a bonus city"] if is_bonus else []
        return HexFacts(board["terrain"][spot["terrain"]]["base"], notes, is_starred=is_bonus)

    def value(view: View, city: dict[str, Any]) -> Value:
        alone, shared = earned(board, view, city)
        companies = places.standing(view, city["id"])
        if companies == 0:
            return Value(str(alone), str(shared))
        return Value(str(alone) if companies == 1 else f"{shared} each")

    return HexMap(
        board,
        facts,
        lambda view: {city["id"]: value(view, city) for city in cities},
        income="income, alone / shared where no company is",
        more_legend="; ★ bonus city" if bonus_cities else "",
        is_pointy=board["grid"]["orientation"] == "pointy-top",
        scenery=SCENERY,
        card=Card(printable(board["title"]).partition(",")[0], _bonus_note(board), board["links"]["cities"])
        if bonus_cities
        else None,
    )


def _bonus_note(board: WireBoard) -> str:
    return f"Join two stars: income +${board['links']['income_per_pair']}"
