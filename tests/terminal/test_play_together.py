"""Tests of several people at a table on a server: creating a table, chat, bell, window title, undo and returning."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from rails_cli.commands.parameters import ServerLink, server_link
from tests.support.person import Person, by_lines
from tests.support.tools import rails
from tests.support.waiting import wait_until
from tests.support.ws_client import Client, ServerProcess, create, table_of


@pytest.mark.parametrize(
    ("words", "link"),
    [
        ("http://127.0.0.1:8765/#table/3f2a", ServerLink("ws://127.0.0.1:8765/", "3f2a")),
        ("https://rails.example/#table/3f2a/invite/a%2Db", ServerLink("wss://rails.example/", "3f2a", "a-b")),
        ("127.0.0.1:1#new", ServerLink("ws://127.0.0.1:1")),
    ],
)
def test_a_link_names_server_table_and_invitation(words: str, link: ServerLink) -> None:
    assert server_link(words) == link


def create_table(anna: Person, game: str, seats: int, *, enter: str = "\r") -> None:
    """Create a table with `seats` seats at a terminal. All seats except Anna's stay open for people.

    `game` is empty if the command names the game, so that no question asks for it. The key `enter` ends each answer to
    a question of the program.
    """
    answers = {"Table [new]": "", **({"Game [": game} if game else {}), "How many seats": str(seats)}
    for question, answer in {**answers, "stay open for other people": str(seats - 1)}.items():
        anna.wait_for(question)
        anna.press(f"{answer}{enter}")


def test_a_person_creates_a_table_chats_plays_leaves_and_returns(tmp_path: Path) -> None:
    """Anna creates a table, Ben joins, and they chat and play. The bell and the window title announce Anna's turn.

    Anna leaves the table and returns.
    """
    with ServerProcess(tmp_path / "server", "--absence", "600") as server, Client(server.url) as ben:
        play = ("play", "--server", f"127.0.0.1:{server.port}", "--name", "Anna", "--fast", "--bell")
        with Person(*play, folder=tmp_path, width=100, height=30) as anna:
            anna.wait_for("create a table of your own")
            create_table(anna, "chicago_express", 3)
            anna.wait_for("rails-cli play --server")
            (table,) = [one["table"] for one in ben.asked(type="list")["tables"]]
            ben.asked(type="chat")
            ben.asked(type="sit", table=table, name="Ben", seat=1)
            ben.asked(type="chat", text="hello \x1b[2J\u202eAnna")
            anna.wait_for("Ben says: hello [2JAnna")
            anna.press("say 1\r")
            said = {"number": 2, "seat": 0, "name": "Anna", "text": "Hello, good luck!"}
            assert ben.until("said")["lines"][0] == said
            anna.press("start\r")
            ben.until("start")
            anna.wait_until_asked()  # the host has the first seat, which moves first
            assert anna.titles[-1].startswith("● Your turn")
            assert anna.bells > 0
            ben.asked(type="chat", text="Your turn.")
            anna.wait_for("Ben says: Your turn.")
            anna.say_and_wait("mute Ben", anna.is_asked)
            ben.asked(type="chat", text="psst")
            anna.say_and_wait("say One moment", anna.is_asked)
            anna.wait_for("Anna says: One moment")
            assert "psst" not in anna.text
            anna.press("quit\r")
            assert anna.wait_for_end() == 0
            assert b"rails-cli tables --mine" in anna.bytes
            assert anna.titles[-1] == ""
        env = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
        listed = rails("tables", "--mine", env=env)
        assert listed.returncode == 0
        assert f"{table}  chicago_express  your turn" in listed.stdout
        assert f"rails-cli play --server {server.url} --table {table}" in listed.stdout
        (seat,) = json.loads(rails("tables", server.url, "--mine", "--json", env=env).stdout)["seats"]
        assert (seat["standing"], seat["seat"], seat["url"]) == ("your turn", 0, server.url)
        assert (tmp_path / "rails-cli/seats.json").stat().st_mode & 0o077 == 0
        with Person("play", "--server", server.url, "--no-bell", folder=tmp_path, width=100, height=30) as anna:
            anna.wait_for("your seat; your turn")
            anna.press("\r")
            anna.wait_until_asked()
            assert anna.bells == 0
        link = server.url.replace("ws", "http") + f"/#table/{table}"
        with Person("watch", link, folder=tmp_path / "other", width=100, height=30) as spectator:
            spectator.wait_for("(waiting for Anna)")
    stranger = {**env, "XDG_STATE_HOME": str(tmp_path / "none")}
    assert rails("tables", "--mine", env=stranger).stdout == "you have no seat at any table\n"
    gone = rails("tables", "--mine", env=env)
    assert gone.returncode == 1
    assert "cannot reach" in gone.stderr
    assert gone.stdout == f"1 seat at {server.url}, which cannot be asked now\n"
    (unknown,) = json.loads(rails("tables", "--mine", "--json", env=env).stdout)["unreachable"]
    assert (unknown["url"], unknown["tables"]) == (server.url, [table])


def test_a_host_waiting_for_players_keeps_the_seat_or_is_informed_of_its_loss(tmp_path: Path) -> None:
    """The person who created a table keeps seat and table after a server restart and after leaving.

    If the seat was lost, a message says so.
    """
    size: dict[str, Any] = {"folder": tmp_path, "width": 100, "height": 30}
    with ServerProcess(tmp_path / "server", "--absence", "600") as first:
        play = ("play", "last_spike", "--server", first.url, "--name", "Anna", "--fast")
        with Person(*play, **size) as anna:
            create_table(anna, "", 2)
            anna.wait_for("Type start to begin now")
            assert "(waiting)" in anna.last_line
            first.kill()
            anna.wait_for("Reconnecting: ")
            with ServerProcess(tmp_path / "server", "--absence", "600", port=first.port) as second:
                with Client(second.url) as ben:
                    (table,) = [one["table"] for one in ben.asked(type="list")["tables"]]
                    ben.asked(type="watch", table=table)
                    ben.asked(type="chat", text="Still there?")
                    anna.wait_for("says: Still there?")
                anna.press("quit\r")
                assert anna.wait_for_end() == 0
                assert b"Your seat is kept for a while" in anna.bytes
                with Person(*play, "--table", table, **size) as anna:
                    anna.wait_for("Type start to begin now")
                    assert "another seat" not in anna.text
    with ServerProcess(tmp_path / "server", "--absence", "0", port=first.port) as third:
        with Client(third.url) as ben:
            wait_until(lambda: ben.asked(type="list")["tables"][0]["seats"][0]["kind"] == "open")
        with Person(*play, "--table", table, **size) as anna:
            anna.wait_for("! You have another seat now: your seat was given away because you were gone too long.")
            anna.wait_for("Type start to begin now")
            third.kill()
            anna.wait_for("Reconnecting: ")
            with ServerProcess(tmp_path / "another", port=first.port):
                assert anna.wait_for_end() == 1
            output = b" ".join(anna.bytes.split())
            assert b"your seat was given away because you were gone too long, and there is no other: " in output


def test_a_host_at_a_dumb_terminal_waits_chats_starts_and_leaves(tmp_path: Path) -> None:
    """On a terminal without cursor control, the person who created a table sees each player join.

    While waiting, the person can look at the map and chat. Then the person starts the game and can leave it.
    """
    with ServerProcess(tmp_path / "server") as server, Client(server.url) as ben:
        words = ("play", "--server", server.url, "--name", "Anna", "--fast")
        with Person(*words, folder=tmp_path, TERM="dumb", height=400) as anna:
            create_table(anna, "chicago_express", 3, enter="\n")
            anna.wait_for("Type start to begin now")
            anna.press("pas\nlog\n")
            anna.wait_for("'pas' is not understood while you wait; try map")
            anna.wait_for("The game has not started.")
            (table,) = [one["table"] for one in ben.asked(type="list")["tables"]]
            ben.asked(type="sit", table=table, name="Ben", seat=1)
            anna.wait_for(f"Table {table}, Chicago Express: Anna, Ben, open.")
            ben.asked(type="chat", text="Hello!")
            anna.wait_for("Ben says: Hello!")
            anna.press("start\n")
            ben.until("start")
            anna.wait_for(lambda: anna.text.rstrip().endswith("Anna>"))
            anna.press("bid 9\n")
            ben.until("request")
            anna.wait_for("Anna bids $9")
            anna.press("map\n")
            anna.wait_for("Whe")
            anna.press("quit\n")
            assert anna.wait_for_end() == 0
            assert b"\x1b" not in anna.bytes


def test_undo_asks_the_other_player_for_agreement(tmp_path: Path) -> None:
    """A move is taken back only if the other player agrees. That player may refuse, and may also ask for an undo."""
    with ServerProcess(tmp_path / "server") as server, Client(server.url) as ben:
        table = table_of(create(ben, "chicago_express", 2))
        play = ("play", "--server", server.url, "--table", table, "--name", "Anna", "--fast")
        with Person(*play, folder=tmp_path, width=100, height=30) as anna:
            anna.wait_for("Waiting for the others")
            ben.send(type="join", undo=True)
            ben.asked(type="sit", table=table, name="Ben")
            anna.wait_until_asked()
            anna.press("undo\r")
            anna.wait_for("you have no move here")
            anna.press("pass\r")
            ben.until("request")
            anna.press("undo\r")
            ben.until("undo_asked", state="asked")
            assert ben.asked(type="undo", say="agree")["state"] == "done"
            anna.wait_for("You took back a move")
            anna.wait_until_asked()
            anna.press("pass\r")
            ben.answer(ben.until("request"))
            anna.wait_until_asked()
            ben.asked(type="undo", say="ask")
            anna.wait_for("Ben asks to take back their last move")
            anna.press("refuse\r")
            assert ben.until("undo_asked", state="refused")["by"] == 0
            anna.wait_for("Nothing is taken back: you")
            anna.wait_until_asked()


def test_running_tables_are_listed_before_finished_ones(tmp_path: Path) -> None:
    """`watch` lists running games first, then the ten latest finished games.

    `play` offers to watch the running game, because no table has a free seat.
    """
    seats = ["builtin:random", "builtin:random"]
    with ServerProcess(tmp_path / "server") as server, Client(server.url) as ben:
        made = ben.asked(type="create", game="last_spike", players=2, seats=[None, "builtin:random"])
        ben.asked(type="sit", table=made["table"]["table"], name="Ben")
        ben.until("request")
        for _ in range(12):
            ben.asked(type="create", game="last_spike", players=2, seats=seats)
        wait_until(lambda: ben.asked(type="list", state="ended")["total"] == 12)
        offered = by_lines(tmp_path, "watch", "--server", server.url, typed="")
        assert "Not listed: 2 older games; `rails-cli tables" in offered.stderr
        listed = re.findall(r"^  \d+ \S+: [^,]+, ([a-z ]+): ", offered.stdout, re.MULTILINE)
        assert listed == ["being played"] + ["over"] * 10, offered.stdout
        with Person("play", "--server", server.url, folder=tmp_path, width=100, height=30) as anna:
            anna.wait_for("No table to join now; 1 is being played.")
            anna.wait_for("1 " + made["table"]["table"] + ": watch The Last Spike: Ben")
            anna.wait_for("Table [new]")
            anna.press("1\r")
            anna.wait_for("(waiting for Ben)")
