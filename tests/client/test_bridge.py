"""Tests of `Bridge`, which relays messages between a server and a bot."""

import asyncio
import json
from typing import Any

import pytest

from rails_cli.client.bridge import JOIN_WAIT_S, TABLE_SEARCH_S, Bridge
from rails_cli.client.connection import Denied, RetryPolicy
from tests.support.odd_server import HELLO, odd_server
from tests.support.waiting import HANG_S

JOIN = {"type": "join", "name": "Quiet", "view": "none", "push": True, "board": False}


class SilentBot:
    """A bot in this process. It sends `join`, if given, and then nothing else."""

    def __init__(self, join: dict[str, Any] | None = None) -> None:
        self.words = [json.dumps(join).encode() + b"\n"] if join is not None else []

    async def send_line(self, line: bytes) -> None:
        pass

    async def read_line(self) -> bytes:
        if not self.words:
            await asyncio.Event().wait()
        return self.words.pop()

    async def end(self) -> None:
        pass


def bridge(url: str, bot: SilentBot, **more: Any) -> Bridge:
    async def start() -> SilentBot:
        return bot

    wish = {
        "seat_request": None,
        "token": None,
        "on_status": lambda words: None,
        "nickname": "nobody",
        "certificate": None,
        **more,
    }
    return Bridge(url, start, timeout_s=HANG_S, retry_policy=RetryPolicy(), **wish)


def test_a_bridge_pauses_between_tables_that_close_at_once() -> None:
    """A bridge pauses before it tries the next table, even if a table is closed as soon as the bridge has a seat."""
    visits: list[str] = []
    waits: list[float] = []
    seat = {"seat": 0, "kind": "open", "name": None, "connected": False}

    def answer(request: dict[str, Any]) -> Any:
        if request["type"] == "sit" and len(visits) == 2:
            return {"type": "error", "code": "forbidden", "message": "enough", "fatal": True, "ref": "ask"}
        table = {"table": f"t{len(visits)}", "name": "", "game": "last_spike", "players": 2, "options": {}}
        table |= {"clock": "none", "state": "open", "private": False, "seats": [seat], "actions": 0, "scores": None}
        if request["type"] == "list":
            visits.append(f"t{len(visits)}")
            return {"type": "tables", "tables": [table], "ref": "ask"}
        seated = {"type": "seated", "table": table, "seat": 0, "token": "t", "ref": "ask"}
        closed = {"type": "error", "code": "closed", "message": "closed", "fatal": False, "ref": None}
        return (seated, closed) if request["type"] == "sit" else None

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    with odd_server(HELLO, answer=answer) as url, pytest.raises(Denied, match="enough"):
        asyncio.run(bridge(url, SilentBot(), games=None, sleep=wait).run(lambda end, words: None))
    assert len(visits) == 2
    assert waits == [JOIN_WAIT_S, TABLE_SEARCH_S]


def test_a_bot_is_seated_under_the_name_in_its_join_message() -> None:
    asked: list[dict[str, Any]] = []

    def answer(request: dict[str, Any]) -> Any:
        asked.append(request)
        refusal = {"type": "error", "code": "forbidden", "message": "enough", "fatal": True, "ref": "ask"}
        return refusal if request["type"] == "sit" else None

    async def wait_forever(seconds: float) -> None:
        await asyncio.Event().wait()

    async def wait_no_time(seconds: float) -> None:
        pass

    for join, names, sleep in ((JOIN, ["Quiet", None], wait_forever), (None, ["nobody"], wait_no_time)):
        asked.clear()
        seat_request = {"type": "sit", "table": "x"}
        with odd_server(HELLO, answer=answer) as url, pytest.raises(Denied, match="enough"):
            asyncio.run(
                bridge(url, SilentBot(join), seat_request=seat_request, sleep=sleep).run(lambda end, words: None)
            )
        assert [request.get("name") for request in asked] == names


def test_the_result_of_a_substitute_is_not_reported_as_the_rank_of_the_bot() -> None:
    seats = [{"seat": seat, "kind": "player", "name": name, "connected": True} for seat, name in enumerate("AB")]
    table = {"table": "x", "name": "", "game": "last_spike", "players": 2, "options": {}, "clock": "none"}
    table |= {"state": "playing", "private": False, "seats": seats, "actions": 0, "scores": None}
    changed = {**table, "seats": [{**seats[0], "substitute": True}, seats[1]]}
    start = {"type": "start", "players": ["A", "B"], "seat": 0}
    end = {"type": "end", "match": "m", "reason": "normal", "scores": [70, 20], "ranks": [1, 2], "faults": []}
    seated = {"type": "seated", "table": table, "seat": 0, "token": "t", "ref": "ask"}

    async def wait_no_time(seconds: float) -> None:
        pass

    def result_after(*tables: dict[str, Any]) -> str:
        told: list[str] = []
        messages = (seated, start, *({"type": "table", "table": one} for one in tables), end)
        with odd_server(HELLO, answer=lambda request: messages if request["type"] == "sit" else None) as url:
            relay = bridge(url, SilentBot(), seat_request={"type": "sit", "table": "x"}, sleep=wait_no_time)
            asyncio.run(relay.run(lambda end, words: told.append(words)))
        return told[0]

    assert "ranked last" in result_after(changed)
    assert "rank 1 of 2" in result_after(changed, table)
