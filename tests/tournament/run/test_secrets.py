"""Tests that bots cannot find out hands, seeds, opponents, or whether they are in a tournament."""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from rails_cli.basics.seeds import new_seed, parse_seed
from rails_cli.basics.tokens import SECRET_VARIABLES
from rails_cli.cli import main
from rails_cli.games.shared.luck import below, seeded, shuffle
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.verify import verify_file
from rails_cli.match.match import Match
from tests.support.matches import new_match
from tests.support.tools import BOTS, bot, rails
from tests.support.tournaments import CLOCK

OPAQUE = re.compile("[0-9a-f]{16}")
SPY = shlex.join([sys.executable, str(BOTS / "spies.py")])  # with `site`, because it imports rails_cli
MARKS = {"RAILS_CLI_BOT", "RAILS_CLI_RUN", "RAILS_CLI_WORKER"}


class Spied(NamedTuple):
    """A game of the bot `spies`.

    `hands` are the true hands by seat, `header` is the header of the log, and `belief` is what the bot reported about
    the game.
    """

    hands: list[list[str]]
    header: dict[str, Any]
    belief: dict[str, Any]


def spied(log: Path) -> Spied:
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    hands = next(event["hands"] for event in lines[1]["events"] if event["type"] == "dealt")
    return Spied(hands, lines[0], next(line["info"] for line in lines if line.get("info")))


def run_spy(folder: Path, *words: str) -> tuple[Spied, dict[str, str]]:
    """Play one match of the bot `spies` against the built-in player `random`.

    `words` are further arguments of `rails-cli run`, whose environment has all variables that may be secret. Return the
    game, and the environment of the bot.
    """
    log = folder / "game.jsonl"
    surroundings = {"SPY_MEMORY": str(folder / "run"), "SPY_LOG": str(log), "PATH": "/usr/bin:/bin"}
    surroundings |= dict.fromkeys(SECRET_VARIABLES, "secret")
    seats = ["--seat", SPY, "--seat", "builtin:random"]
    done = rails("run", "last_spike", *seats, "--clock", "none", "--log", str(log), "--quiet", *words, env=surroundings)
    assert done.returncode == 0, done.stderr
    return spied(log), json.loads((folder / "run.environment").read_text())


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Spied, dict[str, str]]:
    """Play one match with a random seed. Return the game, and the environment of the bot."""
    return run_spy(tmp_path_factory.mktemp("drawn"))


