"""Tests of `rails-cli replay` as text, as JSON and on a terminal, with growing, truncated and invalid logs."""

import itertools
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.games import game_names, load_game
from rails_cli.games.game import ALL_SEATS
from rails_cli.study.playback.cursor import Cursor
from rails_cli.study.playback.narrate import event_lines, headline
from rails_cli.study.playback.recorded import Recorded, read_recorded
from rails_cli.terminal.screen import HELP, PAGES, Screen
from tests.support.terminal import Terminal, read_all
from tests.support.tools import start_rails
from tests.support.waiting import HANG_S

SEATS = {"chicago_express": 4, "american_rails": 4, "last_spike": 3}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("logs")
    return {game: simulated(folder / game, game) for game in game_names()}


def simulated(folder: Path, game: str, *more: str) -> Path:
    words = ["simulate", game, "--players", str(SEATS[game]), "--games", "1", "--seed", "5", "--policy", "busy"]
    result = CliRunner().invoke(main, [*words, "--workers", "1", "--log-dir", str(folder), *more])
    assert result.exit_code == 0, result.output
    return next(folder.glob("*.jsonl"))


@pytest.fixture(scope="module")
def spike(logs: dict[str, Path]) -> Path:
    return logs["last_spike"]


def read(log: Path) -> Recorded:
    return read_recorded(log.read_bytes())


def action_lines(log: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    return [line for line in lines if line["type"] == "action"]


def shown(log: Path, *words: str) -> str:
    result = CliRunner().invoke(main, ["replay", str(log), *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def objects(log: Path, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shown(log, *words, "--json").splitlines()]


# Output as text and as JSON


@pytest.mark.parametrize("game", game_names())
def test_a_game_is_printed_as_numbered_actions(game: str, logs: dict[str, Path]) -> None:
    text = shown(logs[game])
    assert text == shown(logs[game], "--moves")
    assert text.isprintable() or "\x1b" not in text
    numbers = [int(number) for number in re.findall(r"^ *(\d+)\. \w", text.partition("Result after")[0], re.MULTILINE)]
    actions = action_lines(logs[game])
    assert numbers == list(range(len(actions) + 1))
    result = json.loads(logs[game].read_bytes().splitlines()[-1])
    for seat, score in enumerate(result["scores"]):
        assert f"  {result['ranks'][seat]}. busy {seat}: ${score:,}\n" in text


@pytest.mark.parametrize("game", game_names())
def test_every_step_is_printed_as_json(game: str, logs: dict[str, Path]) -> None:
    *steps, result = objects(logs[game])
    actions = action_lines(logs[game])
    assert len(steps) == len(actions) + 1
    assert result == json.loads(logs[game].read_bytes().splitlines()[-1])
    assert (steps[0]["action"], steps[0]["by"]) == (None, None)
    assert steps[-1]["scores"] == result["scores"]
    assert (steps[-1]["seat"], steps[-1]["legal"]) == (None, [])
    for before, step, line in zip(steps, steps[1:], actions, strict=False):
        assert before["seat"] == step["by"] == line["seat"]
        assert {name: step[name] for name in ("number", "action", "events", "digest")} == {
            name: line[name] for name in ("number", "action", "events", "digest")
        }
        assert before["legal"]
        msgspec.convert(step["view"], load_game(game).view_type)


def test_one_position_is_printed_as_json(spike: Path) -> None:
    steps = objects(spike)
    assert objects(spike, "--at", "40") == [steps[40]]
    assert objects(spike, "--at", "0") == [steps[0]]
    assert objects(spike, "--at", "-1") == [steps[-2]]


@pytest.mark.parametrize("game", game_names())
def test_one_position_is_printed_as_text(game: str, logs: dict[str, Path]) -> None:
    text = shown(logs[game], "--at", "50")
    assert "  50. busy" in text
    wanted = {"chicago_express": ("/Chicago/", "PRR stands in"), "american_rails": ("|New Orleans", "Majestic:")}
    for words in wanted.get(game, ("SAC ", "routes")):
        assert words in text
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()[1:] if not line.startswith("      ")) <= 100


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--at", "9999"), ["9999", "0 (the set-up) to 57"]),
        (("--at", "-81"), ["-81", "-1 to -58"]),
        (("--at", "x"), ["'x'"]),
        (("--seat", "8"), ["seat 8", "1 to 3"]),
        (("--seat", "-1"), ["no seat or player '-1'", "1 (busy 0)"]),
        (("--seat", "busy 7"), ["no seat or player 'busy 7'", "1 (busy 0), 2 (busy 1) and 3 (busy 2)"]),
        (("--speed", "0"), ["--speed"]),
        (("--at", "3", "--follow"), ["--at", "--follow"]),
        (("--at", "3", "--moves"), ["--at", "--moves"]),
        (("--json", "--moves"), ["--json", "--moves"]),
    ],
)
def test_usage_errors_are_explained_in_the_last_line(words: tuple[str, ...], names: list[str], spike: Path) -> None:
    result = CliRunner().invoke(main, ["replay", str(spike), *words])
    assert result.exit_code == 2
    for name in names:
        assert name in result.stderr.splitlines()[-1], result.stderr


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.jsonl", tmp_path):
        result = CliRunner().invoke(main, ["replay", str(path)])
        assert result.exit_code == 2
        assert str(path) in result.stderr


