"""A server among strangers: what they may leave on its disk, how many may be there, and who is kept out."""

import json
import os
import time
from pathlib import Path

from tests.support.ws_client import (
    Client,
    ServerProcess,
    duel,
    play_to_end,
    verified,
)

NOTE = "x" * 4000
HUGE = "1000000G"
"""More than any disk has."""


def play_with_notes(client: Client) -> list[str]:
    """Plays to the end, with a note at every answer; the errors that were told."""
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


# What a game may leave on the disk


def test_notes_have_a_quota_and_the_game_goes_on(tmp_path: Path) -> None:
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
        assert play_with_notes(client) == ["notes_full"], "said once, and a restart is no new quota"
        assert 8000 < notes_of(server, table) <= 10_240
        assert verified(server.log(table))


def test_an_address_has_a_quota_for_notes(tmp_path: Path) -> None:
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


def test_a_full_disk_and_old_logs(tmp_path: Path) -> None:
    """Below the floor nobody makes a table, and running games go on; old logs go, if their games are over."""
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
    stderr = data / "tables" / f"{ended[0]}.seat1.stderr"
    stderr.write_text("hello\n")
    orphan = data / "tables" / "00000000.jsonl"
    orphan.write_bytes(server.log(running).read_bytes())
    os.utime(orphan, (long_ago, long_ago))
    with ServerProcess(data, "--min-free-space", HUGE, "--keep-days", "10") as server, Client(server.url) as client:
        until = time.monotonic() + 60
        while not any("deleted the logs of 2 finished games" in line for line in server.said):
            assert time.monotonic() < until, server.said
            time.sleep(0.05)
        assert [server.log(table).exists() for table in (running, *ended)] == [True, False, False, True]
        assert orphan.exists(), "a game that is not over is somebody's"
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
        until = time.monotonic() + 60
        while server.log(running).exists() or server.log(ended[2]).exists():
            assert time.monotonic() < until, server.said
            time.sleep(0.05)
        assert orphan.exists()
