"""Tests of the commands that list, describe and simulate games."""

import contextlib
import fcntl
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import termios
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rails_cli
import rails_cli.games
from rails_cli import __version__
from rails_cli.cli import main
from rails_cli.games import game_names, load_face, load_game, rule_sheet
from rails_cli.games.options import option_choices
from rails_cli.logs.verify import verify
from rails_cli.match import match
from rails_cli.study.simulate import Playout
from rails_cli.study.summary import seat_record
from tests.support.tools import NO_SANDBOX, bot, rails, start_rails
from tests.support.waiting import HANG_S

LAST_SPIKE_BOARD = Path(rails_cli.__file__).parent / "games/last_spike/board.json"

UNKNOWN_TO_GAMES = f"unknown game 'delte'; the games are {', '.join(game_names())}; the commands are delete and rename"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def failure(*words: str) -> tuple[int, str]:
    """Run a command that must fail without a traceback, and return its exit code and the last line of stderr."""
    result = run(*words)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result.exit_code, result.stderr.strip().splitlines()[-1]


def simulated(*words: str) -> dict[str, Any]:
    seed = () if "--seed" in words else ("--seed", "0")
    result = run("simulate", *words, *seed, "--json")
    assert result.exit_code == 0, result.output
    summary: dict[str, Any] = json.loads(result.stdout)
    return summary


def test_version() -> None:
    build = "" if match.__file__.endswith(".py") else " (compiled)"
    assert run("--version").output == f"rails-cli {__version__}{build}\n"


@pytest.mark.parametrize("command", sorted(main.summaries))
def test_help_shows_examples(command: str) -> None:
    shown = run(command, "--help")
    assert shown.exit_code == 0
    assert f"rails-cli {command}" in shown.output.split("Examples:")[1]


def test_a_misspelt_builtin_player_is_named_with_the_nearest_one() -> None:
    code, message = failure("run", "last_spike", "--seat", "builtin:gredy", "--seat", "builtin:busy")
    assert (code, message.endswith("did you mean greedy?")) == (2, True)


def test_games_are_listed_as_text_and_as_json() -> None:
    words = run("games").output
    listed = json.loads(run("games", "--json").stdout)["games"]
    assert [game["name"] for game in listed] == list(game_names())
    assert [game["players"] for game in listed] == [[3, 4, 5], [2, 3, 4, 5, 6], [2, 3, 4, 5, 6]]
    for one in (("games", "spike", "--json"), ("games", "--json", "last_spike")):
        assert json.loads(run(*one).stdout)["games"] == [game for game in listed if game["name"] == "last_spike"]
    assert run("games", "ls").output in words + "\n"
    assert failure("games", "delte") == (2, f"Error: {UNKNOWN_TO_GAMES}")
    options = {game["name"]: game["options"] for game in listed}
    assert options["last_spike"]["cash"] == ["open", "hidden"]
    assert options["american_rails"]["first_player"] == ["seat_0", "drawn"]
    for game in listed:
        title, about, people = words.split(game["title"], 1)[1].splitlines()[:3]
        assert (title, about.strip()) == ("", game["about"])
        assert people.strip().endswith(f"players, difficulty {game['difficulty']} of 5")
        assert game["board"]["uncertain"]
    assert "May a piece be laid away from other track?\n    --option non_adjacent=only_if_forced: Only when" in words


@pytest.mark.parametrize("name", ["american_rails", "chicago_express"])
def test_people_count_seats_from_one_in_options_of_games(name: str, tmp_path: Path) -> None:
    shown = run("games", name).output
    assert "    --option first_player=player_1: The first player" in shown
    assert "seat_0" not in shown
    game = ("run", name, *("--seat", "builtin:random") * 3, "--quiet")
    log = tmp_path / "game.jsonl"
    assert run(*game, "--option", "first_player=player_1", "--log", str(log)).exit_code == 0
    assert json.loads(log.read_text().splitlines()[0])["options"]["first_player"] == "seat_0"
    for typed in ("player_0", "player_2", "seat_1"):
        code, message = failure(*game, "--option", f"first_player={typed}")
        assert code == 2
        assert f"first_player cannot be '{typed}'" in message
        assert "first_player is player_1 or drawn" in message