# Hidden information


def test_a_seat_does_not_see_other_hands(spike: Path) -> None:
    for step in objects(spike, "--seat", "2")[:-2]:
        assert [player["hand"] is None for player in step["view"]["players"]] == [True, False, True]
        assert (step["legal"] is None) == (step["seat"] != 1)
        assert step["digest"] is None
        for event in step["events"]:
            if event["type"] == "drew":
                assert (event["piece"] is None) == (event["seat"] != 1)
    text = shown(spike, "--seat", "2")
    assert re.search(r"busy 1 draws [A-Z]\d", text)
    assert not re.search(r"busy [02] draws [A-Z]\d", text)
    assert "seed" not in text.splitlines()[0]
    assert text.splitlines()[0].endswith("; as seat 2 (busy 1) saw it")
    assert shown(spike, "--seat", "busy 1") == text
    assert re.search(r"busy 2 draws [A-Z]\d", shown(spike))


def test_a_seat_does_not_see_hidden_cash(tmp_path: Path) -> None:
    log = simulated(tmp_path, "last_spike", "--option", "cash=hidden")
    assert None not in objects(log, "--at", "30")[0]["scores"]
    scores = objects(log, "--at", "30", "--seat", "3")[0]["scores"]
    assert [score is None for score in scores] == [True, True, False]
    assert "hidden" in shown(log, "--at", "30", "--seat", "3")


def test_notes_and_faults_are_shown_without_escape_sequences(spike: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in spike.read_bytes().splitlines()]
    lines[4]["info"] = {"note": "worth\x1b[2J 18"}
    lines[0]["players"][0]["name"] = "evil\x1b]0;me\x07"
    mover = lines[4]["seat"]
    lines.insert(3, {"type": "fault", "number": 2, "seat": 2, "code": "too_slow", "message": "no answer\x1b[H"})
    del lines[-1]["chain"]
    log = tmp_path / "noted.jsonl"
    log.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    text = shown(log)
    assert "! busy 2: too_slow: no answer?[H" in text
    assert "worth" in text
    assert "\x1b" not in text
    assert "\x07" not in text
    for seat in range(3):
        text = shown(log, "--seat", str(seat + 1))
        assert ("worth" in text) == (seat == mover)
        assert ("no answer" in text) == (seat == 2), "the message of a fault may reveal a hand"
        assert "! busy 2: too_slow: " in text
        (fault,) = objects(log, "--at", "2", "--seat", str(seat + 1))[0]["faults"]
        assert ("no answer" in fault["message"]) == (seat == 2)
    assert objects(log, "--at", "2")[0]["faults"][0]["code"] == "too_slow"


# Invalid and truncated logs


def replay_stdin(content: bytes, *words: str) -> tuple[int, str, str]:
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with start_rails("replay", "-", *words, **pipes) as process:
        output, errors = process.communicate(content, HANG_S)
    return process.returncode, output.decode(), errors.decode().strip()


