"""Tests of the example bots, which are written by `rails-cli new-bot` and built and run as their README.md says."""

import fcntl
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.commands.new_bot import EXAMPLES, TEMPLATES
from rails_cli.games import game_names
from rails_cli.protocol.messages import MAX_LINE
from tests.support.short_boards import short_board
from tests.support.tools import rails, skip_without
from tests.support.waiting import HANG_S

ENVIRONMENT = {
    **os.environ,
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # less work for short programs
}
SOURCES = {file.parent.name: file.name for file in sorted(TEMPLATES.glob("*/[bB]ot.*")) if file.suffix != ".toml"}
"""By language, the name of the source file of the example bot that plays all games."""
GENEROUS = ("--clock", "300/move")
"""Options for a long clock, so that a bot is late only if it hangs."""
TOOLS = {"bash": ("bash", "jq"), "java": ("javac", "java")}
"""For some languages, programs that must be installed for the test of the bot.

Each bot also needs the program that its build command starts with, or its run command if it has no build command.
"""


def is_network_bot(language: str) -> bool:
    """Return whether the bot in `language` connects to a server itself, by websocket."""
    return language.endswith("_websocket")


def new_bot(language: str, folder: Path) -> Result:
    return CliRunner().invoke(main, ["new-bot", language, str(folder)])


def command_in(readme: Path, what: str) -> str | None:
    """Return the command that follows the label `what` in `readme`, or None if there is no such label.

    Labels are "Build", "Run" and "Test".
    """
    found = re.search(rf"^- {what}: `(.+)`$", readme.read_text(encoding="utf-8"), re.MULTILINE)
    return None if found is None else found[1]


