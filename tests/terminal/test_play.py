"""Tests of `rails-cli play` and `learn` in pseudo-terminals: whole games, window sizes, input, undo and resuming."""

import re
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.games import game_names, load_face, load_game, standard_board
from rails_cli.games.decision import LocalLookahead
from rails_cli.games.faces.choices import choices_of, command_of, preview_of, why
from rails_cli.games.game import digest, without_info_fields
from rails_cli.games.rulebook import cited, rules_of, uncited
from rails_cli.logs.verify import verify_file
from rails_cli.match.match import Match, header_of
from rails_cli.players.builtin import builtin_player
from rails_cli.protocol.last_spike import RouteCompleted
from rails_cli.protocol.log import PlayerLine
from rails_cli.study.analysis.hints import hint
from rails_cli.study.playback.recorded import read_recorded
from rails_cli.terminal.dialogue import completions, predicted_effect
from rails_cli.terminal.ending import cash_by_stage, final_lines
from rails_cli.terminal.frame import Frame
from rails_cli.terminal.last_screen import LastScreen
from rails_cli.terminal.layout import ScreenLayout
from rails_cli.terminal.lessons import Lessons
from rails_cli.terminal.reading import Unclear, read
from rails_cli.terminal.signs import is_unicode, same_length_ascii
from tests.support.chicago_express import expanding, pick, position
from tests.support.frames import decision_of, frames
from tests.support.person import GAME_ARGUMENTS, Person, by_lines, check_given_once, games_in, log_lines
from tests.support.short_boards import short_board
from tests.support.tools import BOTS, GOLDEN, ROOT

COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
SIZES = [(80, 24), (120, 40)]
NEAR_THE_END = re.compile("end:|Ends")
VOCABULARY = (
    "build bid pass R2 B03 12 $5 ; NYC american ? é 1e9 -1 develop Chicago new york A1 STL0 omaha buy sell play choose "
    "expand 3 take"
)


# Whole games


def test_a_game_is_played_while_the_window_changes_size(tmp_path: Path) -> None:
    """The Last Spike can be played while the size of the window changes.

    Other tests draw the screens of the other two games at these sizes.
    """
    sizes = [(100, 35), *SIZES[1:], SIZES[0]]
    width, height = SIZES[0]
    with Person("play", "last_spike", *GAME_ARGUMENTS, "--fast", folder=tmp_path, width=width, height=height) as person:
        person.wait_until_asked()
        for size in sizes:
            person.say("1")
            assert not person.spilled
            person.rows.clear()
            person.resize(*size)
            person.wait_for(lambda: person.is_asked() and bool(NEAR_THE_END.search(person.lines[0])))
            person.spilled.clear()  # a frame for the previous, larger window may have arrived late
        person.say("quit")
        assert person.wait_for_end() == 0
        assert person.is_as_before()
        assert not person.spilled
    assert verify_file(games_in(tmp_path)[0]).mistake is None


@pytest.mark.parametrize("game", game_names())
def test_a_whole_game_is_played_without_a_terminal(game: str, tmp_path: Path) -> None:
    done = by_lines(tmp_path, "play", game, *GAME_ARGUMENTS, typed="1\npass\n" * 400)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert "\x1b" not in done.stdout
    assert "wins." in done.stdout or "share the win" in done.stdout
    assert re.search(r"^You (came \w+, .+ behind .+|won, .+ ahead of .+|share the win with .+)\.$", done.stdout, re.M)
    assert max(len(line) for line in done.stdout.splitlines() if str(tmp_path) not in line) <= 100
    assert verify_file(games_in(tmp_path)[0]).is_finished


def test_each_lesson_is_given_once_in_a_game_without_a_terminal(tmp_path: Path) -> None:
    """Without a terminal, each lesson of American Rails is printed exactly once.

    Input and output are pipes, and the input ends in the middle of the game. test_lessons.py tests the lessons of The
    Last Spike at a terminal.
    """
    done = by_lines(tmp_path, "learn", "american_rails", "--seed", "4", "--name", "Anna", typed="\n" + "1\n" * 8)
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr
    assert "Welcome to" in done.stdout
    assert ", which may be a good move." in " ".join(done.stdout.split())
    lessons = load_face("american_rails").tutorial.questions.values()
    check_given_once([uncited(lesson.text) for lesson in lessons], done.stdout)
    assert [player["seat"] for player in log_lines(tmp_path)[0]["players"]] == ["person", *["builtin:easy"] * 2]


