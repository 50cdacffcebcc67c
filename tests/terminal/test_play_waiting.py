"""Tests of the terminal while other players move: the visible board, the available commands, and the effect of enter.

Some tests are about other things: resuming, damaged files, escape sequences in names, and wrong options.
"""

import io
import json
import os
import queue
import re
import resource
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from rails_cli.cli import main
from rails_cli.games import load_game, standard_board
from rails_cli.study.playback.recorded import printable_board
from rails_cli.terminal.frame import Frame, StoryLine, reading_time_s
from rails_cli.terminal.layout import ScreenLayout
from rails_cli.terminal.looking import requested_page
from rails_cli.terminal.reading import Unclear
from rails_cli.terminal.window import CLOCK_TICK_S, NOT_DRAWN, TerminalWindow
from tests.support.frames import frames
from tests.support.person import GAME_ARGUMENTS, Guest, Person, actions_in, by_lines, games_in, log_lines, make_table
from tests.support.tools import GOLDEN, RAILS
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import ServerProcess, table_of

TWO_PEOPLE = ("open", "open", "builtin:greedy")
ONE_PERSON = ("--seat", "person", "--seat", "builtin:busy")
NOWHERE = "ws://127.0.0.1:9"


# At a table on a server


def test_the_board_stays_visible_while_others_decide(tmp_path: Path) -> None:
    """The board is visible before the first turn and after an answer.

    Commands such as `log` and `quit` work while waiting.
    """
    with ServerProcess(tmp_path / "server") as server:
        table = table_of(make_table(server, "chicago_express", seats=TWO_PEOPLE))
        with Guest(server, "--table", table, folder=tmp_path / "a") as first:
            first.wait_for("Waiting for the others.")
            first.press("map\r")
            first.wait_for("The game has not started.")
            first.press("\r")
            ben = ("play", "--server", server.url, "--table", table, "--name", "Ben", "--fast")
            with Person(*ben, folder=tmp_path / "b", width=100, height=35) as second:
                first.wait_until_asked()
                second.wait_for(lambda: "PRR" in second.text and "Ends: " in second.lines[0])
                second.wait_for(lambda: "(waiting for Anna)" in second.last_line)
                first.say_and_wait("bid 9")
                first.wait_for(lambda: "$9 by Anna" in first.text and "(waiting for " in first.last_line)
                second.wait_until_asked("Ben")
                assert "$9 by Anna" in second.text
                pages = {"log": "bids $9", "scores": "PRR stands in", "help": "To look and ask", "map x": "No map of"}
                for words, seen in {**pages, "map": "Chi"}.items():
                    first.press(f"{words}\r")
                    first.wait_for(lambda seen=seen: seen in first.text and "back to the game" in first.last_line)  # type: ignore[misc]
                    first.press("\r")
                    first.wait_for(lambda: "(waiting for " in first.last_line and "$9 by Anna" in first.text)
                first.press("pas\r")
                first.wait_for(lambda: ") pas" not in first.last_line and "not understood while" in first.last_line)
                first.press("s")
                first.wait_for(lambda: ") s" in first.last_line and "not understood" not in first.last_line)
                first.press("\x15quit\r")
                assert first.wait_for_end() == 0
                assert f"to return: rails-cli play --server {server.url}\r\n".encode() in first.bytes
        assert len(actions_in(server, table)) == 1


