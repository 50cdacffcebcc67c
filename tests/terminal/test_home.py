"""Tests of the home screen: menus and keys, starting and resuming games, and a form without cursor control."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.commands.parameters import server_link
from rails_cli.terminal.menu import Item, Menu, MenuLeft
from tests.support.person import Guest, Person, by_lines, games_in, make_table
from tests.support.short_boards import short_board
from tests.support.ws_client import ServerProcess, table_of

FIRST = "Learn a game: each rule"


def test_games_are_started_resumed_and_replayed_from_the_home_screen(tmp_path: Path) -> None:
    """From the home screen, a person can start a game, resume it, replay a finished game and look at the statistics.

    A damaged file among the saved games is reported and does not prevent this.
    """
    board = str(short_board("last_spike", tmp_path, pieces=2))
    words = ("--players", "2", "--bots", "greedy", "--name", "Anna", "--seed", "5", "--board", board)
    over = by_lines(tmp_path, "play", "last_spike", *words, typed="1\npass\n" * 200)
    assert over.returncode == 0
    renamed = by_lines(tmp_path, "games", "rename", "last", "first-win", typed="")
    assert renamed.returncode == 0, renamed.stderr
    games_in(tmp_path)[0].with_name("damaged.jsonl").write_bytes(b"rubbish\n")
    with Person(folder=tmp_path, LOGNAME="anna") as person:
        person.wait_for(FIRST)
        assert "Continue" not in person.text
        assert "Past games (1)" in person.text
        assert "1 saved file cannot be read" in person.text
        person.press("\x1b[B\r")
        person.wait_for("Several people, names")
        person.press("1")
        person.wait_for("> 3 players")
        person.press("\r")
        person.wait_for("easy: ")
        person.press("\x1b")
        person.wait_for(FIRST)
        for keys, seen in (("p", "Several people"), ("1", "3 players"), ("2", "easy: "), ("1", "Anna> ")):
            person.press(keys)
            person.wait_for(seen)
        person.say("1")
        person.press("quit\r")
        person.wait_for(lambda: "Continue" in person.text and "The Last Spike; Anna to move after " in person.text)
        person.press("1")
        person.wait_until_asked()
        person.press("quit\r")
        person.wait_for("Past games (1)")
        (unfinished,) = [game for game in saved_games(tmp_path) if game["ranks"] is None]
        person.press("a")
        person.wait_for(lambda: "Saved games" in person.lines[0])
        for keys, seen in (("\r", "Continue it"), ("n", f"New name [{unfinished['id']}]:")):
            person.press(keys)
            person.wait_for(seen)
        person.press(".hidden\r")
        person.wait_for("! Invalid value: '.hidden' cannot be a name")
        for keys, seen in (("\r", "Rename it"), ("n", "New name ["), ("first-win\r", "already a saved game first-win")):
            person.press(keys)
            person.wait_for(seen)
        for keys, seen in (
            ("\r", "Rename it"),
            ("n", "New name ["),
            ("second try\r", "> 1 second try: The Last Spike"),
        ):
            person.press(keys)
            person.wait_for(seen)
        for keys, seen in (("1", "Continue it"), ("c", "Anna> ")):
            person.press(keys)
            person.wait_for(seen)
        person.press("quit\r")
        person.wait_for("> 1 second try: ")
        person.press("q")
        person.wait_for("Past games (1)")
        person.press("g")
        person.wait_for("first-win: The Last Spike; won by")
        person.press("\r")
        person.wait_for("Step through it")
        person.press("r")
        person.wait_for("action 0 of")
        person.press("q")
        person.wait_for("won by")
        person.press("\r")
        person.wait_for("What decided it")
        person.press("d")
        person.wait_for("decided it:")
        assert max(map(len, person.rows.values())) <= 80
        # in a small window it may be scrolled out of sight
        person.wait_for(lambda: b"Press a key to go back." in person.bytes)
        person.press(" ")
        person.wait_for("won by")
        person.press("q")
        person.wait_for(FIRST)
        person.press("s")
        person.wait_for(lambda: "Recent ranks" in person.text and "The Last Spike, 1 greedy" in person.text)
        person.press("q")
        person.wait_for(FIRST)
        for keys, seen in (("g", "won by"), ("\r", "Delete it"), ("x", "Delete this game?")):
            person.press(keys)
            person.wait_for(seen)
        person.press("x")
        person.wait_for(lambda: FIRST in person.text and "Past games" not in person.text)
        assert not person.spilled
        person.resize(160, 50)
        person.wait_for(lambda: "q: leave" in person.lines[49])
        person.press("q")
        assert person.wait_for_end() == 0
        assert person.is_as_before()
    (saved,) = saved_games(tmp_path)
    assert [player["seat"] for player in saved["players"]] == ["person", "builtin:easy"]


def saved_games(folder: Path) -> list[dict[str, Any]]:
    """Return the saved games that `rails-cli games --saved --json` lists for the state folder `folder`."""
    listing = json.loads(by_lines(folder, "games", "--saved", "--json", typed="").stdout)
    return list(listing["saved"])


def test_a_dumb_terminal_gets_the_home_screen_without_escape_sequences(tmp_path: Path) -> None:
    with Person(folder=tmp_path, TERM="dumb", height=200) as person:
        person.wait_for("New here?")
        person.wait_for("number or letter (q: leave)>")
        person.press("nonsense\n")
        person.wait_for("I don't understand 'nonsense'; choose 1 to 4, or q: leave.")
        questions = ("Several people", "How many players", "against you?", "Which piece will you play?")
        for keys, seen in zip("p121", questions, strict=True):
            person.press(f"{keys}\n")
            person.wait_for(seen)
        person.press("quit\n")
        person.wait_for("The game is saved.")
        person.wait_for("Continue:")
        person.press("q\n")
        assert person.wait_for_end() == 0
        assert b"\x1b" not in person.bytes


def test_bots_and_server_tables_are_watched_from_the_home_screen(tmp_path: Path) -> None:
    """Watch a game between bots, then a table of a server by its address. A wrong address gives an error message."""
    with ServerProcess(tmp_path / "server") as server:
        table = table_of(make_table(server, "chicago_express"))
        with Guest(server, "--table", table, folder=tmp_path / "guest") as guest:
            guest.wait_until_asked()
            with Person(folder=tmp_path, width=100, height=35) as person:
                person.wait_for(FIRST)
                questions = ("A game of bots", "The Last Spike:", "random: ", "(speed 1; space: pause)")
                for keys, seen in zip("wb11", questions, strict=True):
                    person.press(keys)
                    person.wait_for(seen)
                person.press(" ")
                person.wait_for("(paused; space: continue, enter: one step)")
                log, before = games_in(tmp_path)[0], games_in(tmp_path)[0].read_bytes()
                person.press("\r")
                person.wait_for(lambda: log.read_bytes() != before)
                person.press("help\r")
                person.wait_for("faster and slower")
                assert "explain the question" not in person.text
                person.press("\r")
                person.wait_for("(paused;")
                person.press("+ ")
                person.wait_for("(speed 2; space: pause)")
                person.press("xyz\r")
                person.wait_for(lambda: "not understood" in person.last_line and "xyz" not in person.last_line)
                person.press("q")
                person.wait_for("Continue")
                running = f"{table}  Chicago Express for 3, being played: Anna"
                addresses = {"nowhere": "that is not a server address", server.url.removeprefix("ws://"): running}
                for address, seen in addresses.items():
                    person.press("w")
                    person.wait_for("A table of a server")
                    person.press("t")
                    person.wait_for("Address of the server")
                    person.press(f"{address}\r")
                    person.wait_for(seen)
                person.press("\r")
                person.wait_for(lambda: "PRR" in person.text and "(waiting for " in person.last_line)
                guest.say_and_wait("bid 9")
                person.wait_for("bids $9")
                person.press("quit\r")
                person.wait_for("Continue")
                person.press("\x03")
                assert person.wait_for_end() == 0
                assert person.is_as_before()
    (bots,) = saved_games(tmp_path)
    assert bots["game"] == "last_spike"


def test_without_a_terminal_the_program_prints_its_help(tmp_path: Path) -> None:
    done = by_lines(tmp_path, typed="")
    assert done.returncode == 2
    commands = (done.stdout + done.stderr).partition("Commands:")[2].split("\n")[1:3]
    assert [line.split()[0] for line in commands] == ["learn", "play"]
    refused = CliRunner().invoke(main, ["home"])
    assert refused.exit_code == 2
    assert "rails-cli games --saved --json" in refused.stderr


def test_a_menu_fits_any_window_size_and_is_operated_by_keys() -> None:
    menu = Menu("Many", [Item(f"number {number} " * 9, group="Some") for number in range(1, 41)])
    for size in ((80, 24), (160, 50), (40, 8), (1, 1), (10, 3)):
        lines = menu.frame(*size)
        assert len(lines) == size[1]
        assert max(line.cell_len for line in lines) <= size[0]
    assert [menu.press(key) for key in "3x40"] == [None, None, None, 39]
    assert any("> 40 number 40" in line.plain for line in menu.frame(80, 24))
    assert menu.press("9") == 8
    assert menu.press("0") is None
    assert menu.press("up") is None
    assert menu.press("enter") == 7
    assert menu.press("q") == -1
    with pytest.raises(MenuLeft):
        menu.press("\x03")
    assert Menu("A long title").frame(8, 3)[0].plain == " A long…"
    page = Menu("Text", lines=[f"line {number}" for number in range(50)])
    assert page.press("end") is None
    assert any("line 49" in line.plain for line in page.frame(80, 24))
    assert page.press("enter") == -1
    long = Menu("Text", lines=["word " * 20]).frame(30, 24)
    assert sum(line.plain.count("word") for line in long) == 20


@pytest.mark.parametrize(
    ("words", "url"),
    [
        ("ws://127.0.0.1:8765", "ws://127.0.0.1:8765"),
        ("127.0.0.1:8899", "ws://127.0.0.1:8899"),
        ("localhost:8765", "ws://localhost:8765"),
        ("[::1]:8765", "ws://[::1]:8765"),
        ("http://127.0.0.1:8765/", "ws://127.0.0.1:8765/"),
        ("https://rails.example/games/?a=/#table/3f", "wss://rails.example/games/"),
        ("https://rails.example", "wss://rails.example"),
        ("wss://rails.example/games", "wss://rails.example/games"),
        ("rails.example", "ws://rails.example:8765"),
        ("localhost", "ws://localhost:8765"),
    ],
)
def test_a_server_address_may_be_a_host_a_port_or_a_web_address(words: str, url: str) -> None:
    assert server_link(words).url == url


@pytest.mark.parametrize("words", ["nowhere", "", "ftp://rails.example", "ws://", "http:///page", "a b:1", "ws://[::1"])
def test_a_wrong_server_address_is_refused(words: str) -> None:
    refused = CliRunner().invoke(main, ["watch", "--server", words])
    assert refused.exit_code == 2
    assert "that is not a server address" in refused.stderr


def test_watching_works_without_a_terminal(tmp_path: Path) -> None:
    """Without a terminal, `watch` prints a game between bots as text and saves it. Statistics do not count the game.

    Wrong arguments and an unreachable server are reported.
    """
    words = ("watch", "last_spike", "--players", "3", "--bots", "greedy", "--seed", "2")
    done = by_lines(tmp_path, *words, typed="")
    assert done.returncode == 0, done.stderr
    assert "wins." in done.stdout
    listing = json.loads(by_lines(tmp_path, "games", "--saved", "--json", typed="").stdout)
    assert [game["ranks"] is None for game in listing["saved"]] == [False]
    assert listing["statistics"] == []
    refused = by_lines(tmp_path, "watch", "last_spike", "--server", "127.0.0.1:9", typed="")
    assert refused.returncode == 2
    assert "GAME is already decided by the table that is watched" in refused.stderr
    renamed = by_lines(tmp_path, "watch", "--at", "127.0.0.1:9", typed="")
    assert (renamed.returncode, "name a server with --server 127.0.0.1:9" in renamed.stderr) == (2, True)
    gone = by_lines(tmp_path, "watch", "--server", "127.0.0.1:9", typed="")
    assert gone.returncode == 1
    assert "cannot reach ws://127.0.0.1:9" in gone.stderr
