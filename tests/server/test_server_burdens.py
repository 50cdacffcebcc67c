"""Tests of limits on the load that one client, table or bad file causes, so that other clients are not affected."""

import json
import os
import select
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import WebSocketException

from rails_cli.protocol.lobby import CreateTable
from rails_cli.server.refused import Refused
from rails_cli.server.settings import Limits
from rails_cli.server.store import storage
from rails_cli.server.tables.ended import MATCHES_KEPT
from rails_cli.server.tables.replaying import LoggedGames
from rails_cli.server.tables.table import GameTable
from tests.support.rigged_lobby import Notes, Rigged
from tests.support.server_campaigns import memory_campaign
from tests.support.tools import ROOT, rails
from tests.support.waiting import wait_until
from tests.support.ws_client import Client, ClockedServer, Json, ServerProcess, certificate, duel, play_to_end, table_of


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClockedServer]:
    logs = tmp_path_factory.mktemp("logs")
    rails(
        "run", "last_spike", "--seat", "builtin:random", "--seat", "builtin:random", "--log", str(logs / "good.jsonl")
    )
    first, *others = (logs / "good.jsonl").read_text().splitlines()
    header = json.loads(first)
    header["board"] = {"format": 1, "game": "last_spike"}
    (logs / "bad-board.jsonl").write_text("\n".join([json.dumps(header), *others]) + "\n")
    os.mkfifo(logs / "fifo.jsonl")
    options = ("--logs", str(logs), "--requests-per-second", "1000")
    with ClockedServer(tmp_path_factory.mktemp("server") / "data", *options) as started:
        yield started


def ended_games(rigged: Rigged, count: int) -> list[Any]:
    """Create `count` games whose only player disconnects before the first answer, and end them as interrupted.

    Return a pair for each game: the table, and the token of the player's seat.
    """
    tables = []
    for _ in range(count):
        seats: list[str | None] = [None, "builtin:random"]
        table = rigged.registry.create(CreateTable("last_spike", 2, seats=seats), "", owner_seal="")
        player = Notes()
        rigged.lobby.connections.add(player)
        rigged.say(player, type="sit", table=table.id)
        token = player.received[-1 if player.received[-1]["type"] == "seated" else 0]["token"]
        rigged.lobby.disconnected(player)
        table.finish("interrupted")
        tables.append((table, token))
    return tables


LOOKING = """
import gc, sys
from pathlib import Path
from rails_cli.protocol.lobby import BranchPoint
from rails_cli.server.tables.replaying import LoggedGames
from rails_cli.server.tables.branching import Origin, origin_reader
from tests.support.rigged_lobby import Rigged

def looked_into():
    return sum(type(one).__name__ == "StructInfo" for one in gc.get_objects())

registry = Rigged(Path(sys.argv[1], "data")).registry
registry.ended_tables.logged_games = LoggedGames(Path(sys.argv[1]), lambda: 0.0)
read = origin_reader(registry.ended_tables.log_path("game"), BranchPoint("game", 12), None)
before = looked_into()
assert type(read()) is Origin
assert looked_into() == before > 0, (before, looked_into())
"""


def test_the_log_of_a_branch_is_read_once_and_in_a_thread(tmp_path: Path) -> None:
    """A server that starts a branch reads the log of the branch once, in a thread.

    A branch is a game that continues from a position in a log. Once read, the log may be deleted.

    msgspec crashes if two threads inspect a new type at once. So the server decodes one value of every message type
    before it starts the thread. The first part of the test checks that the thread inspects no type.
    """
    seats = ("--seat", "builtin:random", "--seat", "builtin:greedy")
    rails("run", "chicago_express", *seats, "--log", str(tmp_path / "game.jsonl"), check=True)
    subprocess.run([sys.executable, "-c", LOOKING, str(tmp_path)], cwd=ROOT, check=True)
    reading: list[Any] = []
    rigged = Rigged(tmp_path / "data")
    rigged.registry.ended_tables.logged_games = LoggedGames(tmp_path, lambda: rigged.time)
    rigged.registry.in_background = lambda do, then: reading.append((do, then))
    client = Notes()
    rigged.lobby.connections.add(client)
    wish = {"branch": {"log": "game", "number": 12}, "seats": ["builtin:random"] * 2}
    rigged.say(client, type="create", game="chicago_express", players=2, **wish)
    [(do, then)] = reading
    found = do()
    (tmp_path / "game.jsonl").unlink()
    then(found)
    [made] = rigged.registry.tables.values()
    assert (client.received[-1]["type"], made.state) == ("created", "ended"), client.received