def test_the_remaining_time_counts_down(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server:
        table = table_of(make_table(server, "chicago_express", "--clock", "3600/move"))
        with Guest(server, "--table", table, folder=tmp_path, width=80, height=24) as person:
            person.wait_until_asked()
            person.wait_for("s left")
            assert re.search(r"Ends: .*Detroit \d/8", person.lines[0])
            first = seconds(person)
            person.wait_for(lambda: seconds(person) <= first - 1)


def seconds(person: Person) -> int:
    """Return the remaining seconds shown in the title line, or 9999 if it shows no clock."""
    found = re.search(r"(\d+) s left", person.lines[0])
    return int(found[1]) if found else 9999


def test_the_clock_leaves_room_for_the_end_conditions() -> None:
    for _, frame in frames("chicago_express", players=3, every=30):
        frame.seconds_left = lambda: 125
        for width in (80, 100, 120):
            bar = ScreenLayout().lines(frame, width, 23)[0].plain
            assert "125 s left" in bar
            assert re.search(r"Detroit \d/8$", bar.rstrip())


# In a local game


def test_moves_of_others_wait_while_a_person_reads_the_help() -> None:
    """While a person reads the help, the program shows no further moves of others.

    After each move there is a pause. If its time ends while the help is open, the program waits until the help is
    closed.
    """
    _, frame = next(frames("chicago_express", players=3))
    frame.story.append(StoryLine("Something has happened."))
    written = io.StringIO()
    waits: queue.Queue[tuple[threading.Event, float]] = queue.Queue()
    is_over: queue.Queue[bool] = queue.Queue()

    def wait(skip: threading.Event, seconds: float) -> None:
        waits.put((skip, seconds))
        is_over.get(timeout=HANG_S)

    output = Vt100_Output(written, get_size=lambda: Size(rows=24, columns=80), term="xterm")
    with create_pipe_input() as keys, create_app_session(input=keys, output=output):
        window = TerminalWindow(is_fast=False, history=None, wait=wait)
        pauses_s: list[float] = []

        def look_and_return() -> None:
            pauses_s.append(waits.get(timeout=HANG_S)[1])
            keys.send_text("help\r")
            wait_until(lambda: "back to the game" in written.getvalue())
            for _ in range(3):
                is_over.put(True)
                pauses_s.append(waits.get(timeout=HANG_S)[1])
            keys.send_text("\r")
            skip, _ = waits.get(timeout=HANG_S) if waits.qsize() else (None, 0)
            assert skip is None
            wait_until(lambda: window._look is None)
            is_over.put(True)

        person = threading.Thread(target=look_and_return)
        person.start()
        window.run(lambda shown: shown.tell(frame, 1))
        person.join()
    assert pauses_s == [reading_time_s(frame.story[-1:]), *[CLOCK_TICK_S] * 3]


def test_the_prompt_says_that_an_answer_is_being_prepared() -> None:
    _, frame = next(frames("chicago_express", players=3))
    frame.story.append(StoryLine("Something has happened."))
    written = io.StringIO()
    output = Vt100_Output(written, get_size=lambda: Size(rows=24, columns=80), term="xterm")
    with create_pipe_input() as keys, create_app_session(input=keys, output=output):
        window = TerminalWindow(is_fast=False, history=None, wait=lambda skip, seconds: None)

        def play(shown: TerminalWindow) -> str:
            shown.tell(frame, 1)
            keys.send_text("hint\r")
            line = shown.ask(replace(frame, prompt="Anna> "))
            wait_until(lambda: "(thinking)" in written.getvalue())
            return line

        assert window.run(play) == "hint"


def test_an_error_while_drawing_is_named_and_the_game_goes_on() -> None:
    _, frame = next(frames("chicago_express", players=3))
    written = io.StringIO()
    output = Vt100_Output(written, get_size=lambda: Size(rows=24, columns=80), term="xterm")
    with create_pipe_input() as keys, create_app_session(input=keys, output=output):

        def broken(width: int, height: int) -> list[str]:
            keys.send_text("1\r")
            raise ZeroDivisionError

        window = TerminalWindow(is_fast=False, history=None)
        assert window.run(lambda shown: shown.ask(replace(frame, overlay=broken))) == "1"
    assert f"{NOT_DRAWN} (ZeroDivisionError)." in written.getvalue()


def test_a_line_typed_while_moves_of_others_are_shown_does_not_answer_the_next_question(tmp_path: Path) -> None:
    """A line typed while moves of others are shown is deleted when the next question appears.

    If the person then types the rest of the deleted line, this input is not sent by mistake: enter sends it only when
    pressed twice.
    """
    with Person("play", "chicago_express", *GAME_ARGUMENTS, folder=tmp_path) as person:
        person.wait_until_asked()
        person.type("bid 8")
        person.press("\rpass\rbid 3")  # in one write, so that the moves of others are still being shown
        person.wait_for(lambda: person.is_asked() and "typed before the question" in person.last_line)
        assert "bid 3" not in person.last_line
        own = len(own_actions(tmp_path))
        person.type("30")
        person.press("\r")
        person.wait_for("enter again: send this")
        assert len(own_actions(tmp_path)) == own
        person.press("\x15")
        person.say("bid 30")
        assert len(own_actions(tmp_path)) == own + 1


def own_actions(folder: Path) -> list[object]:
    """Return the actions of seat 0 in the log of the only game in `folder`."""
    return [line["action"] for line in log_lines(folder) if line["type"] == "action" and line["seat"] == 0]


def test_5000_typed_digits_are_refused_and_the_game_goes_on(tmp_path: Path) -> None:
    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        person.press(f"\x1b[200~{'9' * 5000}\x1b[201~")  # pasted, because a terminal handles each typed key for itself
        person.wait_for(lambda: person.last_line.endswith("9999"))
        person.press("\t\r")
        person.wait_for(lambda: "You have $40" in person.text)
        person.say("bid 9")
        assert b"Traceback" not in person.bytes
        assert b"Unhandled" not in person.bytes
    assert own_actions(tmp_path)[0] == {"type": "bid", "amount": 9}


def test_an_unusable_history_file_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "rails-cli" / "history").mkdir(parents=True)
    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        person.say("why bid 3")
        person.press("\x1b[A")
        person.wait_for(lambda: person.last_line.startswith("Anna> why bid 3"))
        assert b"Unhandled" not in person.bytes


