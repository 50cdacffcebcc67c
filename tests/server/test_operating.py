"""Tests of operating a server: readiness, draining, upgrades, backups, logs, metrics, certificates, service manager."""

import asyncio
import fcntl
import gzip
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from websockets.exceptions import ConnectionClosed

from rails_cli.basics.files import replace_file
from rails_cli.cli import main
from rails_cli.server.reporting import OperatorLog
from rails_cli.server.server import Server
from rails_cli.server.settings import Settings
from tests.support.fetching import fetched
from tests.support.relays import free_port
from tests.support.tools import ROOT, bot, start_rails
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import (
    Client,
    ClockedServer,
    Closed,
    Json,
    ServerProcess,
    all_play,
    certificate,
    clients,
    create,
    duel,
    play_to_end,
    table_of,
    verified,
)

OPERATIONS = ROOT / "docs" / "operations"
NAMES = re.compile(r"\brails_\w+")


def done(*words: object) -> Result:
    """Run a command in this process and return its result."""
    return CliRunner().invoke(main, [str(word) for word in words])


def succeeded(*words: object) -> str:
    """Run a command that must succeed in this process. Return its output."""
    result = done(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def logged(server: ServerProcess) -> list[Json]:
    """Return the decoded JSON lines that `server` wrote to standard error as its log of events."""
    return [json.loads(line) for line in server.said]


def readiness(server: ServerProcess) -> tuple[int, str]:
    status, _, body = fetched(server, "/readyz")
    return status, body.decode()


# Readiness and draining


def test_a_server_is_not_ready_without_its_data_folder_or_space(tmp_path: Path) -> None:
    with ClockedServer(tmp_path / "data") as server:
        assert readiness(server) == (200, "ready\n")
        server.advance(0)  # the next write is a second later, and stops the server
        (tmp_path / "data").rename(tmp_path / "elsewhere")
        assert readiness(server) == (503, "the data folder cannot be written\n")
        assert fetched(server, "/healthz")[0] == HTTPStatus.OK
    (tmp_path / "small").mkdir(mode=0o755)
    with ClockedServer(tmp_path / "small", "--min-free-space", "1000000G") as server:
        status, words = readiness(server)
        assert (status, "disk space" in words) == (503, True)
        assert (tmp_path / "small").stat().st_mode & 0o777 == 0o700


def test_a_server_that_restores_tables_answers_only_probes(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        name = table_of(create(client))
    seats = tmp_path / "data" / "seats.jsonl"
    line = re.sub(rb',"sum":"\w+"', b"", seats.read_bytes().split(b"\n")[1])
    seats.write_bytes(b"".join(line.replace(name.encode(), b"%08x" % number) + b"\n" for number in range(300)))

    async def fetch(port: int, path: str) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        status = int((await reader.readline()).split()[1])
        writer.close()
        return status

    async def statuses() -> list[int]:
        port = free_port()
        said: list[str] = []
        server = Server(Settings(folder=tmp_path / "data", port=port), OperatorLog(said.append, lambda: 0.0))
        running = asyncio.create_task(server.run(lambda scheme, port, resumed: None))
        while not server.admission.is_starting:
            await asyncio.sleep(0)  # timing: lets the server run until it listens
        found = [await fetch(port, path) for path in ("/readyz", "/healthz", "/")]
        while server.registry.is_starting:
            await asyncio.sleep(0)  # timing: lets the server restore its tables
        found += [await fetch(port, path) for path in ("/readyz", "/")]
        server.drain()
        await running
        return found

    assert asyncio.run(statuses()) == [503, 200, 503, 200, 200]


def test_a_draining_server_finishes_games_and_begins_none(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, clients(server.url, 2) as (client, other):
        table, _ = duel(server, client)
        waiting = table_of(create(other))
        with start_rails(
            *("server", "drain", "--data", str(server.folder), "--wait", "300", "--return-after", "7"),
            stdout=subprocess.PIPE,
            text=True,
        ) as drain:
            assert other.until("error")["code"] == "draining"
            assert readiness(server)[0] == HTTPStatus.SERVICE_UNAVAILABLE
            assert other.refused(type="create", game="last_spike", players=2) == "draining"
            assert other.refused(type="sit", table=waiting) == "draining"
            assert play_to_end(client)["reason"] == "normal"
            for each in (client, other):
                assert each.until("error", code="shutdown")["retry_s"] >= 7
            assert server.ended() == 0
            assert drain.communicate(timeout=HANG_S)[0] == "stopped\n"
        assert verified(server.log(table))
    failed = done("server", "drain", "--data", server.folder)
    assert (failed.exit_code, failed.stderr) == (1, f"Error: no server is using {server.folder}\n")


def test_a_second_signal_ends_the_waiting_for_a_bot(tmp_path: Path) -> None:
    options = ("--bot", f"silent={bot('silent')}", "--log-format", "json")
    with ServerProcess(tmp_path / "data", *options) as server, Client(server.url) as client:
        table, _ = duel(server, client, "bot:silent", game="chicago_express")
        client.answer(client.until("request"))
        wait_until(lambda: server.lines(table)[-1]["type"] == "action")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: any(line["event"] == "draining" for line in logged(server)))
        assert server.stop() == 0


# Upgrades and backups


def keep_playing(client: Client, server: ServerProcess, seats: dict[str, str]) -> None:
    """Play games with `client` until the server stops. Store the token of each seat in `seats` by table."""
    while True:
        try:
            created = client.ask(type="create", game="last_spike", players=2, seats=[None, "builtin:random"])
            if created["type"] == "created":
                seated = client.ask(type="sit", table=table_of(created))
            if client.heard[-1].get("code") != "draining":
                seats[table_of(created)] = seated["token"]
                play_to_end(client)
        except (Closed, ConnectionClosed):
            return


def finish(server: ServerProcess, seats: dict[str, str]) -> None:
    """Resume the seats with the tokens in `seats` and play their unfinished games to the end.

    Then wait until every game of `server` has ended.
    """
    with Client(server.url) as client:
        for token in seats.values():
            answer = client.ask(type="resume", token=token)
            if answer["type"] == "seated":
                assert play_to_end(client)["reason"] == "normal"
    logs = list((server.folder / "tables").glob("*.jsonl"))
    assert logs
    wait_until(lambda: all(verified(log) for log in logs))


def test_an_upgrade_and_a_backup_under_load_lose_no_game(tmp_path: Path) -> None:
    """No game is lost if a backup is made, and another process replaces the server, while bots and clients play.

    All games can be finished at the new server. They can also be finished at a server restored from the backup.
    """
    options = ("--bot", f"honest={bot('honest')}", "--log-format", "json", "--requests-per-second", "10000")
    backup, restored = tmp_path / "backup.tar.gz", tmp_path / "restored"
    seats: dict[str, str] = {}
    with ServerProcess(tmp_path / "data", *options) as server, clients(server.url, 4) as (one, two, three, four):
        seats.update([duel(server, one, "bot:honest")])
        one.answer(one.until("request"))
        shared = table_of(create(two))
        seats[shared] = two.asked(type="sit", table=shared)["token"]
        with (
            start_rails(
                *("connect", server.url, "--table", shared, "--", *bot("honest").split()),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as bridge,
            ThreadPoolExecutor() as threads,
        ):
            two.answer(two.until("request"))
            busy = [threads.submit(keep_playing, client, server, seats) for client in (three, four)]
            wait_until(lambda: len(seats) > 4)
            made = succeeded("backup", backup, "--data", server.folder)
            assert re.search(r"[0-9]+ logs, [0-9]+ files, ", made)
            wait_until(lambda: len(seats) > 6)
            assert succeeded("server", "drain", "--data", server.folder, "--return-after", 0) == "stopped\n"
            for each in busy:
                each.result(HANG_S)
            assert [one.until("error")["retry_s"] < 1, two.until("error")["code"]] == [True, "shutdown"]
            assert server.ended() == 0
            with ServerProcess(tmp_path / "data", *options, port=server.port) as again:
                assert again.going_on >= 2
                finish(again, seats)
                result, status = bridge.communicate(timeout=HANG_S)
                assert "rank" in result
                assert again.stop() == 0
    assert "verified" in succeeded("restore", backup, "--data", restored, "--workers", 1)
    with ServerProcess(restored, *options) as later:
        with clients(later.url, 2) as both:
            for client, token in zip(both, (seats.pop(shared), re.findall(r"token (\S+)", status)[0]), strict=True):
                client.asked(type="resume", token=token)
            assert [end["reason"] for end in all_play(both)] == ["normal"] * 2
        finish(later, seats)
    events = logged(server)
    assert all({"time", "event", "table", "connection"} <= line.keys() for line in events)
    [seated] = [line for line in events if line["event"] == "seated" and line["table"] == next(iter(seats))]
    [left] = [line for line in events if line["event"] == "disconnected" and line["table"] == seated["table"]]
    assert (left["connection"], left["code"]) == (seated["connection"], "shutdown")


def test_a_server_resumes_the_games_of_an_earlier_version(tmp_path: Path) -> None:
    """A server resumes the games in a data folder of version 0.1.0.

    The folder is `golden`. It was written by `rails-cli serve --sign never`. It has an open table, a running game and
    an ended game of The Last Spike. If `rules_version` of this game changes, the folder must be written again, because
    a server does not resume games of another `rules_version`.
    """
    shutil.copytree(Path(__file__).parent / "golden" / "0.1.0", tmp_path / "data")
    forever = ("--open-table", "1000000000000")
    with ServerProcess(tmp_path / "data", *forever) as server, Client(server.url) as client:
        assert server.going_on == 1
        states = {table["table"]: table["state"] for table in client.asked(type="list")["tables"]}
        assert states == {"c0983292": "playing", "93a7f3bd": "ended", "3d3e1979": "open"}
        client.asked(type="resume", token="jnfwimAwjmv8BCzsIpuuGRELAuO4jC8Z")
        assert play_to_end(client)["reason"] == "normal"
        assert all(verified(server.log(table)) for table in ("c0983292", "93a7f3bd"))


@pytest.mark.parametrize("written", [b"0", b"1", b"-5", b"99999999999999999999", b"words"])
def test_a_drain_sends_no_signal_to_a_process_that_is_not_a_server(tmp_path: Path, written: bytes) -> None:
    lock = tmp_path / "lock"
    lock.write_bytes(written)
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        refused = done("server", "drain", "--data", tmp_path)
    assert (refused.exit_code, f"no server is using {tmp_path}" in refused.stderr) == (1, True), refused.output
    assert not (tmp_path / "drain.json").exists()


def test_a_new_file_does_not_follow_links_in_its_folder(tmp_path: Path) -> None:
    file, victim = tmp_path / "drain.json", tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f"drain.json.{os.getpid()}.new").symlink_to(victim)
    replace_file(file, b"{}")
    assert (victim.read_text(), file.read_bytes(), file.is_symlink()) == ("precious", b"{}", False)


def test_a_backup_is_not_overwritten_and_not_restored_over_data(tmp_path: Path) -> None:
    data, backup = tmp_path / "data", tmp_path / "backup.tar.gz"
    assert "is not the data folder of a server" in done("backup", backup, "--data", data).stderr
    with ServerProcess(data) as server, Client(server.url) as client:
        duel(server, client)
        play_to_end(client)
        server.kill()
    (data / "link").symlink_to(tmp_path)
    (data / "file-link").symlink_to(ROOT / "README.md")
    assert re.search(r"[1-9]\.\d kB$", succeeded("backup", backup, "--data", data).strip())
    assert backup.stat().st_mode & 0o777 == 0o600
    with tarfile.open(backup) as archive:
        assert {"link", "file-link"}.isdisjoint(archive.getnames())
    for problem, words in (
        (f"{backup} exists", ("backup", backup, "--data", data)),
        (f"{data / 'inside'} is inside {data}", ("backup", data / "inside", "--data", data)),
        (f"{data} exists and is not empty", ("restore", backup, "--data", data)),
    ):
        failed = done(*words)
        assert (failed.exit_code, problem in failed.stderr) == (1, True), failed.stderr


def test_a_damaged_backup_is_refused(tmp_path: Path) -> None:
    data, backup, new = tmp_path / "data", tmp_path / "backup.tar.gz", tmp_path / "new"
    (data / "tables").mkdir(parents=True)
    (data / "seats.jsonl").write_bytes(b"")
    (data / "admin-token").write_bytes(b"secret\n")
    succeeded("backup", backup, "--data", data)
    whole = backup.read_bytes()

    def repacked(changed: Callable[[tarfile.TarInfo], tarfile.TarInfo | None]) -> bytes:
        with tempfile.TemporaryFile() as file:
            with tarfile.open(backup) as old, tarfile.open(fileobj=file, mode="w:gz") as archive:
                for member in old:
                    content = old.extractfile(member)
                    kept = changed(member)
                    if kept is not None:
                        archive.addfile(kept, content)
            file.seek(0)
            return file.read()

    for problem, content in (
        ("damaged or not a backup", whole[:-20]),
        ("damaged or not a backup", whole[:-60] + bytes([whole[-60] ^ 1]) + whole[-59:]),
        ("damaged or not a backup of a server\n", b"nothing"),
        ("its list of files is missing", repacked(lambda member: None if member.name == "backup.json" else member)),
        ("admin-token is missing", repacked(lambda member: None if member.name == "admin-token" else member)),
        ("unexpected '../admin-token'", repacked(_moved_out)),
        ("'admin-token' is too large", gzip.compress(_claiming(1 << 40))),
    ):
        damaged = tmp_path / "damaged.tar.gz"
        damaged.write_bytes(content)
        failed = done("restore", damaged, "--data", new)
        assert (failed.exit_code, problem in failed.stderr) == (1, True), failed.stderr
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith("new")] == []


def _claiming(size: int) -> bytes:
    """Return the beginning of a tar file with one file. The header says that this file has `size` bytes."""
    member = tarfile.TarInfo("admin-token")
    member.size = size
    return member.tobuf() + bytes(1024)


def _moved_out(member: tarfile.TarInfo) -> tarfile.TarInfo:
    return member.replace(name=f"../{member.name}") if member.name == "admin-token" else member


# Metrics and the service manager


def test_every_metric_of_the_dashboard_and_the_alerts_exists(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--pool") as server, Client(server.url) as client:
        duel(server, client)
        play_to_end(client)
        token = (server.folder / "metrics-token").read_text().strip()

        def measured() -> str:
            """Return the page with the metrics, or an empty text as long as the event loop has not been measured."""
            page = fetched(server, "/metrics", Authorization=f"Bearer {token}")[2].decode()
            return page if re.search(r"^rails_event_loop_lag_seconds_count [1-9]", page, re.MULTILINE) else ""

        metrics = wait_until(measured)
        assert "latency" not in fetched(server, "/metrics", Authorization="Bearer x")[2].decode()
    answers = sum(message["type"] == "request" for message in client.heard)
    for name in ("rails_move_latency_seconds", "rails_log_write_seconds"):
        assert f"{name}_count {answers:.1f}\n" in metrics
        assert f'{name}_bucket{{le="+Inf"}} {answers:.1f}\n' in metrics
    assert "rails_ready 1.0\n" in metrics
    described = set(re.findall(r"^# TYPE (\w+) ", metrics, re.MULTILINE))
    described |= {f"{name}_bucket" for name in described}
    dashboard = json.loads((OPERATIONS / "dashboard.json").read_bytes())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    rules = pytest.importorskip("yaml").safe_load((OPERATIONS / "alerts.yml").read_bytes())
    queries += [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    used = {name for query in queries for name in NAMES.findall(query)}
    assert len(used) > 10
    assert used - described == set()


def test_the_service_manager_is_notified_and_certificates_are_reloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, key = certificate(tmp_path)
    (tmp_path / "next").mkdir()
    new_chain, new_key = certificate(tmp_path / "next")
    with (
        tempfile.TemporaryDirectory(prefix="rails") as folder,  # the path of a socket must be short
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
    ):
        manager.bind(f"{folder}/notify")
        manager.settimeout(HANG_S)
        monkeypatch.setenv("NOTIFY_SOCKET", f"{folder}/notify")
        monkeypatch.setenv("WATCHDOG_USEC", "4000000")  # few messages: Linux stores at most 11 for a receiver
        with ClockedServer(tmp_path / "data", "--tls-cert", str(chain), "--tls-key", str(key)) as server:
            assert manager.recv(100) == b"READY=1"
            assert manager.recv(100) == b"WATCHDOG=1"

            def shown() -> str:
                return ssl.get_server_certificate(("127.0.0.1", server.port), timeout=HANG_S)

            assert shown() == chain.read_text()
            before = key.read_bytes()
            chain.write_bytes(new_chain.read_bytes())  # without its key
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: any(f"stays: {key} does not belong to {chain}" in line for line in server.said))
            assert shown() != chain.read_text()
            key.write_bytes(new_key.read_bytes())
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: any("loaded again" in line for line in server.said))
            assert shown() == chain.read_text()
            key.write_bytes(before)
            server.advance(1.5)
            chain.write_bytes(b"")
            server.advance(1.5)
            server.advance(1.5)
            wait_until(lambda: sum("the old one stays" in line for line in server.said) == 2)
            assert shown() == new_chain.read_text()
            chain.write_bytes(new_chain.read_bytes())
            key.write_bytes(new_key.read_bytes())
            server.advance(1.5)
            server.advance(1.5)
            wait_until(lambda: server.said[-1] == "the certificate was loaded again")
            assert server.stop() == 0
            messages: list[bytes] = []
            while messages[-1:] != [b"STOPPING=1"]:
                messages.append(manager.recv(100))
            assert {*messages} <= {b"WATCHDOG=1", b"STOPPING=1"}