def test_rereading_logs_of_ended_games_is_rate_limited(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path, Limits(tables_each=1000))
    games = ended_games(rigged, MATCHES_KEPT + 30)
    assert [table for table, _ in games if table.match is not None] == []
    assert rigged.registry.ended_tables.reading_cost(games[-1][0]) == 0
    assert rigged.registry.ended_tables.reading_cost(games[0][0]) > 0
    back = Notes()
    rigged.lobby.connections.add(back)
    codes = []
    for table, token in games[:30]:
        back.received.clear()
        rigged.say(back, type="resume", token=token)
        codes.append(next((message["code"] for message in back.received if message["type"] == "error"), "seated"))
        assert (table.match is not None) == (codes[-1] == "seated")
    assert codes[0] == "seated"
    assert "too_fast" in codes[:12]
    rigged.time += 60
    rigged.say(back, type="resume", token=games[29][1])
    assert back.received[-1]["type"] == "end"


def test_a_long_bad_message_is_shortened_in_errors_and_logs(server: ServerProcess) -> None:
    with Client(server.url) as client:
        table, _ = duel(server, client)
        for _ in range(2):
            request = client.until("request")
            client.say(json.dumps({"type": "action", "number": request["number"], "x" * 200_000: 1}))
            assert len(client.until("rejected")["message"]) < 500
            client.answer(request)
        assert len(server.faults(table)) == 2
        assert server.log(table).stat().st_size < 20_000


def test_a_fifo_in_the_folder_of_logs_is_left_out(server: ServerProcess) -> None:
    with Client(server.url) as client:
        tables = client.asked(type="list", state="ended")["tables"]
    assert "good" in [table["table"] for table in tables]
    assert "fifo" not in [table["table"] for table in tables]


def test_an_unreadable_log_does_not_stop_the_clocks_of_other_tables(server: ClockedServer) -> None:
    with Client(server.url) as watcher, Client(server.url) as client:
        assert "bad-board" in [each["table"] for each in watcher.asked(type="list", state="ended")["tables"]]
        watcher.asked(type="watch", table="bad-board")
        assert watcher.until("error")["code"] == "bad_log"
        duel(server, client, clock="10/move")
        client.until("request")
        server.advance(11)
        assert client.until("error")["code"] == "too_slow"
        watcher.asked(type="watch", table="good")
        assert watcher.until("end")["reason"] == "normal"


def test_connections_count_before_their_tls_handshake(tmp_path: Path) -> None:
    made, key = certificate(tmp_path)
    options = ("--tls-cert", str(made), "--tls-key", str(key), "--max-connections-each", "5")
    with ServerProcess(tmp_path / "data", *options) as server:
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
        wait_until(lambda: len(select.select(silent, [], [], 0)[0]) >= 10, "10 connections to be closed")
        for each in silent:
            each.close()
        context = ssl.create_default_context(cafile=str(made))

        def is_accepted() -> bool:
            try:
                with Client(server.url, ssl=context) as client:
                    return bool(client.asked(type="list")["tables"] == [])
            except (OSError, EOFError, WebSocketException):
                return False

        wait_until(is_accepted, "a new connection to be accepted")
        assert server.stop() == 0


def test_a_player_who_resumes_after_the_end_receives_the_result(server: ServerProcess) -> None:
    """A client that watched a game to its end can then resume a seat of this game. It receives the result again."""
    with Client(server.url) as client, Client(server.url) as other:
        table, token = duel(server, client)
        other.asked(type="watch", table=table)
        end = play_to_end(client)
        other.until("end")
        client.close()
        other.asked(type="resume", token=token)
        assert other.until("end")["scores"] == end["scores"]


def test_the_spectator_delay_applies_after_the_end_of_the_game(server: ServerProcess) -> None:
    with Client(server.url) as client, Client(server.url) as other:
        table, _ = duel(server, client, watch_delay_s=3600)
        play_to_end(client)
        assert other.refused(type="watch", table=table) == "too_early"
        shown: list[Json] = other.asked(type="list", search=table)["tables"]
        assert [(each["state"], each["scores"]) for each in shown] == [("ended", None)]


def sit(rigged: Rigged, table: GameTable) -> Notes:
    player = Notes()
    rigged.lobby.connections.add(player)
    rigged.say(player, type="sit", table=table.id)
    return player


