"""Tests of limits for a public server: disk space, connections, open files, bans, pages and memory."""

import json
import os
import resource
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from rails_cli.server.net.address import client_key
from rails_cli.server.net.bucket import Budgets
from tests.support.rigged_lobby import Rigged
from tests.support.tools import rails, start_rails
from tests.support.waiting import wait_until
from tests.support.ws_client import (
    Client,
    ClockedServer,
    Closed,
    RawClient,
    ServerProcess,
    clients,
    create,
    duel,
    handshake,
    play_to_end,
    table_of,
    verified,
)

RARE = ("--requests-per-second", "0.1")  # timing: this is a rate, and the server's clock does not advance
NOTE = "x" * 4000
HUGE = "1000000G"
"""Value of a disk space option that is larger than any disk."""


def play_with_notes(client: Client) -> list[str]:
    """Play to the end of the game with a note in every answer. Return the codes of the errors received."""
    errors: list[str] = []
    while True:
        message = client.open or client.until("request", "end", "error")
        if message["type"] == "end":
            return errors
        if message["type"] == "error":
            errors.append(message["code"])
        else:
            client.answer(message, choice=message["default"], info=NOTE)


def notes_of(server: ServerProcess, table: str) -> int:
    return sum(len(json.dumps(line["info"])) for line in server.lines(table) if "info" in line)


# Disk space


