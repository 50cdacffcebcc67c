"""Tests of the American Rails board: the standard board, and the messages for mistakes in board files."""

import json
from collections import Counter
from typing import Any

import pytest

from rails_cli.games import board_file, standard_board
from rails_cli.games.american_rails import GAME
from rails_cli.games.american_rails.board import Board, board_notes, read_board, wire_board
from rails_cli.games.american_rails.questions import ChooseSpace
from rails_cli.games.american_rails.state import keep_caches
from rails_cli.games.shared.hexgrid import numbers_in, reachable
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy
from rails_cli.protocol.american_rails import Choose, Options
from tests.games.audits.american_rails import check_caches
from tests.games.boards.board_files import Change, changed, hex_of, mistakes

BOARD: Board = standard_board("american_rails")
STANDARD: dict[str, Any] = json.loads(board_file("american_rails"))


def test_neighbours_are_symmetric() -> None:
    neighbours = [numbers_in(near) for near in BOARD.near]
    for place, others in enumerate(neighbours):
        assert place not in others
        assert 1 <= len(others) <= 6
        assert all(place in neighbours[other] for other in others)
    assert reachable(neighbours, 0, BOARD.everywhere) == BOARD.everywhere


@pytest.mark.parametrize(
    ("place", "others"),
    [
        ("A11", ["A12", "B10", "B11"]),
        ("C01", ["B01", "C02", "D00", "D01"]),
        ("F06", ["E06", "E07", "F05", "F07", "G06", "G07"]),
        ("E05", ["D04", "D05", "E04", "E06", "F04", "F05"]),
    ],
)
def test_known_hexes_have_the_right_neighbours(place: str, others: list[str]) -> None:
    assert BOARD.hex_list(BOARD.near[BOARD.hex_number[place]]) == others