def test_the_lessons_end_with_the_game_without_a_terminal(tmp_path: Path) -> None:
    """Without a terminal, a game with lessons can be played to its end.

    The lessons begin near the end of the game, because each needs a search.
    """
    board = str(short_board("last_spike", tmp_path, pieces=2))
    words = ("--players", "6", "--bots", "easy", "--name", "Anna", "--seed", "4", "--board", board)
    by_lines(tmp_path, "play", "last_spike", *words, typed="1\n" * 4 + "quit\n")
    (begun,) = games_in(tmp_path)
    begun.rename(begun.with_stem("short-lesson"))
    done = by_lines(tmp_path, "play", "--resume", "short-lesson", typed="\n" + "1\n" * 900)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert re.search(r"^You (came|won|share)", done.stdout, re.MULTILINE)
    assert "Now a game of your own: rails-cli play last_spike --players 6 --bots easy" in done.stdout
    assert ", which may be a good move." in " ".join(done.stdout.split())


# The window


def test_resizing_the_window_keeps_the_typed_line(tmp_path: Path) -> None:
    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        person.type("bid 9")
        person.resize(10, 24)
        person.wait_for(lambda: "bid 9" in person.last_line and "Anna>" not in person.last_line)
        for width, height in ((120, 40), (100, 35), (60, 16), (80, 24)):
            person.rows.clear()
            person.resize(width, height)
            person.wait_for(lambda: person.last_line.startswith("Anna> bid 9") and "Ends: " in person.lines[0])
        person.press("\r")
        person.wait_for(lambda: person.last_line.startswith("Anna>") and "bid 9" not in person.last_line)
        person.say("quit")
        assert person.wait_for_end() == 0
    first = next(line["action"] for line in log_lines(tmp_path) if line["type"] == "action")
    assert first == {"type": "bid", "amount": 9}


@pytest.mark.parametrize(("width", "height"), [(100, 35), (120, 40), (80, 24)])
@pytest.mark.parametrize("game", game_names())
def test_the_whole_screen_fits_the_window(game: str, width: int, height: int) -> None:
    """The title line, the map, the players and the question are visible at every decision of a game."""
    layout = ScreenLayout()
    for _, frame in frames(game, players=4, every=13):
        lines = [line.plain for line in layout.lines(frame, width, height - 1)]
        assert len(lines) == height - 1
        assert max(map(len, lines)) <= width
        text = "\n".join(lines)
        assert frame.question.split()[0] in text
        assert all(name[:8] in text for name in frame.names)
        assert NEAR_THE_END.search(lines[0])
        marks = ("Chi", "Ch", "@") if game != "last_spike" else ("SAC",)
        assert any(mark in text for mark in marks)


def test_a_screen_is_drawn_in_tiny_and_huge_windows() -> None:
    for _, frame in frames("chicago_express", players=6, every=40):
        for size in ((1, 1), (10, 3), (30, 10), (60, 8), (300, 100)):
            lines = ScreenLayout().lines(frame, *size)
            assert len(lines) == size[1]
            assert max(line.cell_len for line in lines) <= size[0]


def test_no_color_turns_colours_off(tmp_path: Path) -> None:
    with Person("play", "american_rails", *GAME_ARGUMENTS, folder=tmp_path, NO_COLOR="1") as person:
        person.wait_until_asked()
        person.say("1")
        person.say("map")
        assert not COLOUR.search(person.bytes)
    with Person("play", "american_rails", *GAME_ARGUMENTS, folder=tmp_path) as person:
        person.wait_until_asked()
        assert COLOUR.search(person.bytes)


@pytest.mark.parametrize("game", game_names())
def test_every_character_on_the_screen_has_an_ascii_form(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    for _, frame in frames(game, players=4, every=24):
        lines = [same_length_ascii(line.plain) for line in ScreenLayout().lines(frame, 100, 34)]
        assert "".join(lines).isascii()
        assert not re.search(r"\d ?\? ?\d", "\n".join(lines))


def test_an_ascii_locale_gets_ascii_output_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii"}
    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path, **settings) as person:  # type: ignore[arg-type]
        person.wait_until_asked()
        person.say("1")
        person.say("?")
        person.say("map")
        person.say("quit")
        assert person.wait_for_end() == 0
        assert person.bytes.isascii()
        assert b"->" in person.bytes
        assert not re.search(rb"\d ?\? ?\d", re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", person.bytes))
    seats = ("--seat", "person:José", *("--seat", "builtin:busy") * 2)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C")
    done = CliRunner().invoke(main, ["play", "american_rails", *seats], input="1\nscores\nlog\nhint\n")
    assert done.stdout.isascii()
    assert "Jose> " in done.stdout
    assert done.exit_code == 1


def test_lc_all_and_lang_decide_whether_unicode_is_used() -> None:
    assert is_unicode({"LANG": "de_DE.UTF-8"})
    assert not is_unicode({"LANG": "de_DE.UTF-8", "LC_ALL": "C"})
    assert not is_unicode({})


def test_the_input_line_has_previews_completion_and_history(tmp_path: Path) -> None:
    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        person.type("bid 12")
        person.wait_for(lambda: "cash $40 → $28" in person.last_line)
        person.press("\x15")
        person.say("why bid 3")
        person.press("\x1b[A")
        person.wait_for(lambda: person.last_line.startswith("Anna> why bid 3"))
        person.press("\x15pa\t")
        person.wait_for(lambda: person.last_line.startswith("Anna> pass"))


def test_an_explanation_typed_while_a_hint_is_computed_is_shown_and_keeps_the_hint(tmp_path: Path) -> None:
    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path, width=120, height=40) as person:
        person.wait_until_asked()
        person.press("hint\r?\r")
        person.wait_for("CE-10")
        person.press("\r")
        person.wait_for("as a strong player suggests")
        person.press("+")
        person.wait_for("Anna bids")