def test_notes_beyond_the_quota_of_a_table_are_dropped_and_the_game_continues(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--table-notes", "10k") as server, Client(server.url) as client:
        table, token = duel(server, client)
        for _ in range(3):
            client.answer(client.until("request"), choice=0, info=NOTE)
        assert client.until("error")["code"] == "notes_full"
        client.until("request")
        server.kill()
        again = ServerProcess(tmp_path / "data", "--table-notes", "10k")
    with again as server, Client(server.url) as client:
        client.asked(type="resume", token=token)
        received = play_with_notes(client)
        assert received == ["notes_full"], "the error is sent once, and a restart does not reset the quota"
        assert 8000 < notes_of(server, table) <= 10_240
        assert verified(server.log(table))


def test_notes_are_limited_per_address(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--max-notes-each", "10k") as server, Client(server.url) as client:
        first, _ = duel(server, client)
        assert play_with_notes(client) == ["notes_full"]
        with Client(server.url) as other:
            second, _ = duel(server, other)
            assert play_with_notes(other) == ["notes_full"]
            assert verified(server.log(second))
        noted = notes_of(server, first), notes_of(server, second)
        assert 8000 < noted[0] < 60_000
        assert noted[1] < 60_000


def test_low_disk_space_prevents_new_tables_and_old_logs_are_deleted(tmp_path: Path) -> None:
    """If disk space is low, new tables are refused. Logs older than `--keep-days` are deleted.

    Running games continue. Only logs of finished games are deleted.
    """
    data = tmp_path / "data"
    with ServerProcess(data) as server, Client(server.url) as client, Client(server.url) as other:
        running, token = duel(server, client)
        client.until("request")
        ended = []
        for _ in range(3):
            ended.append(duel(server, other)[0])
            play_to_end(other)
        assert server.stop() == 0
    long_ago = time.time() - 20 * 86_400
    for table in (running, *ended[:2]):
        os.utime(server.log(table), (long_ago, long_ago))
    stderr = data / "tables" / f"{ended[0]}.seat2.stderr"
    stderr.write_text("hello\n")
    orphan = data / "tables" / "00000000.jsonl"
    orphan.write_bytes(server.log(running).read_bytes())
    os.utime(orphan, (long_ago, long_ago))
    with ServerProcess(data, "--min-free-space", HUGE, "--keep-days", "10") as server, Client(server.url) as client:
        words = "deleted the logs of 2 finished games"
        wait_until(lambda: any(words in line for line in server.said), words, lambda: server.said)
        assert [server.log(table).exists() for table in (running, *ended)] == [True, False, False, True]
        assert orphan.exists(), "logs of unfinished games are kept"
        assert not stderr.exists()
        assert client.refused(type="watch", table=ended[0]) == "unknown_table"
        assert client.refused(type="create", game="last_spike", players=2) == "no_space"
        client.asked(type="resume", token=token)
        assert play_to_end(client)["reason"] == "normal"
        client.send(type="rematch")
        assert client.until("error")["code"] == "no_space"
        assert verified(server.log(running))
        assert server.stop() == 0
    with ServerProcess(data, "--keep-size", "1") as server:
        wait_until(lambda: not server.log(running).exists() and not server.log(ended[2]).exists(), "logs to be deleted")
        assert orphan.exists()


# Connections and open files


def forwarded_for(address: str) -> dict[str, str]:
    """Return the header with which a proxy reports the address of its client."""
    return {"X-Forwarded-For": address}


@contextmanager
def idle_connections(server: ServerProcess, addresses: list[str]) -> Iterator[list[RawClient]]:
    """Open an idle connection from each of `addresses`. At the end, close them and wait for the server to notice."""
    opened = [RawClient(server.port, forwarded_for(address)) for address in addresses]
    try:
        yield opened
    finally:
        for one in opened:
            one.close()
        with Client(server.url) as owner:
            status = {"type": "admin", "token": server.admin_token, "command": "status"}
            wait_until(lambda: owner.asked(**status)["connections"] <= 2, "the server to notice the closed connections")


def test_many_idle_connections_do_not_lock_players_out(tmp_path: Path) -> None:
    options = ("--max-connections", "20", "--max-connections-each", "3", "--reserved", "4", "--proxy", "127.0.0.1")
    welcome = "HTTP/1.1 101 Switching Protocols"
    with ServerProcess(tmp_path / "data", *options) as server:
        with Client(server.url, additional_headers=forwarded_for("9.9.9.9")) as player:
            table, token = duel(server, player)
            number = player.until("request")["number"]

        few = [f"6.6.6.{n // 3}" for n in range(18)]
        with idle_connections(server, few) as idle:
            assert {one.status for one in idle} == {welcome}
            with Client(server.url, additional_headers=forwarded_for("9.9.9.9")) as player:
                assert player.asked(type="resume", token=token)["table"]["table"] == table
                assert player.until("request")["number"] == number
            received = idle[15].farewell()[0]
            # the server closes the longest idle connection of one of the addresses that have the most connections
            assert [message.get("code") for message in received] == [None, "full"]

        many = [f"7.7.7.{n}" for n in range(16)]
        with idle_connections(server, many) as idle:
            assert {one.status for one in idle} == {welcome}
            with Client(server.url, additional_headers=forwarded_for("8.8.8.1")) as stranger:
                stranger.send(type="join", name="stranger")
                stranger.send(type="list")
                assert stranger.until("error")["code"] == "full"
            with Client(server.url, additional_headers=forwarded_for("8.8.8.2")) as stranger:
                stranger.send(type="resume", token="guess")
                assert stranger.until("error")["code"] == "full"
            with Client(server.url, additional_headers=forwarded_for("9.9.9.9")) as player:
                player.send(type="join", name="player")
                player.send(type="show")
                player.asked(type="resume", token=token)
                assert player.until("request")["number"] == number
                bearer = forwarded_for("9.9.9.9") | {"Authorization": f"Bearer {token}"}
                with Client(server.url, additional_headers=bearer) as again:
                    assert again.asked(type="list")["tables"], "a token in the handshake allows all requests"
                    again.asked(type="resume", token=token)
                    assert play_to_end(again)["reason"] == "normal"
            assert len([one for one in idle if one.socket.fileno() >= 0]) == 16

        site = [f"2001:db8:0:{n // 3}::{n}" for n in range(12)]
        with idle_connections(server, site):
            for address, status in (
                ("2001:db8:0:99::1", "HTTP/1.1 429 Too Many Requests"),
                ("2001:db8:1:99::1", welcome),
            ):
                with RawClient(server.port, forwarded_for(address)) as one:
                    assert one.status == status, "the networks of one IPv6 site share a limit"


class FewFilesServer(ServerProcess):
    """A server that may open at most 120 files."""

    def _started(self, words: Sequence[str], **how: Any) -> subprocess.Popen[str]:
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        return start_rails("120", "120", "serve", *words, module="tests.support.few_files", **pipes, **how)


def test_a_server_with_few_file_descriptors_keeps_running(tmp_path: Path) -> None:
    """A server without free file descriptors refuses new connections with an error and continues running games."""
    with FewFilesServer(tmp_path / "data", "--max-connections-each", "1000", "--reserved", "0") as server:
        assert any("only 120 files may be open" in line for line in server.said), server.said
        with ExitStack() as stack, Client(server.url) as client:
            table, _ = duel(server, client)
            client.until("request")
            opened = []
            for _ in range(150):
                raw = stack.enter_context(RawClient(server.port))
                with suppress(OSError):
                    raw.socket.sendall(handshake())
                    with suppress(Closed):
                        opened.append(raw.head())
            assert "HTTP/1.1 503 Service Unavailable" in opened
            for _ in range(20):
                assert client.ask(type="list")["type"] == "tables"
            answer = client.ask(type="create", game="last_spike", players=2, seats=["builtin:random"] * 2)
            assert answer["type"] == "created" or answer["code"] == "too_many"
            assert play_to_end(client)["reason"] == "normal"
            assert verified(server.log(table))
        assert server.stop() == 0


def test_without_free_file_descriptors_only_new_tables_are_refused(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, clients(server.url, 3) as (first, second, third):
        table, _ = duel(server, first)
        first.until("request")
        pid = server.process.pid
        few = len(os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (few, few))
        other, _ = duel(server, second)
        second.until("request")
        assert third.refused(type="create", game="last_spike", players=2) == "too_many"
        assert third.asked(type="list")["total"] == 2
        with ExitStack() as stack:
            for _ in range(20):
                stack.enter_context(RawClient(server.port))
            for client, played in ((first, table), (second, other)):
                assert play_to_end(client)["reason"] == "normal"
                assert verified(server.log(played))
        create_table = {"type": "create", "game": "last_spike", "players": 2}
        wait_until(lambda: third.ask(**create_table)["type"] != "error", "a table once fewer files are open")
        assert not any("Traceback" in line for line in server.said), server.said


# Warnings at start


def test_damaged_files_are_reported_at_start(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServerProcess(data) as server, clients(server.url, 5) as five:
        tables, tokens = zip(*[duel(server, client) for client in five], strict=True)
        for client in five:
            client.answer(client.until("request"))
            client.until("request")
        assert server.stop() == 0
    seats = data / "seats.jsonl"
    lines = {json.loads(line)["spec"]["table"]: line for line in filter(None, seats.read_bytes().split(b"\n"))}
    assert all('"sum":"' in line.decode() for line in lines.values())
    seal = json.loads(lines[tables[0]])["seats"][0]["token_seal"].encode()
    flipped = bytes([seal[0] ^ 1]) + seal[1:]
    lines[tables[0]] = lines[tables[0]].replace(seal, flipped)
    whole = json.loads(lines[tables[1]])
    del whole["sum"]
    lines[tables[1]] = json.dumps(whole).encode()
    del lines[tables[2]]
    seats.write_bytes(b"\n".join([*lines.values(), b"[" * 100_000, b""]))
    cut = server.log(tables[3])
    cut.write_bytes(b"".join(cut.read_bytes().splitlines(keepends=True)[:2]))
    server.log(tables[4]).unlink()
    (data / "clocks.json").write_bytes((data / "clocks.json").read_bytes())
    with ServerProcess(data) as server, Client(server.url) as client:
        output = "\n".join(server.said)
        assert f"about table {tables[0]}, is damaged (its checksum does not fit)" in output
        assert client.refused(type="resume", token=tokens[0]) == "forbidden"
        assert tables[1] not in output, "a line without a checksum is accepted"
        assert f"unfinished logs without a table, left alone: {tables[2]} (1 in total)" in output
        assert f"table {tables[3]} is rewound: its log ends at action 0" in output
        assert f"table {tables[4]} cannot be brought back: its game had begun" in output
        assert "cannot be read, and is skipped: b'[[[" in output
        assert server.going_on == 3
        client.asked(type="resume", token=tokens[1])
        assert play_to_end(client)["reason"] == "normal"
        assert server.stop() == 0
    seats.unlink()
    (data / "clocks.json").write_text('{"x":{"moves":1,"used_s":-5}}')
    with ServerProcess(data) as server:
        output = "\n".join(server.said)
        assert f"WARNING: {seats} is missing, and 3 unfinished games are here" in output
        assert "clocks.json cannot be read" in output


# Bans, pages and idle tables


def test_bans_survive_a_restart(tmp_path: Path) -> None:
    data, proxy = tmp_path / "data", ("--proxy", "127.0.0.1")
    forbidden = "HTTP/1.1 403 Forbidden"
    with ServerProcess(data, *proxy) as server, Client(server.url) as owner:
        admin = {"type": "admin", "token": server.admin_token}
        with Client(server.url, additional_headers=forwarded_for("203.0.113.7")) as pest:
            duel(server, pest)
            for bad in ({}, {"address": "nowhere"}, {"address": "127.0.0.0/8"}, {"address": "::1/129"}):
                assert owner.refused(**admin, command="ban", **bad) == "bad_request"
            assert owner.refused(**admin, command="unban", address="203.0.113.7") == "bad_request"
            assert owner.refused(type="admin", token="guess", command="ban", address="203.0.113.7") == "forbidden"
            assert owner.asked(**admin, command="bans")["bans"] == {}
            owner.asked(**admin, command="ban", address="203.0.113.0/24")
            assert pest.until("error")["code"] == "banned"
        owner.asked(**admin, command="ban", address="2001:db8::7", minutes=1000)
        received = owner.asked(**admin, command="ban", address="198.51.100.1", minutes=1e-9)["bans"]
        assert list(received) == ["203.0.113.0/24", "2001:db8::/64"], "the ban of a moment has already expired"
        assert received["203.0.113.0/24"] is None
        assert 900 < received["2001:db8::/64"] <= 1000
        server.kill()
    with ServerProcess(data, *proxy) as server, Client(server.url) as owner:
        for address, status in (
            ("203.0.113.7", forbidden),
            ("2001:db8::8", forbidden),
            ("198.51.100.1", "HTTP/1.1 101 Switching Protocols"),
        ):
            with RawClient(server.port, forwarded_for(address)) as raw:
                assert raw.status == status
        page = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n"
        with RawClient(server.port) as raw:
            raw.send(page)
            assert raw.head() == forbidden
        owner.asked(**admin, command="unban", address="203.0.113.0/24")
        with RawClient(server.port, forwarded_for("203.0.113.7")) as raw:
            assert raw.status == "HTTP/1.1 101 Switching Protocols"
        with RawClient(server.port) as raw:
            raw.send(page)
            assert raw.head() == "HTTP/1.1 200 OK"
        assert server.stop() == 0
    (data / "bans.json").write_text("junk")
    refused = rails("serve", "--port", "0", "--data", str(data))
    assert refused.returncode == 1
    assert "bans.json cannot be read" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_pages_and_replays_are_rate_limited_by_address(tmp_path: Path) -> None:
    with ClockedServer(tmp_path / "data", *RARE, "--proxy", "127.0.0.1") as server:

        def status(path: str, address: str) -> str:
            with RawClient(server.port) as raw:
                raw.send(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {address}\r\n\r\n".encode())
                return raw.head()

        statuses = [status("/replay/nothing", "10.0.0.1")]
        while statuses[-1] == "HTTP/1.1 404 Not Found":
            statuses.append(status("/replay/nothing", "10.0.0.1"))
        assert statuses[-1] == "HTTP/1.1 429 Too Many Requests"
        assert len(statuses) < 200
        assert status("/healthz", "10.0.0.1") == status("/", "10.0.0.2") == "HTTP/1.1 200 OK"
        while (last := status("/", "10.0.0.1")) == "HTTP/1.1 200 OK":
            pass
        assert last == "HTTP/1.1 429 Too Many Requests"


def test_idle_tables_without_a_clock_are_closed(tmp_path: Path) -> None:
    options = ("--idle-table", "20")
    with ClockedServer(tmp_path / "data", *options) as server, clients(server.url, 3) as (first, second, third):
        waiting = table_of(create(first, players=3))
        first.asked(type="sit", table=waiting)
        playing, _ = duel(server, second)
        timed, _ = duel(server, third, clock="1000")
        server.advance(21)
        assert first.until("error")["code"] == "closed"
        assert second.until("end")["reason"] == "interrupted"
        assert verified(server.log(playing))
        assert play_to_end(third)["match"] == timed, "a table with a clock is not closed"


# Memory


def test_display_data_of_a_table_is_freed_when_its_players_are_gone(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    for _ in range(5):
        first, second, table = rigged.seat_two()
        asked = next(each for each in (first, second) if each.received[-1]["type"] == "request")
        rigged.say(asked, type="show", number=asked.received[-1]["number"], why="everything")
        assert asked.received[-1]["type"] == "advice"
        assert list(rigged.lobby.live_view.scenes) == [table]
        for each in (first, second):
            rigged.lobby.disconnected(each)
        rigged.lobby.tidy(rigged.time, 1e9)
        assert rigged.lobby.live_view.scenes == {}


def test_rate_limits_of_inactive_addresses_use_no_memory() -> None:
    """The server forgets an address that has sent no requests for some time.

    For each address, the server stores the used part of the rate limit. This entry is deleted when the full limit is
    available again.
    """
    budgets = Budgets(burst=10, again_s=5)
    for network in range(5):
        assert budgets.take(client_key(f"2001:db8:0:{network}::1"), 8, 100.0)
    assert not budgets.take(client_key("2001:db8:0:9::1"), 8, 100.0), "a site has four times the allowance of a network"
    assert budgets.take(client_key("2001:db8:7:9::1"), 8, 100.0)
    assert budgets.take(client_key("2001:db8:0:10::1"), 8, 102.0)
    budgets.tidy(200.0)
    assert budgets._buckets == {}