# Saving and resuming


def test_resume_offers_the_game_played_last_first_and_skips_a_damaged_file(tmp_path: Path) -> None:
    games = ("last_spike", "chicago_express", "american_rails")
    for game in games:
        by_lines(tmp_path, "play", game, *GAME_ARGUMENTS, typed="quit\n")
    last_spike, chicago, damaged = (next(file for file in games_in(tmp_path) if game in file.name) for game in games)
    damaged.write_bytes(b"rubbish\n" + damaged.read_bytes())
    for at, path in enumerate((last_spike, chicago, damaged)):
        os.utime(path, (1000 + at, 1000 + at))
    done = by_lines(tmp_path, "play", "--resume", typed="\nquit\n")  # enter takes the first entry of the list
    assert f"Skipped: {damaged}" in done.stderr
    assert "Chicago Express: resumed" in done.stderr
    done = by_lines(tmp_path, "play", "--resume", damaged.stem, typed="")
    assert (done.returncode, done.stderr.count(damaged.stem)) == (1, 1), done.stderr
    assert "line 1" in done.stderr
    done = by_lines(tmp_path, "play", "last_spike", "--resume", typed="quit\n")
    assert "The Last Spike: resumed" in done.stderr


def test_a_failed_write_ends_the_game_with_an_error(tmp_path: Path) -> None:
    """If the log cannot be written, the game ends with an error message.

    The message names the file and the command that resumes the game.
    """
    by_lines(tmp_path, "play", "chicago_express", *GAME_ARGUMENTS, typed="quit\n")
    (path,) = games_in(tmp_path)
    size = path.stat().st_size + 100
    done = subprocess.run(
        [*RAILS, "play", "--resume"],
        input="1\n" * 40,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"cannot write to {path}" in done.stderr
    assert "rails-cli play --resume" in done.stderr
    assert "resumed after action" in by_lines(tmp_path, "play", "--resume", typed="quit\n").stderr


def test_random_bots_repeat_their_answers_after_undo(tmp_path: Path) -> None:
    arguments = ("--players", "4", "--bots", "busy", "--name", "Anna", "--seed", "11")
    typed = "bid 9\n" + "undo\nbid 9\n" * 3 + "quit\n"
    for folder, lines in (("once", "bid 9\nquit\n"), ("again", typed)):
        done = by_lines(tmp_path / folder, "play", "chicago_express", *arguments, typed=lines)
        assert done.returncode == 0, done.stderr
    once, again = (
        [line["action"] for line in log_lines(tmp_path / folder) if line["type"] == "action"]
        for folder in ("once", "again")
    )
    assert len(once) > 2
    assert once == again


# Escape sequences in texts of others


def test_escape_sequences_in_player_names_are_not_printed(tmp_path: Path) -> None:
    name = "An\x1b[2Jna"
    seats = ("--seat", f"person:{name}", "--seat", "builtin:greedy")
    done = by_lines(tmp_path, "play", "chicago_express", *seats, "--seed", "5", typed="bid 9\nscores\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    (path,) = games_in(tmp_path)
    path.write_text(path.read_text().replace("An?[2Jna", "An\\u001b[2Jna"))
    done = by_lines(tmp_path, "play", "--resume", typed="scores\nlog\nquit\n")
    assert "resumed after action" in done.stderr
    assert "\x1b" not in done.stdout


def test_escape_sequences_in_board_texts_are_replaced() -> None:
    """Escape sequences in names of places are replaced by printable characters. The ids of places stay the same.

    This is needed because a server may send any board.
    """
    board = load_game("chicago_express").wire_board(standard_board("chicago_express"))
    raw = json.loads(json.dumps(board).replace("Wheeling", "Whee\\u001b[2Jling").replace('"PRR"', '"P\\u001bR"'))
    clean = printable_board(raw)
    assert "Whee?[2Jling" in [spot["name"] for spot in clean["hexes"]]
    assert [spot["id"] for spot in clean["hexes"]] == [spot["id"] for spot in board["hexes"]]
    assert clean["hexes"][0] == raw["hexes"][0]


# Options


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chicago_express", "--players", "9"], "2 to 6 players"),
        (["chicago_express", *["--seat", "builtin:greedy"] * 2], "no person would play"),
        (["chicago_express", *GAME_ARGUMENTS, "--option", "x=1"], "dividend_timing"),
        (["checkers"], "unknown game"),
        (["--resume", "--players", "3"], "--players is already decided by the game"),
        (["--resume", "--name", "Anna"], "--name is already decided by the game"),
        (["--resume", "--seed", "3"], "--seed is already decided by the game"),
        (["--resume", "--openings", "drawn"], "--openings is already decided"),
        (["--resume", "nosuch"], "no saved game and no file is called 'nosuch'; there is no unfinished game in "),
        (
            ["--from", str(GOLDEN / "last_spike" / "last_spike-4p.jsonl"), "--at", "9999"],
            "it has questions after actions 0 to 73",
        ),
        (["last_spike", "--seat-token", "x"], "need --server"),
        (["last_spike", *ONE_PERSON, "--bots", "busy"], "leave out --bots and --people"),
        (["last_spike", *ONE_PERSON, "--people", "1"], "leave out --bots and --people"),
        (["last_spike", "--seat", "personal", "--seat", "builtin:busy"], "there is no program 'personal'"),
        (["last_spike", "--seat", "person", "--seat", "nosuchbot"], "there is no program 'nosuchbot'"),
        (["last_spike", "--option", "x=1"], "--option"),
        (["last_spike", "--board", "/nowhere.json"], "nowhere.json"),
        (["--server", "foo"], "not a server address"),
        (["--server", "ftp://127.0.0.1:9"], "not a server address"),
        (["--server", NOWHERE, "--openings", "drawn"], "--openings is already decided"),
        (["--server", NOWHERE, "--people", "2"], "everybody plays from a terminal of their own"),
        (["--server", NOWHERE, "--seat", "person:Ada", "--seat", "person:Bob"], "a terminal of their own"),
        (["--server", NOWHERE, "--players", "3"], "--players is already decided when the table is made"),
        (["--server", NOWHERE, "--option", "cash=hidden"], "--option is already decided"),
        (["--server", NOWHERE, "--resume"], "--seat-token"),
        (["--server", NOWHERE, "--invite", "x"], "--invite needs --table"),
        (["--table", "x"], "need --server"),
        (["--at", "ws://127.0.0.1:9"], "name a server with --server ws://127.0.0.1:9"),
        (["--at", "-3"], "name the log with --from"),
    ],
)
def test_wrong_options_are_refused_before_any_question(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    done = CliRunner().invoke(main, ["play", *words], input="\n" * 20)
    assert done.exit_code == 2, done.output
    assert message in " ".join(done.stderr.split())
    assert "How many" not in done.stdout
    assert not games_in(tmp_path)


@pytest.mark.parametrize(
    ("words", "message"),
    [(["--resume"], "no unfinished game"), (["--server", NOWHERE, "--table", "x"], "cannot reach")],
)
def test_a_game_that_cannot_be_reached_is_an_error(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    done = CliRunner().invoke(main, ["play", *words])
    assert (done.exit_code, message in done.stderr) == (1, True), done.output


def test_an_unknown_map_is_an_error_and_other_lines_are_not_maps() -> None:
    _, frame = next(iter(frames("chicago_express", players=3)))
    with pytest.raises(Unclear, match="No map of"):
        requested_page(frame, "map nonsense")
    assert requested_page(frame, "bid 3") is None
    assert requested_page(Frame("x", [], {}, None, None), "scores") is not None


@pytest.mark.parametrize(
    ("width", "height", "whole"), [(80, 24, {"Detroit", "Columbus"}), (140, 40, {"Detroit", "Cincinnati", "Albany"})]
)
def test_the_map_explains_only_names_that_it_abbreviates(width: int, height: int, whole: set[str]) -> None:
    _, frame = next(iter(frames("chicago_express", players=3)))
    look = requested_page(frame, "map")
    assert look is not None
    assert callable(look.overlay)
    *lines, key = map(str, look.overlay(width, height))
    assert {name for name in whole if any(name in line for line in lines)} == whole
    assert key.startswith("Names: ")
    assert not any(name in key for name in whole)