def test_coordinates_agree_with_the_hex_ids() -> None:
    for entry in BOARD.hexes:
        row, column = ord(entry.id[0]) - ord("A"), int(entry.id[1:])
        assert (entry.q, entry.r) == (column - (row - row % 2) // 2, row)


def test_the_standard_board_has_the_known_numbers_of_hexes_and_components() -> None:
    assert Counter(entry.terrain for entry in BOARD.hexes) == {"forest": 94, "plain": 62, "city": 39, "mountain": 20}
    assert sum(entry.cubes for entry in BOARD.company_files) == 144
    assert sum(BOARD.shares) == 21
    cities = [entry for entry in BOARD.hexes if entry.terrain == "city"]
    barred = {entry.name for entry in cities if not entry.developable}
    assert barred == {"New York", "Baltimore", "Philadelphia", "Boston", "Chicago"}
    assert [BOARD.names[city] for city in numbers_in(BOARD.link_cities)] == ["Chicago", "New York", "Atlanta"]
    assert {(entry.full, entry.shared) for entry in cities if entry.name == "Buffalo"} == {(4, 3)}


def test_notes_of_the_standard_board_and_its_form_for_clients() -> None:
    notes = board_notes(BOARD)
    assert notes.name == "standard"
    assert "Rulebook" in notes.provenance
    assert "digitisation" in notes.provenance
    assert "row Q" in notes.provenance
    cities = [entry for entry in BOARD.hexes if entry.terrain == "city"]
    assert notes.counts == {
        "printed": 21,
        "single_source": 2 * len(BOARD.hexes) + 4 * len(cities) - 6 - 21,
        "derived": 0,
        "reconstructed": 6,
    }, "two values for each hex and four more for each city, except the reconstructed places of row Q"
    assert len(notes.uncertain) == 5
    assert len(notes.sources) == 2
    wire = wire_board(BOARD)
    assert json.loads(json.dumps(wire)) == wire
    assert wire["hexes"][0] == {**hex_of(STANDARD, "A11"), "neighbours": ["A12", "B10", "B11"]}
    assert wire["hexes"][1] == {
        **hex_of(STANDARD, "A12"),
        **dict.fromkeys(("name", "full", "shared", "developable")),
        "neighbours": ["A11", "A13", "B11", "B12"],
    }
    assert wire["links"] == {"cities": ["B02", "D16", "M06"], "income_per_pair": 10}
    assert wire["companies"] == STANDARD["companies"]
    assert "provenance" not in wire


# Mistakes in board files

CHANGES: list[tuple[str, Change]] = [
    ("format: 2 is unknown; this program reads 1", lambda b: b.update(format=2)),
    ("this is a board of last_spike, not of american_rails", lambda b: b.update(game="last_spike")),
    ("name must be 1 to 80 printable characters", lambda b: b.update(name="")),
    ("title must be 1 to 80 printable characters", lambda b: b.update(title="x" * 81)),
    ("players 4: is missing", lambda b: b["players"].pop("4")),
    ("players 6: is not one of 3, 4, 5", lambda b: b["players"].update({"6": b["players"]["5"]})),
    ("players 3: cash -1 is below 0", lambda b: b["players"]["3"].update(cash=-1)),
    ("players 3: companies_removed 6 is above 5", lambda b: b["players"]["3"].update(companies_removed=6)),
    ("players 3: low_supplies 0 is below 1", lambda b: b["players"]["3"].update(low_supplies=0)),
    ("companies: their number 0 is below 1", lambda b: b.update(companies=[])),
    ("company American: appears 2 times in the file", lambda b: b["companies"][1].update(id="American")),
    ("company : id must be 1 to 80 printable characters", lambda b: b["companies"][1].update(id="")),
    ("company National: colour must be 1 to 80 printable characters", lambda b: b["companies"][1].update(colour="")),
    ("company National: cubes 1 is below 2", lambda b: b["companies"][1].update(cubes=1)),
    ("company National: shares 0 is below 1", lambda b: b["companies"][1].update(shares=0)),
    ("company National: shares 201 is above 200", lambda b: b["companies"][1].update(shares=201)),
    ("company National: Expected `int`, got `str` - at `$.cubes`", lambda b: b["companies"][1].update(cubes="31")),
    ("markers -1 is below 0", lambda b: b.update(markers=-1)),
    ("low_supply -1 is below 0", lambda b: b.update(low_supply=-1)),
    ("years: their number 0 is below 1", lambda b: b.update(years=[])),
    ("years: 1853 does not follow 1851", lambda b: b["years"].pop(1)),
    ("years: 0 is not between 1 and 9999", lambda b: b.update(years=[0])),
    ("phases 0 is below 1", lambda b: b.update(phases=0)),
    ("spaces: fund is missing", lambda b: b["spaces"].remove("fund")),
    ("spaces: pass: appears 2 times in the file", lambda b: b["spaces"].append("pass")),
    ("minimum_bid 0 is below 1", lambda b: b.update(minimum_bid=0)),
    ("fund -5 is below 0", lambda b: b.update(fund=-5)),
    ("take -2 is below 0", lambda b: b.update(take=-2)),
    ("expansion expand3: cubes 0 is below 1", lambda b: b["expansion"].update(expand3=0)),
    ("terrain forest: base -3 is below 0", lambda b: b["terrain"]["forest"].update(base=-3)),
    ("terrain plain: per_piece -2 is below 0", lambda b: b["terrain"]["plain"].update(per_piece=-2)),
    ("terrain plain: the dearest cube, at 702 is above 250", lambda b: b["terrain"]["plain"].update(per_piece=100)),
    ("terrain forest: limit 0 is below 1", lambda b: b["terrain"]["forest"].update(limit=0)),
    (
        "terrain city: limit is not null, but a city holds a cube of every company",
        lambda b: b["terrain"]["city"].update(limit=2),
    ),
    ("development: full -1 is below 0", lambda b: b["development"].update(full=-1)),
    ("development: shared -1 is below 0", lambda b: b["development"].update(shared=-1)),
    ("links: income_per_pair -1 is below 0", lambda b: b["links"].update(income_per_pair=-1)),
    ("links: 'Boise' is not a city of this board", lambda b: b["links"]["cities"].append("Boise")),
    ("links: Chicago: appears 2 times in the file", lambda b: b["links"]["cities"].append("Chicago")),
    ("hexes: their number 0 is below 1", lambda b: b.update(hexes=[])),
    ("hex A11: appears 2 times in the file", lambda b: hex_of(b, "A12").update(id="A11")),
    ("city Buffalo: appears 2 times in the file", lambda b: hex_of(b, "A14").update(name="Buffalo")),
    ("hex A12: stands at q 11, r 0, where A11 is", lambda b: hex_of(b, "A12").update(q=11)),
    ("hex A12: q 2000000 is above 1000000", lambda b: hex_of(b, "A12").update(q=2_000_000)),
    ("hex A12: cannot be reached from A11", lambda b: hex_of(b, "A12").update(q=-90)),
    ("hex A12: is not a city, but has a name, a value or developable", lambda b: hex_of(b, "A12").update(full=3)),
    ("hex A11: name must be 1 to 80 printable characters", lambda b: hex_of(b, "A11").pop("name")),
    ("hex A11: developable is missing", lambda b: hex_of(b, "A11").pop("developable")),
    ("hex A11: full or shared value is missing", lambda b: hex_of(b, "A11").pop("shared")),
    ("hex A11: full value -4 is below 0", lambda b: hex_of(b, "A11").update(full=-4)),
    ("hex A11: shared value 5 is above the full value 4", lambda b: hex_of(b, "A11").update(shared=5)),
    ("hex A12: Invalid enum value 'swamp' - at `$.terrain`", lambda b: b["hexes"][1].update(terrain="swamp")),
    ("hex number 2: Expected `object`, got `int`", lambda b: b["hexes"].__setitem__(1, 7)),
    ("hex A12: Object contains unknown field `cost`", lambda b: b["hexes"][1].update(cost=3)),
    (
        "hexes: 5 cities are too few for 6 companies to start in",
        lambda b: b.update(hexes=[entry for entry in b["hexes"] if entry["terrain"] == "city"][:5]),
    ),
    ("provenance: 'Z99' is not a hex of this board", lambda b: b["provenance"]["reconstructed"].append("Z99")),
    ("board file: Object missing required field `years`", lambda b: b.pop("years")),
    ("board file: Object contains unknown field `wind`", lambda b: b.update(wind=1)),
]


@pytest.mark.parametrize(("line", "change"), CHANGES, ids=[line for line, _ in CHANGES])
def test_each_mistake_has_its_own_message(line: str, change: Change) -> None:
    assert line in mistakes(GAME.name, changed(GAME.name, change))


def test_the_message_for_a_mistake_is_one_printable_line() -> None:
    assert mistakes(GAME.name, changed(GAME.name, lambda board: hex_of(board, "A12").update(id="A\n12\u2028")))


def test_all_mistakes_are_reported_together() -> None:
    def set_impossible_values(board: dict[str, Any]) -> None:
        hex_of(board, "A11").update(full=-2, shared=-3)
        board["companies"][0].update(shares=0)
        board["players"].pop("3")

    assert mistakes(GAME.name, changed(GAME.name, set_impossible_values)) == [
        "players 3: is missing",
        "company American: shares 0 is below 1",
        "hex A11: full value -2 is below 0",
        "hex A11: shared value -3 is below 0",
    ]

    def set_wrong_types(board: dict[str, Any]) -> None:
        board["hexes"][4]["q"] = "two"
        board["hexes"][7]["terrain"] = "swamp"
        board["companies"][0].pop("shares")

    assert [line.split(":")[0] for line in mistakes(GAME.name, changed(GAME.name, set_wrong_types))] == [
        "company American",
        "hex A15",
        "hex A18",
    ]


# Other boards


def play(board: Board, players: int, seed: int) -> Any:
    """Play a random game and check the cached values of its positions. Return the last state."""
    state = GAME.setup(board, players, Options(), seed, None)
    chance = stream(seed)
    count = 0
    while state.pending is not None:
        GAME.apply(state, board, choose_busy(GAME.legal_actions(state, board), chance), [])
        assert sum(state.money) == 0
        count += 1
        if count % 10 == 0:
            check_caches(state, board)
    return state


def small_board() -> dict[str, Any]:
    """Return a decoded board file with two companies and two cities in a row of eight hexes.

    Names and values are unusual.
    """
    cities = {0: ("West", 9, 0), 7: ("East", 3, 3)}
    line: list[dict[str, Any]] = [
        {"id": f"h{q}", "q": q, "r": 0, "terrain": ("plain", "forest", "mountain")[q % 3]} for q in range(8)
    ]
    for q, (name, full, shared) in cities.items():
        line[q] = {"id": f"h{q}", "q": q, "r": 0, "terrain": "city", "name": name, "full": full, "shared": shared}
        line[q]["developable"] = q == 7
    board = {key: value for key, value in json.loads(board_file("american_rails")).items() if key != "provenance"}
    board.update(
        name="line",
        title="A line",
        companies=[
            {"id": "Red", "colour": "red", "cubes": 20, "shares": 2},
            {"id": "Blue", "colour": "blue", "cubes": 3, "shares": 1},
        ],
        years=[1900, 1901],
        phases=2,
        markers=1,
        minimum_bid=1,
        links={"cities": ["West", "East"], "income_per_pair": 4},
        hexes=line,
    )
    board["terrain"]["forest"]["limit"] = 2
    board["terrain"]["mountain"]["per_piece"] = 1
    board["spaces"].reverse()
    return board


@pytest.mark.parametrize("players", [3, 4, 5])
def test_games_on_a_small_board_with_other_values_end(players: int) -> None:
    board = read_board(json.dumps(small_board()).encode())
    for seed in range(20):
        state = play(board, players, seed)
        assert state.pending is None
        assert GAME.end_reasons(state, board)
        shown = GAME.view(state, board, 0)
        assert [company.id for company in shown.companies] == ["Red", "Blue"]
        assert all(len(column) == players for column in shown.columns)


def test_a_board_may_allow_two_cubes_in_a_forest() -> None:
    board = read_board(json.dumps(small_board()).encode())
    state = GAME.setup(board, 4, Options(), 0, None)
    state.lots, state.pending, state.order = 0, ChooseSpace(0), [0, 1, 2, 3]
    state.track = [0b1, 0b100]
    state.cubes = [cubes - 1 for cubes in board.cubes]
    keep_caches(state, board)
    text = GAME.dump(state)
    assert list(GAME.load(text, board).cost[:3]) == [4, 3, 5 if board.file.terrain.mountain.limit is None else 255]
    state.track = [0b11, 0b110]
    state.cubes = [cubes - 2 for cubes in board.cubes]
    keep_caches(state, board)
    assert GAME.load(GAME.dump(state), board).cost[1] == 255


def test_pass_is_the_last_legal_entry_on_a_board_with_reversed_spaces() -> None:
    board = read_board(json.dumps(small_board()).encode())
    state = GAME.setup(board, 4, Options(), 0, None)
    while type(state.pending) is not ChooseSpace:
        GAME.apply(state, board, GAME.legal_actions(state, board)[-1], None)
    assert GAME.legal_actions(state, board)[-1] == Choose("pass")


def test_a_board_without_provenance_has_notes() -> None:
    notes = board_notes(read_board(json.dumps(small_board()).encode()))
    assert (notes.name, notes.counts["printed"], notes.uncertain) == ("line", 24, [])