@pytest.mark.parametrize("name", game_names())
def test_every_option_has_a_question_and_explained_choices(name: str) -> None:
    game, face = load_game(name), load_face(name)
    assert {option: set(words.choices) for option, words in face.options.items()} == {
        option: set(values) for option, values in option_choices(game).items()
    }
    for words in face.options.values():
        assert words.question.endswith("?")
        assert ["(standard)" in meaning for meaning in words.choices.values()].index(True) == 0
        assert sum("(standard)" in meaning for meaning in words.choices.values()) == 1


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("chicago", "chicago_express"),
        ("Chicago Express", "chicago_express"),
        ("CE", "chicago_express"),
        ("wabash", "chicago_express"),
        ("spike", "last_spike"),
        ("The Last Spike", "last_spike"),
        ("last-sp", "last_spike"),
        ("american", "american_rails"),
        ("rails", "american_rails"),
    ],
)
def test_a_game_is_found_by_any_usual_name(words: str, name: str) -> None:
    assert run("rules", words).output == rule_sheet(name)


def test_rules_without_a_game_list_the_games() -> None:
    listed = run("rules")
    assert listed.exit_code == 0
    assert all(f"rails-cli rules {name}\n" in listed.stdout for name in game_names())


def test_the_list_of_games_counts_sources_only_for_programs() -> None:
    assert "values:" not in run("games").stdout
    assert all(game["board"]["counts"] for game in json.loads(run("games", "--json").stdout)["games"])


def test_typing_errors_get_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Did you mean" in failure("paly")[1]
    assert "'play'" in failure("paly")[1]
    assert failure("tournament", "rnu") == (2, "Error: No such command 'rnu'. Did you mean 'run'?")
    assert "unknown game 'chcago'; did you mean chicago_express?" in failure("rules", "chcago")[1]
    monkeypatch.setattr(rails_cli.games, "game_names", lambda: ("chicago_express", "chicago_south"))
    code, line = failure("rules", "chicago")
    assert code == 2
    assert line.endswith("'chicago' could be chicago_express or chicago_south; type more of its name")


def test_commands_and_games_complete_in_the_shell() -> None:
    printed = run("completion").output
    for shell in ("bash", "zsh", "fish"):
        assert f"{shell}: " in printed
        script = run("completion", shell)
        assert script.exit_code == 0
        assert "_RAILS_CLI_COMPLETE" in script.output
    assert completed("rails-cli tou") == ["plain,tournament"]
    assert completed("rails-cli rules CH") == ["plain,chicago_express"]
    assert completed("rails-cli check-bot --game last") == ["plain,last_spike"]
    assert completed("rails-cli tournament st") == ["plain,status", "plain,standings"]


def completed(line: str) -> list[str]:
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_RAILS_CLI_COMPLETE": "bash_complete"}
    return rails(env={**os.environ, **words}).stdout.splitlines()


@pytest.mark.parametrize(("pager", "is_styled"), [("less -X", True), ("cat", False)])
def test_rules_are_styled_only_for_pagers_that_show_styles(pager: str, is_styled: bool) -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 2000, 100, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "PAGER": pager, "LESS": "-F"}
    name = os.ttyname(slave)
    files: dict[str, Any] = {"stdin": slave, "stdout": slave, "stderr": slave}
    with start_rails("rules", "spike", terminal=name, env=environment, **files) as process:
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # raised when the terminal is closed
            while part := os.read(master, 65536):
                shown += part
        assert process.wait(HANG_S) == 0
    os.close(master)
    assert b"The Last Spike" in shown
    assert (b"\x1b[1m" in shown) == is_styled
    assert b"ESC[" not in shown


@pytest.mark.parametrize(("name", "players"), [("chicago_express", "4"), ("american_rails", "3"), ("last_spike", "2")])
def test_simulate_does_not_depend_on_workers(name: str, players: str, tmp_path: Path) -> None:
    words = (name, "--players", players, "--games", "20", "--seed", "7")
    folders = [tmp_path / "one", tmp_path / "two"]
    summaries = [
        simulated(*words, "--workers", str(workers), "--log-dir", str(folder))
        for workers, folder in zip((1, 2), folders, strict=True)
    ]
    timings = [summary.pop("timing") for summary in summaries]
    assert [timing["workers"] for timing in timings] == [1, 2]
    assert summaries[0] == summaries[1]
    logs = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]
    assert len(logs[0]) == 20
    assert logs[0] == logs[1]
    plain = simulated(*words, "--workers", "1")
    plain.pop("timing")
    assert plain == summaries[0], "writing logs must not change the games"


