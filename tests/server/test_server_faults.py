"""Tests that no game is lost when the server is killed or stopped, or when its data folder is damaged."""

import json
import os
import re
import resource
from pathlib import Path

import pytest

from rails_cli.protocol.lobby import CreateTable
from rails_cli.server.settings import Limits
from tests.support.rigged_lobby import Rigged
from tests.support.server_campaigns import fault_campaign
from tests.support.tools import bot, left_behind, rails
from tests.support.ws_client import (
    Client,
    ClockedServer,
    Closed,
    ServerProcess,
    all_play,
    clients,
    create,
    duel,
    play_to_end,
    table_of,
    verified,
)


def test_a_killed_server_restarts_with_all_games(tmp_path: Path) -> None:
    options = ("--bot", f"honest={bot('honest')}")
    with ClockedServer(tmp_path / "data", *options) as server, clients(server.url, 2) as (client, other):
        first, token = duel(server, client, "bot:honest", clock="100,50/move", options={"cash": "hidden"})
        request = client.until("request")
        client.say("junk")
        client.until("rejected")
        client.answer(request)
        request = client.until("request")
        second, other_token = duel(server, other)
        with Client(server.url) as waiting:
            open_table = table_of(create(waiting, players=3))
            waiting_token = waiting.asked(type="sit", table=open_table)["token"]
            with Client(server.url) as gone:
                left, _ = duel(server, gone)
                gone.asked(type="leave")  # a substitute finishes the game at once
            server.advance(3.2)
            port = server.port
            server.kill()
        with ClockedServer(tmp_path / "data", *options, port=port) as again, clients(again.url, 3) as (a, b, c):
            assert again.going_on == 2
            [ended] = a.asked(type="list", state="ended")["tables"]
            assert (ended["table"], [seat["substitute"] for seat in ended["seats"]]) == (left, [True, False])
            a.asked(type="resume", token=token)
            back = a.until("request")
            for field in ("number", "legal", "view"):
                assert back[field] == request[field]
            # Time used before the crash counts. Time without a server does not.
            assert request["clock"]["bank_s"] - back["clock"]["bank_s"] == pytest.approx(3.2)
            assert request["clock"]["move_s"] - back["clock"]["move_s"] == pytest.approx(3.2)
            b.asked(type="resume", token=other_token)
            assert c.asked(type="resume", token=waiting_token)["seat"] == 0
            ends = all_play([a, b])
            assert [end["match"] for end in ends] == [first, second]
            assert ends[0]["faults"] == [1, 0], "faults before the crash still count"
            for table in (first, second):
                assert verified(again.log(table))
            assert again.stop() == 0


def test_an_opening_is_completed_after_a_crash(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        with Client(server.url) as client:
            table, token = duel(server, client, "builtin:greedy", game="chicago_express", openings="drawn")
            request = client.until("request")
        server.kill()
    log = server.log(table)
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:3]))  # keep only one action of the opening
    with ServerProcess(tmp_path / "data") as again, Client(again.url) as client:
        client.asked(type="resume", token=token)
        assert client.until("request")["events"][: len(request["events"])] == request["events"]
        opening = again.lines(table)[0]["opening"]["actions"]
        assert [line["action"] for line in again.lines(table) if line.get("opening") is True] == opening
        play_to_end(client)
        assert verified(log)


def test_a_result_survives_a_crash(tmp_path: Path) -> None:
    """After a crash and a restart, the server still has the result of a game that had ended.

    A player who was disconnected at the end receives the result. Spectators can see the whole game.
    """
    with ServerProcess(tmp_path / "data") as server:
        with Client(server.url) as client:
            table, token = duel(server, client)
            end = play_to_end(client)
        server.kill()
        kept = server.folder / "seats.jsonl"
        *before, last = filter(None, kept.read_text().split("\n"))
        assert json.loads(last)["outcome"]["scores"] == end["scores"]
        kept.write_text("\n".join([*before, last[:50]]))  # as if the server had been killed while writing
    for _ in range(2):
        with ServerProcess(tmp_path / "data") as server:
            assert server.going_on == 0
            with Client(server.url) as client:
                seated = client.asked(type="resume", token=token)
                assert (seated["table"]["state"], seated["table"]["scores"]) == ("ended", end["scores"])
                received = client.until("end")
                assert {**received, "events": []} == {**end, "events": []}
                [listed] = client.asked(type="list")["tables"]
                assert listed["actions"] > 0
            with Client(server.url) as watcher:
                watcher.asked(type="watch", table=table)
                assert watcher.until("end")["scores"] == end["scores"]
            server.kill()