def build(language: str, folder: Path) -> str:
    """Write the bot for `language` into `folder` and build it. Return the command that runs the bot in this folder."""
    readme = TEMPLATES / language / "README.md"
    run, make = command_in(readme, "Run"), command_in(readme, "Build")
    assert run is not None
    skip_without(*TOOLS.get(language, ()), (make or run).split()[0], path=ENVIRONMENT["PATH"])
    written = new_bot(language, folder)
    assert written.exit_code == 0, written.output
    if make is not None:
        done = subprocess.run(
            shlex.split(make), cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    return run


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[str, Path]]:
    """A function that takes a language and returns the command and the folder of its bot. Each bot is built once."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "example-bots"
    shared.mkdir(exist_ok=True)

    @cache
    def built(language: str) -> tuple[str, Path]:
        folder, command = shared / language, shared / f"{language}.command"
        with (shared / f"{language}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not command.exists():
                command.write_text(build(language, folder))
            return command.read_text(), folder

    return built


@pytest.fixture(scope="module", params=[language for language in SOURCES if not is_network_bot(language)])
def bot(request: pytest.FixtureRequest, builds: Callable[[str], tuple[str, Path]]) -> tuple[str, Path]:
    return builds(request.param)


def games_of(language: str) -> Sequence[str]:
    """Return the games in which to test the bot in `language`.

    Most Python bots are tested in all games, because their code depends on the game. Other bots only count the legal
    actions, so one game is enough.
    """
    if language == "c_search":
        return ("last_spike",)  # the other games are in `test_the_c_search_bot_wins_against_random_moves`
    if language == "python_search":  # it asks the engine for the rules
        return ("chicago_express", "last_spike")  # without and with secrets
    return game_names() if language.startswith("python") else ("american_rails",)


@pytest.mark.parametrize(
    ("bot", "game"),
    [(language, game) for language in SOURCES if not is_network_bot(language) for game in games_of(language)],
    indirect=["bot"],
)
def test_an_example_bot_plays_a_whole_game_without_faults(bot: tuple[str, Path], game: str, tmp_path: Path) -> None:
    run, folder = bot
    log = tmp_path / "game.jsonl"
    is_search = folder.name.endswith("_search")  # each of these starts one more process, for the rules
    run += " 0.005" if folder.name == "python_search" else ""  # seconds for a decision
    second_seat = run if game == "last_spike" and not is_search else "builtin:random"  # two seats, two processes
    board = ("--board", str(short_board(game, tmp_path)))
    words = ["run", game, "--seat", run, "--seat", second_seat, "--seat", "builtin:random", "--log", str(log), "--json"]
    played = rails(*words, *board, *GENEROUS, cwd=folder, env=ENVIRONMENT)
    faults = [line for line in log.read_text().splitlines() if json.loads(line)["type"] == "fault"]
    assert (played.returncode, faults) == (0, []), played.stderr
    result = json.loads(played.stdout)
    assert result["reason"] == "normal"
    assert result["faults"] == [0, 0, 0]


def test_the_c_search_bot_wins_against_random_moves(builds: Callable[[str], tuple[str, Path]], tmp_path: Path) -> None:
    """The search bot in C wins at least two of three games against random moves.

    It evaluates moves with `rails-cli engine`, or searches with `--looks`. `rails-cli` is not on the PATH, so the bot
    gets its location as an argument.
    """
    run, folder = builds("c_search")
    ranks = []
    for game in game_names():
        mine = f"{run} --looks 8" if game == "last_spike" else run
        seats = ["--seat", "builtin:busy", "--seat", mine, "--seat", "builtin:busy"]
        words = ["run", game, *seats, "--board", str(short_board(game, tmp_path)), "--seed", "8", "--json"]
        away = {**ENVIRONMENT, "PATH": "/usr/bin:/bin"}
        result = json.loads(rails(*words, *GENEROUS, cwd=folder, env=away, check=True).stdout)
        assert (result["reason"], result["faults"]) == ("normal", [0, 0, 0])
        ranks.append(result["ranks"][1])
    assert ranks.count(1) >= 2, ranks


def test_a_search_bot_without_the_rules_engine_plays_the_defaults(builds: Callable[[str], tuple[str, Path]]) -> None:
    run, folder = builds("c_search")
    words = ["run", "last_spike", "--seat", f"{run} no-such-program", "--seat", "builtin:busy", "--json"]
    played = rails(*words, *GENEROUS, cwd=folder, env=ENVIRONMENT, check=True)
    result = json.loads(played.stdout)
    assert (result["reason"], result["faults"]) == ("normal", [0, 0])


AWKWARD = 'a "quoted" \\ }]{[ , : "legal":[1,2,3],"number":7 é \u2028 \U0001f682 \\'
START = {
    "type": "start",
    "match": "m-1",
    "game": "last_spike",
    "rules_version": 1,
    "players": [AWKWARD, "b"],
    "seat": 0,
    "options": {"legal": [1, 2, 3], "type": "request"},
    "clock": None,
    "board": {"nested": [{"legal": [], "number": 3, "text": AWKWARD}]},
}
NOISE = {
    "aaa": {"type": "request", "legal": [1, 2], "number": 1},
    "bbb": "legal",
    "ccc": "number",
    "ddd": [AWKWARD, [[]]],
}


def request(number: int, legal: list[object]) -> dict[str, object]:
    """Return a request that also has fields unknown to the current protocol."""
    fields = {"match": AWKWARD, "number": number, "seat": 0, "events": [], "view": None, "legal": legal, "clock": None}
    return {**NOISE, "type": "request", **fields, "default": 0, "zzz": NOISE, AWKWARD: AWKWARD, "empty": {}, "none": []}


def padded(message: dict[str, object]) -> str:
    """Return `message` as a line of the maximum length."""
    short = json.dumps({**message, "long": ""})
    spare = MAX_LINE - len(short) - len("\n")
    return json.dumps({**message, "long": '{"' * (spare // 3) + "x" * (spare % 3)})


PASS = {"type": "pass"}
PLAY = {"type": "play", "piece": AWKWARD, "cost": 4, "future": {"legal": [1, [2, "]"]], "x": "\\"}}
STREAM = (
    json.dumps({"type": "hello", "protocol": 1, "server": AWKWARD, "max_line": MAX_LINE}),
    json.dumps(START, ensure_ascii=False),
    json.dumps(request(41, [PASS])),
    json.dumps(dict(reversed(request(42, [PLAY]).items())), ensure_ascii=False, separators=(",", ":")),
    json.dumps(request(43, [PLAY, PASS]), indent="\t", separators=(" ,", "  : ")).replace("\n", " \t "),
    json.dumps({"type": "weather", "number": 9, "legal": [1], "text": AWKWARD, "inner": {"type": "request"}}),
    json.dumps({"number": 9, "legal": [1], "type": "update", "match": "m-1", "events": []}),
    json.dumps({"type": "error", "code": "version", "message": AWKWARD, "fatal": False}),
    padded(request(2**40, [PLAY, PLAY, PASS])),
    json.dumps(
        {"type": "end", "match": "m-1", "scores": [1, 2], "ranks": [2, 1], "reason": "normal", "faults": [0, 0]}
    ),
)


def test_an_example_bot_reads_any_valid_json(bot: tuple[str, Path]) -> None:
    """An example bot can read every valid message and answers it.

    The messages have unknown fields, any order of fields, any spacing, and strings that look like JSON. Some messages
    have the maximum length.
    """
    run, folder = bot
    assert max(map(len, STREAM)) + len("\n") == MAX_LINE
    fed = subprocess.run(
        shlex.split(run),
        cwd=folder,
        env=ENVIRONMENT,
        input="".join(line + "\n" for line in STREAM).encode(),
        capture_output=True,
        timeout=HANG_S,
        check=False,
    )
    assert fed.returncode == 0, fed.stderr
    answers = [json.loads(line) for line in fed.stdout.decode().splitlines()]
    assert [(answer["type"], answer["number"]) for answer in answers] == [
        ("action", number) for number in (41, 42, 43, 2**40)
    ]
    for answer, choices in zip(answers, (1, 1, 2, 3), strict=True):
        assert answer["choice"] in range(choices)


@pytest.mark.parametrize(
    "bot", [name for name in SOURCES if not name.endswith(("_search", "_websocket"))], indirect=True
)
def test_an_example_bot_repeats_its_choices_with_the_same_seed(bot: tuple[str, Path]) -> None:
    run, folder = bot
    choices = 20
    asked = [json.dumps(request(number, [PASS] * 9)) for number in range(1, choices + 1)]
    lines = [line for seed in (7, 2**31 - 1, 7) for line in (json.dumps({**START, "seed": seed}), *asked)]
    fed = subprocess.run(
        shlex.split(run),
        cwd=folder,
        env=ENVIRONMENT,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=True,
    )
    answers = [json.loads(line)["choice"] for line in fed.stdout.splitlines()]
    first, other, again = (answers[start : start + choices] for start in range(0, 3 * choices, choices))
    assert first == again
    assert first != other


def test_every_example_bot_is_listed_in_the_readme_with_its_commands() -> None:
    folders = {folder.name for folder in TEMPLATES.iterdir() if folder.is_dir()}
    assert folders == set(EXAMPLES)
    assert folders - {"learning", "mcp_client", "tuning"} == set(SOURCES)
    index = (TEMPLATES / "README.md").read_text(encoding="utf-8")
    for language, source in SOURCES.items():
        readme = TEMPLATES / language / "README.md"
        row = re.search(rf"^\| \[{language}\]\({language}\) .*$", index, re.MULTILINE)
        assert row is not None, language
        for part in (source, command_in(readme, "Build"), command_in(readme, "Run")):
            assert part is None or f"`{part}`" in row[0]
        stdio = ("rails-cli run last_spike --seat", "rails-cli check-bot -- ")
        for command in stdio if not is_network_bot(language) else ("rails-cli serve", "rails-cli tables"):
            assert command in readme.read_text(encoding="utf-8")


def test_new_bot_copies_the_files_of_an_example(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "bot"
    result = new_bot("Python-Protocol", folder)
    assert result.exit_code == 0, result.output
    assert sorted(file.name for file in folder.iterdir()) == ["README.md", "bot.py", "test_bot.py"]
    for file in folder.iterdir():
        assert str(file) in result.output
        assert file.read_bytes() == (TEMPLATES / "python_protocol" / file.name).read_bytes()


def test_the_tests_of_the_python_protocol_example_pass(tmp_path: Path) -> None:
    printed = new_bot("python", tmp_path / "plain").output
    assert "rails-cli new-bot python_protocol DIR" in printed
    assert (
        "To check it in a sandbox, as other people's servers run it: rails-cli check-bot --sandbox auto --" in printed
    )
    assert new_bot("python_protocol", tmp_path).exit_code == 0
    words = command_in(tmp_path / "README.md", "Test")
    assert words is not None
    done = subprocess.run(
        shlex.split(words), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Ran 1 test" in done.stderr


@pytest.mark.parametrize("name", ["bot.c", "README.md"])
def test_new_bot_overwrites_no_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    result = new_bot("c", tmp_path)
    assert result.exit_code == 2
    assert str(tmp_path / name) in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_new_bot_lists_the_languages_if_the_language_is_unknown(tmp_path: Path) -> None:
    result = new_bot("cobol", tmp_path)
    assert result.exit_code == 2
    for word in ("cobol", *EXAMPLES):
        assert word in result.stderr


def test_new_bot_fails_if_it_cannot_write_the_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert new_bot("c", file).exit_code == 2
    result = new_bot("c", file / "below")
    assert result.exit_code == 1
    assert str(file / "below") in result.stderr
