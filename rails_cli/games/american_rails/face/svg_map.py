"""The board of American Rails as SVG."""

from typing import Any

from protocol.american_rails import View
from rails_cli.games.american_rails.face.places import earned
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.svg_map import HexFacts, HexMap


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
