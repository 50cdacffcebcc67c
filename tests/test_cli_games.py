"""The commands that show and simulate games, as a person or a script calls them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rails_cli
from rails_cli import __version__
from rails_cli.cli import COMMANDS, main
from rails_cli.games import GAME_NAMES, rule_sheet


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def failure(*words: str) -> tuple[int, str]:
    """Exit code and last line of a call that must fail in a civil way."""
    result = run(*words)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result.exit_code, result.stderr.strip().splitlines()[-1]


def simulated(*words: str) -> dict[str, Any]:
    result = run("simulate", *words, "--json")
    assert result.exit_code == 0, result.output
    summary: dict[str, Any] = json.loads(result.stdout)
    return summary


def test_version() -> None:
    assert run("--version").output == f"rails-cli {__version__}\n"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_shows_examples(command: str) -> None:
    shown = run(command, "--help")
    assert shown.exit_code == 0
    assert f"rails-cli {command}" in shown.output.split("Examples:")[1]


def test_games_in_words_and_json() -> None:
    words = run("games").output
    listed = json.loads(run("games", "--json").stdout)["games"]
    assert [game["name"] for game in listed] == list(GAME_NAMES)
    assert [game["players"] for game in listed] == [[2, 3, 4, 5, 6], [3, 4, 5], [2, 3, 4, 5, 6]]
    assert listed[0]["options"] == {"dividend_timing": ["after_action", "before_action"]}
    for game in listed:
        assert game["title"] in words
        assert game["board"]["uncertain"]


@pytest.mark.parametrize("name", GAME_NAMES)
def test_rules_are_the_sheet(name: str) -> None:
    assert run("rules", name.replace("_", "-")).output == rule_sheet(name)


@pytest.mark.parametrize(("name", "players"), [("chicago_express", "4"), ("american_rails", "3"), ("last_spike", "2")])
def test_simulate_does_not_depend_on_workers(name: str, players: str, tmp_path: Path) -> None:
    words = (name, "--players", players, "--games", "60", "--seed", "7")
    folders = [tmp_path / "one", tmp_path / "two"]
    summaries = [
        simulated(*words, "--workers", str(workers), "--log-dir", str(folder))
        for workers, folder in zip((1, 2), folders, strict=True)
    ]
    timings = [summary.pop("timing") for summary in summaries]
    assert [timing["workers"] for timing in timings] == [1, 2]
    assert summaries[0] == summaries[1]
    logs = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]
    assert len(logs[0]) == 60
    assert logs[0] == logs[1]
    plain = simulated(*words)
    plain.pop("timing")
    assert plain == summaries[0], "writing logs changed the games"


def test_simulate_sums_up() -> None:
    summary = simulated("chicago_express", "--players", "3", "--games", "30", "--policy", "busy")
    assert summary["games"] == 30
    assert abs(sum(seat["win_share"] for seat in summary["seats"]) - 1) < 0.001
    assert summary["decisions"] == sum(summary["actions"].values())
    assert sum(summary["end_reasons"].values()) >= 30
    assert set(summary["final_income"]) == {"PRR", "BO", "CO", "NYC", "WAB"}
    assert summary["length"]["min"] <= summary["length"]["median"] <= summary["length"]["max"]


def test_simulate_in_words() -> None:
    result = run("simulate", "last_spike", "--players", "3", "--games", "10", "--workers", "1")
    assert result.exit_code == 0
    for words in ("10 games of last_spike", "decisions a game", "last_spike", "final cash: winner", "±"):
        assert words in result.stdout
    assert result.stderr == ""


def test_simulate_other_options_play_other_games() -> None:
    summaries = [
        simulated("last_spike", "--players", "3", "--games", "10", "--option", f"non_adjacent={value}")
        for value in ("only_if_forced", "free_choice")
    ]
    assert summaries[0]["length"] != summaries[1]["length"]


@pytest.mark.parametrize(
    ("words", "code", "names"),
    [
        (("rules", "chess"), 2, ["chess", "last_spike"]),
        (("simulate", "monopoly", "--players", "4"), 2, ["monopoly", "american_rails"]),
        (("simulate", "chicago_express", "--players", "7"), 2, ["2 to 6", "7"]),
        (("simulate", "american_rails", "--players", "2"), 2, ["3 to 5", "2"]),
        (("simulate", "chicago_express", "--players", "4", "--seed", "-1"), 2, ["-1", "--seed"]),
        (("simulate", "chicago_express", "--players", "4", "--seed", "9007199254740991", "--games", "2"), 2, ["--seed"]),
        (("simulate", "chicago_express", "--players", "x"), 2, ["'x'"]),
        (("simulate", "chicago_express", "--players", "4", "--games", "0"), 2, ["--games"]),
        (("simulate", "chicago_express", "--players", "4", "--option", "speed=1"), 2, ["speed", "dividend_timing"]),
        (("simulate", "chicago_express", "--players", "4", "--option", "dividend_timing=never"), 2, ["never", "before_action"]),
        (("simulate", "american_rails", "--players", "4", "--option", "x"), 2, ["NAME=VALUE"]),
        (("simulate", "american_rails", "--players", "4", "--option", "x=1"), 2, ["no options"]),
        (("simulate", "american_rails", "--players", "4", "--board", "/nowhere.json"), 2, ["/nowhere.json"]),
        (("simulate", "american_rails", "--players", "4", "--log-dir", "/proc/nowhere"), 1, ["/proc/nowhere"]),
        (("schemas", "--folder", "/nowhere"), 1, ["rails-cli schemas --write"]),
        (("fly",), 2, ["fly"]),
    ],
)  # fmt: skip
def test_mistakes_get_one_clear_line(words: tuple[str, ...], code: int, names: list[str]) -> None:
    exit_code, line = failure(*words)
    assert exit_code == code
    for name in names:
        assert name in line, line


def test_a_wrong_number_in_a_board_file(tmp_path: Path) -> None:
    source = Path(rails_cli.__file__).parent / "games/chicago_express/board.json"
    board = json.loads(source.read_text(encoding="utf-8"))
    board["hexes"][5]["cost"] = -2
    file = tmp_path / "board.json"
    file.write_text(json.dumps(board))
    code, line = failure("simulate", "chicago_express", "--players", "4", "--board", str(file))
    assert code == 2
    assert board["hexes"][5]["id"] in line
    assert "-2" in line
    for place in board["hexes"]:
        if place["terrain"] == "plain":
            place["cost"] = 9
    board["hexes"][5]["cost"] = 9
    file.write_text(json.dumps(board))
    changed = simulated("chicago_express", "--players", "4", "--games", "20", "--board", str(file))
    assert changed["board"] == "board.json"
    assert changed["length"] != simulated("chicago_express", "--players", "4", "--games", "20")["length"]
