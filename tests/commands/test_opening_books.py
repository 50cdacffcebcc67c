"""Books of openings: made, checked, shown, and played from; a book that does not fit is refused in words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.match.replay import verify
from tests.support.tools import ROOT, rails

GREEDY = "builtin:greedy"
MAKE = ("openings", "make", "chicago_express", "--players", "3", "--games-each", "2", "--by", "greedy", "--out")
COUNT = 4


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("books") / "ce3.jsonl"
    result = run(*MAKE, str(file), "--count", str(COUNT))
    assert result.exit_code == 0, result.output
    return file


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def written(lines: list[dict[str, Any]], file: Path) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_a_book_is_good_and_the_same_again(book: Path, tmp_path: Path) -> None:
    header, *entries = lines_of(book)
    assert (header["game"], header["players"], header["board"], header["by"]) == (
        "chicago_express",
        3,
        "standard",
        ["greedy"],
    )
    assert [entry["number"] for entry in entries] == list(range(1, COUNT + 1))
    for entry in entries:
        shares = [seat["share"] for seat in entry["balance"]]
        assert sum(shares) == pytest.approx(1, abs=1e-3)
        assert max(shares) <= 0.6
        assert all(seat["low"] <= seat["share"] <= seat["high"] for seat in entry["balance"])
    told = run("openings", "check", str(book)).output
    assert "4 openings, all valid; how often each seat wins was not measured again" in told
    again = tmp_path / "again.jsonl"
    assert run(*MAKE, str(again), "--count", "2").exit_code == 0
    assert again.read_bytes().splitlines() == book.read_bytes().splitlines()[:3]
    schema = json.loads((ROOT / "schemas/chicago_express.json").read_text(encoding="utf-8"))
    checker = jsonschema_rs.Draft202012Validator({"$ref": "#/$defs/BookLine", "$defs": schema["$defs"]})
    for line in (header, *entries):
        checker.validate(line)


def test_a_book_is_shown_in_words(book: Path) -> None:
    shown = run("openings", "show", str(book), "--entry", "2").output
    assert shown.startswith("Chicago Express for 3: 4 openings by greedy\n\n2. won in 2 games: seat 1 ")
    assert "for the first PRR share" in shown
    assert "\n3. " not in shown
    told = json.loads(run("openings", "show", str(book), "--json").output)
    assert len(told["entries"]) == COUNT
    missing = run("openings", "show", str(book), "--entry", "9")
    assert (missing.exit_code, "the last one is 4" in missing.output) == (2, True)


def test_a_match_starts_from_an_entry(book: Path, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    words = ["run", "chicago_express", *["--seat", GREEDY] * 3, "--seed", "8", "--openings", str(book)]
    assert run(*words, "--log", str(log), "--quiet").exit_code == 0
    opening = lines_of(log)[0]["opening"]
    assert (opening["source"], opening["book"]) == ("book", "ce3.jsonl")
    assert opening["actions"] == lines_of(book)[opening["entry"]]["actions"]
    assert verify(log.read_bytes()).mistake is None


def test_simulated_games_are_dealt_different_entries(book: Path, tmp_path: Path) -> None:
    words = ("simulate", "chicago_express", "--players", "3", "--games", str(COUNT), "--workers", "1", "--json")
    assert run(*words, "--openings", str(book), "--log-dir", str(tmp_path)).exit_code == 0
    entries = [lines_of(log)[0]["opening"]["entry"] for log in tmp_path.glob("*.jsonl")]
    assert sorted(entries) == [1, 2, 3, 4]


def change_action(lines: list[dict[str, Any]]) -> None:
    lines[2]["actions"][0]["amount"] = 1


def change_digest(lines: list[dict[str, Any]]) -> None:
    lines[3]["digest"] = "0" * 16


def repeat(lines: list[dict[str, Any]]) -> None:
    lines[4] = {**lines[1], "number": 4}


def renumber(lines: list[dict[str, Any]]) -> None:
    lines[1]["number"] = 7


def no_entries(lines: list[dict[str, Any]]) -> None:
    del lines[1:]


def no_actions(lines: list[dict[str, Any]]) -> None:
    lines[1]["actions"] = []


def few_seats(lines: list[dict[str, Any]]) -> None:
    del lines[1]["balance"][0]


def no_games(lines: list[dict[str, Any]]) -> None:
    lines[1]["games"] = -7


def odd_share(lines: list[dict[str, Any]]) -> None:
    lines[1]["balance"][0] = {"share": 9.9, "low": 5, "high": -3}


def too_sure(lines: list[dict[str, Any]]) -> None:
    lines[1]["balance"] = [{"share": 0.3333, "low": 0.3333, "high": 0.3333}] * 3


def all_win(lines: list[dict[str, Any]]) -> None:
    lines[2]["balance"] = [{"share": 0.5, "low": 0, "high": 1}] * 3


def odd_entry(lines: list[dict[str, Any]]) -> None:
    lines[2]["actions"][0] = {"type": "dance"}


def old_rules(lines: list[dict[str, Any]]) -> None:
    lines[0]["rules_version"] = 1


def new_format(lines: list[dict[str, Any]]) -> None:
    lines[0]["format"] = 99


def odd_players(lines: list[dict[str, Any]]) -> None:
    lines[0]["players"] = 9


def odd_option(lines: list[dict[str, Any]]) -> None:
    lines[0]["options"] = {"colour": "red"}


def odd_game(lines: list[dict[str, Any]]) -> None:
    lines[0]["game"] = "chess"


def no_header(lines: list[dict[str, Any]]) -> None:
    del lines[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change_action, "entry 2: action 1: bid 1 is below the minimum 7"),
        (change_digest, "entry 3: digest 0000000000000000; the position has"),
        (repeat, "entry 4: the same position as entry 1"),
        (renumber, "entry 1: its number is 7"),
        (no_entries, "the book has no openings"),
        (no_actions, "entry 1: it has no actions"),
        (few_seats, "entry 1: 2 seats in its balance instead of 3"),
        (no_games, "entry 1: measured by -7 games; at least 1 is needed"),
        (odd_share, "entry 1: seat 0 wins 9.9, from 5.0 to -3.0; 0 <= low"),
        (too_sure, "entry 1: seat 0 wins 0.3333, from 0.3333 to 0.3333; 0 <= low"),
        (all_win, "entry 2: its seats win 1.5 of the games together instead of all"),
        (odd_entry, "line 3: not an opening of chicago_express"),
        (old_rules, "line 1: made under rules version 1"),
        (new_format, "line 1: book format 99; this program reads format 1"),
        (odd_players, "line 1: Chicago Express is for 2 to 6 players, not 9"),
        (odd_option, "line 1: options: "),
        (odd_game, "line 1: unknown game 'chess'"),
        (no_header, "line 1: not the header of an opening book"),
    ],
)
def test_damage_is_found(
    change: Callable[[list[dict[str, Any]]], None], words: str, book: Path, tmp_path: Path
) -> None:
    lines = lines_of(book)
    change(lines)
    damaged = str(written(lines, tmp_path / "damaged.jsonl"))
    checked = run("openings", "check", damaged)
    assert (checked.exit_code, words in checked.output) == (1, True), checked.output
    assert any(
        words in mistake for mistake in json.loads(run("openings", "check", damaged, "--json").output)["mistakes"]
    )
    shown = run("openings", "show", damaged)
    assert (shown.exit_code, words in shown.output) == (1, True)
    played = run("run", "chicago_express", *["--seat", GREEDY] * 3, "--openings", damaged)
    assert (played.exit_code, words in played.output) == (2, True)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("run", "american_rails", *("--seat", GREEDY) * 4), "a book of chicago_express, not of american_rails"),
        (("run", "chicago_express", *("--seat", GREEDY) * 4), "a book for 3 players, not for 4"),
        (
            ("run", "chicago_express", *("--seat", GREEDY) * 3, "--option", "dividend_timing=before_action"),
            "a book for dividend_timing=after_action, not for dividend_timing=before_action",
        ),
        (("simulate", "chicago_express", "--players", "4"), "a book for 3 players, not for 4"),
        (("host", "chicago_express", "--players", "2"), "a book for 3 players, not for 2"),
    ],
)
def test_a_book_for_something_else_is_refused(given: tuple[str, ...], words: str, book: Path) -> None:
    result = run(*given, "--openings", str(book))
    assert (result.exit_code, words in result.output) == (2, True), result.output


def test_a_book_of_another_board_is_refused(book: Path, tmp_path: Path) -> None:
    board = tmp_path / "board.json"
    board.write_bytes((ROOT / "rails_cli/games/chicago_express/board.json").read_bytes() + b"\n")
    words = ("run", "chicago_express", *("--seat", GREEDY) * 3, "--board", str(board))
    result = run(*words, "--openings", str(book))
    assert (result.exit_code, "a book for the board standard, not for" in result.output) == (2, True)
    other = tmp_path / "other.jsonl"
    assert run(*MAKE, str(other), "--count", "1", "--board", str(board)).exit_code == 0
    assert run(*words, "--openings", str(other), "--quiet").exit_code == 0
    assert "name its file: --board" in run("openings", "check", str(other)).output
    assert "1 openings, all valid" in run("openings", "check", str(other), "--board", str(board)).output


def test_many_processes_make_the_same_book(book: Path, tmp_path: Path) -> None:
    made = tmp_path / "made.jsonl"
    done = rails(*MAKE, str(made), "--count", "1", "--workers", "2")
    assert (done.returncode, "1 opening of Chicago Express" in done.stdout) == (0, True), done.stderr
    assert made.read_bytes().splitlines() == book.read_bytes().splitlines()[:2]


@pytest.mark.parametrize("by", [[], ["medium", "easy"]])
def test_any_players_make_a_book(by: list[str], tmp_path: Path) -> None:
    made = tmp_path / "made.jsonl"
    words = ["--players", "2", "--games-each", "2", "--count", "1", "--workers", "1", "--out", str(made)]
    words += [word for name in by for word in ("--by", name)]
    assert run("openings", "make", "chicago_express", *words).exit_code == 0
    assert lines_of(made)[0]["by"] == (by or ["medium"])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("last_spike", "--players", "2"), "The Last Spike has no openings"),
        (("american_rails", "--players", "3"), "American Rails for 3 is dealt from the seed"),
        (("chicago_express", "--players", "7"), "2 to 6"),
        (("chicago_express", "--players", "3", "--by", "ace"), "there is no player 'ace'; there are"),
        (("chicago_express", "--players", "3", "--by", "search@9*2"), "others need the cores here, so try 'search@9'"),
        (
            ("chicago_express", "--players", "3", "--by", "busy"),
            "busy plays at random, so its games would show nothing",
        ),
    ],
)
def test_what_no_book_can_be_made_of(words: tuple[str, ...], problem: str, tmp_path: Path) -> None:
    result = run("openings", "make", *words, "--out", str(tmp_path / "x.jsonl"))
    assert (result.exit_code, problem in result.output) == (2, True), result.output


def test_nothing_is_overwritten(book: Path) -> None:
    result = run(*MAKE, str(book))
    assert (result.exit_code, "already exists" in result.output) == (2, True)
    assert "No such file" in run("run", "chicago_express", *["--seat", GREEDY] * 3, "--openings", "no.jsonl").output