@pytest.fixture(scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], list[Spied]]:
    """Play an anonymous tournament with a random seed, in which the bot `spies` takes part.

    Return three things: the file in which the bot stores hands, the JSON output of the command, and the games.
    """
    folder = tmp_path_factory.mktemp("secrets") / "midsummer-cup"
    folder.mkdir()
    words = ["--game", "last_spike", "--players", "3", "--entrant", f"spy={SPY}", "--workers", "1", "--quiet"]
    words += ["--entrant", "builtin:random", "--entrant", "builtin:busy", "--set", "anonymous=true", "--json"]
    words += ["--clock", CLOCK]
    memory = folder.parent / "memory"
    words += ["--set", f'entrants[0].environment={{ SPY_MEMORY = "{memory}" }}', "--output", "results"]
    done = rails("tournament", "run", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    logs = sorted((folder / "results" / "logs").iterdir())
    return memory, json.loads(done.stdout), [spied(log) for log in logs]


# Deals


def test_remembered_hands_do_not_reveal_the_hands_of_other_games(
    tournament: tuple[Path, dict[str, Any], list[Spied]],
) -> None:
    _, _, games = tournament
    assert len(games) == 6
    assert max(len(game.belief["remembered"]) for game in games) == 5, "the bot must remember its earlier hands"
    compared = [
        pair for game in games for deal in game.belief["remembered"] for pair in zip(deal, game.hands, strict=True)
    ]
    # The deals are random: two games have an equal hand with a probability of 1 to 194,580.
    assert sum(hand is not None and hand == held for hand, held in compared) <= 1


def test_drawn_seeds_cannot_be_guessed(
    tmp_path: Path, drawn: tuple[Spied, dict[str, str]], tournament: tuple[Path, dict[str, Any], list[Spied]]
) -> None:
    chosen, _ = run_spy(tmp_path, "--seed", "7")
    assert chosen.belief["guessed"] == chosen.hands, "the bot must be able to guess a small seed"
    for game in (drawn[0], *tournament[2]):
        assert game.belief["guessed"] != game.hands, "a guess may match one hand but not all of them"


def test_a_void_game_is_replayed_with_another_deal(tmp_path: Path) -> None:
    words = ["--game", "last_spike", "--players", "2", "--entrant", f"lost={bot('crashes')}", "--workers", "1"]
    words += ["--entrant", "builtin:random", "--on-faults", "void_and_replay", "--set", "max_faults=1", "--quiet"]
    words += ["--clock", CLOCK]
    done = rails("tournament", "run", *words, "--output", "results", cwd=tmp_path)
    logs = list((tmp_path / "results" / "logs").iterdir())
    assert len(logs) == 6, done.stderr
    assert len({log.read_text().splitlines()[1] for log in logs}) == 6


def test_the_random_state_has_128_bits_and_changes_with_every_draw() -> None:
    """The random state of a game has up to 128 bits, and every random number or shuffle changes it.

    No bot can try all values of 128 bits. The state is computed with SHAKE-256, so it does not reveal earlier states.
    """
    luck, seen = seeded(new_seed()), set[int]()
    for _ in range(100):
        _, luck = below(luck, 6)
        seen.add(luck)
        _, luck = shuffle(range(5), luck)
        seen.add(luck)
    assert len(seen) == 200
    assert 120 < max(map(int.bit_length, seen)) <= 128


# Seeds


def test_a_drawn_seed_is_printed_and_repeats_the_game(tmp_path: Path) -> None:
    words = ["run", "last_spike", "--seat", "builtin:random", "--seat", "builtin:busy", "--json", "--log"]
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    report = json.loads(rails(*words, str(first)).stdout)
    assert parse_seed(report["seed"]) == report["seed"]
    assert len(report["seed"]) == 32
    rails(*words, str(second), "--seed", report["seed"].upper())
    assert first.read_bytes() == second.read_bytes()
    assert verify_file(first).mistake is None


def test_the_drawn_seed_of_a_tournament_is_printed(tournament: tuple[Path, dict[str, Any], list[Spied]]) -> None:
    _, report, games = tournament
    assert re.fullmatch("[0-9a-f]{32}", report["seed"])
    assert len({game.header["seed"] for game in games}) == 6
    folder = Path(report["folder"])
    assert (folder / "results.sqlite").stat().st_mode & 0o777 == folder.stat().st_mode & 0o666


@pytest.mark.parametrize("words", ["-1", "9007199254740992", "abc", "1.5", "f" * 31, "0x7", ""])
def test_an_invalid_seed_is_refused(words: str) -> None:
    seats = ["--seat", "builtin:random", "--seat", "builtin:random"]
    done = CliRunner().invoke(main, ["run", "last_spike", *seats, f"--seed={words}"])
    assert done.exit_code == 2
    assert "32 hexadecimal digits" in done.output


# Surroundings


def test_a_bot_cannot_distinguish_a_tournament_from_a_single_match(
    drawn: tuple[Spied, dict[str, str]], tournament: tuple[Path, dict[str, Any], list[Spied]]
) -> None:
    memory, _, games = tournament
    alone, single = drawn
    among = json.loads(memory.with_suffix(".environment").read_text())
    matches = {game.belief["start"]["match"] for game in games}
    assert len(matches) == 6
    assert all(OPAQUE.fullmatch(name) for name in matches)
    assert OPAQUE.fullmatch(alone.belief["start"]["match"])
    for environment in (among, single):
        assert {name for name in environment if name.startswith("RAILS_CLI") and name not in os.environ} == {
            "RAILS_CLI",
            *MARKS,
        }
    assert among["RAILS_CLI"] == single["RAILS_CLI"]
    asked = subprocess.run(f"{single['RAILS_CLI']} --version", shell=True, capture_output=True, text=True, check=True)
    assert asked.stdout.startswith("rails-cli")
    assert len({len(environment[name]) for environment in (among, single) for name in MARKS}) == 1
    assert not any("midsummer" in value for value in among.values())
    assert "secret" not in single.values()


def test_names_are_hidden_from_bots_and_kept_in_logs(tournament: tuple[Path, dict[str, Any], list[Spied]]) -> None:
    for game in tournament[2]:
        assert game.belief["start"]["players"] == ["player 0", "player 1", "player 2"]
        assert {player["name"] for player in game.header["players"]} == {"spy", "random", "busy"}


def test_names_are_shown_to_bots_by_default(drawn: tuple[Spied, dict[str, str]]) -> None:
    game, _ = drawn
    assert game.belief["start"]["players"] == ["spies", "random"]
    assert game.belief["mode"] == 0o600, "others may not read the log while the game runs"


@pytest.mark.parametrize("is_resumed", [False, True])
def test_others_may_read_a_log_when_its_game_is_over(is_resumed: bool, tmp_path: Path) -> None:
    match: Match = new_match("last_spike", 2, 1)
    file = tmp_path / "game.jsonl"
    log = LogFile(file)
    log.write_all([match.header, match.setup_line])
    if is_resumed:
        log.close()
        log = LogFile(file, keep_bytes=file.stat().st_size)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (tmp_path / "other").touch()
    log.write(match.result_line())
    assert file.stat().st_mode == (tmp_path / "other").stat().st_mode
    log.close()


def test_a_refused_plan_does_not_change_permissions_of_results(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    words = ["tournament", "run", "--game", "last_spike", "--players", "2", "--rounds", "1", "--quiet"]
    words += ["--entrant", "builtin:busy", "--entrant", "builtin:random", "--workers", "1"]
    words += ["--output", str(tmp_path / "results")]
    assert CliRunner().invoke(main, [*words, "--seed", "1"]).exit_code == 0
    before = (tmp_path / "results/results.sqlite").stat().st_mode
    refused = CliRunner().invoke(main, [*words, "--seed", "2"])
    assert refused.exit_code != 0
    assert "seed was 1 and is 2" in refused.output
    assert (tmp_path / "results/results.sqlite").stat().st_mode == before