def test_only_bots_of_running_games_count_against_the_limit(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    rigged.registry.quotas.limits = Limits(bots=3)
    wish = CreateTable("last_spike", 3, seats=[None, "builtin:expert", "builtin:search@9"])
    tables = [rigged.registry.create(wish, f"address {number}", owner_seal="") for number in range(3)]
    first = sit(rigged, tables[0])
    assert [table.state for table in tables] == ["playing", "open", "open"]
    with pytest.raises(Refused, match=r"at most 3 bots at once; try again later.*expert"):
        rigged.registry.create(wish, "elsewhere", owner_seal="")
    second = sit(rigged, tables[1])
    assert second.received[-1]["code"] == "too_many"
    assert tables[1].state == "open"
    rigged.say(first, type="leave")
    tables[0].finish("interrupted")
    rigged.lobby.tidy(rigged.time, 1e9)
    while rigged.soon:
        rigged.soon.pop(0)()
    assert [table.state for table in tables] == ["ended", "playing", "open"]


def test_the_number_of_bots_is_limited_per_address(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    wish = CreateTable("chicago_express", 6, seats=[None, *["builtin:expert"] * 5])
    for _ in range(2):
        rigged.registry.create(wish, "here", owner_seal="")
    with pytest.raises(Refused, match="your tables may have 10 bots at once; they already have 10"):
        rigged.registry.create(CreateTable("last_spike", 2, seats=["builtin:expert"]), "here", owner_seal="")
    rigged.registry.create(wish, "there", owner_seal="")


def test_the_refusal_of_a_bot_names_players_that_count_as_bots(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    rigged.registry.quotas.limits = Limits(bots=0)
    with pytest.raises(
        Refused, match=r"at most 0 bots at once\. Bots are .*builtin:expert.*builtin:hard does not count"
    ):
        rigged.registry.create(CreateTable("last_spike", 2, seats=["builtin:expert"]), "here", owner_seal="")
    rigged.registry.create(CreateTable("last_spike", 2, seats=["builtin:hard"]), "here", owner_seal="")


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("search@10001", "10,000 looks or 10 s"),
        ("expert@10.5s", "10,000 looks or 10 s"),
        (f"search@{'9' * 330}s", ""),
        ("search@9*2", "others need the cores here"),
        (f"search@1.{'0' * 200_000}s", ""),
    ],
    ids=["looks", "seconds", "digits", "cores", "length"],
)
def test_the_search_budget_of_a_seat_is_limited(player: str, words: str, tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    with pytest.raises(Refused, match=words or None) as refused:
        rigged.registry.create(CreateTable("last_spike", 2, seats=[f"builtin:{player}"]), "here", owner_seal="")
    assert len(str(refused.value)) < 400
    for fine in ("10000", "10s"):
        rigged.registry.create(CreateTable("last_spike", 2, seats=[f"builtin:search@{fine}"]), "here", owner_seal="")


@pytest.mark.parametrize(
    ("bots", "fill", "refusal"),
    [(0, f"builtin:search@{'0' * 200_000}1", "builtin:search"), (2, "builtin:expert", "at most 2 bots")],
    ids=["length", "number"],
)
def test_players_that_fill_free_seats_are_checked(bots: int, fill: str, refusal: str, tmp_path: Path) -> None:
    """When a table is started, a request to fill its free seats is refused if it names players that are not allowed.

    The server then stores nothing. There are two cases:

    - Too many bots: the table would never start, because the server may not run that many.
    - The name of the bot is too long.
    """
    rigged = Rigged(tmp_path)
    rigged.registry.quotas.limits = Limits(bots=2)
    maker = Notes()
    rigged.say(maker, type="create", game="last_spike", players=4, seats=["builtin:expert"] * bots)
    made = maker.received[-1]
    rigged.say(maker, type="start_table", table=table_of(made), owner=made["owner"], fill=fill)
    assert refusal in maker.received[-1]["message"]
    assert (tmp_path / "seats.jsonl").stat().st_size < 2_000


def test_search_players_work_on_standard_boards_only(tmp_path: Path) -> None:
    players = Rigged(tmp_path).registry.players
    players.check("builtin:hard", "last_spike", "odd")
    with pytest.raises(Refused, match="only on standard boards"):
        players.check("builtin:expert", "last_spike", "odd")


def test_tables_that_wait_for_bots_start_in_order_of_creation(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    rigged.registry.players.bots = {"nap": ["sleep", "9"]}
    tables = [
        rigged.registry.create(CreateTable("last_spike", 3, seats=["builtin:busy", *seats]), "here", owner_seal="")
        for seats in (["bot:nap", "builtin:busy"], ["bot:nap"] * 2, ["bot:nap", "builtin:busy"])
    ]
    rigged.registry.quotas.limits = Limits(bots=2)

    def states() -> list[str]:
        for table in reversed(tables):
            if table.state == "open":
                rigged.registry.start_if_full(table)
        return [table.state for table in tables]

    assert states() == ["playing", "open", "open"], "tables start in the order in which they were created"
    assert states() == ["playing", "open", "open"], "the third table must wait for the second, though one bot could run"
    rigged.registry.quotas.limits = Limits(bots=1)
    rigged.lobby.tidy(rigged.time, 1e9)
    assert tables[1].id not in rigged.registry.tables, "a table that can never start is closed"


@pytest.mark.parametrize(
    ("player", "clock", "seconds"),
    [
        ("bot:nap", "none", 60.0),
        ("builtin:expert", "none", 30.0),
        ("builtin:expert", "3600/move", 30.0),
        ("builtin:expert", "3600", 30.0),
        ("builtin:expert", "5/move", 5.0),
    ],
)
def test_bots_and_search_players_have_a_time_limit(player: str, clock: str, seconds: float, tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    rigged.registry.players.bots = {"nap": ["sleep", "9"]}
    wish = CreateTable("last_spike", 2, seats=[None, player], clock=clock)
    table = rigged.registry.create(wish, "here", owner_seal="")
    sit(rigged, table)
    assert clock != "none" or table.seats[0].clock.budget_s() is None
    assert table.seats[1].clock.budget_s() == seconds


def test_the_seats_file_is_compacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "MOST_GROWN", 20_000)
    rigged = Rigged(tmp_path)
    maker = Notes()
    rigged.say(maker, type="create", game="last_spike", players=2)
    made = maker.received[-1]
    for _ in range(40):
        rigged.say(maker, type="invite", table=table_of(made), owner=made["owner"], seat=1)
    assert (tmp_path / "seats.jsonl").stat().st_size > 20_000
    rigged.lobby.tidy(rigged.time, 1e9)
    assert (tmp_path / "seats.jsonl").stat().st_size < 2_000
    kept, unread = rigged.registry.storage.saved_tables()
    assert ([each.spec.table for each in kept], unread) == ([table_of(made)], [])


def test_a_rematch_after_a_restart_counts_against_the_address_that_asked(tmp_path: Path) -> None:
    tokens = []
    with ServerProcess(tmp_path / "data") as server:
        for _ in range(2):
            with Client(server.url) as client:
                tokens.append(duel(server, client)[1])
                play_to_end(client)
    with ServerProcess(tmp_path / "data", "--max-tables-each", "2") as server:
        for token in tokens:
            with Client(server.url) as client:
                client.asked(type="resume", token=token)
                client.until("end")
                client.asked(type="rematch")
                client.until("request")
        with Client(server.url) as client:
            assert client.refused(type="create", game="last_spike", players=2) == "too_many"


def test_tables_of_built_in_players_run_in_time_slices(tmp_path: Path) -> None:
    """If all players of a table are built in, the server plays their game a few actions at a time.

    After each such part the server can do other work. The parts of several tables are not scheduled at once: the server
    schedules the next part only when one has run.
    """
    rigged = Rigged(tmp_path)
    seats: list[str | None] = ["builtin:greedy"] * 3
    for _ in range(3):
        table = rigged.registry.create(CreateTable("american_rails", 3, seats=seats), "here", owner_seal="")
        rigged.registry.later(table, rigged.registry.start_if_full, table)
    most = 0
    while rigged.soon:
        most = max(most, len(rigged.soon))
        rigged.time += 0.01  # the time slice is used up at every check
        rigged.soon.pop()()
    assert most == 1
    assert {table.state for table in rigged.registry.tables.values()} == {"ended"}


def test_the_memory_of_a_server_does_not_grow_with_games_played(tmp_path: Path) -> None:
    """Short version of the memory test of `make soak`: the memory of a server must not grow with the games played."""
    early, late = memory_campaign(24, tmp_path / "data")
    assert 0 < early <= late + 10_000_000
