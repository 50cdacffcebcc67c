"""Tests of `rails_cli.library` through docs/LIBRARY.md: every program and every session on the page is run."""

import doctest
import inspect
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli import library
from rails_cli.games import game_names, load_game
from rails_cli.library import Engine, IllegalAction, LoggedGame, Position
from rails_cli.protocol.bot import match_reader
from rails_cli.protocol.messages import Start
from tests.support.line_process import LineProcess
from tests.support.short_boards import short_board
from tests.support.step_clock import StepClock
from tests.support.tools import NO_SANDBOX, ROOT, rails
from tests.support.transcripts import EXAMPLE, PYTHON_FIRST
from tests.support.waiting import HANG_S

PAGE = (ROOT / "docs/LIBRARY.md").read_text(encoding="utf-8")
EXAMPLES = {found[1]: found[2] for found in EXAMPLE.finditer(PAGE)}
SESSIONS = re.findall(r"^```pycon\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^\$ rails-cli (.*)$", PAGE, re.MULTILINE)


def lines_of(program: str) -> int:
    return len([line for line in program.splitlines() if line.strip()])


def test_the_programs_are_as_short_as_the_manual_says() -> None:
    assert lines_of(EXAMPLES["three_lines.py"]) == 3
    assert len(EXAMPLES["one_ply.py"].splitlines()) <= 30
    assert len((ROOT / "bots/python_search/bot.py").read_text(encoding="utf-8").splitlines()) <= 105


