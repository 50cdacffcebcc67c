"""The map of American Rails: costs and income of hexes as text, as numbers and as SVG."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from rails_cli.games.american_rails.board import building_cost, city_values
from rails_cli.games.decision import Decision
from rails_cli.games.game import WireBoard
from rails_cli.games.railways import places
from rails_cli.games.railways.svg_map import HexFacts, HexMap
from rails_cli.protocol.american_rails import View


def cost(board: Mapping[str, Any], view: Any, place: Any) -> int | None:
    """Return the cost of the next cube in a hex, or None if the hex has no room."""
    spot = place["id"]
    return building_cost(
        **board["terrain"][place["terrain"]], pieces=places.standing(view, spot) + (spot in view.developed)
    )


def earned(board: Mapping[str, Any], view: Any, place: Any) -> tuple[int, int]:
    """Return two yearly incomes from the hex `place`: of a company alone there, and of each of several companies."""
    return city_values(place["full"], place["shared"], board["development"])[place["id"] in view.developed]


def worth(board: Mapping[str, Any], view: Any, place: Any) -> int:
    """Return the yearly income that one more company would have in the hex `place`."""
    return earned(board, view, place)[1 if places.standing(view, place["id"]) else 0]


def link_bonus(board: Mapping[str, Any], track: Collection[str], spot: str) -> int:
    """Return the income from new links if a company with cubes in the hexes `track` enters the hex `spot`."""
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


def board_map(board: WireBoard) -> HexMap:
    bonus_cities = set(board["links"]["cities"])
    cities = [spot for spot in board["hexes"] if spot["full"] is not None]

    def facts(spot: dict[str, Any]) -> HexFacts:
        is_city = spot["full"] is not None
        is_bonus = spot["id"] in bonus_cities
        notes = [f"earns ${spot['full']}, or ${spot['shared']} for each company if shared"] if is_city else []
        notes += ["a bonus city"] if is_bonus else []
        return HexFacts(board["terrain"][spot["terrain"]]["base"], notes, is_city, is_bonus)

    def values(view: View) -> dict[str, str]:
        return {city["id"]: "{}/{}".format(*earned(board, view, city)) for city in cities}

    return HexMap(
        board,
        facts,
        values,
        income="income alone/shared",
        more_legend="; ★ bonus city" if bonus_cities else "",
        is_pointy=board["grid"]["orientation"] == "pointy-top",
    )
