"""Tests of checks in the pool. A check is an unrated game against built-in players.

An entrant that loses its seats is quarantined: it gets no rated games. When it passes a check, it may play rated games
again.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fetching import fetched
from tests.support.pool_clients import POOL, entrant_info
from tests.support.tools import rails
from tests.support.waiting import wait_until
from tests.support.ws_client import Client, Json, ServerProcess, play_to_end

OPTIONS = (
    *(*POOL, "--pool-patience", "0", "--pool-faults", "1", "--pool-games-each", "2"),
    *("--pool-check-again", "1"),
)
ONE_MATCH = """
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
    folder = tmp_path_factory.mktemp("checks") / "data"
    with ServerProcess(folder, *OPTIONS, "--pool-clock", "none", "--absence", "600") as running:
        yield running


def quarantined(server: ServerProcess, name: str, **more: bool) -> Json:
    """Register an entrant named `name` that leaves its first game, and wait until the entrant is quarantined.

    In quarantine an entrant gets no rated games until it has passed a check, which is an unrated game against built-in
    players. Return the answer to `register`.
    """
    with Client(server.url) as client:
        made = client.asked(type="register", name=name, **more)
        client.asked(type="enter", token=made["token"])
        take_offer(client)
        client.asked(type="withdraw")
        client.asked(type="leave")
        wait_until(lambda: entrant_info(client, name)["state"] == "quarantined", f"{name} in quarantine")
    return made


def take_offer(client: Client) -> tuple[Json, Json]:
    """Accept the next offered game and wait for its first request. Return the `offered` and the `seated` message."""
    offer = client.until("offered")
    client.send(type="ready", offer=offer["offer"])
    seated = client.until("seated")
    client.until("request")
    return offer, seated


def page_of(server: ServerProcess, name: str, failed: int) -> Json:
    """Wait until the entrant `name` has failed its check `failed` times in a row.

    A check is an unrated game against built-in players. Return the entrant's data from the pool API.
    """

    def page() -> Json | None:
        received: Json = json.loads(fetched(server, f"/api/pool/entrants/{name}")[2])
        return received if received["check"] is not None and received["check"]["failed_in_a_row"] == failed else None

    found = wait_until(page, f"{failed} failed checks of {name}")
    assert found is not None
    return found


@pytest.mark.parametrize("person", [False, True])
def test_an_entrant_that_keeps_its_seat_passes_the_check_and_is_active_again(
    server: ServerProcess, person: bool
) -> None:
    name = "Person" if person else "Bot"
    made = quarantined(server, name, person=person)
    with Client(server.url) as client:
        renew = {"type": "revoke", "entrant": name, "token": made["owner_token"]}
        client.asked(**renew)
        token = client.asked(**renew, renew=True)["token"]  # a new token does not end the quarantine
        assert client.asked(type="enter", token=token)["state"] == "quarantined"
        offer, seated = take_offer(client)
        assert (offer["check"], offer["rated"]) == (True, False)
        assert [seat["kind"] for seat in seated["table"]["seats"]] == ["player", "builtin"]
        assert play_to_end(client)["reason"] == "normal"
        received = client.until("error", code="checked")["message"]
        assert received == f"{name} has passed its check, and is back in the pool"
        offer = client.until("offered")
        assert (offer["check"], offer["rated"]) == (False, True)
        info = entrant_info(client, name)
        assert (info["state"], info["faults_in_a_row"], info["games_today"]) == ("active", 0, 1)
    page = page_of(server, name, 0)
    assert (page["check"]["table"], page["next_check"]) == (seated["table"]["table"], None)


def test_an_entrant_that_leaves_fails_and_waits_longer_for_each_next_check(server: ServerProcess) -> None:
    token = quarantined(server, "Leaver")["token"]
    for failed in (1, 2):
        with Client(server.url) as client:
            client.asked(type="enter", token=token)
            table = take_offer(client)[1]["table"]["table"]
            client.asked(type="leave")
            received = client.until("error", code="checked")["message"]
        assert received.startswith(
            f"Leaver has failed its check: it lost its seat in the game at table {table}; the next "
        )
        assert "`rails-cli check-bot`" in received
        page = page_of(server, "Leaver", failed)
        assert page["row"]["entrant"]["state"] == "quarantined"
        assert page["check"]["table"] == table
        assert page["next_check"] - page["check"]["at"] == pytest.approx(failed, abs=0.001)
    with Client(server.url) as client:
        client.asked(type="enter", token=token)
        received = client.until("error", code="quarantined")["message"]
        assert received.startswith("Leaver is quarantined; next check ")
        assert f"it lost its seat in the last one, at table {table}" in received


def test_an_entrant_that_loses_its_seat_through_timeouts_fails_the_check(tmp_path: Path) -> None:
    options = (*OPTIONS, "--pool-clock", "1/move", "--max-faults", "1")
    with ServerProcess(tmp_path / "data", *options) as server, Client(server.url) as client:
        token = client.asked(type="register", name="Silent")["token"]
        client.asked(type="enter", token=token)
        assert take_offer(client)[0]["rated"]
        client.until("error", code="quarantined")
        offer, seated = take_offer(client)
        assert offer["check"]
        client.until("error", code="substituted")
        assert client.until("error", code="checked")["message"].startswith("Silent has failed its check")
        client.until("end")
        page = page_of(server, "Silent", 1)
        assert page["check"]["table"] == seated["table"]["table"]
        assert page["row"]["entrant"]["state"] == "quarantined"


def test_an_entrant_plays_one_check_at_a_time(server: ServerProcess) -> None:
    token = quarantined(server, "Twice")["token"]
    with Client(server.url) as first, Client(server.url) as second:
        for client in (first, second):
            client.asked(type="enter", token=token)
        assert take_offer(first)[0]["check"]
        play_to_end(first)
        second.until("error", code="checked")
        assert second.until("offered")["rated"]
    offers = [message["check"] for message in second.heard if message["type"] == "offered"]
    assert not any(offers)


def test_a_check_continues_after_a_reconnection(server: ServerProcess) -> None:
    token = quarantined(server, "Cut")["token"]
    with Client(server.url) as client:
        client.asked(type="enter", token=token)
        table = take_offer(client)[1]["table"]["table"]
        client.cut()
    with Client(server.url) as client:
        client.asked(type="enter", token=token)
        assert client.until("seated")["table"]["table"] == table
        play_to_end(client)
        assert "has passed" in client.until("error", code="checked")["message"]


def test_a_bot_that_exits_after_each_match_passes_the_check(server: ServerProcess, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(quarantined(server, "Once")["token"])
    (tmp_path / "once.py").write_text(ONE_MATCH)
    join = ("pool", "join", server.url, "--token-file", str(tmp_path / "token"), "--stop-after", "1", "--")
    done = rails(*join, sys.executable, str(tmp_path / "once.py"))
    assert done.returncode == 0, done.stderr
    assert "the bot is quarantined; an unrated game decides whether it may play again" in done.stderr
    assert page_of(server, "Once", 0)["row"]["entrant"]["state"] == "active"