def wrong_at(log: Path, number: int) -> bytes:
    lines = log.read_bytes().splitlines(keepends=True)
    lines[number - 1] = re.sub(rb'"digest":"....', b'"digest":"zzzz', lines[number - 1])
    return b"".join(lines)


def test_a_log_is_read_from_standard_input(spike: Path) -> None:
    assert replay_stdin(spike.read_bytes()) == (0, shown(spike), "")


def test_an_invalid_log_is_shown_up_to_its_invalid_line(spike: Path) -> None:
    content = wrong_at(spike, 30)
    code, text, error = replay_stdin(content)
    assert code == 1
    assert text.startswith("\n".join(shown(spike).splitlines()[:40]))
    assert "  27. " in text
    assert "  28. " not in text
    assert "line 30: digest zzzz" in error
    code, text, error = replay_stdin(content, "--json")
    assert (code, len(text.splitlines())) == (1, 28)
    code, text, error = replay_stdin(content, "--at", "20")
    assert code == 1
    assert "  20. " in text
    assert "line 30" in error
    code, text, error = replay_stdin(content, "--at", "40")
    assert (code, text) == (2, "")
    assert "to 27" in error
    assert "line 30" in error


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1"),
        (b"{", "line 1"),
        (b"\n", "line 1"),
        (b"\xff\xfe\n", "line 1"),
        (b'{"type":"log"}\n', "line 1"),
        (b"[" * 100_000 + b"\n", "line 1"),
    ],
)
def test_input_that_is_not_a_log_is_refused(content: bytes, words: str) -> None:
    code, text, error = replay_stdin(content)
    assert (code, text) == (1, "")
    assert words in error
    assert "Traceback" not in error


def test_a_truncated_log_is_shown_up_to_its_end(spike: Path) -> None:
    content = spike.read_bytes()
    starts = [match.end() for match in re.finditer(rb"\n", content)]
    code, text, error = replay_stdin(content[: starts[0]])
    assert (code, text) == (1, "")
    assert "line 2: the log ends before the set-up" in error
    assert replay_stdin(content[: starts[11]])[1].endswith("The log ends after action 10.\n")
    code, text, error = replay_stdin(content[: starts[11] + 25])
    assert (code, error) == (0, "")
    assert text.endswith("The log ends after action 10; an incomplete line follows.\n")
    code, text, error = replay_stdin(content + b'{"type":')
    assert code == 1
    assert "follows the result" in error


# Growing logs


def test_a_growing_file_can_be_followed(spike: Path, tmp_path: Path) -> None:
    content = spike.read_bytes()
    starts = [0, *(match.end() for match in re.finditer(rb"\n", content))]
    log = tmp_path / "growing.jsonl"
    log.write_bytes(b"")
    process = start_rails("replay", str(log), "--follow", stdout=subprocess.PIPE)
    with log.open("ab", buffering=0) as growing:
        growing.write(content[: starts[5] + 30])
        text = read_all(process, lambda text: "   3. " in text)
        growing.write(content[starts[5] + 30 : starts[6]])
        text += read_all(process, lambda text: "   4. " in text)
        growing.write(content[starts[6] :])
    text += read_all(process, lambda text: "Result after" in text and text.endswith("\n"))
    assert process.wait(HANG_S) == 0
    assert process.stdout is not None
    assert text + process.stdout.read().decode() == shown(spike)
    process.stdout.close()


