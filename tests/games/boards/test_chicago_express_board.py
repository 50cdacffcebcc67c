"""Tests of the Chicago Express board: the standard board, and the messages for mistakes in board files."""

import json
from collections import Counter
from typing import Any

import pytest

from rails_cli.games import standard_board
from rails_cli.games.chicago_express import GAME
from rails_cli.games.chicago_express.board import Board, board_notes, read_board, wire_board
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy
from rails_cli.protocol.chicago_express import Options
from tests.games.audits.chicago_express import audit
from tests.games.boards.board_files import Change, changed, hex_of, mistakes

BOARD: Board = standard_board("chicago_express")


def test_neighbours_are_symmetric() -> None:
    for place, beside in enumerate(BOARD.neighbours):
        assert place not in beside
        assert 1 <= len(beside) <= 6
        assert all(place in BOARD.neighbours[other] for other in beside)


def test_the_standard_board_has_the_known_numbers_of_hexes_and_components() -> None:
    terrain = Counter(entry.terrain for entry in BOARD.file.hexes)
    assert terrain == {"plain": 73, "forest": 41, "city": 23, "mountain": 16, "start": 4, "industrial": 3}
    assert BOARD.company_ids == ["PRR", "BO", "CO", "NYC", "WAB"]
    assert sum(BOARD.locomotives) == 103
    assert sum(BOARD.shares) == 20
    assert all(players * cash == 120 for players, cash in BOARD.cash.items())


@pytest.mark.parametrize(
    ("place", "beside"),
    [
        ("A2", ["A3", "B2"]),
        ("S3", ["R2", "R3", "S2", "S4"]),
        ("D3", ["C3", "C4", "D2", "D4", "E3", "E4"]),
        ("Q3", ["P2", "P3", "Q2", "Q4", "R2", "R3"]),
        ("Q9", ["P8", "P9", "Q8"]),
    ],
)
def test_known_hexes_have_the_right_neighbours(place: str, beside: list[str]) -> None:
    assert [BOARD.hex_ids[number] for number in BOARD.neighbours[BOARD.hex_number[place]]] == beside