def test_a_player_who_left_stays_substituted_after_a_restart(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--absence", "3600") as server, clients(server.url, 2) as (client, other):
        table = table_of(create(client, clock="none"))
        client.asked(type="sit", table=table)
        token = other.asked(type="sit", table=table)["token"]
        other.until("table")
        client.asked(type="leave")
        server.kill()
    with ServerProcess(tmp_path / "data", "--absence", "3600") as server, Client(server.url) as back:
        back.asked(type="resume", token=token)
        assert play_to_end(back)["reason"] == "normal"
        assert verified(server.log(table))


def test_sigterm_notifies_all_clients_and_games_can_be_resumed(tmp_path: Path) -> None:
    mark = "sigterm-" + os.urandom(8).hex()
    options = ("--bot", f"honest={bot('honest')}")
    with ServerProcess(tmp_path / "data", *options, mark=mark) as server, clients(server.url, 3) as three:
        player, watcher, _idler = three
        table, token = duel(server, player, "bot:honest")
        player.until("request")
        watcher.asked(type="watch", table=table)
        assert server.stop() == 0
        for client in three:
            received = client.until("error")
            assert (received["code"], received["fatal"]) == ("shutdown", True)
            with pytest.raises(Closed, match="1001"):
                client.receive()
        assert server.said[-1] == "stopped"
        assert left_behind(mark) == []
    with ServerProcess(tmp_path / "data", *options) as server, Client(server.url) as back:
        assert server.going_on == 1
        back.asked(type="resume", token=token)
        assert play_to_end(back)["faults"] == [0, 0]


def test_an_admin_command_stops_the_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        client.send(type="admin", token=server.admin_token, command="shutdown")
        assert client.until("status")["connections"] == 1
        assert client.until("error")["code"] == "shutdown"
        assert server.ended() == 0


def test_a_data_folder_is_locked_by_one_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", port=0) as server:
        assert server.port > 0
        second = rails("serve", "--port", "0", "--data", str(tmp_path / "data"))
        assert (second.returncode, second.stdout) == (1, "")
        assert second.stderr == f"Error: another server is using {tmp_path / 'data'}\n"
        busy = rails("serve", "--port", str(server.port), "--data", str(tmp_path / "other"))
        assert busy.returncode == 1
        assert busy.stderr == f"Error: port {server.port} of 127.0.0.1 is in use; choose another with --port\n"
        assert not (tmp_path / "other").exists()


def test_a_damaged_table_does_not_prevent_the_others_from_being_restored(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, clients(server.url, 3) as three:
        tables, tokens = zip(*[duel(server, client) for client in three], strict=True)
        for client in three:
            client.until("request")
        server.kill()
        log = server.log(tables[0])
        content = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join(content[:-1]) + b'{"type":"action","number":77}\n')
        saved = (server.folder / "seats.jsonl").read_bytes().splitlines()
        outside = next(line for line in saved if tables[1].encode() in line).replace(tables[1].encode(), b"../outside")
        with (server.folder / "seats.jsonl").open("ab") as seats:
            seats.write(outside + b'\n{"type":"table","spec":{}}\n{"type"')
        torn = server.log(tables[2])
        torn.write_bytes(torn.read_bytes() + b'{"type":"act')
        (server.folder / "admin-token").write_text("")
        (server.folder / "clocks.json").write_text("junk")
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as back:
        assert server.going_on == 2
        reported = "\n".join(server.said)
        assert f"table {tables[0]} cannot be brought back: line" in reported
        assert re.search(r"seats.jsonl: line \d+ cannot be read, and is skipped", reported)
        assert re.search(r"seats.jsonl: line \d+ is skipped: '../outside' is not the id of a table", reported)
        assert not (server.folder / "outside.jsonl").exists()
        assert b'{"type":"table","spec":{}}\n' in (server.folder / "seats.jsonl").read_bytes()
        assert len(server.admin_token) >= 32
        assert back.refused(type="admin", token="", command="status") == "forbidden"
        assert back.refused(type="resume", token=tokens[0]) == "forbidden"
        back.asked(type="resume", token=tokens[2])
        assert play_to_end(back)["reason"] == "normal"
        assert verified(server.log(tables[2]))
        assert log.exists()


def test_a_game_continues_if_its_bot_is_no_longer_configured(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--bot", f"honest={bot('honest')}") as server, Client(server.url) as client:
        table, token = duel(server, client, "bot:honest")
        client.until("request")
        server.kill()
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as back:
        assert "there is no bot honest any more" in "\n".join(server.said)
        back.asked(type="resume", token=token)
        assert play_to_end(back)["reason"] == "normal"
        assert verified(server.log(table))


def test_a_server_that_cannot_write_a_log_stops(tmp_path: Path) -> None:
    """If the server cannot write an action to the log, it refuses the action and exits.

    After a restart the game continues where the log ends.
    """
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        table, token = duel(server, client)
        request = client.until("request")
        log = server.log(table)
        before = log.read_bytes()
        size = log.stat().st_size  # a limit on file sizes has the same effect as a full disk
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, size))
        client.answer(request)
        assert client.until("error")["code"] == "shutdown"
        assert server.ended() == 1
        assert log.read_bytes().startswith(before)
        assert any(line.startswith("Error: stopped: cannot write") for line in server.said), server.said
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as back:
        back.asked(type="resume", token=token)
        assert back.until("request")["number"] == request["number"]
        assert play_to_end(back)["reason"] == "normal"
        assert verified(server.log(table))