def test_simulate_accepts_searching_players_and_bots(tmp_path: Path) -> None:
    """`simulate` plays games of searching players and of bot programs.

    The games do not depend on the number of workers. Games without luck start from random opening moves.
    """
    words = (
        "chicago_express",
        "--players",
        "3",
        "--player",
        "greedy",
        "--seat",
        bot("honest"),
        "--games",
        "3",
        "--clock",
        "none",
    )
    first = simulated(*words, "--workers", "1", "--log-dir", str(tmp_path / "one"))
    second = simulated(*words, "--workers", "2", "--log-dir", str(tmp_path / "two"))
    for summary in (first, second):
        del summary["timing"]
    assert first == second
    assert first["openings"] == "drawn"
    assert [row["player"] for row in first["seats"]] == ["honest", "greedy", "greedy 2"]
    logs = sorted((tmp_path / "one").iterdir())
    who = "chicago_express-3p-honest_greedy_greedy_2-drawn"
    assert [log.name for log in logs] == [f"{who}-{seed}.jsonl" for seed in range(3)]
    assert all(verify(log.read_bytes()).mistake is None for log in logs)
    assert len({json.dumps(json.loads(log.read_bytes().splitlines()[0])["opening"]) for log in logs}) > 1
    thinkers = ("last_spike", "--seat", "builtin:medium", "--seat", "builtin:greedy", "--games", "4")
    assert simulated(*thinkers, "--workers", "2")["seats"] == simulated(*thinkers, "--workers", "1")["seats"]


def test_simulate_reports_a_bot_that_fails(tmp_path: Path) -> None:
    """If a bot fails, the output has its first fault and its stderr.

    It also has a command that sends the failed request to the bot again.
    """
    words = ("last_spike", "--seat", bot("crashes"), "--seat", "builtin:busy", "--games", "2", "--seed", "5")
    result = run("simulate", *words)
    assert result.exit_code == 3
    warning, who, first, head, *_, last, hint = result.stderr.splitlines()
    assert f"{warning}\n" == NO_SANDBOX.format("--sandbox auto")
    assert who == "seat 1 (crashes) lost its seat in 2 of 2 games (6 faults: 6 disconnect)"
    assert first.startswith("  the first fault, with seed 5 at action ")
    assert first.endswith(": disconnect: exited with code 1; default played")
    assert (head, last) == ("  the end of its stderr:", "    RuntimeError: this bot crashes")
    assert "--log-dir" in hint
    assert "1 crashes (6 faults)" in result.stdout
    assert result.stdout.endswith(
        "Seats are the same in every game; to compare players fairly: rails-cli tournament run\n"
    )
    code, line = failure("simulate", "last_spike", "--players", "2", "--player", "python3 bot.py")
    assert code == 2
    assert line.endswith("a bot takes a seat: --seat 'python3 bot.py'")
    logged = run("simulate", *words, "--log-dir", str(tmp_path), "--json")
    assert logged.exit_code == 3
    crashing, busy = json.loads(logged.stdout)["seats"]
    assert (crashing["fault_codes"], busy["fault_codes"]) == ({"disconnect": 6}, {})
    assert (crashing["first_fault"]["seed"], busy["first_fault"]) == (5, None)
    assert Path(crashing["first_fault"]["log"]).parent == tmp_path
    ask = logged.stderr.splitlines()[-1].removeprefix("  to ask the bot again: rails-cli ")
    again = run(*shlex.split(ask))
    assert again.exit_code == 0, "this bot crashes only at its third request"
    assert "It did not fail this time. " in again.stdout


def test_simulate_refuses_a_search_on_several_cores() -> None:
    result = run("simulate", "last_spike", "--players", "2", "--seat", "builtin:search@20*4", "--games", "2")
    assert result.exit_code == 2
    assert "try 'search@20'" in result.stderr