def test_the_sessions_print_what_the_manual_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interactive sessions of the manual print what the page shows.

    The sessions read a log. A command on the page writes this log, so the test runs the command first. All sessions
    share one interpreter.
    """
    (command,) = [words for words in COMMANDS if "--log" in words]
    rails(*shlex.split(command), cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    assert PAGE.count("```python\n") == len(EXAMPLES)
    session = doctest.DocTestParser().get_doctest("\n".join(SESSIONS), {}, "LIBRARY.md", None, 0)
    problems: list[str] = []
    doctest.DocTestRunner().run(session, out=problems.append)
    assert len(session.examples) > 40
    assert problems == []


def test_a_search_ends_at_its_time_limit() -> None:
    engine = Engine("last_spike")
    start = engine.new(2)
    assert start.seat is not None
    read_s = []
    for seconds in (5.0, 1e6):
        clock = StepClock(1.0)
        assert engine.search(start.view(start.seat), looks=100, seconds=seconds, now=clock)
        read_s.append(clock.elapsed_s)
    assert 5.0 < read_s[0] < 8.0 < read_s[1]


@pytest.mark.parametrize("name", game_names())
def test_the_three_line_program_turns_a_request_into_a_position(name: str) -> None:
    """The short program of the manual turns a start message and a request into a position.

    The messages come from `rails-cli host`. The program is run with decoded JSON, with typed messages, and with a start
    message that contains a changed board.
    """
    with LineProcess("host", name, "--players", "3", "--seed", "6", "--clock", "none") as host:
        host.read()
        start, request = host.read(), host.read()
    typed = msgspec.convert(start, Start), match_reader(name)(json.dumps(request).encode())
    mine = {**start, "board": {**start["board"], "title": "Mine", "weather": 3}}
    for sent_start, sent_request in ((start, request), typed, (mine, request)):
        names: dict[str, Any] = {"start": sent_start, "request": sent_request}
        exec(EXAMPLES["three_lines.py"], names)
        position, engine = names["position"], names["engine"]
        assert position.seat == request["seat"]
        assert json.loads(msgspec.json.encode(position.view(position.seat))) == request["view"]
        for move in position.moves()[:3]:
            after = position.play(move)
            assert after.state is not position.state
            action = msgspec.to_builtins(engine.action(move))
            assert engine.move(engine.action(move)) == engine.move(action) == move
            answer = {"type": "action", "number": request["number"], "action": action}
            assert engine.answer(sent_request, move) == engine.answer(sent_request, action) == answer
            assert position.after(move).outlook() == position.after([move]).outlook() == after.outlook()
            assert position.play_action(engine.action(move)).outlook() == after.outlook()
            assert sum(after.outlook().payoffs) == pytest.approx(1)
    exec(EXAMPLES["first_moves.py"] + EXAMPLES["search.py"], names)
    assert names["found"][0].run in position.runs()


def test_the_one_ply_bot_wins(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(EXAMPLES["one_ply.py"], encoding="utf-8")
    seats = shlex.split("--seat builtin:busy --seat 'python3 bot.py' --seat builtin:greedy --seed 3 --json")
    board = str(short_board("chicago_express", tmp_path))
    words = ("run", "chicago_express", *seats, "--board", board, "--clock", "none")
    done = rails(*words, cwd=tmp_path, env=PYTHON_FIRST)
    result = json.loads(done.stdout)
    assert (done.returncode, done.stderr, result["faults"]) == (0, NO_SANDBOX.format("--sandbox auto"), [0, 0, 0])
    assert result["ranks"][1] == 1


def test_the_commands_of_the_manual_work(tmp_path: Path) -> None:
    assert len(COMMANDS) == 3
    for command in COMMANDS:
        words = shlex.split(command)
        if words[0] == "run":
            words += ["--board", str(short_board(words[1], tmp_path)), "--clock", "300/move"]
        rails(*words, cwd=tmp_path, env=PYTHON_FIRST, timeout=HANG_S, check=True)


def test_the_games_program_does_not_depend_on_the_hash_seed(capsys: pytest.CaptureFixture[str]) -> None:
    words = [sys.executable, "-c", EXAMPLES["games.py"]]
    printed = subprocess.run(words, env={"PYTHONHASHSEED": "1"}, capture_output=True, text=True, check=True).stdout
    exec(EXAMPLES["games.py"], {})
    assert printed == capsys.readouterr().out
    assert len(printed.splitlines()) == 3


def test_the_json_bot_plays_without_faults(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(EXAMPLES["json_bot.py"], encoding="utf-8")
    seats = shlex.split("--seat builtin:busy --seat 'python3 bot.py' --seat builtin:busy --seed 3 --json")
    board = str(short_board("last_spike", tmp_path))
    done = rails("run", "last_spike", *seats, "--board", board, "--clock", "none", cwd=tmp_path, env=PYTHON_FIRST)
    assert (done.returncode, done.stderr) == (0, NO_SANDBOX.format("--sandbox auto"))
    assert json.loads(done.stdout)["faults"] == [0, 0, 0]


def test_the_training_program_plays_different_games(tmp_path: Path) -> None:
    (tmp_path / "training.py").write_text(EXAMPLES["training.py"], encoding="utf-8")
    words = [sys.executable, "training.py"]
    done = subprocess.run(words, cwd=tmp_path, env=PYTHON_FIRST, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"\d+ moves in 8 games, \d+ of them different\n", done.stdout)
    assert "8 of them different" in done.stdout


def test_the_manual_lists_all_public_attributes() -> None:
    for kind in (Engine, Position, LoggedGame):
        public = {name for name in dir(kind) if not name.startswith("_")} - {"counted_playout"}
        table = PAGE.split(f"| of `{kind.__name__}` |")[1].split("\n\n")[0]
        cells = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
        listed = {part.rpartition(".")[2] for cell in cells for part in re.findall(r"`([\w.]+)", cell)}
        assert listed - {kind.__name__} == public
        assert [name for name in public if not inspect.getdoc(getattr(kind, name))] == []
    for name in library.__all__:
        described = inspect.getdoc(getattr(library, name)) or ""
        assert described, name
        fields = getattr(getattr(library, name), "_fields", ())
        assert [field for field in fields if f"`{field}`" not in described] == [], name
        assert f"`{name}" in PAGE or name == "Run", name


@pytest.mark.parametrize("name", game_names())
def test_invalid_views_moves_and_arguments_are_refused(name: str) -> None:
    engine = Engine(name)
    position = engine.new(3, 1)
    assert position.seat is not None
    view = msgspec.to_builtins(position.view(position.seat))
    for invalid in (None, {}, {"view": None}, {"view": {"seat": 0}}, {**view, "players": []}, 7):
        with pytest.raises(ValueError, match=r"view|seats"):
            engine.position(invalid)
    for moves in ([-1], [10**9], position.moves()[:1] * 400):
        with pytest.raises(IllegalAction):
            position.play(*moves)
    with pytest.raises(ValueError, match="not an action"):
        position.play_action({"type": "fly"})
    for meant in (engine.move, lambda action: engine.answer({"number": 1}, action)):
        with pytest.raises(ValueError, match="not an action"):
            meant({"type": "fly"})
    with pytest.raises(ValueError, match="is not a move"):
        engine.action(-1)
    with pytest.raises(ValueError, match="not over"):
        position.ranks()
    with pytest.raises(ValueError, match="openings are drawn or none, not 'book'"):
        engine.new(3, openings="book")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="players, not 77"):
        engine.new(77)
    with pytest.raises(ValueError, match="options"):
        engine.new(3, 0, {"weather": "fine"})
    over = position.playout("busy", 4)
    assert (over.seat, over.moves(), over.runs()) == (None, [], [])
    assert over.outlook().money == over.scores()
    with pytest.raises(IllegalAction, match="ended"):
        over.play(0)
    assert load_game(name) is engine.game
