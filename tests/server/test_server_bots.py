"""Tests of bots started by a server or by `connect`: resource limits, captured stderr, and the end of all processes."""

import json
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE

from rails_cli.programs.finding import marked_processes
from rails_cli.programs.stderr import STDERR_LIMIT
from rails_cli.server.bots import BURST, LINES_PER_S
from tests.support.tools import BOTS, bot, left_behind, start_rails
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import Client, ClockedServer, ServerProcess, create, duel, play_to_end, table_of, verified

HONEST = f"import sys\nsys.path.insert(0, {str(BOTS)!r})\nfrom honest import answer, requests\n"
PLAYS = "for request in requests():\n    answer(request)\n"
LIMITS = ("--memory", "300M", "--cpu-seconds", "30", "--open-files", "40", "--file-size", "1M")


def test_resource_limits_apply_to_bots_of_the_server(tmp_path: Path) -> None:
    mark = f"limits-{os.getpid()}"
    names = ("honest", "eats_memory")
    options = [word for name in names for word in ("--bot", f"{name}={bot(name)}")]
    with ServerProcess(tmp_path / "data", *options, *LIMITS, mark=mark) as server:
        with Client(server.url) as client:
            duel(server, client, "bot:honest")
            client.until("request")
            pid = wait_for_bot_process(mark)
            assert resource.prlimit(pid, resource.RLIMIT_AS) == (300 * 2**20,) * 2
            # two seconds more than the limit that the server enforces itself
            assert resource.prlimit(pid, resource.RLIMIT_CPU) == (32, 32)
            assert resource.prlimit(pid, resource.RLIMIT_NOFILE) == (40, 40)
            assert resource.prlimit(pid, resource.RLIMIT_FSIZE) == (2**20,) * 2
        with Client(server.url) as client:
            table, _ = duel(server, client, "bot:eats_memory")
            assert play_to_end(client)["reason"] == "normal"
            assert {fault["code"] for fault in server.faults(table)} == {"disconnect"}
            assert "MemoryError" in stderr_of(server, table).read_text()


def test_the_stderr_of_a_servers_bot_is_stored_up_to_a_limit(tmp_path: Path) -> None:
    options = [word for name in ("honest", "floods_stderr") for word in ("--bot", f"{name}={bot(name)}")]
    with ServerProcess(tmp_path / "data", *options) as server, Client(server.url) as client:
        loud, _ = duel(server, client, "bot:floods_stderr")
        assert play_to_end(client)["reason"] == "normal"
        assert stderr_of(server, loud).stat().st_size == STDERR_LIMIT
        assert stderr_of(server, loud).read_bytes().startswith(b"blah blah")
        quiet, _ = duel(server, client, "bot:honest")
        assert play_to_end(client)["reason"] == "normal"
        assert stderr_of(server, quiet).read_bytes() == b""
        assert verified(server.log(loud))
        assert verified(server.log(quiet))


def wait_for_bot_process(mark: str) -> int:
    """Wait until a process with `mark` in its environment variable RAILS_TEST runs a bot. Return its process id.

    A process is recognised as a bot by its command line. Before a forked process becomes a bot, it still has the
    command line of the server.
    """

    def found() -> int:
        for pid in marked_processes(mark, "RAILS_TEST"):
            with suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if any(word.startswith(bytes(BOTS)) for word in words[1:3]):
                    return pid
        return 0

    return wait_until(found, "a bot to be started")


def stderr_of(server: ServerProcess, table: str) -> Path:
    return server.folder / "tables" / f"{table}.seat2.stderr"


def test_bots_do_not_outlive_a_server_that_is_killed(tmp_path: Path) -> None:
    mark = f"killed-{os.getpid()}"
    with ServerProcess(tmp_path / "data", "--bot", f"hangs={bot('hangs')}", mark=mark) as server:
        with Client(server.url) as client:
            duel(server, client, "bot:hangs")
            client.until("start")
            assert wait_for_bot_process(mark)
            server.kill()
        assert left_behind(mark) == []


def test_a_servers_bot_may_write_many_lines_if_it_pauses_between_them(tmp_path: Path) -> None:
    """A bot may write more than `BURST` lines in total if it pauses between them.

    The server stops a bot that writes more than `BURST` lines at once.
    """
    script = tmp_path / "bot.py"
    script.write_text(
        f"{HONEST}"
        "for number, request in enumerate(requests()):\n"
        "    if number in (0, 5):\n"
        f"        print('{{\"type\":\"join\"}}\\n' * {int(BURST * 0.6)}, end='', flush=True)\n"
        "    answer(request)\n"
    )
    options = ("--bot", f"chatty={sys.executable} -S {script}", "--max-faults", "99")
    with ClockedServer(tmp_path / "data", *options) as server, Client(server.url) as client:
        for pause_s, codes in ((BURST / LINES_PER_S, set()), (0.0, {"too_long"})):
            table, _ = duel(server, client, "bot:chatty")
            while client.until("request", "end")["type"] == "request":
                assert client.open is not None
                server.advance(pause_s)
                client.answer(client.open)
            assert {fault["code"] for fault in server.faults(table)} == codes


def test_processes_started_by_a_servers_bot_end_with_its_game(tmp_path: Path) -> None:
    mark = f"daemon-{os.getpid()}"
    script = tmp_path / "bot.py"
    script.write_text(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(3600)\n"
        "    os._exit(0)\n"
        f"{HONEST}{PLAYS}"
    )
    options = ("--bot", f"daemon={sys.executable} {script}")
    with ServerProcess(tmp_path / "data", *options, mark=mark) as server, Client(server.url) as client:
        duel(server, client, "bot:daemon")
        assert play_to_end(client)["reason"] == "normal"
        wait_until(lambda: marked_processes(mark, "RAILS_TEST") == [server.process.pid], "only the server to be left")
        duel(server, client, "bot:daemon")
        client.until("request")
        assert server.stop() == 0
    assert left_behind(mark) == []


def test_connect_ends_all_processes_that_its_bot_started(tmp_path: Path) -> None:
    mark = f"connect-{os.getpid()}"
    script = tmp_path / "bot.py"
    script.write_text(
        "import subprocess, sys\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(3600)']\n"
        "subprocess.Popen(sleep, stdin=-3)\n"
        "subprocess.Popen(sleep, stdin=-3, stdout=-3, stderr=-3, start_new_session=True)\n"
        "print('hello', file=sys.stderr)\n"
        f"{HONEST}{PLAYS}"
    )
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        table = table_of(create(client, seats=["builtin:random", None]))
        words = ["connect", server.url, "--table", table, "--json", "--", sys.executable, str(script)]
        environment = {**os.environ, "RAILS_TEST": mark}
        with start_rails(*words, stdout=PIPE, stderr=PIPE, text=True, env=environment) as connect:
            end, output = connect.communicate(timeout=HANG_S)
    assert json.loads(end)["reason"] == "normal"
    assert "hello" in output.splitlines(), "the stderr of the bot is that of `connect`"
    assert left_behind(mark) == []