def test_simulate_totals_are_consistent() -> None:
    summary = simulated("chicago_express", "--players", "3", "--games", "30", "--policy", "busy")
    assert summary["games"] == 30
    assert abs(sum(seat["win_share"] for seat in summary["seats"]) - 1) < 0.001
    assert summary["decisions"] == sum(summary["actions"].values())
    assert sum(summary["end_reasons"].values()) >= 30
    assert set(summary["final_income"]) == {"PRR", "BO", "CO", "NYC", "WAB"}
    assert summary["length"]["min"] <= summary["length"]["median"] <= summary["length"]["max"]


def test_simulate_prints_a_summary_as_text() -> None:
    result = run("simulate", "last_spike", "--players", "3", "--games", "10", "--workers", "1")
    assert result.exit_code == 0
    for words in ("10 games of last_spike", "decisions a game", "last_spike", "cash: winner", "±"):
        assert words in result.stdout
    seeds = re.search(r"^random seeds ([0-9]+) to [0-9]+$", result.stdout, re.MULTILINE)
    assert seeds is not None
    assert int(seeds[1]) > 1000, "a bot cannot guess it"
    assert "Seats are the same in every game" not in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize(("name", "players"), [("chicago_express", "6"), ("american_rails", "5"), ("last_spike", "6")])
def test_simulate_fits_in_80_columns(name: str, players: str) -> None:
    """The tables of `simulate` fit in a terminal of 80 columns, even the widest ones.

    Nothing is cut off and no line is wrapped.
    """
    words = ("simulate", name, "--players", players, "--games", "50", "--workers", "1")
    ours, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 80, 0, 0))
    with start_rails(
        *words,
        stdout=side,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "80"},
    ):
        os.close(side)
        shown = b""
        with contextlib.suppress(OSError):  # raised when nothing has the pseudo-terminal open any more
            while part := os.read(ours, 65536):
                shown += part
    os.close(ours)
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())
    assert "…" not in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert any(line.startswith("cash: winner") and len(line.split()) == 9 for line in text.splitlines()), text


def test_simulate_has_no_interval_for_one_game() -> None:
    words = ("last_spike", "--players", "3", "--workers", "1")
    assert "± -" in run("simulate", *words, "--games", "1").stdout
    seat = simulated(*words, "--games", "1")["seats"][0]
    assert (seat["win_share_95"], seat["mean_rank_95"], seat["mean_cash_95"]) == (None, None, None)
    assert "± -" not in run("simulate", *words, "--games", "2").stdout


def test_shares_of_wins_have_wilson_intervals() -> None:
    game = Playout(1, [5, 3], [1, 2], [], {}, {})
    records = [seat_record([game] * 10, seat) for seat in (0, 1)]
    assert [record["win_share"] for record in records] == [1, 0]
    assert [record["win_share_95"] for record in records] == [0.1388, 0.1388], (
        "winning 0 of 10 games does not prove a share of 0"
    )


def test_simulate_names_logs_by_board_and_options(tmp_path: Path) -> None:
    words = ("last_spike", "--players", "2", "--games", "2", "--workers", "1", "--log-dir", str(tmp_path / "logs"))
    boards = [tmp_path / folder / "mine.json" for folder in ("a", "b")]
    for number, board in enumerate(boards):
        board.parent.mkdir()
        board.write_bytes(LAST_SPIKE_BOARD.read_bytes() + b"\n" * number)
    simulated(*words, "--option", "non_adjacent=only_if_forced")
    names = {file.name for file in (tmp_path / "logs").iterdir()}
    # options with default values are not part of the name
    assert names == {"last_spike-2p-random-0.jsonl", "last_spike-2p-random-1.jsonl"}
    simulated(*words, "--option", "non_adjacent=free_choice")
    simulated(*words, "--option", "cash=hidden", "--option", "non_adjacent=free_choice")
    for board in boards:
        simulated(*words, "--board", str(board))
    names = {file.name for file in (tmp_path / "logs").iterdir()}
    assert len(names) == 2 * 5
    assert "last_spike-2p-random-non_adjacent=free_choice-0.jsonl" in names
    assert sum("-mine." in name for name in names) == 4