def test_coordinates_agree_with_the_hex_ids() -> None:
    for entry in BOARD.file.hexes:
        column, row = ord(entry.id[0]) - ord("A"), int(entry.id[1:])
        assert (entry.q, entry.r) == (column, row - (column - (column & 1)) // 2)


def test_notes_of_the_standard_board_and_its_form_for_clients() -> None:
    notes = board_notes(BOARD)
    assert notes.name == "standard"
    printed = 41 + 12 + 3 + 4 + 11  # cash for forests, terrain, costs, incomes, names
    assert notes.counts == {"derived": 320, "printed": printed, "single_source": 449 - printed, "reconstructed": 19}
    assert len(notes.uncertain) == 22
    assert notes.provenance
    wire = wire_board(BOARD)
    assert json.loads(json.dumps(wire)) == wire
    assert wire["hexes"][0]["neighbours"] == ["A3", "B2"]
    assert wire["companies"][4]["id"] == "WAB"


# Mistakes in board files

CHANGES: list[tuple[str, Change]] = [
    ("hex K3: cost -2 is below 0", lambda b: hex_of(b, "K3").update(cost=-2)),
    ("hex K3: cost 2000000 is above 1000000", lambda b: hex_of(b, "K3").update(cost=2_000_000)),
    ("hex A2: income -7 is below 0", lambda b: hex_of(b, "A2").update(income=-7)),
    ("hex K3: forest needs cost", lambda b: hex_of(b, "K3").pop("cost")),
    ("hex K3: forest needs develop_cash", lambda b: hex_of(b, "K3").pop("develop_cash")),
    ("hex K3: forest has no income", lambda b: hex_of(b, "K3").update(income=1)),
    ("hex J6: mountain needs develop", lambda b: hex_of(b, "J6").pop("develop")),
    ("hex A2: Chicago has no develop", lambda b: hex_of(b, "A2").update(develop=1)),
    ("hex R5: start has no cost", lambda b: hex_of(b, "R5").update(cost=1)),
    ("hex R5: start needs income", lambda b: hex_of(b, "R5").pop("income")),
    ("hex A3: lies at q 0, r 2 like hex A2", lambda b: hex_of(b, "A3").update(r=2)),
    ("hex A3: no company can reach it", lambda b: hex_of(b, "A3").update(q=-50)),
    ("hex A2: id used 2 times", lambda b: hex_of(b, "A3").update(id="A2")),
    ("hex 'A 3': an id is 1 to 24 letters, digits and underscores", lambda b: hex_of(b, "A3").update(id="A 3")),
    ("hex A3: name must be 1 to 80 printable characters", lambda b: hex_of(b, "A3").update(name="\n")),
    ("hex A3: Invalid enum value 'swamp' - at `$.terrain`", lambda b: hex_of(b, "A3").update(terrain="swamp")),
    ("hex A3: Expected `int | null`, got `str` - at `$.cost`", lambda b: hex_of(b, "A3").update(cost="1")),
    ("hex A3: Object contains unknown field `price`", lambda b: hex_of(b, "A3").update(price=1)),
    ("hex A3: q 9000000 is above 1000000", lambda b: hex_of(b, "A3").update(q=9_000_000)),
    ("hex number 2: Expected `object`, got `int`", lambda b: b["hexes"].__setitem__(1, 5)),
    ("hexes: 0 of them, expected 1 to 1000", lambda b: b.update(hexes=[])),
    ("chicago: no such hex Z9", lambda b: b.update(chicago="Z9")),
    ("chicago: hex A3 is plain, expected city", lambda b: b.update(chicago="A3")),
    ("scale A3: hex is plain, expected industrial", lambda b: b["scales"][0].update(hex="A3")),
    ("scale Z9: no such hex", lambda b: b["scales"][0].update(hex="Z9")),
    ("scale I6: given twice", lambda b: b["scales"][0].update(hex="I6")),
    ("hex K4: industrial needs a scale", lambda b: b["scales"].pop(2)),
    ("scale I6: values must be there and rise", lambda b: b["scales"][1].update(values=[3, 3])),
    ("scale K4: values must be there and rise", lambda b: b["scales"][2].update(values=[])),
    ("scale I6: value -3 is below 0", lambda b: b["scales"][1].update(values=[-3, 3])),
    ("scales: 0 of them move at the dividend, expected 1", lambda b: b["scales"][0].update(moves="develop")),
    ("scales: 2 of them move at the dividend, expected 1", lambda b: b["scales"][1].update(moves="dividend")),
    ("end: detroit_at 9 is not on the scale of hex E0", lambda b: b["end"].update(detroit_at=9)),
    ("company BO: start Z9 is not a hex", lambda b: b["companies"][1].update(start="Z9")),
    ("company BO: start A3 is plain, expected start", lambda b: b["companies"][1].update(start="A3")),
    ("company WAB: start A3 is plain, expected city", lambda b: b["companies"][4].update(start="A3")),
    ("company WAB: start A2 is Chicago", lambda b: b["companies"][4].update(start="A2")),
    ("company BO: start R5 is also the start of PRR", lambda b: b["companies"][1].update(start="R5")),
    ("hex Q7: start city of no company", lambda b: b["companies"].pop(1)),
    ("company BO: shares 0 is below 1", lambda b: b["companies"][1].update(shares=0)),
    ("company BO: locomotives 0 is below 1", lambda b: b["companies"][1].update(locomotives=0)),
    ("company BO: needs opening_bid", lambda b: b["companies"][1].pop("opening_bid")),
    ("company WAB: has no opening_bid", lambda b: b["companies"][4].update(opening_bid=1)),
    ("company BO: opening_bid -1 is below 0", lambda b: b["companies"][1].update(opening_bid=-1)),
    ("company PRR: id used 2 times", lambda b: b["companies"][1].update(id="PRR")),
    ("company BO: name must be 1 to 80 printable characters", lambda b: b["companies"][1].update(name="")),
    ("companies: 0 of them open at Chicago, expected 1", lambda b: b["companies"].pop(4)),
    ("companies: 0 of them, expected 2 to 8", lambda b: b.update(companies=[])),
    ("dials: expand 0 is below 1", lambda b: b["dials"].update(expand=0)),
    ("expand_max 0 is below 1", lambda b: b.update(expand_max=0)),
    ("houses -1 is below 0", lambda b: b.update(houses=-1)),
    ("cash: nothing for 4 players", lambda b: b["cash"].pop("4")),
    ("cash 7: not a number of players from 2 to 6", lambda b: b["cash"].update({"7": 17})),
    ("cash 2: cash -60 is below 0", lambda b: b["cash"].update({"2": -60})),
    ("end: companies_without_shares 6 is above 5", lambda b: b["end"].update(companies_without_shares=6)),
    ("end: companies_without_locomotives 0 is below 1", lambda b: b["end"].update(companies_without_locomotives=0)),
    ("end: houses_left_at_most 20 is above 19", lambda b: b["end"].update(houses_left_at_most=20)),
    ("uncertain Z9: no such hex", lambda b: b["uncertain"][0].update(id="Z9")),
    ("origins: colour is not a field of a hex", lambda b: b["origins"].update(colour="printed")),
    ("board file: Object missing required field `dials`", lambda b: b.pop("dials")),
    ("board file: Object contains unknown field `wind`", lambda b: b.update(wind=1)),
    ("board file: Invalid enum value 2 - at `$.format`", lambda b: b.update(format=2)),
    ("this is a board of last_spike, not of chicago_express", lambda b: b.update(game="last_spike")),
    ("name must be 1 to 80 printable characters", lambda b: b.update(name="")),
]


@pytest.mark.parametrize(("line", "change"), CHANGES, ids=[line for line, _ in CHANGES])
def test_each_mistake_has_its_own_message(line: str, change: Change) -> None:
    assert line in mistakes(GAME.name, changed(GAME.name, change))


def test_the_message_for_a_mistake_is_one_printable_line() -> None:
    assert mistakes(GAME.name, changed(GAME.name, lambda board: hex_of(board, "A3").update(id="A\n3")))


def test_all_mistakes_are_reported_together() -> None:
    def set_impossible_values(board: dict[str, Any]) -> None:
        hex_of(board, "K3").update(cost=-2)
        board["companies"][0].update(shares=0)
        board["cash"].pop("3")

    assert mistakes(GAME.name, changed(GAME.name, set_impossible_values)) == [
        "hex K3: cost -2 is below 0",
        "company PRR: shares 0 is below 1",
        "cash: nothing for 3 players",
    ]

    def set_wrong_types(board: dict[str, Any]) -> None:
        hex_of(board, "K3").update(cost="two")
        hex_of(board, "K4").update(terrain="swamp")
        board["companies"][0].pop("shares")

    assert [line.split(":")[0] for line in mistakes(GAME.name, changed(GAME.name, set_wrong_types))] == [
        "hex K3",
        "hex K4",
        "company PRR",
    ]


# Other boards


def test_games_on_a_small_board_with_other_values_end() -> None:
    """Games end on a small board of three companies and seven hexes, with unusual names and values."""
    board = {
        "format": 1,
        "game": "chicago_express",
        "name": "small",
        "title": "A small board",
        "hexes": [
            {"id": "west", "q": 0, "r": 0, "terrain": "city", "name": "Far End", "cost": 2, "income": 5},
            {"id": "mill", "q": 1, "r": 0, "terrain": "industrial", "cost": 1},
            {"id": "fort", "q": 2, "r": 0, "terrain": "city", "cost": 1, "income": 2, "develop": 1},
            {"id": "wood", "q": 3, "r": 0, "terrain": "forest", "cost": 0, "develop_cash": 4},
            {"id": "left", "q": 4, "r": 0, "terrain": "start", "income": 3},
            {"id": "hill", "q": 3, "r": 1, "terrain": "mountain", "cost": 2, "income": 1, "develop": 2},
            {"id": "right", "q": 4, "r": 1, "terrain": "start", "income": 4},
        ],
        "scales": [{"hex": "mill", "values": [1, 4, 5], "moves": "dividend"}],
        "companies": [
            {"id": "L", "name": "Left", "colour": "red", "shares": 2, "locomotives": 4, "start": "left",
             "opens": "start", "opening_bid": 2},
            {"id": "F", "name": "Fort", "colour": "black", "shares": 1, "locomotives": 2, "start": "fort",
             "opens": "chicago"},
            {"id": "R", "name": "Right", "colour": "blue", "shares": 3, "locomotives": 5, "start": "right",
             "opens": "start", "opening_bid": 0},
        ],
        "chicago": "west",
        "dials": {"auction": 1, "expand": 2, "develop": 2},
        "expand_max": 2,
        "houses": 3,
        "cash": {"2": 30, "3": 20, "4": 15, "5": 12, "6": 10},
        "end": {
            "companies_without_locomotives": 2,
            "companies_without_shares": 2,
            "houses_left_at_most": 0,
            "detroit_at": 5,
        },
    }  # fmt: skip
    read = read_board(json.dumps(board).encode())
    for players in GAME.players:
        for seed in range(6):
            assert _play(read, players, seed, longest=5_000), "the game did not end"


def _play(board: Board, players: int, seed: int, longest: int) -> bool:
    """Play at most `longest` actions of a random game and check every position. Return whether the game ended."""
    state = GAME.setup(board, players, Options("before_action" if seed % 2 else "after_action"), seed, [])
    chance = stream(seed)
    for _ in range(longest):
        audit(state, board)
        if state.pending is None:
            return True
        GAME.apply(state, board, choose_busy(GAME.legal_actions(state, board), chance), [])
        assert GAME.dump(GAME.load(GAME.dump(state), board)) == GAME.dump(state)
    return False