# Errors at one table


def test_an_exception_in_one_game_ends_that_game_only(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    games = [rigged.seat_two() for _ in range(2)]
    rigged.spoil_rules(games[0][2])
    for first, second, _ in games:
        for each in (first, second):
            rigged.say(each, type="action", number=1, choice=0)
    assert "RuntimeError: a mistake" in rigged.reports[0]
    broken, whole = (rigged.registry.tables[table] for _, _, table in games)
    assert (broken.state, whole.state) == ("ended", "playing")
    assert whole.match is not None
    assert whole.match.number == 1
    for each in games[0][:2]:
        assert [message["reason"] for message in each.received if message["type"] == "end"] == ["interrupted"]
    assert not any("mistake" in json.dumps(message) for each in games[0][:2] for message in each.received)
    rigged.time += 11
    rigged.spoil_rules(games[1][2])
    rigged.lobby.tick(rigged.time)
    assert whole.state == "ended"
    assert rigged.failures == []


def test_an_error_of_the_system_stops_the_server_before_players_are_notified(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    first, second, table = rigged.seat_two()
    rigged.spoil_rules(table, OSError(28, "No space left on device"))
    for each in (first, second):
        rigged.say(each, type="action", number=1, choice=0)
    assert [error.errno for error in rigged.failures] == [28]
    assert not any(message["type"] == "update" for message in first.received + second.received)
    assert rigged.registry.tables[table].state == "ended"


def test_the_oldest_ended_tables_are_forgotten_first(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path, Limits(ended_kept=2, tables_each=100))
    made = []
    for _ in range(4):
        seats: list[str | None] = ["builtin:random", "builtin:random"]
        table = rigged.registry.create(CreateTable("last_spike", 2, seats=seats), "here", owner_seal="")
        rigged.registry.start_if_full(table)
        while rigged.soon:
            rigged.soon.pop()()
        assert table.state == "ended"
        assert table.match is None, "the match is freed because nobody is connected"
        made.append(table.id)
    rigged.lobby.tidy(rigged.time, 1e9)
    rigged.turn.process_queues()
    assert list(rigged.registry.tables) == made[2:]
    assert [saved.spec.table for saved in rigged.registry.storage.saved_tables()[0]] == made[2:]
    assert (tmp_path / "seats.jsonl").read_bytes().count(b"\n") == 2
    assert len(list(tmp_path.glob("tables/*.jsonl"))) == 4


# Campaigns


def test_games_survive_network_faults_and_server_crashes(tmp_path: Path) -> None:
    """Short version of the fault test of `make soak`: games continue after network faults and server crashes."""
    done = fault_campaign(3, 2, 11, tmp_path, names=["last_spike"])
    assert done["own"] > 75
    assert done["games brought back"] == 6
