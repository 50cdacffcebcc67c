"""The checks of quarantined entrants of the pool: nobody can keep them from others, break them, or sit them out."""

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, serve

from protocol.lines import encode
from protocol.messages import Clock, Join
from protocol.pool_api import CheckFinding
from rails_cli.bot_check.dialled import MAIN, REPORT, REPORTS, DialledTask
from rails_cli.client import HELLO, Patience, PoolBridge, ProcessEnd
from rails_cli.server.checkups import Checkup
from tests.support.tools import rails
from tests.support.ws_client import PATIENCE_S, Client, Json, ServerProcess, frame_bytes

OPTIONS = (
    *("--requests-per-second", "1000", "--pool", "--pool-game", "last_spike:2", "--pool-anchors", "greedy,random"),
    *("--pool-registrations-each", "99", "--pool-patience", "0", "--pool-faults", "1", "--pool-games-each", "2"),
    *("--pool-check-again", "0", "--pool-clock", "none"),
)
TASK = DialledTask({"last_spike": [2]}, [Join()], Clock(None, 0.0, 60.0), 1, 600.0)
ONCE = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "request":
        print(json.dumps({"type": "action", "number": message["number"], "choice": message["default"]}), flush=True)
    elif message["type"] == "end":
        break
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("checkups") / "data", *OPTIONS) as running:
        yield running


def quarantined(server: ServerProcess, name: str, **more: bool) -> str:
    """The token of an entrant that has left its first game."""
    with Client(server.url) as client:
        token = str(client.asked(type="register", name=name, **more)["token"])
        client.asked(type="enter", token=token)
        client.send(type="ready", offer=client.until("offered")["offer"])
        client.until("request")
        client.asked(type="withdraw")
        client.asked(type="leave")
        until = time.monotonic() + PATIENCE_S
        while state_of(client, name) != "quarantined":
            assert time.monotonic() < until
    return token


def carried(task: DialledTask, say: Callable[[Json], list[Json]]) -> list[CheckFinding]:
    """What a check finds in a bot that says this to what it is told, on its first connection or, if that has a `line`,
    another."""
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, msgspec.json.encode(task).decode()], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(REPORT):
                return REPORTS.decode(line.removeprefix(REPORT))
            for answer in say(json.loads(line.partition(b" ")[2])):
                process.stdin.write(b"%d %s" % (answer.pop("line", 0), encode(answer)))
                process.stdin.flush()
    raise AssertionError("no report")


def state_of(client: Client, name: str) -> str:
    return next(str(one["state"]) for one in client.asked(type="entrants")["entrants"] if one["entrant"] == name)


def to_be_checked(client: Client, token: str) -> Json:
    """Enters; the offer of a check."""
    client.asked(type="enter", token=token)
    return client.until("offered", check=True)


def test_a_check_that_is_left_at_once_is_over() -> None:
    async def left() -> list[CheckFinding] | None:
        done: asyncio.Future[list[CheckFinding] | None] = asyncio.get_running_loop().create_future()
        Checkup([], TASK, done.set_result).hang_up()
        return await asyncio.wait_for(done, PATIENCE_S)

    assert asyncio.run(left()) is None


def test_nobody_keeps_checks_from_others(server: ServerProcess) -> None:
    """Neither who sits down elsewhere as its check begins, nor who came first; and a person needs no such check."""
    tokens = [quarantined(server, name) for name in ("Sly 1", "Sly 2", "Early", "Middle", "Late")]
    person = quarantined(server, "Human", person=True)
    for token in tokens[:2]:
        with Client(server.url) as sly:
            sit = {"type": "sit", "table": sly.asked(type="create", game="last_spike", players=2)["table"]["table"]}
            ready = {"type": "ready", "offer": to_be_checked(sly, token)["offer"]}
            sly.socket.socket.sendall(b"".join(frame_bytes(json.dumps(one).encode()) for one in (ready, sit)))
            sly.until("seated")
    with Client(server.url) as early, Client(server.url) as middle, Client(server.url) as late:
        for client, token in ((early, tokens[2]), (middle, tokens[3])):
            client.send(type="ready", offer=to_be_checked(client, token)["offer"])
        late.asked(type="enter", token=tokens[4])
        with Client(server.url) as human:
            human.asked(type="enter", token=person)
            assert human.until("offered")["check"] is False
        while (told := early.until("request", "rejected", "error"))["type"] != "error":
            early.send(type="action", number=told["number"], choice=999)
        again = re.search("To see it again: rails-cli (.*) -- COMMAND", told["message"])
        assert again is not None, told
        assert "--clock 60/move" in again[1]
        late.until("offered", check=True)
        early.asked(type="entrants")
        assert not any(one["type"] == "offered" for one in early.heard[early.heard.index(told) :])


