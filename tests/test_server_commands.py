"""`rails-cli serve`, `connect` and `tables` as people and scripts use them: what they print, and their mistakes."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools import BOTS, RAILS, bot, rails
from tests.ws_client import Client, ServerProcess, create, duel, play_to_end, table_of, verified

HONEST = [sys.executable, str(BOTS / "honest.py")]
NOWHERE = "ws://127.0.0.1:9"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("commands") / "data", "--bot", f"mine={bot('honest')}") as running:
        yield running


def fails(code: int, *words: str) -> str:
    """One clear line on standard error, and nothing else; usage comes before it where the words are wrong."""
    done = rails(*words)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert "Traceback" not in done.stderr
    *usage, last = done.stderr.splitlines()
    assert last.startswith("Error: ")
    assert bool(usage) == (code == 2)
    return last


@pytest.mark.parametrize("command", [["tables"], ["connect"]])
@pytest.mark.parametrize(
    ("url", "word"),
    [
        (NOWHERE, "cannot reach ws://127.0.0.1:9"),
        ("http://127.0.0.1:1", "no address of a server"),
        ("nonsense", "no address of a server"),
        ("ws://", "no address of a server"),
        ("ws://127.0.0.1:99999", "cannot reach"),
        ("ws://no-such-host.invalid:1", "cannot reach"),
    ],
)
def test_a_server_that_is_not_there(command: list[str], url: str, word: str) -> None:
    more = ["--table", "x", "--", *HONEST] if command == ["connect"] else []
    assert word in fails(1, *command, url, *more)


def test_something_that_is_no_server_of_ours() -> None:
    page = [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(page, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1) as other:
        try:
            assert other.stdout is not None
            port = re.search(r"port (\d+)", other.stdout.readline())
            assert port is not None
            assert "cannot reach" in fails(1, "tables", f"ws://127.0.0.1:{port[1]}")
        finally:
            other.kill()


def test_tables_from_a_script(server: ServerProcess) -> None:
    wish = [
        "--create",
        "last-spike",
        "--players",
        "3",
        "--name",
        "script",
        "--clock",
        "60+1",
        "--option",
        "cash=hidden",
    ]
    seats = ["--seat", "open", "--seat", "reserved", "--seat", "bot:mine", "--watch-delay", "2", "--invite"]
    made = rails("tables", server.url, *wish, *seats, "--json")
    assert (made.returncode, made.stderr) == (0, "")
    answer = json.loads(made.stdout)
    assert set(answer) == {"table", "owner", "invites"}
    assert [invited["seat"] for invited in answer["invites"]] == [1]
    listed = rails("tables", server.url, "--search", "SCRIPT", "--state", "open", "--json")
    [table] = json.loads(listed.stdout)["tables"]
    assert table == answer["table"] | {"seats": table["seats"]}
    assert [seat["kind"] for seat in table["seats"]] == ["open", "reserved", "bot"]
    assert (table["options"]["cash"], table["clock"], table["players"]) == ("hidden", "60+1", 3)
    words = rails("tables", server.url, "--search", "script").stdout
    assert words == f"{table['table']}  last_spike  open     clock 60+1  script: open, reserved, mine 2\n"
    assert rails("tables", server.url, "--search", "no such thing").stdout == "no tables\n"


def test_tables_in_words(server: ServerProcess) -> None:
    made = rails("tables", server.url, "--create", "last_spike", "--players", "2", "--private", "--invite")
    first, owner, *invitations = made.stdout.splitlines()
    assert re.match(r"[0-9a-f]{24}  last_spike  open ", first)
    assert re.fullmatch(r"owner token: \S{32}", owner)
    assert [re.sub(r"\S{32}", "…", line) for line in invitations] == [
        "invitation to seat 0: …",
        "invitation to seat 1: …",
    ]


@pytest.mark.parametrize(
    ("code", "words", "told"),
    [
        (2, ["--create", "chess", "--players", "2"], "unknown game 'chess'"),
        (2, ["--create", "last_spike"], "--create needs --players"),
        (2, ["--create", "last_spike", "--players", "2", "--option", "cash"], "NAME=VALUE"),
        (1, ["--create", "last_spike", "--players", "9"], "players"),
        (1, ["--create", "last_spike", "--players", "2", "--option", "cash=gone"], "cash"),
        (1, ["--create", "last_spike", "--players", "2", "--clock", "soon"], "is not a clock"),
        (1, ["--create", "last_spike", "--players", "2", "--seat", "sh -c true"], "cannot sit here"),
        (2, ["--state", "closed"], "--state"),
    ],
)
def test_tables_that_cannot_be_made(server: ServerProcess, code: int, words: list[str], told: str) -> None:
    assert told in fails(code, "tables", server.url, *words)


def test_a_stdio_bot_plays_through_connect(server: ServerProcess) -> None:
    with Client(server.url) as client:
        table = table_of(create(client, seats=[None, "builtin:random"]))
        done = rails("connect", server.url, "--table", table, "--name", "Bridget", "--", *HONEST)
        assert done.returncode == 0, done.stderr
        assert re.fullmatch(r"ended: normal, scores \[\d+, \d+\], ranks \[\d, \d\]\n", done.stdout)
        assert re.match(rf"seated at table {table} in seat 0; token \S{{32}}\n", done.stderr)
        [info] = client.asked(type="list", search=table)["tables"]
        assert info["seats"][0]["name"] == "Bridget"
        assert verified(server.log(table))
        assert server.faults(table) == []


def test_connect_with_an_invitation_or_a_token(server: ServerProcess) -> None:
    with Client(server.url) as client:
        made = create(client, private=True, seats=["reserved", "builtin:random"])
        table = table_of(made)
        invite = client.asked(type="invite", table=table, owner=made["owner"])["invite"]
        assert "reserved" in fails(1, "connect", server.url, "--table", table, "--", *HONEST)
        guest = rails("connect", server.url, "--table", table, "--invite", invite, "--json", "--", *HONEST)
        assert json.loads(guest.stdout)["reason"] == "normal"
        _, token = duel(server, client)
        client.until("request")
        taken = rails("connect", server.url, "--seat-token", token, "--json", "--", *HONEST)
        assert json.loads(taken.stdout)["faults"] == [0, 0]
        assert client.until("error")["code"] == "replaced"


@pytest.mark.parametrize(
    ("code", "words", "told"),
    [
        (1, ["--table", "nowhere", "--", *HONEST], "there is no table 'nowhere'"),
        (1, ["--seat-token", "guess", "--", *HONEST], "no seat belongs to this token"),
        (2, ["--", *HONEST], "say where to sit"),
        (2, ["--table", "x", "--seat-token", "y", "--", *HONEST], "say where to sit"),
        (2, ["--table", "x", "--", "no-such-command-anywhere"], "no such command"),
        (2, ["--table", "x"], "Missing argument"),
    ],
)
def test_connections_that_cannot_be(server: ServerProcess, code: int, words: list[str], told: str) -> None:
    assert told in fails(code, "connect", server.url, *words)


@pytest.mark.parametrize("name", ["crashes", "endless_line", "closes_stdout"])
def test_a_bot_that_ends_is_told_of(server: ServerProcess, name: str) -> None:
    with Client(server.url) as client:
        table = table_of(create(client, seats=[None, "builtin:random"]))
        done = rails("connect", server.url, "--table", table, "--", sys.executable, str(BOTS / f"{name}.py"))
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] in (
            "Error: the bot ended before the game did",
            "Error: the bot reads no more",
            "Error: the bot wrote a line of more than 1048576 bytes",
        )
        assert client.asked(type="admin", token=server.admin_token, command="end_table", table=table)


def test_the_newer_bridge_wins(server: ServerProcess) -> None:
    with Client(server.url) as client:
        table = table_of(create(client))
        words = [*RAILS, "connect", server.url, "--table", table, "--", *HONEST]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bridge:
            assert bridge.stderr is not None
            token = bridge.stderr.readline().split()[-1]
            client.asked(type="resume", token=token)
            _, told = bridge.communicate(timeout=20)
            assert bridge.returncode == 1
            assert told == "Error: this seat is played from another connection now\n"


def test_a_bridge_comes_back_when_the_server_does(tmp_path: Path) -> None:
    """Killed, and stopped in good order: the bot plays on, and is one process all the time."""
    with ServerProcess(tmp_path / "data") as first:
        port = first.port
        with Client(first.url) as client:
            table = table_of(create(client))
            words = [*RAILS, "connect", first.url, "--table", table, "--json", "--", *HONEST]
            with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bridge:
                try:
                    assert bridge.stderr is not None
                    assert "seated" in bridge.stderr.readline()
                    token = client.asked(type="sit", table=table)["token"]
                    first.kill()
                    with ServerProcess(tmp_path / "data", port=port) as second, Client(second.url) as back:
                        back.asked(type="resume", token=token)
                        back.answer(back.until("request"))
                        assert second.stop() == 0
                    with ServerProcess(tmp_path / "data", port=port) as third, Client(third.url) as again:
                        again.asked(type="resume", token=token)
                        assert play_to_end(again)["faults"] == [0, 0]
                        told, _ = bridge.communicate(timeout=30)
                        assert bridge.returncode == 0
                        assert json.loads(told)["faults"] == [0, 0]
                        assert verified(third.log(table))
                finally:
                    bridge.kill()


def test_patience_has_an_end(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        table = table_of(create(client))
        words = [*RAILS, "connect", server.url, "--table", table, "--patience", "0.5", "--", *HONEST]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bridge:
            assert bridge.stderr is not None
            bridge.stderr.readline()
            server.kill()
            began = time.monotonic()
            _, told = bridge.communicate(timeout=20)
            assert bridge.returncode == 1
            assert time.monotonic() - began < 15
            assert "trying again in 0.2 s" in told
            assert told.splitlines()[-1].startswith("Error: cannot reach")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--bot", "nonsense"], "NAME=COMMAND"),
        (["--bot", "x="], "NAME=COMMAND"),
        (["--bot", "two words=true"], "NAME=COMMAND"),
        (["--bot", "x='"], "No closing quotation"),
        (["--tls-cert", __file__], "--tls-cert and --tls-key go together"),
        (["--logs", "no-such-folder"], "--logs"),
        (["--port", "70000"], "--port"),
        (["--absence", "-1"], "--absence"),
    ],
)
def test_serve_with_wrong_words(tmp_path: Path, words: list[str], told: str) -> None:
    assert told in fails(2, "serve", "--data", str(tmp_path / "data"), *words)


def test_serve_where_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot serve" in fails(1, "serve", "--port", "0", "--data", str(tmp_path / "file" / "below"))
    assert "cannot serve" in fails(1, "serve", "--port", "0", "--host", "192.0.2.1", "--data", str(tmp_path / "data"))