def test_a_board_may_be_read_from_a_pipe() -> None:
    """`simulate` can read a board from a pipe, and its worker processes play on this board.

    A pipe can be read only once, so the workers cannot read it again.
    """
    words = ("simulate", "last_spike", "--players", "2", "--games", "4", "--workers", "2")
    with subprocess.Popen(["cat", str(LAST_SPIKE_BOARD)], stdout=subprocess.PIPE) as cat:
        assert cat.stdout is not None
        pipe = cat.stdout.fileno()
        done = rails(*words, "--board", f"/dev/fd/{pipe}", pass_fds=[pipe], stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, "")


def test_simulate_reports_a_killed_worker_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Any) -> None:
        raise BrokenProcessPool("a process was terminated abruptly")

    monkeypatch.setattr("rails_cli.commands.simulate.play_all", killed)
    code, line = failure("simulate", "last_spike", "--players", "3")
    assert code == 1
    assert "worker process was killed" in line


@pytest.mark.parametrize("words", [("games",), ("simulate", "last_spike", "--players", "2", "--games", "2")])
def test_a_full_disk_is_reported_in_one_line(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = rails(*words, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, "Error: cannot write the output: No space left on device\n")


def test_options_change_the_simulated_games() -> None:
    summaries = [
        simulated("last_spike", "--players", "3", "--games", "10", "--option", f"non_adjacent={value}")
        for value in ("only_if_forced", "free_choice")
    ]
    assert summaries[0]["length"] != summaries[1]["length"]


@pytest.mark.parametrize(
    ("words", "code", "names"),
    [
        (("rules", "chess"), 2, ["chess", "last_spike"]),
        (("simulate", "last_spike"), 2, ["--players", "--seat"]),
        (("simulate", "last_spike", "--players", "2", "--player", "herd"), 2, ["did you mean hard"]),
        (("simulate", "last_spike", "--players", "2", *("--seat", "builtin:busy") * 3), 2, ["3 seats are given"]),
        (("simulate", "last_spike", *("--seat", "builtin:easy") * 2, "--on-faults", "void"), 2, ["always finished"]),
        (("simulate", "monopoly", "--players", "4"), 2, ["monopoly", "american_rails"]),
        (("simulate", "chicago_express", "--players", "7"), 2, ["2 to 6", "7"]),
        (("simulate", "american_rails", "--players", "2"), 2, ["3 to 5", "2"]),
        (("simulate", "chicago_express", "--players", "4", "--seed", "-1"), 2, ["-1", "--seed"]),
        (("simulate", "last_spike", "--players", "4", "--seed", "9007199254740991", "--games", "2"), 2, ["--seed"]),
        (("simulate", "chicago_express", "--players", "x"), 2, ["'x'"]),
        (("simulate", "chicago_express", "--players", "4", "--games", "0"), 2, ["--games"]),
        (("simulate", "chicago_express", "--players", "4", "--option", "speed=1"), 2, ["speed", "dividend_timing"]),
        (("simulate", "chicago_express", "--players", "4", "--option", "dividend_timing=x"), 2, ["before_action"]),
        (("simulate", "american_rails", "--players", "4", "--option", "x"), 2, ["NAME=VALUE"]),
        (("simulate", "american_rails", "--players", "4", "--option", "x=1"), 2, ["first_player", "drawn"]),
        (("simulate", "american_rails", "--players", "4", "--board", "/nowhere.json"), 2, ["/nowhere.json"]),
        (("simulate", "american_rails", "--players", "4", "--log-dir", "/proc/nowhere"), 1, ["/proc/nowhere"]),
        (("schemas", "--folder", "/nowhere"), 1, ["missing: /nowhere/", "rails-cli schemas --write"]),
        (("fly",), 2, ["fly"]),
    ],
)  # fmt: skip
def test_usage_errors_are_explained_in_one_line(words: tuple[str, ...], code: int, names: list[str]) -> None:
    exit_code, line = failure(*words)
    assert exit_code == code
    for name in names:
        assert name in line, line


def test_an_invalid_board_file_is_refused_and_a_valid_one_is_used(tmp_path: Path) -> None:
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