def test_moves_of_others_appear_with_pauses_that_enter_skips(tmp_path: Path) -> None:
    with Person("play", "chicago_express", *GAME_ARGUMENTS, folder=tmp_path) as person:
        person.wait_until_asked()
        person.type("bid 20")
        person.press("\r")
        person.wait_for("... (enter: continue)")
        person.press("\r" * 100)  # each ends one pause
        person.wait_for(person.is_asked)


# Leaving and resuming


def test_a_game_left_with_ctrl_c_is_resumed_at_the_same_question(tmp_path: Path) -> None:
    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        person.say("bid 9")
        question = question_line(person)
        person.press("\x03")
        assert person.wait_for_end() == 1
        assert person.is_as_before()
        assert b"rails-cli play --resume" in person.bytes
    before = log_lines(tmp_path)
    with Person("play", "--resume", "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        assert question == question_line(person)
        person.say("pass")
        person.say("quit")
        assert person.wait_for_end() == 0
    assert log_lines(tmp_path)[: len(before)] == before
    assert len(log_lines(tmp_path)) > len(before)
    assert verify_file(games_in(tmp_path)[0]).mistake is None


def test_ctrl_c_while_bots_play_on_a_dumb_terminal_saves_the_game(tmp_path: Path) -> None:
    seats = [word for seat in ("builtin:busy", "builtin:busy", "person:Anna") for word in ("--seat", seat)]
    with Person("play", "last_spike", *seats, "--seed", "5", folder=tmp_path, TERM="dumb", height=200) as person:
        person.wait_for("Vanderbilt")
        person.press("\x03")
        assert person.wait_for_end() == 1
        assert b"The game is saved." in person.bytes
        assert b"Traceback" not in person.bytes


def test_a_dumb_terminal_gets_lines_of_its_width_and_ignores_lines_typed_while_bots_play(tmp_path: Path) -> None:
    seats = [word for seat in ("builtin:busy", "builtin:busy", "person:Anna") for word in ("--seat", seat)]
    words = ("play", "last_spike", *seats, "--seed", "5")
    with Person(*words, folder=tmp_path, TERM="dumb", width=60, height=200) as person:
        person.wait_for("Vanderbilt")
        person.press("1\r1\r")
        person.wait_for(lambda: b"Anna> " in person.bytes)
        lines = person.bytes.decode().splitlines()
        assert 55 < max(map(len, lines)) <= 60, "longer sentences are wrapped at the width of the terminal"
        person.press("\x03")
        assert person.wait_for_end() == 1
    assert not [line for line in log_lines(tmp_path) if line["type"] == "action" and line["seat"] == 2]


def test_end_of_input_saves_the_game_and_exits_with_1(tmp_path: Path) -> None:
    with Person("play", "last_spike", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        person.press("\x04")
        assert person.wait_for_end() == 1
        assert person.is_as_before()
    done = by_lines(tmp_path, "play", "--resume", typed="1\n")
    assert done.returncode == 1
    assert "To resume it: rails-cli play --resume" in done.stdout
    assert len([line for line in log_lines(tmp_path) if line["type"] == "action"]) > 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_restores_the_terminal_settings(number: int, tmp_path: Path) -> None:
    with Person("play", "last_spike", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        person.process.send_signal(number)
        assert person.wait_for_end() == 1
        assert person.is_as_before()


def test_a_game_that_starts_from_a_drawn_opening_is_resumed(tmp_path: Path) -> None:
    """The actions of a random opening are logged and announced.

    `undo` cannot take them back, not even after resuming.
    """
    words = ("--players", "2", "--bots", "greedy", "--name", "Anna", "--seed", "5", "--openings", "drawn")
    done = by_lines(tmp_path, "play", "chicago_express", *words, typed="undo\n1\nundo\n1\n")
    assert done.returncode == 1
    assert "You have no decision to take back." in done.stdout
    header, *lines = log_lines(tmp_path)
    opening = [line["action"] for line in lines if line.get("opening")]
    assert opening == header["opening"]["actions"]
    assert f"The game starts with an opening of {len(opening)} actions, drawn at random.\n" in done.stderr
    carried = by_lines(tmp_path, "play", "--resume", typed="undo\nundo\n" * 3)
    assert "You have no decision to take back." in carried.stdout
    assert [line["action"] for line in log_lines(tmp_path)[1:] if line.get("opening")] == opening
    assert verify_file(games_in(tmp_path)[0]).mistake is None


def test_a_game_open_in_another_process_cannot_be_resumed(tmp_path: Path) -> None:
    with Person("play", "last_spike", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        done = by_lines(tmp_path, "play", "--resume", typed="1\n")
        assert done.returncode == 1
        assert "is being played; leave the game first" in done.stderr
        person.say("1")


def test_an_incomplete_last_log_line_is_dropped_on_resume(tmp_path: Path) -> None:
    by_lines(tmp_path, "play", "last_spike", *GAME_ARGUMENTS, typed="1\n")
    (path,) = games_in(tmp_path)
    path.write_bytes(path.read_bytes()[:-5])
    assert by_lines(tmp_path, "play", "--resume", typed="1\npass\n" * 100).returncode == 0
    assert verify_file(path).is_finished


# Undo


def test_undo_returns_to_the_previous_question_and_is_logged(tmp_path: Path) -> None:
    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path) as person:
        person.wait_until_asked()
        person.say("undo")
        assert "You have no decision" in person.text
        first = question_line(person)
        person.say("bid 9")
        assert question_line(person) != first
        person.say("undo")
        assert question_line(person) == first
        person.say("bid 10")
        person.say("undo")
        person.say("bid 11")
        person.say("quit")
    actions = [line for line in log_lines(tmp_path) if line["type"] == "action"]
    assert actions[0]["action"] == {"type": "bid", "amount": 11}
    assert actions[0]["info"] == {"undone": 2}
    assert "info" not in actions[1]
    assert verify_file(games_in(tmp_path)[0]).mistake is None
    output = CliRunner().invoke(main, ["replay", str(games_in(tmp_path)[0]), "--moves"]).output
    assert re.search(r"1\. Anna bids \$11\n +! Anna took back 2 moves here\.\n", output)


def question_line(person: Person) -> str:
    """Return the question "$N or more, or pass?" on the screen."""
    return next(line[43:].strip() for line in person.lines if "or more, or pass?" in line)


def test_undo_works_after_resuming_a_game_with_an_external_bot(tmp_path: Path) -> None:
    bot = BOTS / "honest.py"
    seats = ("--seat", "person:Anna", "--seat", f"{sys.executable} {bot}", "--seat", "builtin:busy")
    by_lines(tmp_path, "play", "chicago_express", *seats, "--seed", "5", typed="bid 9\n")
    count = len(log_lines(tmp_path))
    by_lines(tmp_path, "play", "--resume", typed="undo\nquit\n")
    assert len(log_lines(tmp_path)) >= count, "a move is taken back when another one is made"
    done = by_lines(tmp_path, "play", "--resume", typed="undo\nbid 12\nquit\n")
    assert done.returncode == 0
    actions = [line for line in log_lines(tmp_path) if line["type"] == "action"]
    assert (actions[0]["action"], actions[0]["info"]) == ({"type": "bid", "amount": 12}, {"undone": 1})
    assert count >= 3
    assert verify_file(games_in(tmp_path)[0]).mistake is None


def test_undo_is_refused_after_another_person_has_moved(tmp_path: Path) -> None:
    seats = ("--seat", "person:Anna", "--seat", "person:Ben")
    done = by_lines(tmp_path, "play", "chicago_express", *seats, "--seed", "5", typed="bid 9\nundo\nquit\n")
    assert "Anna has moved since" in done.stdout


# Several people at one terminal


def test_hands_are_hidden_until_the_next_person_presses_enter(tmp_path: Path) -> None:
    seats = ("--seat", "person:Anna", "--seat", "person:Ben", "--seat", "builtin:greedy")
    game = load_game("last_spike")
    state = game.setup(standard_board("last_spike"), 3, game.options_type(), 5, None)
    hands = [game.view(state, standard_board("last_spike"), seat).players[seat].hand for seat in range(2)]
    with Person("play", "last_spike", *seats, "--seed", "5", "--fast", folder=tmp_path) as person:
        for _ in range(6):
            person.wait_for(lambda: "press enter>" in person.last_line)
            name = person.last_line.split(",")[0]
            own, other = ("Anna", "Ben") if name == "Anna" else ("Ben", "Anna")
            assert all(hand_of(person, who) in (None, "4 pieces", "3 pieces") for who in ("Anna", "Ben"))
            assert not any(" ".join(hand) in person.text for hand in hands)
            person.press("\r")
            person.wait_until_asked(own)
            assert re.fullmatch(r"[A-Z]\d( [A-Z]\d)*", hand_of(person, own) or "")
            assert hand_of(person, other) in ("4 pieces", "3 pieces")
            while person.is_asked(own):
                person.type("1")
                person.press("\r")
                person.wait_for(lambda: not re.match(r"\S+> 1", person.last_line))
                person.wait_for(lambda: ">" in person.last_line)


def hand_of(person: Person, name: str) -> str | None:
    """Return the text in the hand column of the player `name`, or None if the panel does not show this player."""
    for line in person.lines:
        found = re.search(rf"\d {name}(?: +(?:\$[\d,]+k?|-)){{3}} (.*)", line)
        if found:
            return found[1].strip()
    return None


class OneKeyDisplay:
    """A display that records all frames. At the end of the game it answers with the key r, which opens the replay."""

    has_keys = is_interactive = True

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def tell(self, frame: Frame, lines: int) -> None:
        self.frames.append(frame)

    def close(self, frame: Frame) -> str:
        self.tell(frame, 0)
        return "r"

    def ask(self, frame: Frame) -> str:
        raise AssertionError("nobody is asked at the end")

    def call(self, title: str, *, is_loud: bool) -> None: ...

    def interrupt(self) -> None: ...


def test_after_a_game_each_of_several_people_gets_a_verdict() -> None:
    """After a game of several people, the screen shows for each person the result and the person's costliest move.

    Only the first moves of the game are judged, because judging a whole game takes long.
    """
    lines = sorted(GOLDEN.glob("last_spike/*-3p-*.jsonl"))[0].read_bytes().splitlines(keepends=True)
    recorded = read_recorded(b"".join(lines[:6]))
    frame = Frame("The Last Spike", ["Anna", "Ben", "Cora"], {}, None, None, face=load_face("last_spike"))
    screen = LastScreen(frame, ["Cora wins."], [10, 20, 30], [3, 2, 1], [0, 1])
    display = OneKeyDisplay()
    screen.judge(display, recorded)
    screen.show(display)
    overlay = display.frames[-1].overlay
    assert isinstance(overlay, list)
    anna, ben, keys, *_ = (str(line) for line in overlay)
    names = recorded.names
    assert re.match(
        rf"Anna came 3rd, \$20 behind Cora. ({names[0]}'s costliest move|No single mistake of {names[0]}'s)", anna
    )
    assert re.match(
        rf"Ben came 2nd, \$10 behind Cora. ({names[1]}'s costliest move|No single mistake of {names[1]}'s)", ben
    )
    assert keys.startswith("Press r to replay the game")
    assert screen.wants_replay
    assert any("Looking back on the moves of Ben" in str(frame.overlay) for frame in display.frames)


def test_the_log_command_hides_pieces_drawn_by_other_players(tmp_path: Path) -> None:
    seats = ("--seat", "person:Anna", "--seat", "person:Ben")
    done = by_lines(tmp_path, "play", "last_spike", *seats, "--seed", "5", typed="\n1\n1\n\nlog\nquit\n")
    events = [event for line in log_lines(tmp_path) for event in line.get("events", ())]
    drawn = [event["piece"] for event in events if event["type"] == "drew"]
    assert drawn
    assert not any(f"draws {piece}" in done.stdout for piece in drawn)


# Questions, previews, reasons


def test_a_preview_of_several_steps_adds_up_their_costs() -> None:
    state = position(
        expanding(), shares={"NYC": (1, 1, 0)}, treasury={"NYC": 9}, track={"PRR": "R5 Q3"}, cash=(20, 20, 20)
    )
    decision = decision_of("chicago_express", state)
    steps = read("build R2 Q3", decision, choices_of(decision))
    words = preview_of(decision, steps).words.replace("→", "->")
    assert words == "costs $6, income $8 -> $9, dividend per share $4 -> $5"
    turns = (decision for decision, _ in frames("last_spike", players=3))
    decision = next(one for one in turns if not one.lookahead.after(one.legal[0])[0].is_by_chance)
    piece = decision.legal[0]
    land = decision.lookahead.after(piece)[0].legal[0]
    words = preview_of(decision, [piece, land]).words
    assert words.startswith(f"costs ${piece.cost + land.cost:,}, ")
    assert words.count("costs") == 1


def test_previews_of_builds_show_the_cost_and_the_resulting_income() -> None:
    """After a build, the company has the income that the preview showed."""
    for name in ("chicago_express", "american_rails"):
        game, board = load_game(name), standard_board(name)
        for decision, frame in frames(name, players=3, every=5):
            assert isinstance(decision.lookahead, LocalLookahead)
            for choice in frame.choices:
                if choice.entry.__struct_config__.tag != "build":
                    continue
                state = decision.lookahead._state.copy()
                game.apply(state, board, without_info_fields(choice.entry), None)
                company = next(c for c in game.view(state, board, 0).companies if c.id == choice.entry.company)
                noted = re.search(r"(?:^|, )income \d+ \S+ (\d+)", choice.preview.words)
                if noted:
                    assert int(noted[1]) == company.income
                assert f"costs ${choice.entry.cost}" in choice.preview.words


def test_previews_of_the_last_spike_do_not_reveal_the_next_draw() -> None:
    for decision, frame in frames("last_spike", players=3):
        assert isinstance(decision.lookahead, LocalLookahead)
        hand = set(decision.view.players[0].hand)
        for choice in frame.choices:
            _, events = decision.lookahead.after(choice.action)
            assert not any(event.__struct_config__.tag == "drew" for event in events)
            mentioned = set(re.findall(r"\b[A-FU-Z][1-4]\b", choice.preview.words))
            assert mentioned <= hand


def test_hints_reasons_completions_and_previews_do_not_change_the_position() -> None:
    for name in game_names():
        game = load_game(name)
        for decision, frame in frames(name, players=3, every=21):
            assert isinstance(decision.lookahead, LocalLookahead)
            before = digest(game, decision.lookahead._state)
            hint(decision, frame.choices, looks=2)
            why(decision, ["R2"])
            list(completions(decision, frame.choices, ""))
            predicted_effect(decision, frame.choices, frame.choices[0].command)
            assert digest(game, decision.lookahead._state) == before


def test_every_choice_can_be_typed_as_a_command_or_a_number() -> None:
    for name in game_names():
        for decision, frame in frames(name, players=4, every=4):
            for number, choice in enumerate(frame.choices, 1):
                assert read(choice.command, decision, frame.choices) == [choice.action]
                is_amount = choice.entry.__struct_config__.tag in ("bid", "pass") and "bid" in frame.choices[0].command
                if not is_amount:
                    assert read(str(number), decision, frame.choices) == [choice.action]
            rules = decision.face.prompt(decision).rules
            assert rules
            assert len(cited(name, rules)) == len(rules.split())


def test_completions_of_places_with_a_comma_in_the_name_are_one_command() -> None:
    state = position(expanding(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9})
    decision = decision_of("chicago_express", state)
    choices = choices_of(decision)
    hexes = [{**spot, "name": f"Town {number}, Ohio"} for number, spot in enumerate(decision.wire_board["hexes"])]
    decision = replace(decision, wire_board={**decision.wire_board, "hexes": hexes})
    suggested = [text for text, *_ in completions(decision, choices, "build") if "Ohio" in text]
    assert suggested
    assert [read(text, decision, choices)[0] for text in suggested] == [choice.action for choice in choices[:-1]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("biuld R2", "Did you mean build?"),
        ("build", "Build what?"),
        ("build Z9", "I don't recognise 'Z9'"),
        ("build R2 Q33", "I don't recognise 'Q33'"),
        ("build R3 A2", "not next to NYC's network (CE-40)"),
        ("build PRR R4", "You hold no share of PRR (CE-40)"),
        ("build S4; bid 3", "others move first"),
        ("99", "no choice 99"),
        ("bid 3", "is not possible here"),
        (";", "Choose a number"),
        ("build New York", "start city"),
    ],
)
def test_a_wrong_line_raises_an_error_that_names_the_problem(line: str, words: str) -> None:
    state = position(expanding(left=1 if ";" in line else 3), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9})
    decision = decision_of("chicago_express", state)
    with pytest.raises(Unclear, match=re.escape(words)):
        read(line, decision, choices_of(decision))


@pytest.mark.parametrize(
    ("line", "actions"),
    [
        ("expand R2 Q3", ["choose expand", "build NYC R2", "build NYC Q3"]),
        ("build r3", ["choose expand", "build NYC R3"]),
        ("expand NYC R2; stop", ["choose expand", "build NYC R2", "pass"]),
        ("choose develop; develop new york", None),
        ("develop; pass", ["choose develop", "pass"]),
        ("offer nyc", ["choose auction", "offer NYC"]),
        ("auction New York Central", ["choose auction", "offer NYC"]),
        ("expand, build R2 Binghamton", ["choose expand", "build NYC R2", "build NYC Q3"]),
    ],
)
def test_one_line_may_contain_several_steps(line: str, actions: list[str] | None) -> None:
    state = position(pick(), shares={"NYC": (1, 1, 0)}, treasury={"NYC": 9}, track={"PRR": "R5 O4"})
    decision = decision_of("chicago_express", state)
    if actions is None:
        with pytest.raises(Unclear):
            read(line, decision, choices_of(decision))
    else:
        assert [command_of(action) for action in read(line, decision, choices_of(decision))] == actions


def test_a_number_alone_is_never_read_as_the_amount_of_a_bid() -> None:
    game, board = load_game("chicago_express"), standard_board("chicago_express")
    decision = decision_of("chicago_express", game.setup(board, 3, game.options_type(), 0, None))
    choices = choices_of(decision)
    assert read("1", decision, choices)[0].amount == 7
    with pytest.raises(Unclear, match="bid 12"):
        read("12", decision, choices)
    with pytest.raises(Unclear, match=r"\$40"):
        read("bid 41", decision, choices)


@pytest.mark.parametrize(
    ("track", "asked", "words"),
    [
        ({}, "R5", "start city"),
        ({"PRR": "R5 R2"}, "R2", "holds one piece in total"),
        ({}, "Q3", "not next to"),
        ({"NYC": "S3 R2"}, "R2", "is already in R2"),
        ({"NYC": "S3 S4 S5"}, "S4", "already"),
        ({"NYC": "S3 R2", "PRR": "R5 Q3"}, "Q3", "treasury has $3 (CE-43)"),
        ({}, "wabash", "opens when a company reaches Chicago"),
        ({}, "BO", "no share of BO"),
        ({}, "nonsense", "I don't recognise"),
        ({}, "R5", "(CE-41)"),
        ({"PRR": "R5 R2"}, "R2", "(CE-42)"),
        ({}, "A2", "(CE-40)"),
        ({}, "BO", "(CE-40)"),
        ({}, "wabash", "(CE-30, CE-71)"),
    ],
)
def test_why_explains_a_forbidden_build_and_cites_the_rule(track: dict[str, str], asked: str, words: str) -> None:
    decision = decision_of(
        "chicago_express", position(expanding(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 3}, track=track)
    )
    assert words in why(decision, asked.split())


def test_any_typed_line_is_a_legal_action_or_an_error_message() -> None:
    chance = Random(1)
    for name in game_names():
        for decision, frame in frames(name, players=3, every=12):
            for _ in range(10):
                line = " ".join(chance.choice(VOCABULARY.split()) for _ in range(chance.randint(1, 4)))
                with suppress(Unclear):
                    first = read(line, decision, frame.choices)[0]
                    assert first in decision.legal or first.__struct_config__.tag == "bid"
                assert why(decision, line.split())
                predicted_effect(decision, frame.choices, line)
                list(completions(decision, frame.choices, line))


def test_commands_that_only_show_something_play_no_action(tmp_path: Path) -> None:
    typed = "?\nwhy bid 3\nhint\nmap\nmap costs\nmap income\nmap prr\nmap rubbish\nlog\nscores\nhelp\nsend\n"
    typed += "rule 31\n? 31\nrule nothing-like-it\nbdi 9\npass?\nbid 9?\nbid 9 ?\n? xyzzy\nrule\nwhat\nwhat prr\n"
    typed += "{0}\nbid {0}\nwhat {0}\nquit\n".format("9" * 5000)
    done = by_lines(tmp_path, "play", "chicago_express", *GAME_ARGUMENTS, typed=typed)
    assert done.returncode == 0, done.stderr[-2000:]
    for words in (
        "CE-11: Bidding goes clockwise.",
        "The lowest bid now is $7 (CE-11).",
        "Type + to bid up to $",
        "Which choice or place? Try: what 1, what R2.",
        "I don't understand 'prr'. Possible: bid 7, pass.\n",
        "The share is worth about $",
        "Chance of winning: about ",
        "what building there costs now",
        "what one more company would earn there",
        "Highlighted: the network of PRR: Philadelphia.",
        "No map of 'rubbish'. Try: map,",
        "Here every step is played at once.",
        "The opening PRR share is auctioned",
        "CE-31: Minimum bid",
        "No rule mentions",
        "Did you mean bid? Nothing was played.\n",
        "PRR stands in: R5",
        "pass: no immediate change",
        "bid $9: if it wins, cash $40",
        "No rule mentions 'xyzzy'",
        "you cannot bid more than your cash (CE-12). Nothing was played.\n",
        "Which rule? Try",
    ):
        assert words in done.stdout, words
    assert done.stdout.count("You have $40") >= 2
    assert not [line for line in log_lines(tmp_path) if line["type"] == "action"]


def test_lessons_cite_rules_that_exist() -> None:
    for game in game_names():
        tutorial = load_face(game).tutorial
        for lesson in (tutorial.welcome, *tutorial.questions.values(), *tutorial.events.values()):
            assert set(lesson.rules.split()) <= set(rules_of(game))
            assert "`" not in "".join(cited(game, lesson.rules))
            assert set(re.findall(r"[A-Z]{2}-\d+", lesson.text)) <= set(rules_of(game))


def test_rules_and_questions_call_companies_by_the_names_in_the_tables() -> None:
    face, board = (
        load_face("chicago_express"),
        load_game("chicago_express").wire_board(standard_board("chicago_express")),
    )
    explained = {face.prompt(decision).explained for decision, _ in frames("chicago_express", players=3)}
    text = " ".join([*rules_of("chicago_express").values(), *explained])
    assert all(
        f"{company['id']} ({company['name'].removesuffix(' Railroad')})" in text for company in board["companies"]
    )
    assert not re.search(r"\w&\w|(?<!\()Wabash", text)


def test_the_same_lesson_is_not_given_twice() -> None:
    lessons = Lessons("last_spike")
    for decision, frame in frames("last_spike", players=3):
        lesson = lessons.before(decision, frame.events)
        assert not lessons.before(decision, frame.events)
    assert not lesson


def test_lessons_continue_in_a_resumed_game(tmp_path: Path) -> None:
    """After leaving and resuming a game, no lesson is repeated, and all remaining lessons are given.

    The person leaves at a question of a kind that was answered before. At another question, the lesson would be given
    again.
    """
    words = ("--fast", "--seed", "1", "--name", "Anna")
    first = by_lines(tmp_path, "learn", "last_spike", *words, typed="\n\n1\n1\n\n1\n1\n")
    assert first.returncode == 1
    second = by_lines(tmp_path, "play", "--resume", "--fast", typed="\n" + "1\n" * 3 + "quit\n")
    assert second.returncode == 0, second.stdout[-2000:] + second.stderr
    assert "Welcome back." in second.stdout
    assert ", which may be a good move." in " ".join(second.stdout.split())
    outputs = [" ".join(done.stdout.split()) for done in (first, second)]
    tutorial = load_face("last_spike").tutorial
    lessons = [uncited(lesson.text) for lesson in (*tutorial.questions.values(), *tutorial.events.values())]
    assert all(outputs[0].count(text) + outputs[1].count(text) <= 1 for text in lessons)
    assert any(text in outputs[0] for text in lessons)
    assert any(text in outputs[1] for text in lessons)


@pytest.mark.parametrize("game", game_names())
def test_cash_by_stage_starts_with_the_starting_cash_and_ends_with_the_scores(game: str) -> None:
    rules, board = load_game(game), standard_board(game)
    match = Match(rules, board, header_of(rules, rules.options_type(), 8, [PlayerLine("x")] * 3))
    start = [player.cash for player in match.view_for(0).players]
    sitting = [builtin_player(kind, game, 8, seat) for seat, kind in enumerate(("greedy", "busy", "random"))]
    after_routes = []
    while match.seat is not None:
        before = len(match.history)
        match.submit(match.seat, sitting[match.seat].choose(match))
        if any(type(event) is RouteCompleted for event in match.history[before:]):
            after_routes.append([player.cash for player in match.view_for(0).players])
    scores, events = rules.scores(match.state), match.events_for(0, 0)
    stages = cash_by_stage(load_face(game), scores, events)
    assert stages[0] == start
    assert stages[-1] == scores
    if game == "last_spike":
        assert stages[1:-1] == after_routes, "the payments for a route belong to its stage"
    names, ranks = ["Anna", "Ben", "Cora"], rules.ranks(match.state, board)
    lines = final_lines(load_face(game), rules.wire_board(board), names, scores, ranks, events)
    assert max(len(line) for line in lines if "  " in line) <= 80


# Before the game


def test_play_does_not_ask_for_settings_given_as_options(tmp_path: Path) -> None:
    typed = "2\n1\nCarl\nbusy\n\nhidden\nquit\n"
    done = by_lines(tmp_path, "play", "last_spike", typed=typed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Which game?" not in done.stdout
    header = log_lines(tmp_path)[0]
    assert header["options"] == {"non_adjacent": "only_if_forced", "cash": "hidden"}
    (tmp_path / "other").mkdir()
    words = ("--players", "3", "--bots", "busy", "--option", "cash=hidden", "--name", "Anna")
    done = by_lines(tmp_path / "other", "play", "last_spike", *words, typed="quit\n")
    assert "?" not in done.stdout.partition("Which piece")[0]
    assert log_lines(tmp_path / "other")[0]["options"]["cash"] == "hidden"


def test_play_asks_for_missing_settings(tmp_path: Path) -> None:
    done = by_lines(tmp_path, "play", typed="wrong\n1\n9\n2\n1\nCarl\ngreedy\n\n\nquit\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Which game?" in done.stdout
    assert "'9' is not a number from" in done.stdout
    assert "Is everybody's cash visible?" in done.stdout
    header = log_lines(tmp_path)[0]
    assert header["game"] == "last_spike"
    seats = [(player["name"], player["seat"]) for player in header["players"]]
    assert seats == [("Carl", "person"), ("Vanderbilt", "builtin:greedy")]


# Pictures


@pytest.mark.parametrize("game", game_names())
def test_pictures_of_the_manual_are_small_and_self_contained(game: str) -> None:
    """The pictures in docs/pictures, drawn by `python -m tests.support.pictures`, refer to no other file."""
    content = (ROOT / "docs" / "pictures" / f"{game}-middle.svg").read_bytes()
    assert len(content) < 100_000
    drawn = ElementTree.fromstring(content)
    assert load_game(game).title in "".join(drawn.itertext()).replace("\xa0", " ")
    assert not re.search(rb"(href|src)=|url\((?!#)|@import", content)
