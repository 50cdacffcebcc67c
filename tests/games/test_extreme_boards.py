"""Tests of players and evaluations on boards with extreme values, such as free land, no cash or very many shares."""

import json
from collections.abc import Callable
from itertools import pairwise
from math import isfinite
from typing import Any

import pytest

from rails_cli.games import board_file, load_evaluation, load_game, load_players
from rails_cli.games.evaluation import Evaluation
from rails_cli.games.game import check_listed, without_info_fields
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy

PLAYERS = 3
DECISIONS = 90
STRIDE = 6
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
    """Replace the routes of the board `file` by `links` between cities. Each new route has `pieces` pieces.

    The first city of the first link becomes the start city, the last city of the last link the end city.
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


BOARDS: dict[str, dict[str, Callable[[File], None]]] = {
    "chicago_express": {
        "free land": with_land_cost(0),
        "dear where others are": with_land_cost(14, "city", "industrial"),
        "dear cities": with_land_cost(40, "city", "industrial"),
        "unpayable land": with_land_cost(VERY_MANY),
        "no cash": no_cash,
        "long scales": long_scales,
        "one railway": one_railway_and_wabash,
        "very many of everything": very_many,
    },
    "american_rails": {
        "free land": with_cube_cost(0),
        "dear land": with_cube_cost(250),
        "no cash": players_without_cash,
        "one company": one_company_for_a_phase,
        "spaces in another order": pass_in_second_space,
    },
    "last_spike": {
        "nothing costs or pays": with_costs_and_payouts(0),
        "high amounts": with_costs_and_payouts(10**9),
        "nothing for sale": one_property_a_city,
        "long routes": two_long_routes,
        "maze": two_long_lines_and_a_maze,
    },
}


@pytest.mark.parametrize(("name", "board"), [(name, board) for name, boards in BOARDS.items() for board in boards])
def test_all_players_answer_legally_on_extreme_boards(name: str, board: str) -> None:
    """A random player and `medium` choose actions alternately.

    At every sixth decision all players must answer legally.
    """
    game, players, evaluation = load_game(name), load_players(name), load_evaluation(name)
    assert evaluation is not None
    evaluation = evaluation.weighing(evaluation.weights)
    file = json.loads(board_file(name))
    BOARDS[name][board](file)
    table = game.read_board(json.dumps(file).encode())
    chance = stream(1)
    state = game.setup(table, PLAYERS, game.options_type(), 1, None)
    for decision in range(DECISIONS):
        if state.pending is None:
            break
        legal = game.legal_actions(state, table)
        view = game.view(state, table, state.pending.seat)
        if decision % STRIDE == 0:
            for think in players.values():
                check_listed(legal, without_info_fields(think(view, legal, table)))
            check_listed(legal, without_info_fields(players["medium"](view, legal, table, chance)))
            check_evaluation(name, table, evaluation, state)
        action = (
            choose_busy(legal, chance) if decision % 2 else without_info_fields(players["medium"](view, legal, table))
        )
        game.apply(state, table, action, None)


def check_evaluation(name: str, board: Any, evaluation: Evaluation[Any, Any], state: Any) -> None:
    """Assert that the values of `evaluation` in `state` are finite and its candidates are legal sequences of moves."""
    game = load_game(name)
    seats = len(game.scores(state))
    assert sum(map(isfinite, evaluation.worth(state, board))) == seats
    assert isfinite(evaluation.spread(state, board))
    if evaluation.limits is not None and hasattr(state.pending, "still_in"):
        assert len(evaluation.limits(state, board)) == seats
    if evaluation.policy is not None:
        assert evaluation.policy(state, board) in game.moves.legal(state, board)
    runs = evaluation.candidates(state, board)
    assert 1 <= len(runs) == len(set(runs))
    for run in runs:
        after = state.copy()
        for move in run:
            assert after.pending.seat == state.pending.seat
            assert move in game.moves.legal(after, board)
            game.moves.apply(after, board, move)
        assert all(map(isfinite, evaluation.worth(after, board)))
