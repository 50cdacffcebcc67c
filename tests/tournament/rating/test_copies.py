"""Tests of identical games in a tournament: copies are found, reported, and counted as one game."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.games.shared.luck import stream
from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.copies import copied_groups, distinct
from rails_cli.tournament.rating.standings import make_table
from rails_cli.tournament.results.store import Store
from rails_cli.tournament.schedule.sequence import StoppingCheck
from rails_cli.tournament.schedule.stopping_rules import Better
from tests.support import tournaments
from tests.support.plackett_luce_games import game_result
from tests.support.short_boards import short_board
from tests.support.tools import bot

COPIES = "6 of 12 games are copies of others: these bots always play the same game. Use openings."
WITHOUT_LUCK = ["--game", "chicago_express", "--set", "openings=none", "--players", "3"]
FOR_TWO = [*WITHOUT_LUCK[:-1], "2"]
THREE = ["--entrant", "ant=builtin:greedy", "--entrant", "bee=builtin:greedy", "--entrant", "cow=builtin:greedy"]

TOSSES_COINS = """
import json, pathlib, sys
file = pathlib.Path(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        matches = int(file.read_text()) + 1
        file.write_text(str(matches))
    if message["type"] == "request":
        choice = 0 if matches % 3 == 0 else message["default"]
        print(json.dumps({"type": "action", "number": message["number"], "choice": choice}), flush=True)
"""
"""Program of a bot that plays differently in every third match.

The argument of the bot is a file in which the bot counts its matches.
"""


def ran(*words: str) -> str:
    return tournaments.ran(*words).stdout


@pytest.fixture(scope="module")
def copied_rounds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Play a tournament in which both rounds have the same games.

    Return the folder with the results, and the JSON output of `tournament run`.
    """
    folder = tmp_path_factory.mktemp("copied_rounds")
    results = folder / "results"
    words = [*short_games(folder), *THREE, "--rounds", "2", "--workers", "1", "--no-logs", "--output", str(results)]
    return results, json.loads(ran("run", *words, "--quiet", "--json"))


def short_games(folder: Path, players: int = 3) -> list[str]:
    """Return the options for games without luck on a short board, which is written to `folder`."""
    board = f"games[0].board={short_board('chicago_express', folder)}"
    return [*WITHOUT_LUCK[:-1], f"{players}", "--set", board]


def test_copies_are_counted_once_and_reported(copied_rounds: tuple[Path, dict[str, Any]]) -> None:
    folder, report = copied_rounds
    assert (report["games"], report["copies"]) == (12, 6)
    assert [(row["games"], row["copies"]) for row in report["table"]] == [(6, 6)] * 3
    with Store(folder) as store:
        games = list(store.played())
    assert len({game.fingerprint for game in games}) == 6 == len(distinct(games))
    table = json.loads(ran("standings", str(folder), "--json"))["tables"][0]
    assert (table["games"], table["groups"], table["copies"]) == (6, 1, 6)
    for standing in table["standings"]:
        assert standing["rating"]["low"] is None or standing["rating"]["low"] == standing["rating"]["high"]
        assert (standing["rating"]["best_place"], standing["rating"]["worst_place"]) == (1, 3)
    assert COPIES in ran("standings", str(folder))
    without_luck = short_games(folder.parent)
    assert COPIES in ran("run", *without_luck, *THREE, "--rounds", "2", "--no-logs", "--output", str(folder), "--quiet")


def test_a_stopping_rule_stops_when_only_copies_are_played(tmp_path: Path) -> None:
    words = [*short_games(tmp_path, 2), *THREE[:4], "--workers", "1", "--no-logs", "--quiet"]
    words += ["--output", str(tmp_path / "results")]
    result = tournaments.run("run", *words, "--set", "stop.better.entrant=ant", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 5
    assert report["ending"]["why"] == "copies"
    expected = "the last 20 seed groups are copies of others: more games would show nothing new"
    assert report["ending"]["words"] == expected
    (evidence,) = report["evidence"]
    assert (evidence["games"], evidence["groups"]) == (report["games"] - report["copies"], 1)
    status = json.loads(tournaments.ran("status", str(tmp_path / "results"), "--json").stdout)
    assert status["evidence"] == [evidence]


def test_plan_warns_of_copies(tmp_path: Path) -> None:
    words = [*short_games(tmp_path, 2), *THREE[:4], "--workers", "1", "--pilot", "4"]
    result = CliRunner().invoke(main, ["tournament", "plan", *words, "--within", "50"])
    assert "6 of 8 games of the pilot are copies of others" in result.stdout
    assert "ant and bee will play the same game with every seed at chicago_express for 2 on board " in result.stderr


def test_the_fingerprint_of_a_game_does_not_depend_on_logging(tmp_path: Path) -> None:
    found = []
    board = f"games[0].board={short_board('last_spike', tmp_path)}"
    game = ["--game", "last_spike", "--players", "3", "--set", board]
    for more in (["--no-logs"], ["--logs"]):
        folder = tmp_path / more[0]
        words = [*game, "--seed", "5", "--workers", "1", "--output", str(folder)]
        ran("run", *words, *THREE, "--quiet", *more)
        with Store(folder) as store:
            found.append([game.fingerprint for game in store.played()])
    assert found[0] == found[1]
    assert len(set(found[0])) == 6


# Bots that vary


def test_repeated_games_count_if_one_of_the_bots_varies(tmp_path: Path) -> None:
    program, matches = tmp_path / "coins.py", tmp_path / "matches"
    program.write_text(TOSSES_COINS)
    matches.write_text("0")
    coins = shlex.join([sys.executable, str(program), str(matches)])
    entrants = [f"--entrant=coins={coins}", f"--entrant=honest={bot('honest')}", "--entrant=greedy=builtin:greedy"]
    folder = str(tmp_path / "results")
    words = [
        *short_games(tmp_path, 2),
        *entrants,
        "--rounds",
        "3",
        "--workers",
        "1",
        "--output",
        folder,
        "--quiet",
        "--json",
    ]
    report = json.loads(ran("run", *words))
    assert {row["name"]: row["copies"] for row in report["table"]} == {"coins": 0, "honest": 4, "greedy": 4}
    assert (report["games"], report["copies"]) == (18, 4)
    ran("audit", folder)


def coin_games(wins: list[bool], seeds: list[int] | None = None) -> list[PlayedGame]:
    """Return one game between x and y for each value in `wins`. The value is True if x wins.

    All games have the same start. A won game and a lost game first differ in the second move, which is a move of x.
    `seeds` are the seeds of the games, by default all different.
    """
    games = []
    for number, is_won in enumerate(wins):
        ranks = [1, 2] if is_won else [2, 1]
        seed = number if seeds is None else seeds[number]
        marks = {"fingerprint": f"game {is_won}", "trail": f"{0:016}1aaa0{'bbb' if is_won else 'ccc'}"}
        games.append(game_result(f"{number:016x}", 0, Setting("toy", 2), seed, ["x", "y"], ranks, **marks))
    return games


def test_the_shares_of_a_bot_that_varies_do_not_depend_on_how_often_it_repeats_games() -> None:
    chance = stream("coin")
    games = coin_games([chance() < 0.85 for _ in range(200)])
    (share,) = [row.win_share.mean for row in make_table(games).standings if row.name == "x"]
    assert share == pytest.approx(0.85, abs=0.06)
    assert distinct(games) == games
    assert distinct(games[::-1]) == games[::-1]


def test_a_stopping_rule_counts_repeated_games_once_a_bot_varies() -> None:
    games = coin_games([True] * 6 + [False] + [True] * 3)
    unmarked = [msgspec.structs.replace(game, fingerprint="", trail="") for game in games]
    evidence = []
    for played in (games, unmarked, games[:6]):
        watch = StoppingCheck([Better("x", "y", alpha=1e-9)], ["x", "y"], 1)
        for number in range(len(played)):
            watch.update([[game] for game in played[: number + 1]])
        evidence.append(watch.evidence[0])
    assert evidence[0] == evidence[1]
    assert evidence[2].seeds == 1


def test_a_game_with_a_fault_does_not_show_that_a_bot_varies() -> None:
    games = coin_games([True, True, True, False])
    games[3] = msgspec.structs.replace(games[3], is_tainted=True)
    assert [game.seed for game in distinct(games)] == [0, 3]


def test_of_equal_groups_the_one_with_the_lowest_number_as_seed_counts() -> None:
    games = coin_games([True] * 3, [10, 9, 100])
    assert copied_groups(games) == {games[0].group, games[2].group}


@pytest.mark.parametrize(("player", "is_warned"), [("greedy", True), ("medium", False), ("easy", False)])
def test_run_warns_only_if_nothing_but_copies_can_result(player: str, is_warned: bool) -> None:
    entrants = ["--entrant", f"ant=builtin:{player}", "--entrant", f"bee=builtin:{player}"]
    result = CliRunner().invoke(main, ["tournament", "run", *FOR_TWO, *entrants, "--check"])
    assert result.exit_code == 0, result.output
    assert ("will play the same game with every seed" in result.stderr) == is_warned
