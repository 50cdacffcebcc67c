"""Changes that give the boards of the three games extreme values, such as free land, no cash or very many shares."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

VERY_MANY = 1_000_000
File = dict[str, Any]


# Chicago Express


def with_land_cost(cost: int, *terrain: str) -> Callable[[File], None]:
    def change(file: File) -> None:
        for place in file["hexes"]:
            if place.get("cost") is not None and (not terrain or place["terrain"] in terrain):
                place["cost"] = cost

    return change


def no_cash(file: File) -> None:
    file["cash"] = dict.fromkeys(file["cash"], 0)


def long_scales(file: File) -> None:
    for scale in file["scales"]:
        scale["values"] = list(range(1, 401))
    file["end"]["detroit_at"] = 400


def one_railway_and_wabash(file: File) -> None:
    file["companies"] = [company for company in file["companies"] if company["id"] in ("PRR", "WAB")]
    for place in file["hexes"]:
        if place["terrain"] == "start" and place["id"] != file["companies"][0]["start"]:
            place |= {"terrain": "plain", "cost": 2, "income": None}
    file["end"] |= {"companies_without_locomotives": 1, "companies_without_shares": 2}


def very_many(file: File) -> None:
    for company in file["companies"]:
        company |= {"shares": VERY_MANY, "locomotives": VERY_MANY}
    file |= {"expand_max": VERY_MANY, "houses": VERY_MANY, "dials": dict.fromkeys(file["dials"], VERY_MANY)}


# American Rails


def with_cube_cost(base: int) -> Callable[[File], None]:
    def change(file: File) -> None:
        for terrain in file["terrain"].values():
            terrain |= {"base": base, "per_piece": 0}

    return change


def players_without_cash(file: File) -> None:
    for rules in file["players"].values():
        rules["cash"] = 0


def one_company_for_a_phase(file: File) -> None:
    file |= {"companies": file["companies"][:1], "years": file["years"][:1], "phases": 1, "markers": 0}
    for rules in file["players"].values():
        rules["companies_removed"] = 0


def pass_in_second_space(file: File) -> None:
    file["spaces"].insert(1, file["spaces"].pop(0))


# The Last Spike


def with_costs_and_payouts(amount: int) -> Callable[[File], None]:
    def change(file: File) -> None:
        for route in file["routes"]:
            for piece in route["pieces"]:
                piece["cost"] = amount
        for city in file["cities"]:
            for payout in city["payout"]:
                payout["amount"] = amount

    return change


def one_property_a_city(file: File) -> None:
    for city in file["cities"]:
        city |= {"properties": city["properties"][:1], "payout": city["payout"][:1]}


def replace_routes(file: File, links: list[tuple[str, str]], pieces: int) -> None:
    """Replace the routes of the board `file` by `links`, which are pairs of cities. Each new route has `pieces` pieces.

    The first city of the first link becomes the start city. The second city of the last link becomes the end city.
    """
    city, route = file["cities"][0], file["routes"][0]
    names = list(dict.fromkeys(name for link in links for name in link))
    file["cities"] = [
        {
            **city,
            "id": name,
            "x": number,
            "properties": [{**lot, "id": f"{name}-{lot['id']}"} for lot in city["properties"]],
        }
        for number, name in enumerate(names)
    ]
    file["routes"] = [
        {
            **route,
            "id": f"R{number}",
            "from": one,
            "to": other,
            "pieces": [{**route["pieces"][0], "id": f"R{number}-{piece}"} for piece in range(pieces)],
        }
        for number, (one, other) in enumerate(links)
    ]
    file["start_city"]["value"], file["end_city"]["value"] = links[0][0], links[-1][1]


def two_long_routes(file: File) -> None:
    replace_routes(file, [("A", "B"), ("A", "B")], 100)


def two_long_lines_and_a_maze(file: File) -> None:
    """Replace the routes by a maze and two long lines to the end city.

    The maze has so many paths that a limited search may miss the paths to the end city.
    """
    size, length = 5, 14
    across = [(f"{x}-{y}", f"{x + 1}-{y}") for x in range(size - 1) for y in range(size)]
    down = [(f"{x}-{y}", f"{x}-{y + 1}") for x in range(size) for y in range(size - 1)]
    lines = [["0-0", *(f"{line}{step}" for step in range(length)), "end"] for line in "ab"]
    replace_routes(file, [*across, *down, *(link for line in lines for link in pairwise(line))], 2)
