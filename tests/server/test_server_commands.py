"""Tests of the output and the error messages of `rails-cli serve`, `connect` and `tables`."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.commands.connect import program_name
from tests.support.odd_server import HELLO, clear_line, fails, odd_server
from tests.support.tools import BOTS, bot, rails, start_rails
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import Client, ClockedServer, ServerProcess, create, duel, play_to_end, table_of, verified

RARE = ("--requests-per-second", "0.1")  # timing: this is a rate, and the server's clock does not advance
HONEST = [sys.executable, "-S", str(BOTS / "honest.py")]
NOWHERE = "ws://127.0.0.1:9"
JOIN = {"type": "join", "name": "Quiet", "view": "none", "push": True, "board": False}
QUIET = """
import json, sys
print(sys.argv[2], flush=True)
for line in sys.stdin:
    open(sys.argv[1], "a").write(line)
    message = json.loads(line)
    if message["type"] == "request":
        print(json.dumps({"type": "action", "number": message["number"], "choice": message["default"]}), flush=True)
"""
"""Program of a bot that sends a join message, records what it receives, and answers with the default action."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("commands") / "data", "--bot", f"mine={bot('honest')}") as running:
        yield running


@contextmanager
def started(words: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a command in the background and kill it when the `with` block ends."""
    with start_rails(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def usage_error(*words: str) -> str:
    """Run a command with wrong arguments and return the last line of its usage error."""
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stdout) == (2, "")
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("code", "url", "expected"),
    [
        (1, NOWHERE, "cannot reach ws://127.0.0.1:9: no server answers there"),
        (1, "http://127.0.0.1:9", "cannot reach ws://127.0.0.1:9"),
        (1, "127.0.0.1:9", "cannot reach ws://127.0.0.1:9"),
        (2, "nonsense", "not a server address"),
        (2, "ws://", "not a server address"),
        (2, "ws://127.0.0.1:99999", "not a server address"),
        (1, "ws://no-such-host.invalid:1", "there is no such host"),
    ],
)
def test_an_unreachable_or_invalid_address_is_reported(code: int, url: str, expected: str) -> None:
    assert expected in fails(code, "tables", url)


@pytest.mark.parametrize(("code", "url"), [(1, NOWHERE), (2, "nonsense")])
def test_commands_exit_with_one_line_if_there_is_no_server(code: int, url: str) -> None:
    """If there is no server, each command prints one line and exits with an error code.

    The commands run as separate processes, so that the test also notices output at the exit of the interpreter.
    """
    for words in (["tables", url], ["connect", url, "--table", "x", "--", *HONEST]):
        done = rails(*words)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        clear_line(code, done.stderr)


def test_tables_creates_a_table_with_openings(server: ServerProcess) -> None:
    made = rails("tables", server.url, "--create", "chicago_express", "--players", "2", "--openings", "drawn", "--json")
    assert json.loads(made.stdout)["table"]["openings"] == "drawn"


def test_connect_reports_a_malformed_seated_message() -> None:
    with odd_server(HELLO, answer=lambda request: {"type": "seated", "ref": "ask", "seat": 0}) as url:
        assert "missing required field `table`" in fails(1, "connect", url, "--table", "x", "--", *HONEST)


def test_unusable_certificates_and_tls_to_a_plain_server_are_reported(server: ServerProcess) -> None:
    output = fails(1, "tables", "wss://127.0.0.1:9", "--tls-ca", __file__)
    assert f"the certificates in {__file__} cannot be used" in output
    assert "starts with ws://" in fails(1, "tables", server.url.replace("ws:", "wss:"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["tables", NOWHERE, "--create", "last_spike", "--players", "2", "--watch-delay", "nan"], "not a finite"),
        (["tables", NOWHERE, "--create", "last_spike", "--players", "2", "--watch-delay", "inf"], "not a finite"),
        (["tables", NOWHERE, "--create", "last_spike", "--players", "2", "--name", "\udcff"], "not UTF-8"),
        (["tables", NOWHERE, "--search", "\udcff"], "'\\udcff' is not UTF-8"),
        (["connect", NOWHERE, "--table", "\udcff", "--", "cat"], "not UTF-8"),
        (["connect", NOWHERE, "--table", "x", "--patience", "nan", "--", "cat"], "not a finite"),
        (["tables", NOWHERE, "--players", "3", "--seat", "open"], "--players works only with --create"),
        (["tables", NOWHERE, "--private"], "--private works only with --create"),
        (["tables", NOWHERE, "--openings", "drawn"], "--openings works only with --create"),
        (
            ["tables", NOWHERE, "--create", "last_spike", "--players", "2", "--state", "open"],
            "cannot be combined with --create",
        ),
    ],
)
def test_wrong_arguments_are_reported_before_connecting(words: list[str], expected: str) -> None:
    assert expected in usage_error(*words)


def test_tables_creates_and_lists_tables_as_json(server: ServerProcess) -> None:
    words = "--create last-spike --players 3 --name script --clock 60+1 --option cash=hidden --watch-delay 2 --invite"
    seats = "--seat open --seat reserved --seat bot:mine"
    made = rails("tables", server.url, *words.split(), *seats.split(), "--json")
    assert (made.returncode, made.stderr) == (0, "")
    answer = json.loads(made.stdout)
    assert set(answer) == {"table", "owner", "invites"}
    assert [invited["seat"] for invited in answer["invites"]] == [1]
    listed = rails("tables", server.url, "--search", "SCRIPT", "--state", "open", "--json")
    [table] = json.loads(listed.stdout)["tables"]
    assert table == answer["table"] | {"seats": table["seats"]}
    assert [seat["kind"] for seat in table["seats"]] == ["open", "reserved", "bot"]
    assert (table["options"]["cash"], table["clock"], table["players"]) == ("hidden", "60+1", 3)
    shown = rails("tables", server.url, "--search", "script").stdout
    assert shown == f"{table['table']}  last_spike  open     clock 60+1  script: open, reserved, mine\n"
    assert rails("tables", server.url, "--search", "no such thing").stdout == "no tables\n"
    other = "--create chicago-express --players 2 --name script --seat open --seat builtin:easy"
    rails("tables", server.url, *other.split())
    lines = rails("tables", server.url, "--search", "script").stdout.splitlines()
    assert len({line.index("script: ") for line in lines}) == 1, "the columns are aligned"
    assert sorted(line.endswith(" (easy)") for line in lines) == [False, True]


def test_tables_prints_a_new_table_with_its_tokens(server: ServerProcess) -> None:
    made = rails("tables", server.url, "--create", "last_spike", "--players", "2", "--private", "--invite")
    first, owner, *invitations = made.stdout.splitlines()
    assert re.match(r"[0-9a-f]{24}  last_spike  open ", first)
    assert re.fullmatch(r"owner token: \S{32}", owner)
    assert [re.sub(r"\S{32}", "…", line) for line in invitations] == [
        "invitation to seat 1: …",
        "invitation to seat 2: …",
    ]


@pytest.mark.parametrize(
    ("code", "words", "expected"),
    [
        (2, ["--create", "chess", "--players", "2"], "unknown game 'chess'"),
        (2, ["--create", "last_spike"], "--create needs --players"),
        (2, ["--create", "last_spike", "--players", "2", "--option", "cash"], "NAME=VALUE"),
        (2, ["--create", "last_spike", "--players", "2", "--invite"], "--invite needs a reserved seat"),
        (1, ["--create", "last_spike", "--players", "9"], "players"),
        (2, ["--create", "last_spike", "--players", "2", "--option", "mode=x"], "last_spike has the options: "),
        (2, ["--create", "last_spike", "--players", "2", "--option", "cash=gone"], "cash is open or hidden"),
        (1, ["--create", "last_spike", "--players", "2", "--clock", "soon"], "is not a clock"),
        (1, ["--create", "last_spike", "--players", "2", "--seat", "sh -c true"], "is not available here"),
        (2, ["--state", "closed"], "--state"),
    ],
)
def test_tables_reports_why_a_table_cannot_be_created(
    server: ServerProcess, code: int, words: list[str], expected: str
) -> None:
    assert expected in fails(code, "tables", server.url, *words)


def test_a_stdio_bot_plays_through_connect(server: ServerProcess) -> None:
    with Client(server.url) as client:
        table = table_of(create(client, seats=[None, "builtin:random"]))
        done = rails("connect", server.url, "--table", table, "--seat", "1", "--name", "Bridget", "--", *HONEST)
        assert done.returncode == 0, done.stderr
        money = r"\$[\d,]+"
        expected = rf"table {table}: (shared )?rank [12] of 2 with {money} \(Vanderbilt {money}\)\n"
        assert re.fullmatch(expected, done.stdout), done.stdout
        assert re.search(rf"^seated at table {table} in seat 1; token \S{{32}}\n", done.stderr, re.MULTILINE)
        [info] = client.asked(type="list", search=table)["tables"]
        assert info["seats"][0]["name"] == "Bridget"
        assert verified(server.log(table))
        assert server.faults(table) == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("./mybot --api-key SECRET", "mybot"),
        ("/opt/bots/deep.bin SECRET", "deep"),
        ("python3.11 bot.py --api-key SECRET", "bot"),
        ("/usr/bin/python3 -m bots.deep SECRET", "bots.deep"),
        ("python3 -c SECRET", "python3"),
        ("python3 --api-key SECRET bot.py", "python3"),
        (f"python3 -u {BOTS}/honest.py SECRET", "honest"),
        (f"node --env-file {__file__}.env SECRET", "node"),
        ("java Main SECRET", "Main"),
        ("bash -c SECRET", "bash"),
        ("env KEY=SECRET bot", "env"),
        ("perl", "perl"),
        ("./\udcff SECRET", "?"),
    ],
)
def test_the_name_of_a_bot_contains_no_secret_arguments(command: str, name: str) -> None:
    assert program_name(command.split()) == name


def test_a_bot_without_a_name_is_named_after_its_script(server: ServerProcess) -> None:
    with Client(server.url) as client:
        table = table_of(create(client, seats=[None, "builtin:random"]))
        done = rails("connect", server.url, "--table", table, "--", *HONEST, "--api-key", "SECRET")
        assert done.returncode == 0, done.stderr
        [info] = client.asked(type="list", search=table)["tables"]
        assert info["seats"][0]["name"] == "honest"
        assert client.asked(type="list", search="SECRET")["tables"] == []


def test_connect_takes_a_seat_by_invitation_or_token(server: ServerProcess) -> None:
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
    ("code", "words", "expected"),
    [
        (1, ["--table", "nowhere", "--", *HONEST], "there is no table 'nowhere'"),
        (1, ["--seat-token", "guess", "--", *HONEST], "no seat belongs to this token"),
        (2, ["--", *HONEST], "choose where to sit"),
        (2, ["--table", "x", "--seat-token", "y", "--", *HONEST], "choose where to sit"),
        (2, ["--table", "x", "--", "no-such-command-anywhere"], "no such command"),
        (2, ["--table", "x"], "Missing argument"),
    ],
)
def test_connect_reports_why_it_cannot_take_a_seat(
    server: ServerProcess, code: int, words: list[str], expected: str
) -> None:
    assert expected in fails(code, "connect", server.url, *words)


LONG_LINE = """
import sys, time
sys.stdin.readline()
print("{" + 2**21 * "x", end="", flush=True)
time.sleep(3600)
"""


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([str(BOTS / "crashes.py")], "the bot (exited with code 1|has stopped reading)"),
        (["-c", LONG_LINE], "the bot wrote a line of more than 1048576 bytes"),
        ([str(BOTS / "closes_stdout.py")], "the bot (closed its end of the line|exited with code 1)"),
    ],
)
def test_connect_reports_how_its_bot_failed(server: ServerProcess, command: list[str], words: str) -> None:
    with Client(server.url) as client:
        table = table_of(create(client, seats=[None, "builtin:random"]))
        done = rails("connect", server.url, "--table", table, "--", sys.executable, *command)
        assert done.returncode == 1
        assert re.fullmatch(f"Error: {words}", done.stderr.splitlines()[-1]), done.stderr
        assert client.asked(type="admin", token=server.admin_token, command="end_table", table=table)


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"type": "resume"}, "this seat is now played from another connection"),
        ({"type": "admin", "command": "end_table"}, "the owner of the server closed this table"),
    ],
)
def test_connect_ends_when_its_seat_is_lost(server: ServerProcess, message: dict[str, str], error: str) -> None:
    with Client(server.url) as client:
        table = table_of(create(client))
        with started(["connect", server.url, "--table", table, "--", *HONEST]) as bridge:
            assert bridge.stderr is not None
            bridge.stderr.readline()  # warns that there is no sandbox
            token = bridge.stderr.readline().split()[-1]
            more = {"token": token} if message["type"] == "resume" else {"token": server.admin_token, "table": table}
            client.asked(**message, **more)
            _, output = bridge.communicate(timeout=HANG_S)
            assert (bridge.returncode, output) == (1, f"Error: {error}\n")


def test_connect_reconnects_after_a_restart_of_the_server(tmp_path: Path) -> None:
    """`connect` reconnects after the server was killed, and after it was stopped.

    The bot process is not restarted. The server still uses the options of the bot's first join message.
    """
    received_file = tmp_path / "heard"
    received_file.touch()
    quiet = [sys.executable, "-c", QUIET, str(received_file), json.dumps(JOIN)]
    with ServerProcess(tmp_path / "data") as first:
        port = first.port
        with Client(first.url) as client:
            table = table_of(create(client))
            words = ["connect", first.url, "--table", table, "--json", "--", *quiet]
            with started(words) as bridge:
                assert bridge.stderr is not None
                bridge.stderr.readline()  # warns that there is no sandbox
                assert "seated" in bridge.stderr.readline()
                seated = client.asked(type="sit", table=table)
                token = seated["token"]
                wait_until(lambda: '"start"' in received_file.read_text(), "the bot to receive `start`")
                first.kill()
                with ServerProcess(tmp_path / "data", port=port) as second, Client(second.url) as back:
                    back.asked(type="resume", token=token)
                    back.answer(back.until("request"))
                    assert second.stop() == 0
                with ServerProcess(tmp_path / "data", port=port) as third, Client(third.url) as again:
                    again.asked(type="resume", token=token)
                    assert play_to_end(again)["faults"] == [0, 0]
                    output, _ = bridge.communicate(timeout=HANG_S)
                    assert bridge.returncode == 0
                    assert json.loads(output)["faults"] == [0, 0]
                    assert verified(third.log(table))
    messages = [json.loads(line) for line in received_file.read_text().splitlines()]
    starts = [place for place, message in enumerate(messages) if message["type"] == "start"]
    assert len(starts) >= 2
    later = messages[starts[1] :]  # a bot that starts slowly may send its join message after the first `start`
    assert {message["board"] for message in later if message["type"] == "start"} == {None}
    assert {message["view"] for message in later if message["type"] == "request"} == {None}
    pushed = [message["type"] == "update" and message["view"] is None for message in messages[starts[-1] :]]
    assert sum(pushed) > 5


def test_connect_reports_that_the_game_of_its_seat_was_deleted() -> None:
    refusal = {"type": "error", "code": "unknown_table", "message": "its log was deleted", "fatal": False}
    with odd_server(HELLO, answer=lambda request: refusal | {"ref": request.get("ref")}) as url:
        assert fails(1, "connect", url, "--seat-token", "x", "--", *HONEST) == "Error: its log was deleted"


def test_connect_waits_when_its_address_is_rate_limited(tmp_path: Path) -> None:
    """`connect` waits and tries again if its address has sent too many requests.

    The bot program sends its join message only once, although `connect` tries several times. If each attempt sent a
    join message, it would exceed the rate limit again.
    """
    received_file = tmp_path / "heard"
    received_file.touch()
    quiet = [sys.executable, "-c", QUIET, str(received_file), json.dumps(JOIN)]
    with ClockedServer(tmp_path / "data", "--requests-per-second", "2") as server, Client(server.url) as client:
        _, token = duel(server, client)
        words = ["connect", server.url, "--seat-token", token, "--json", "--", *quiet]
        with Client(server.url) as greedy:
            while greedy.ask(type="leave").get("code") != "too_fast":  # use up the allowance of the address first
                pass
        with started(words) as bridge:
            assert bridge.stderr is not None
            bridge.stderr.readline()  # warns that there is no sandbox
            refusal = "too many requests from your address; wait a moment; trying again in 0.2 s"
            assert refusal in bridge.stderr.readline()
            wait_until(lambda: '"hello"' in received_file.read_text(), "the bot to receive `hello`")
            server.advance(100)
            output, _ = bridge.communicate(timeout=HANG_S)
            assert bridge.returncode == 0
            assert json.loads(output)["faults"] == [0, 0]
    first = next(json.loads(line) for line in received_file.read_text().splitlines() if '"request"' in line)
    assert first["view"] is None


def test_the_lowest_rate_limit_allows_every_request(tmp_path: Path) -> None:
    """With the smallest rate limit that can be set, a client may still send the most expensive request."""
    with ClockedServer(tmp_path / "data", *RARE) as server, Client(server.url) as client:
        client.asked(type="list")
        duel(server, client)
        request = client.until("request")
        steps = [[{"type": "pass"}] * 10] * 85
        assert client.asked(type="suppose", number=request["number"], lines=steps)["type"] == "supposed"
        assert "too_fast" in {client.ask(type="list").get("code") for _ in range(60)}


def test_connect_without_patience_ends_with_its_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        table = table_of(create(client))
        words = ["connect", server.url, "--table", table, "--patience", "0", "--", *HONEST]
        with started(words) as bridge:
            assert bridge.stderr is not None
            bridge.stderr.readline()  # warns that there is no sandbox
            bridge.stderr.readline()
            server.kill()
            _, output = bridge.communicate(timeout=HANG_S)
            assert bridge.returncode == 1
            assert output == f"Error: the connection to {server.url} is closed\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--bot", "nonsense"], "NAME=COMMAND"),
        (["--bot", "x="], "NAME=COMMAND"),
        (["--bot", "two words=true"], "NAME=COMMAND"),
        (["--bot", "x='"], "No closing quotation"),
        (["--tls-cert", __file__], "--tls-cert and --tls-key must be given together"),
        (["--logs", "no-such-folder"], "--logs"),
        (["--port", "70000"], "--port"),
        (["--absence", "-1"], "--absence"),
        (["--absence", "nan"], "nan is not a finite number"),
        (["--messages-per-second", "nan"], "nan is not a finite number"),
        (["--requests-per-second", "inf"], "inf is not a finite number"),
        (["--silence", "inf"], "inf is not a finite number"),
        (["--idle", "nan"], "nan is not a finite number"),
        (["--open-table", "inf"], "inf is not a finite number"),
        (["--reserved", "5", "--max-connections", "5"], "would let nobody new in"),
        (["--min-free-space", "much"], "is not a size"),
        (["--keep-days", "nan"], "nan is not a finite number"),
        (["--proxy", "localhost"], "'localhost' is not an address"),
        (["--origin", "example.org/"], "SCHEME://HOST[:PORT]"),
        (["--origin", "https://example.org/"], "SCHEME://HOST[:PORT]"),
        (["--origin", "https://example.org:70000"], "SCHEME://HOST[:PORT]"),
        (["--bot", "x=/no/such thing"], "/no/such is not a program"),
        (["--bot", f"x={__file__}"], "is not a program"),
        (["--host", ""], "neither an address nor a host name"),
        (["--host", ".."], "neither an address nor a host name"),
        (["--host", "a" * 70], "neither an address nor a host name"),
        (["--host", "\udcff"], "not UTF-8"),
        (["--pool", "--pool-anchors", "expert"], "thinks too long to be an anchor"),
        (["--pool", "--pool-anchors", "easy,hard", "--pool-game", "last_spike:4"], "needs 3 anchors"),
        (["--pool", "--pool-game", "last_spike:9"], "not '9'"),
        (["--pool", "--on-faults", "void"], "--pool needs --on-faults substitute"),
    ],
)
def test_serve_reports_wrong_options(tmp_path: Path, words: list[str], expected: str) -> None:
    (tmp_path / "file").write_text("")
    assert expected in usage_error("serve", "--port", "0", "--data", str(tmp_path / "file" / "below"), *words)


def test_serve_reports_an_unusable_folder_or_address(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for words in (
        ["--data", str(tmp_path / "file" / "below")],
        ["--host", "192.0.2.1", "--data", str(tmp_path / "data")],
    ):
        done = rails("serve", "--port", "0", *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert "cannot serve" in clear_line(1, done.stderr)