def test_standard_input_can_be_followed_as_json(spike: Path) -> None:
    code, text, error = replay_stdin(spike.read_bytes(), "--follow", "--json")
    assert (code, error) == (0, "")
    assert text == shown(spike, "--json")
    half = spike.read_bytes()[: spike.stat().st_size // 2]
    code, text, error = replay_stdin(half, "--follow")
    assert code == 0
    assert "an incomplete line follows" in text


def test_following_stops_at_an_invalid_line(spike: Path) -> None:
    code, text, error = replay_stdin(wrong_at(spike, 30), "--follow")
    assert code == 1
    assert "  27. " in text
    assert "line 30" in error


def test_ctrl_c_ends_following(spike: Path, tmp_path: Path) -> None:
    log = tmp_path / "unfinished.jsonl"
    log.write_bytes(b"".join(spike.read_bytes().splitlines(keepends=True)[:10]))
    process = start_rails("replay", str(log), "--follow", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    read_all(process, lambda text: "   8. " in text)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=HANG_S)
    assert (process.returncode, error) == (0, b"")


# Replay on a terminal


@pytest.mark.parametrize(("game", "width", "height"), [("chicago_express", 80, 24), ("last_spike", 120, 40)])
def test_keys_move_through_the_game(game: str, width: int, height: int, logs: dict[str, Path]) -> None:
    last = read(logs[game]).last
    with Terminal("replay", str(logs[game]), "--speed", "20", width=width, height=height) as terminal:
        terminal.wait_for(f"action 0 of {last}")
        for keys, number in (("\x1b[C", 1), ("l", 2), ("n", 3), ("\x1b[D", 2), ("\x1b[6~", 12), ("31\r", 31)):
            terminal.press(keys)
            terminal.wait_for(f"action {number} of {last}")
        terminal.wait_for(lambda: "31. busy" in terminal.text and "q quit" in terminal.lines[-1])
        terminal.press("?")
        terminal.wait_for("this list")
        terminal.press("\x1b[C\x1b[C7\rG q")  # only "q" acts on the list of keys
        terminal.wait_for(lambda: "this list" not in terminal.text and "31. busy" in terminal.text)
        terminal.wait_for(lambda: f"action 31 of {last}  |  paused" in terminal.lines[0])
        terminal.press("G")
        terminal.wait_for(f"action {last} of {last}")
        terminal.wait_for("Result after")
        terminal.press("\x1b[H")
        terminal.wait_for(f"action 0 of {last}")
        terminal.press(" ")
        terminal.wait_for("playing 20/s")
        terminal.wait_for(lambda: re.search(rf"action ([1-9]\d+) of {last}", terminal.lines[0]) is not None)
        terminal.press(" ")
        terminal.wait_for("paused")
        terminal.press("\x1b")
        assert terminal.wait_for_end() == 0
        assert terminal.is_as_before()
        assert terminal.spilled == []


def test_keys_change_page_seat_and_speed_and_show_the_list_of_keys(spike: Path) -> None:
    with Terminal("replay", str(spike)) as terminal:
        terminal.wait_for("SAC")
        terminal.press("\t")
        terminal.wait_for("free property")
        terminal.press("\t")
        terminal.wait_for("0. Set-up")
        terminal.press("?")
        terminal.wait_for("ctrl-C")
        terminal.wait_for("next, previous dividend or completed route")
        assert max(map(len, HELP.splitlines())) < 80, "the list must fit into 80 columns"
        terminal.press("\x1b")
        terminal.wait_for("LAR")
        for seen in ("seen by seat 1 busy 0", "seen by seat 2 busy 1", "seen by seat 3 busy 2", "all seats"):
            terminal.press("s")
            terminal.wait_for(seen)
        terminal.press("+")
        terminal.wait_for("4/s")
        terminal.press("--")
        terminal.wait_for("1/s")
        terminal.press("99")
        terminal.wait_for("go to action 99_")
        terminal.press("\x7f\x7f8\r")
        terminal.wait_for("action 8 of 57")
        terminal.press("\x04")
        assert terminal.wait_for_end() == 0
        assert terminal.is_as_before()


def test_the_screen_adapts_to_the_size_of_the_window(logs: dict[str, Path]) -> None:
    with Terminal("replay", str(logs["chicago_express"]), width=120, height=40) as terminal:
        terminal.wait_for("/Chicago")
        for width, height, sign in ((80, 24, "Chic South Bend"), (30, 8, "quit"), (5, 2, "?"), (100, 36, "/Chicago/")):
            terminal.resize(width, height)
            terminal.wait_for(sign)
            terminal.press("l")
        terminal.wait_for("action 4 of")
        terminal.wait_for(lambda: "quit" in terminal.lines[-1])
        terminal.press("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("how", ["ctrl-C", "SIGTERM", "hang-up"])
def test_leaving_restores_the_terminal(how: str, spike: Path) -> None:
    with Terminal("replay", str(spike)) as terminal:
        terminal.wait_for("action 0 of")
        terminal.wait_for(lambda: not terminal.is_as_before())
        if how == "ctrl-C":
            terminal.press("\x03")
        else:
            terminal.process.send_signal(signal.SIGTERM if how == "SIGTERM" else signal.SIGHUP)
        assert terminal.wait_for_end() == {"ctrl-C": 0, "SIGTERM": 143, "hang-up": 129}[how]
        assert terminal.is_as_before()
        assert b"Traceback" not in terminal.bytes


def test_no_colours_are_used_if_the_environment_forbids_them(spike: Path) -> None:
    def colours(terminal: Terminal) -> list[bytes]:
        terminal.wait_for("action 0 of")
        terminal.press("G")
        terminal.wait_for("action 57 of")
        terminal.press("q")
        terminal.wait_for_end()
        return re.findall(rb"\x1b\[(?:\d+;)*[34]\d(?:;\d+)*m", terminal.bytes)

    with Terminal("replay", str(spike)) as terminal:
        assert colours(terminal)
    with Terminal("replay", str(spike), NO_COLOR="1") as terminal:
        assert not colours(terminal)
    with Terminal("replay", str(spike), TERM="dumb") as terminal:
        assert terminal.wait_for_end() == 0
        assert b"\x1b" not in terminal.bytes
        assert b"Result after" in terminal.bytes


def test_a_log_from_a_pipe_and_keys_from_the_terminal(spike: Path) -> None:
    with spike.open("rb") as file, Terminal("replay", "-", "--seat", "2", stdin=file.fileno()) as terminal:
        terminal.wait_for("seen by seat 2 busy 1")
        terminal.press("20\r")
        terminal.wait_for("action 20 of 57")
        terminal.wait_for(lambda: len(re.findall(r"[34] pieces", terminal.text)) == 2)
        terminal.press("s")
        terminal.press("d")
        terminal.wait_for("completes route")
        terminal.wait_for("seen by seat 2 busy 1")
        terminal.press("q")
        assert terminal.wait_for_end() == 0


def test_an_invalid_log_is_marked_on_a_terminal(spike: Path, tmp_path: Path) -> None:
    log = tmp_path / "wrong.jsonl"
    log.write_bytes(wrong_at(spike, 30))
    with Terminal("replay", str(log)) as terminal:
        terminal.wait_for("INVALID LOG")
        terminal.press("G")
        terminal.wait_for("action 27 of 27")
        terminal.wait_for("Invalid from here on: line 30")
        terminal.press("q")
        assert terminal.wait_for_end() == 1
        assert f"Error: {log}: line 30" in " ".join(terminal.bytes.decode().split())


def test_a_growing_log_can_be_followed_on_a_terminal(spike: Path, tmp_path: Path) -> None:
    lines = spike.read_bytes().splitlines(keepends=True)
    log = tmp_path / "growing.jsonl"
    log.write_bytes(b"".join(lines[:12]))
    with log.open("ab", buffering=0) as growing, Terminal("replay", str(log), "--follow") as terminal:
        terminal.wait_for("action 10 of 10")
        terminal.wait_for("following")
        growing.write(lines[12] + lines[13][:20])
        terminal.wait_for("action 11 of 11")
        terminal.press("h")
        terminal.wait_for("action 10 of 11")
        growing.write(lines[13][20:])
        terminal.wait_for("action 10 of 12")
        terminal.press("G")
        growing.write(b"".join(lines[14:]))
        terminal.wait_for("action 57 of 57")
        terminal.wait_for("Result after")
        terminal.press("q")
        assert terminal.wait_for_end() == 0


def test_a_suspended_replay_can_be_resumed(spike: Path) -> None:
    shell = ("/bin/bash", "-c", 'set -m; "$@"; echo meanwhile; fg', "bash")
    with Terminal("replay", str(spike), before=shell) as terminal:
        terminal.wait_for("action 0 of")
        terminal.press("\x1a")
        terminal.wait_for(lambda: b"meanwhile" in terminal.bytes)
        terminal.wait_for("action 0 of")
        terminal.press("lq")
        assert terminal.wait_for_end() == 0
        assert terminal.is_as_before()


# Parts of the replay screen


@pytest.mark.parametrize("game", game_names())
def test_a_headline_has_the_price_and_is_not_repeated_below(game: str, logs: dict[str, Path]) -> None:
    recorded = read(logs[game])
    priced = 0
    for moment in recorded.moments[1:]:
        done = headline(recorded, moment, ALL_SEATS).partition(" ")[2]
        lines = list(event_lines(recorded, moment, ALL_SEATS))
        assert not [line for line in lines if line.startswith((done, "For $", "($"))]
        priced += done.endswith(")") if game == "last_spike" else " for $" in done
    assert priced


@pytest.mark.parametrize("game", game_names())
def test_every_frame_has_the_size_of_the_window(game: str, logs: dict[str, Path]) -> None:
    cursor = Cursor(read(logs[game]), speed=1)
    screen = Screen(cursor, ALL_SEATS)
    sizes = ((80, 24), (100, 35), (120, 40), (200, 60), (37, 11), (8, 3), (1, 1))
    for number, (width, height) in zip(
        range(0, cursor.recorded.last, cursor.recorded.last // len(sizes)), itertools.cycle(sizes), strict=False
    ):
        cursor.jump(number)
        for screen.page in (*PAGES, "keys"):
            frame = screen.frame(width, height)
            assert len(frame) == height
            assert max(line.cell_len for line in frame) <= width


def test_the_list_of_keys_and_the_tables_are_wrapped_in_a_narrow_window(spike: Path) -> None:
    screen = Screen(Cursor(read(spike), speed=1), ALL_SEATS)
    for screen.page, words in (("keys", "all seats together"), ("tables", "no piece set aside.")):
        assert words in " ".join(" ".join(line.plain for line in screen.frame(40, 50)).split())


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 35), (120, 40)])
def test_map_players_and_story_share_the_screen(game: str, width: int, height: int, logs: dict[str, Path]) -> None:
    cursor = Cursor(read(logs[game]), speed=1)
    screen = Screen(cursor, ALL_SEATS)
    place = {"last_spike": "SAC ", "chicago_express": "\n10  ", "american_rails": "\nR  "}[game]
    for number in range(0, cursor.recorded.last + 1, cursor.recorded.last // 4):
        cursor.jump(number)
        text = "\n".join(line.plain for line in screen.frame(width, height))
        assert text.isascii()
        for words in (place, "player", "cash", f"{number}. "):
            assert words in text or screen.cursor.is_at_end, text
        assert ("company" in text) == (game != "last_spike")


def test_playing_advances_by_the_given_clock(spike: Path) -> None:
    cursor = Cursor(read(spike), speed=2)
    assert cursor.wait_s(100) is None
    cursor.play_or_stop(100)
    assert cursor.wait_s(100) == 0.5
    assert not cursor.tick(100.4)
    assert cursor.tick(100.5)
    assert cursor.at == 1
    assert cursor.tick(102.6), "overdue steps are played at once"
    assert cursor.at == 5
    cursor.faster(102.6)
    assert (cursor.speed, cursor.wait_s(102.6)) == (4, 0.25)
    cursor.tick(1000)
    assert cursor.is_at_end
    assert not cursor.is_playing
    cursor.play_or_stop(1000)
    assert cursor.at == 0, "playing at the end starts from the beginning"


def test_dividends_are_found_forwards_and_backwards(logs: dict[str, Path]) -> None:
    cursor = Cursor(read(logs["american_rails"]), speed=2)
    found = list(landmarks(cursor, 1))
    assert found == [
        moment.number
        for moment in cursor.recorded.moments
        if any(event.__struct_config__.tag == "dividend_paid" for event in moment.events)
    ]
    assert list(landmarks(cursor, -1)) == [*found[-2::-1], 0]


def landmarks(cursor: Cursor, direction: int) -> Iterator[int]:
    while cursor.at != (cursor.recorded.last if direction > 0 else 0):
        cursor.next_landmark(direction)
        yield cursor.at


def test_a_closed_output_pipe_causes_no_traceback(spike: Path) -> None:
    process = start_rails("replay", str(spike), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    os.read(process.stdout.fileno(), 10)
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(HANG_S)