def test_what_breaks_a_check_or_sits_it_out_fails_it() -> None:
    asked = 0

    def falls_silent(message: Json) -> list[Json]:
        nonlocal asked
        asked += message["type"] == "request"
        return [action(message)] if message["type"] == "request" and asked <= 4 else []

    found = carried(msgspec.structs.replace(TASK, limit_s=4.0), falls_silent)
    [game] = [one for one in found if one.check == "last_spike"]
    assert game.verdict == "failed"
    assert re.fullmatch("0 matches, . answers, then the time was up; 1 matches were planned.", game.message)

    def floods(message: Json) -> list[Json]:
        if message["type"] != "request":
            return []
        return [*[{"line": 1, "junk": "x" * 900_000} for _ in range(5)], action(message)]

    last = carried(msgspec.structs.replace(TASK, joins=[Join(), Join(push=True)]), floods)[-1]
    assert last.verdict == "failed"
    assert "the bot sent more than 4194304 bytes that nobody had asked for" in last.message

    def answers_twice_and_oddly(message: Json) -> list[Json]:
        return (
            [action(message), action(message), {"type": "action", "number": [], "choice": 0}]
            if message["type"] == "request"
            else []
        )

    found = carried(TASK, answers_twice_and_oddly)
    assert any(one.verdict == "failed" for one in found)
    assert not any("The check was interrupted" in one.message for one in found), found


def action(request: Json) -> Json:
    return {"type": "action", "number": request["number"], "choice": request["default"]}


def test_a_bot_that_exits_after_each_match_passes(server: ServerProcess, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(quarantined(server, "Once"))
    (tmp_path / "once.py").write_text(ONCE)
    join = ("pool", "join", server.url, "--token-file", str(tmp_path / "token"), "--stop-after", "1", "--")
    done = rails(*join, sys.executable, str(tmp_path / "once.py"))
    assert done.returncode == 0, done.stderr
    assert "Once has passed its check, and is back in the pool" in done.stderr


def test_a_check_of_another_connection_ends_no_game() -> None:
    """All connections of an entrant are told what came of one."""
    end = {"type": "end", "match": "m", "scores": [1, 0], "ranks": [1, 2], "reason": "normal", "faults": [0, 0]}
    told: list[Json] = [
        {"type": "start"},
        {"type": "error", "code": "checked", "message": "Ada has passed its check", "fatal": False},
        {"type": "withdrawn", "entrant": "Ada", "why": "no more games after this one"},
        end,
    ]

    async def answer(connection: ServerConnection) -> None:
        await connection.send(HELLO.decode())
        async for content in connection:
            if json.loads(content)["type"] == "enter":
                for message in told:
                    await connection.send(json.dumps(message))
                told.clear()

    async def play() -> list[Json]:
        ends: list[Json] = []
        async with serve(answer, "127.0.0.1", 0) as server:
            url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            bridge = PoolBridge(
                *(url, lambda: ProcessEnd.start(["cat"]), None, None, said.append, "cat", None, PATIENCE_S),
                patience=Patience(),
            )
            await asyncio.wait_for(bridge.run(lambda message, words: ends.append(message)), PATIENCE_S)
        return ends

    said: list[str] = []
    assert asyncio.run(play()) == [end], said
    assert said == ["checked: Ada has passed its check"]
