"""The websocket server as players meet it: lobby, seats and tokens, clocks, watchers, bots of the server."""

import json
import random
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli.games.game import ALL_SEATS, PUBLIC
from rails_cli.logs.reading import read_log
from rails_cli.logs.replay import ReplayedLine, replay
from rails_cli.protocol.log import ResumedLine, SetupLine
from rails_cli.protocol.messages import Clock
from tests.support.tools import GOLDEN, bot
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import (
    Client,
    ClockedServer,
    Closed,
    Json,
    ServerProcess,
    all_play,
    clients,
    create,
    duel,
    play_to_end,
    table_of,
    verified,
)

CARRIED_ON_BY = Clock(60.0, 0.5)
PLENTY = ("--max-tables-each", "1000", "--requests-per-second", "1000", "--silence", "1000000", "--idle", "1000000")
ABSENCE_S, OPEN_TABLE_S = 60, 3600
"""Defaults of the server."""
BAD_BOTS = ("crashes", "never_starts", "garbage", "endless_line", "floods_stdout", "closes_stdout")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logged games: one that was carried on with a clock and has ended, and one that is still being played."""
    folder = tmp_path_factory.mktemp("shelf")
    golden = sorted(GOLDEN.glob("last_spike/*.jsonl"))[0]
    whole = golden.read_bytes().splitlines(keepends=True)
    players = json.loads(whole[0])["players"]
    resumed = {"type": "resumed", "number": 1, "players": players, "clock": msgspec.to_builtins(CARRIED_ON_BY)}
    unsealed = {**json.loads(whole[-1]), "chain": None}
    old = [*whole[:2], json.dumps(resumed).encode() + b"\n", *whole[2:-1], json.dumps(unsealed).encode() + b"\n"]
    (folder / "old-game.jsonl").write_bytes(b"".join(old))
    (folder / "running.jsonl").write_bytes(b"".join(whole[:-5]))
    (folder / "rubbish.jsonl").write_text("no log\n")
    (folder.parent / "outside.jsonl").write_bytes(golden.read_bytes())
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shelf: Path) -> Iterator[ClockedServer]:
    bots = [word for name in ("honest", *BAD_BOTS) for word in ("--bot", f"{name}={bot(name)}")]
    with ClockedServer(tmp_path_factory.mktemp("server") / "data", *PLENTY, *bots, "--logs", str(shelf)) as running:
        yield running


@pytest.fixture
def client(server: ServerProcess) -> Iterator[Client]:
    with Client(server.url) as connected:
        yield connected


@pytest.fixture
def other(server: ServerProcess) -> Iterator[Client]:
    with Client(server.url) as connected:
        yield connected


# Tables


def test_tables_are_listed_and_searched(client: Client) -> None:
    needle = f"haystack {random.random()}"
    made = table_of(create(client, name=needle, options={"cash": "hidden"}, clock="60+0.5, 10/move"))
    other = table_of(create(client, "chicago_express", 3, name=needle.upper()))
    secret = create(client, name=needle, private=True)["table"]

    def found(**wish: Any) -> list[str]:
        answer = client.asked(type="list", **wish)
        assert answer["type"] == "tables"
        return [table["table"] for table in answer["tables"]]

    assert found(search=needle[-12:]) == [other, made]
    assert found(search=needle, game="last_spike") == [made]
    assert found(search=needle, state="playing") == []
    assert found(search=made) == [made]
    assert found(search=secret["table"]) == []
    assert secret["private"] is True
    [table] = client.asked(type="list", search=made)["tables"]
    assert table["options"]["cash"] == "hidden"
    assert table["clock"] == "60+0.5,10/move"
    assert (table["state"], table["actions"], table["scores"]) == ("open", 0, None)
    assert [seat["kind"] for seat in table["seats"]] == ["open", "open"]


@pytest.mark.parametrize(
    ("wish", "word"),
    [
        ({"game": "chess"}, "chicago_express"),
        ({"players": 9}, "players"),
        ({"players": -1}, "players"),
        ({"options": {"cash": "gone"}}, "cash"),
        ({"options": {"colour": "red"}}, "colour"),
        ({"clock": "soon"}, "60+0.5"),
        ({"clock": "0"}, "no time"),
        ({"clock": "9" * 400}, "clock"),
        ({"clock": "0.0001/move"}, "0.01 s"),  # timing: it is refused
        ({"seats": [None, None, None]}, "seats"),
        ({"seats": ["bot:unknown"]}, "bot:honest"),
        ({"seats": ["builtin:nobody"]}, "builtin:greedy"),
        ({"seats": ["python3 -c 'print(1)'"]}, "is not available here"),
        ({"seats": ["bot:python3 bot.py"]}, "is not available here"),
        ({"watch_delay_s": 1e9}, "3600"),
        ({"watch_delay_s": -1}, "3600"),
        ({"openings": "drawn"}, "The Last Spike has none to draw"),
    ],
)
def test_a_table_that_cannot_be_made(client: Client, wish: Json, word: str) -> None:
    answer = client.ask(**{"type": "create", "game": "last_spike", "players": 2, **wish})
    assert (answer["type"], answer["code"], answer["fatal"]) == ("error", "bad_request", False)
    assert word in answer["message"]


def test_a_table_starts_from_an_opening_only_if_asked(server: ServerProcess, client: Client) -> None:
    """Those who sit down and those who look on are told it like everything else; the next game has another."""
    plain = create(client, "chicago_express", 2, seats=[None, "builtin:greedy"])["table"]
    assert plain["openings"] == "none"
    made = create(client, "chicago_express", 2, seats=[None, "builtin:greedy"], openings="drawn")["table"]
    assert made["openings"] == "drawn"
    table = str(made["table"])
    with Client(server.url) as watcher:
        watcher.asked(type="watch", table=table)
        client.asked(type="sit", table=table)
        request = client.until("request")
        header, setup, *actions = [line for line in server.lines(table) if line["type"] != "fault"]
        opening = header["opening"]["actions"]
        assert [line["action"] for line in actions if line.get("opening")] == opening
        told = [event for line in (setup, *actions) for event in line["events"]]
        assert request["events"] == told
        end = play_to_end(client)
        watcher.until("end")
    shown = [event for heard in watcher.heard if heard["type"] == "update" for event in heard["events"]]
    assert shown == [event for line in server.lines(table) for event in line.get("events", [])]
    assert end["reason"] == "normal"
    assert verified(server.log(table))
    client.send(type="rematch")
    again = client.until("seated")["table"]
    assert again["openings"] == "drawn"


def test_names_do_no_harm(client: Client) -> None:
    named = create(client, name="\x1b[2J\u202e<b>" + "x" * 500)["table"]
    assert named["name"] == "[2J<b>" + "x" * 54
    assert create(client, name="\n")["table"]["name"] == "The Last Spike for 2"


def test_a_game_between_two_people(server: ServerProcess, client: Client, other: Client) -> None:
    other.send(type="join", name="Ann")
    table = table_of(create(client))
    first = client.asked(type="sit", table=table, name="Ann")
    second = other.asked(type="sit", table=table)
    assert (first["seat"], second["seat"]) == (0, 1)
    assert first["token"] != second["token"]
    told = client.until("table")["table"]
    assert [seat["name"] for seat in told["seats"]] == ["Ann", None]
    told = client.until("table")["table"]
    assert [seat["name"] for seat in told["seats"]] == ["Ann", "Ann 2"]
    start = client.until("start")
    assert (start["match"], start["seat"], start["players"]) == (table, 0, ["Ann", "Ann 2"])
    assert start["board"] is not None
    mine, theirs = all_play([client, other])
    assert mine["scores"] == theirs["scores"]
    assert (mine["reason"], mine["faults"]) == ("normal", [0, 0])
    assert verified(server.log(table))
    [ended] = client.asked(type="list", search=table)["tables"]
    assert (ended["state"], ended["scores"]) == ("ended", mine["scores"])


def test_updates_with_the_position(server: ServerProcess) -> None:
    """From the start, after one's own move, and while others play: as the seat may see it."""
    with clients(server.url, 2) as both:
        table = table_of(create(both[0], players=2))
        for seat, each in enumerate(both):
            each.send(type="join", push=True, push_view=True)
            each.asked(type="sit", table=table, seat=seat)
        first = [each.until("update")["view"] for each in both]
        assert [view["seat"] for view in first] == [0, 1]
        for seat, view in enumerate(first):
            assert [player["hand"] is not None for player in view["players"]] == [seat == 0, seat == 1]
        asked = first[0]["question"]["seat"]
        both[asked].answer(both[asked].until("request"))
        for seat, each in enumerate(both):
            told = each.until("update")
            assert told["events"][0]["type"] == "piece_played"
            assert told["view"]["players"][asked]["cash"] < first[seat]["players"][asked]["cash"]
            assert (told["view"]["players"][asked]["hand"] is not None) == (seat == asked)


def test_what_join_asks_for_is_heeded(server: ServerProcess, client: Client) -> None:
    client.send(type="join", view="none", board=False, push=True)
    duel(server, client)
    assert client.until("start")["board"] is None
    request = client.until("request")
    assert request["view"] is None
    client.answer(request)
    assert client.receive()["type"] == "update"
    client.send(type="join", protocol=9)
    assert client.until("error")["code"] == "version"
    with pytest.raises(Closed):
        client.until("request")


def test_seats_that_cannot_be_taken(server: ServerProcess, client: Client, other: Client) -> None:
    table = table_of(create(client, seats=[None, "builtin:random"]))
    assert client.refused(type="sit", table="nowhere") == "unknown_table"
    assert client.refused(type="sit", table=table, seat=2) == "bad_request"
    assert client.refused(type="sit", table=table, seat=-1) == "bad_request"
    assert client.refused(type="sit", table=table, seat=1) == "taken"
    third = table_of(create(client, players=3))
    client.asked(type="sit", table=third, seat=1)
    assert other.refused(type="sit", table=third, seat=1) == "taken"
    assert client.refused(type="sit", table=table) == "seated"
    assert client.refused(type="watch", table=table) == "seated"
    other.asked(type="sit", table=table)
    with Client(server.url) as late:
        assert late.refused(type="sit", table=table) == "too_late"


def test_an_invitation_is_good_once(client: Client, other: Client) -> None:
    made = create(client, private=True, players=3)
    table, owner = table_of(made), made["owner"]
    assert [seat["kind"] for seat in made["table"]["seats"]] == ["reserved"] * 3
    assert other.refused(type="sit", table=table) == "forbidden"
    assert other.refused(type="invite", table=table, owner="x" * 32) == "forbidden"
    invited = client.asked(type="invite", table=table, owner=owner, seat=2)
    another = client.asked(type="invite", table=table, owner=owner)
    assert (invited["seat"], another["seat"]) == (2, 0)
    assert other.refused(type="sit", table=table, invite="nonsense") == "forbidden"
    assert other.refused(type="sit", table=table, seat=1, invite=invited["invite"]) == "forbidden"
    assert other.asked(type="sit", table=table, invite=invited["invite"])["seat"] == 2
    assert client.refused(type="sit", table=table, invite=invited["invite"]) == "forbidden"
    assert client.asked(type="sit", table=table, invite=another["invite"])["seat"] == 0


def test_an_open_seat_can_be_kept_for_a_guest(client: Client, other: Client) -> None:
    made = create(client, seats=["reserved"])
    table = table_of(made)
    assert other.asked(type="sit", table=table)["seat"] == 1
    assert client.refused(type="sit", table=table) == "forbidden"
    invite = client.asked(type="invite", table=table, owner=made["owner"])["invite"]
    assert client.asked(type="sit", table=table, invite=invite)["seat"] == 0
    assert client.refused(type="invite", table=table, owner=made["owner"]) == "taken"


def test_leaving_an_open_table(client: Client, other: Client) -> None:
    table = table_of(create(client))
    token = client.asked(type="sit", table=table)["token"]
    assert client.asked(type="leave")["table"] == table
    assert client.refused(type="leave") == "bad_request"
    assert client.refused(type="resume", token=token) == "forbidden"
    assert other.asked(type="sit", table=table)["seat"] == 0


def test_leaving_a_running_game_is_for_good(server: ServerProcess, client: Client, other: Client) -> None:
    table = table_of(create(client))
    token = client.asked(type="sit", table=table)["token"]
    other.asked(type="sit", table=table)
    client.until("request", "table")
    client.asked(type="leave")
    assert client.refused(type="resume", token=token) == "forbidden"
    end = play_to_end(other)
    assert (end["reason"], end["faults"]) == ("normal", [1, 0])
    assert server.faults(table)[0]["message"] == "left the game; a substitute takes over"
    assert verified(server.log(table))


def test_the_owner_starts_a_table_with_substitutes_for_the_missing(server: ServerProcess, client: Client) -> None:
    made = create(client, players=4)
    table, owner = table_of(made), made["owner"]
    client.asked(type="sit", table=table, seat=2)
    assert client.refused(type="start_table", table=table, owner="x") == "forbidden"
    assert client.refused(type="start_table", table=table, owner=owner, fill="bot:unknown") == "bad_request"
    assert client.refused(type="start_table", table=table, owner=owner, fill="sh -c true") == "bad_request"
    started = client.asked(type="start_table", table=table, owner=owner, fill="builtin:busy")
    assert [seat["kind"] for seat in started["table"]["seats"]] == ["builtin", "builtin", "player", "builtin"]
    assert client.refused(type="start_table", table=table, owner=owner) == "too_late"
    assert play_to_end(client)["reason"] == "normal"
    assert verified(server.log(table))


def test_a_rematch_when_all_want_it(server: ServerProcess, client: Client, other: Client) -> None:
    made = create(client, name="best of three", clock="100+1")
    table = table_of(made)
    tokens = [each.asked(type="sit", table=table)["token"] for each in (client, other)]
    assert client.refused(type="rematch") == "bad_request"
    all_play([client, other])
    assert client.asked(type="rematch")["type"] == "table"
    assert client.settled() == []
    other.send(type="rematch", ref="again")
    other.until("table", ref="again")
    new = [each.until("seated") for each in (client, other)]
    again = table_of(new[0])
    assert again != table
    assert new[0]["table"]["name"] == "best of three"
    assert new[0]["table"]["clock"] == "100+1"
    assert {message["token"] for message in new}.isdisjoint(tokens)
    ends = all_play([client, other])
    assert ends[0]["match"] == again
    assert verified(server.log(again))


def test_a_rematch_after_some_have_gone(server: ServerProcess, client: Client, other: Client) -> None:
    made = create(client, players=3, seats=[None, None, "builtin:random"])
    table, owner = table_of(made), made["owner"]
    for each in (client, other):
        each.asked(type="sit", table=table)
    all_play([client, other])
    client.asked(type="rematch")
    other.asked(type="leave")
    again = table_of(client.until("seated"))
    assert [seat["kind"] for seat in client.until("table")["table"]["seats"]] == ["player", "open", "builtin"]
    client.asked(type="start_table", table=again, owner=owner)
    assert play_to_end(client)["match"] == again


def test_the_owner_of_the_server_has_commands(server: ServerProcess, client: Client, other: Client) -> None:
    assert client.refused(type="admin", token="guess", command="status") == "forbidden"
    assert client.refused(type="admin", token="", command="shutdown") == "forbidden"
    status = client.asked(type="admin", token=server.admin_token, command="status")
    assert status["connections"] >= 2
    table, _ = duel(server, other)
    other.until("request")
    client.asked(type="admin", token=server.admin_token, command="end_table", table=table)
    end = other.until("end")
    assert end["reason"] == "interrupted"
    assert verified(server.log(table))
    open_table = table_of(create(client))
    other.asked(type="sit", table=open_table)
    client.asked(type="admin", token=server.admin_token, command="end_table", table=open_table)
    assert other.until("error")["code"] == "closed"
    assert client.refused(type="sit", table=open_table) == "unknown_table"
    missing = client.refused(type="admin", token=server.admin_token, command="end_table", table="nowhere")
    assert missing == "unknown_table"


def test_tables_and_seats_that_nobody_comes_to(server: ClockedServer, client: Client, other: Client) -> None:
    table = table_of(create(client, players=3))
    other.asked(type="sit", table=table)
    client.asked(type="sit", table=table)
    other.cut()
    wait_for_seat(client, 0, connected=False, kind="player")
    server.advance(ABSENCE_S - 1)
    assert client.settled() == []
    server.advance(2)
    wait_for_seat(client, 0, kind="open")
    client.asked(type="leave")
    server.advance(OPEN_TABLE_S + 1)
    assert client.asked(type="list", search=table)["tables"] == []


def wait_for_seat(client: Client, seat: int, **values: Any) -> None:
    """Wait until the client is told that a seat of its table is like this."""
    while True:
        found = client.until("table")["table"]["seats"][seat]
        if found == found | values:
            return


# Whose seat it is


def test_coming_back_from_anywhere(server: ClockedServer, client: Client) -> None:
    """All that was missed, the open request, and the clock as it really is."""
    table, token = duel(server, client, clock="100+1", options={"cash": "hidden"})
    request = client.until("request")
    seen = list(request["events"])
    client.answer(request, choice=0)
    request = client.until("request")
    seen += request["events"]
    bank = request["clock"]["bank_s"]
    client.cut()
    server.advance(5)
    with Client(server.url) as back:
        seated = back.asked(type="resume", token=token)
        assert (seated["seat"], seated["token"], table_of(seated)) == (0, token, table)
        assert back.until("start")["seat"] == 0
        again = back.until("request")
        assert again["number"] == request["number"]
        assert again["legal"] == request["legal"]
        assert again["view"] == request["view"]
        assert again["events"] == seen
        assert again["clock"]["bank_s"] == pytest.approx(bank - 5)
        assert play_to_end(back)["faults"] == [0, 0]
    assert verified(server.log(table))


def test_coming_back_while_another_is_asked(server: ServerProcess, client: Client, other: Client) -> None:
    table = table_of(create(client))
    tokens = [each.asked(type="sit", table=table)["token"] for each in (client, other)]
    asked, waiting, token = (client, other, tokens[1]) if _is_asked(client) else (other, client, tokens[0])
    request = asked.open or asked.until("request")
    waiting.cut()
    with Client(server.url) as back:
        back.asked(type="resume", token=token)
        back.until("start")
        told = back.until("update")
        assert told["view"]["seat"] == (0 if token == tokens[0] else 1)
        asked.answer(request)
        all_play([asked, back])
        back.asked(type="resume", token=token)
        assert back.until("end")["match"] == table


def test_the_newer_connection_wins_and_the_older_is_told(server: ServerProcess, client: Client, other: Client) -> None:
    _, token = duel(server, client)
    request = client.until("request")
    other.asked(type="resume", token=token)
    told = client.until("error")
    assert (told["code"], told["fatal"]) == ("replaced", True)
    with pytest.raises(Closed):
        client.receive()
    again = other.until("request")
    assert again["number"] == request["number"]
    assert play_to_end(other)["reason"] == "normal"


def test_resuming_on_the_same_connection_changes_nothing(server: ServerProcess, client: Client) -> None:
    _, token = duel(server, client)
    request = client.until("request")
    client.asked(type="resume", token=token)
    assert client.until("request")["number"] == request["number"]
    assert play_to_end(client)["faults"] == [0, 0]


def test_nobody_acts_for_somebody_else(server: ServerProcess, client: Client, other: Client) -> None:
    table = table_of(create(client, players=2))
    for each in (client, other):
        each.asked(type="sit", table=table)
    with Client(server.url) as stranger, Client(server.url) as watcher:
        watcher.asked(type="watch", table=table)
        for _ in range(3):
            for intruder in (stranger, watcher):
                intruder.send(type="action", number=1, choice=0)
                assert intruder.until("error")["code"] == "not_your_turn"
                intruder.send(type="again")
                assert intruder.until("error")["code"] == "not_your_turn"
        for token in ("", "x", "null", server.admin_token, "A" * 32, "\u0000", "\ud83d\ude82" * 9):
            assert stranger.refused(type="resume", token=token) == "forbidden"
        assert stranger.refused(type="leave") == "bad_request"
        assert stranger.refused(type="rematch") == "bad_request"
    with Client(server.url) as looking:
        [info] = looking.asked(type="list", search=table)["tables"]
    assert info["actions"] == 0
    first, second = (client, other) if _is_asked(client) else (other, client)
    second.send(type="action", number=1, choice=0)
    refused = second.until("rejected")
    assert (refused["code"], refused["strikes"]) == ("not_your_turn", 0)
    first.send(type="again")
    ends = all_play([first, second])
    assert ends[0]["faults"] == [0, 0]
    moves = [line for line in server.lines(table) if line["type"] == "action"]
    assert not any(line.get("default") for line in moves)


def _is_asked(client: Client) -> bool:
    """Whether a client of a table that has started holds the open request."""
    client.settled()
    return client.open is not None


def test_answers_that_cross_are_nobodys_fault(server: ServerProcess, client: Client) -> None:
    """An answer sent twice, around a disconnection or by a nervous network."""
    table, _ = duel(server, client)
    while True:
        message = client.until("request", "end", "error")
        if message["type"] == "end":
            break
        if message["type"] == "request":
            for _ in range(3):
                client.answer(message)
    assert message["faults"] == [0, 0]
    stale = [error for error in client.heard if error["type"] == "error"]
    assert stale
    assert {error["code"] for error in stale} <= {"stale_request", "not_your_turn"}
    assert server.faults(table) == []


def test_strikes_count_inside_one_request(server: ServerProcess, client: Client) -> None:
    table, _ = duel(server, client)
    request = client.until("request")
    client.say("nonsense")
    assert (client.until("rejected")["code"], client.heard[-1]["strikes_left"]) == ("bad_line", 2)
    client.answer(request, choice=999)
    assert client.until("rejected")["code"] == "illegal_action"
    client.answer(request, choice=-1)
    assert client.until("request")["number"] > request["number"]
    assert play_to_end(client)["faults"] == [3, 0]
    own = [line for line in server.lines(table) if line["type"] == "action" and line["seat"] == 0]
    assert [bool(line.get("default")) for line in own] == [True] + [False] * (len(own) - 1)


def test_tokens_stay_secret(tmp_path: Path) -> None:
    """No file, no other client, no page and no output of the server holds a token."""
    with ClockedServer(tmp_path / "data", *PLENTY) as server, clients(server.url, 3) as three:
        first, second, watcher = three
        made = create(first, players=3, seats=[None, "reserved", "builtin:busy"])
        table, owner = table_of(made), made["owner"]
        invite = first.asked(type="invite", table=table, owner=owner)["invite"]
        watcher.asked(type="watch", table=table)
        one = first.asked(type="sit", table=table)["token"]
        two = second.asked(type="sit", table=table, invite=invite)["token"]
        second.cut()
        with Client(server.url) as back:
            back.asked(type="resume", token=two)
            for wrong in ({"token": one, "extra": 1}, {"tokens": two}, {"token": one, "ref": 5}):
                back.send(type="resume", **wrong)
            all_play([first, back])
            for client in (first, back, watcher):
                client.settled()
            first.asked(type="admin", token=server.admin_token, command="status")
            metrics = page(server, "/metrics")
            secrets = {"owner": owner, "invite": invite, "one": one, "two": two, "admin": server.admin_token}
            for name, token in secrets.items():
                assert len(token) >= 32
                others = {"owner": (second, back, watcher), "invite": (second, back, watcher)}
                unaware = others.get(name, (watcher, second, back) if name == "one" else (watcher, first))
                for client in unaware:
                    assert token not in json.dumps(client.heard), name
                assert token not in metrics, name
            assert server.stop() == 0
        files = [file for file in (tmp_path / "data").rglob("*") if file.is_file()]
        assert len(files) >= 4
        for file in files:
            assert file.stat().st_mode & 0o077 == 0 or file.parent.stat().st_mode & 0o077 == 0
            content = file.read_text()
            for name, token in secrets.items():
                if file.name != "admin-token":
                    assert token not in content, f"{name} in {file.name}"
        for token in secrets.values():
            assert token not in "\n".join(server.said)


def page(server: ServerProcess, path: str) -> str:
    with urllib.request.urlopen(server.url.replace("ws", "http", 1) + path, timeout=HANG_S) as answer:
        return str(answer.read().decode())


# Time


def test_who_stays_away_is_replaced_until_he_comes_back(server: ClockedServer, client: Client, other: Client) -> None:
    table = table_of(create(client))
    token = client.asked(type="sit", table=table)["token"]
    other.asked(type="sit", table=table)
    match = client.until("start")["match"]
    client.cut()
    wait_for_seat(other, 0, connected=False)
    server.advance(ABSENCE_S + 1)
    for _ in range(3):  # without the substitute nobody would ask again
        other.answer(other.open or other.until("request"))
    [fault] = server.faults(table)
    assert (fault["seat"], fault["code"]) == (0, "disconnect")
    assert f"away for {ABSENCE_S} s; a substitute takes over" in fault["message"]
    with Client(server.url) as back:
        back.asked(type="resume", token=token)
        assert back.until("start")["match"] == match
        ends = all_play([back, other])
    assert ends[0]["faults"] == [1, 0]
    own = [line for line in server.lines(table) if line["type"] == "action" and line["seat"] == 0]
    assert own[-1].get("ms") is not None, "the last actions are the player's own again"
    assert verified(server.log(table))


def test_who_is_late_has_the_default_played_and_after_three_times_a_substitute(
    server: ClockedServer, client: Client
) -> None:
    table, token = duel(server, client, clock="10/move")
    for _ in range(3):
        client.until("request")
        server.advance(9)
        assert client.settled() == []
        server.advance(2)
        assert client.until("error")["code"] == "too_slow"
    assert client.until("error")["code"] == "substituted"
    assert client.until("end")["faults"] == [3, 0]
    lines = server.lines(table)
    assert [line.get("default") for line in lines if line["type"] == "action" and line["seat"] == 0][:3] == [True] * 3
    assert "a substitute takes over" in server.faults(table)[-1]["message"]
    assert verified(server.log(table))
    assert client.asked(type="resume", token=token)["seat"] == 0
    assert client.until("end")["match"] == table


def test_a_late_player_takes_his_seat_back(server: ClockedServer, client: Client, other: Client) -> None:
    table = table_of(create(client, clock="10/move"))
    token = client.asked(type="sit", table=table)["token"]
    other.asked(type="sit", table=table)
    while "substituted" not in (codes := [message.get("code") for message in client.heard]):
        if _is_asked(client):
            client.open = None
            server.advance(11)
        elif _is_asked(other) and other.open is not None:
            other.answer(other.open)
    assert codes.count("too_slow") == 3
    client.send(type="action", number=1, choice=0)
    assert client.until("error")["code"] == "substituted"
    client.asked(type="resume", token=token)
    assert all_play([client, other])[0]["faults"] == [3, 0]
    assert verified(server.log(table))


def test_a_server_that_ends_games_instead(tmp_path: Path) -> None:
    options = (*PLENTY, "--on-faults", "void")
    with ClockedServer(tmp_path / "data", *options) as server, clients(server.url, 2) as (client, other):
        table = table_of(create(client))
        for each in (client, other):
            each.asked(type="sit", table=table)
        client.cut()
        wait_for_seat(other, 0, connected=False)
        server.advance(ABSENCE_S + 1)
        assert other.until("end")["reason"] == "disconnect"
        assert "the match is void" in server.faults(table)[-1]["message"]
        assert verified(server.log(table))
        with Client(server.url) as slow:
            table, _ = duel(server, slow, clock="10/move")
            for _ in range(3):
                slow.until("request")
                server.advance(11)
            assert slow.until("end")["reason"] == "timeout"
            assert verified(server.log(table))


# Looking on


def told_to(heard: list[Json]) -> list[Json]:
    """All events that came in these messages."""
    return [
        event for message in heard if message["type"] in ("request", "update", "end") for event in message["events"]
    ]


def steps(server: ServerProcess, table: str) -> list[ReplayedLine]:
    return list(replay(read_log(server.log(table).read_bytes())))


def events_for(server: ServerProcess, table: str, seer: int) -> list[Json]:
    match = steps(server, table)[-1].match
    found: list[Json] = json.loads(msgspec.json.encode(match.events_for(seer, 0)))
    return found


def test_watchers_see_what_is_public_and_all_at_the_end(server: ServerProcess, client: Client, other: Client) -> None:
    """And each seat hears exactly what it may know: hands and cash of The Last Spike are hidden."""
    table = table_of(create(client, options={"cash": "hidden"}))
    with Client(server.url) as early, Client(server.url) as late, Client(server.url) as third:
        early.asked(type="watch", table=table)
        for each in (client, other):
            each.asked(type="sit", table=table)
        assert early.until("start")["seat"] is None
        asked = client if _is_asked(client) else other
        asked.answer(asked.open or asked.until("request"), choice=0)
        asked.settled()
        late.asked(type="watch", table=table)
        assert late.until("start")["seat"] is None
        position = late.until("update")
        assert position["view"]["seat"] is None
        if asked is client:
            all_play([client, other])
        else:
            all_play([other, client])
        for watcher in (early, late):
            end = watcher.until("end")
            assert end["scores"] is not None
            *running, shown = [message for message in watcher.heard if message["type"] == "update"]
            assert shown["events"] == []
            assert json.loads(msgspec.json.encode(steps(server, table)[-1].match.view_for(ALL_SEATS))) == shown["view"]
            assert told_to(running) == events_for(server, table, PUBLIC)
            for message in running:
                if message["view"] is not None:
                    assert all(player["hand"] is None for player in message["view"]["players"])
                    assert all(player["cash"] is None for player in message["view"]["players"])
        for seat, each in enumerate((client, other)):
            assert told_to(each.heard) == events_for(server, table, seat)
        third.asked(type="watch", table=table)
        third.until("end")
        assert told_to(third.heard) == events_for(server, table, ALL_SEATS)


def test_views_of_a_game_are_those_of_the_rules(server: ServerProcess, client: Client) -> None:
    """What a seat and a watcher are shown, position by position, against the log played again."""
    table = table_of(
        create(client, players=3, options={"cash": "hidden"}, seats=[None, "builtin:busy", "builtin:busy"])
    )
    client.asked(type="sit", table=table)
    play_to_end(client)
    shown = [message["view"] for message in client.heard if message["type"] == "request"]
    views = [
        json.loads(msgspec.json.encode(step.match.view_for(0)))
        for step in replay(read_log(server.log(table).read_bytes()))
        if step.match.seat == 0
    ]
    assert shown == views


def test_watchers_may_lag(server: ClockedServer, client: Client, other: Client) -> None:
    table = table_of(create(client, seats=[None, "builtin:random"], watch_delay_s=10))
    other.asked(type="watch", table=table)
    client.asked(type="sit", table=table)
    client.answer(client.until("request"))
    client.until("request")
    server.advance(5)
    end = play_to_end(client)
    server.advance(4)
    assert other.settled() == []
    server.advance(2)
    assert {message["type"] for message in other.settled()} >= {"start", "update"}
    assert not any(message["type"] == "end" for message in other.heard), "the end was later than the first move"
    server.advance(5)
    assert other.until("end")["scores"] == end["scores"]
    assert told_to(other.heard) == events_for(server, table, PUBLIC)


def test_a_logged_game_is_told_like_a_live_one(server: ServerProcess, client: Client, shelf: Path) -> None:
    names = [table["table"] for table in client.asked(type="list", state="ended", search="old-game")["tables"]]
    assert names == ["old-game"]
    watching = client.asked(type="watch", table="old-game")
    assert watching["table"]["state"] == "ended"
    start = client.until("start")
    assert (start["seat"], start["clock"]) == (None, msgspec.to_builtins(CARRIED_ON_BY))
    end = client.until("end")
    log = list(replay(read_log((shelf / "old-game.jsonl").read_bytes())))
    assert end["scores"] == watching["table"]["scores"] == log[-1].match.result_line().scores
    assert watching["table"]["actions"] == log[-1].match.number
    assert told_to(client.heard) == json.loads(msgspec.json.encode(log[-1].match.events_for(ALL_SEATS, 0)))
    assert [type(step.message) for step in log[:2]] == [SetupLine, ResumedLine]


def test_a_log_of_a_running_game_is_not_shown(client: Client) -> None:
    listed = {table["table"] for table in client.asked(type="list")["tables"]}
    assert "old-game" in listed
    assert listed.isdisjoint({"running", "rubbish", "outside"})
    for name in ("running", "rubbish", "../outside", "outside", "old-game.jsonl", "", ".", "/etc/passwd", "\x00"):
        assert client.refused(type="watch", table=name) == "unknown_table"


def test_a_pace_for_games_that_have_ended(server: ClockedServer, client: Client) -> None:
    table, _ = duel(server, client)
    play_to_end(client)
    assert client.refused(type="watch", table=table, pace_s=-1) == "bad_request"
    assert client.refused(type="watch", table=table, pace_s=1e9) == "bad_request"
    client.asked(type="watch", table=table, pace_s=2)
    server.advance(0)
    assert [message["type"] for message in client.settled()] == ["start"]
    for _ in range(5):
        server.advance(1)
        assert client.settled() == []
        server.advance(1)
        assert [message["type"] for message in client.settled()] == ["update"]
    client.asked(type="leave")
    server.advance(60)
    assert client.settled() == []


# Bots of the server


def test_a_bot_of_the_server_plays(server: ServerProcess, client: Client) -> None:
    table, _ = duel(server, client, "bot:honest", clock="20/move")
    end = play_to_end(client, random.Random(1))
    assert (end["reason"], end["faults"]) == ("normal", [0, 0])
    header = server.lines(table)[0]
    assert header["players"][1] == {"name": "honest", "seat": "bot:honest"}
    assert verified(server.log(table))


def test_a_table_of_bots_only(server: ServerProcess, client: Client) -> None:
    table = table_of(create(client, players=3, seats=["bot:honest", "builtin:greedy", "bot:honest"]))
    client.ask(type="watch", table=table)
    assert client.until("end")["faults"] == [0, 0, 0]
    assert verified(server.log(table))


def _answers_if_asked(client: Client) -> bool:
    if not _is_asked(client) or client.open is None:
        return False
    client.answer(client.open)
    return True


def _has_been_heard(server: ServerProcess, table: str, seat: int) -> bool:
    """Whether the process of a bot has answered: it starts again after each default that is played for it."""
    played = [line for line in server.lines(table) if line["type"] == "action" and line["seat"] == seat]
    return bool(played) and not played[-1].get("default")


def _waits_for_good(server: ServerProcess, client: Client, table: str) -> bool:
    """Whether the server waits for a bot in seat 1 that answers once only; answer for `client` where it does not.

    The log is read first: the client may be asked at any time until the only answer of the bot is in the log.
    """
    has_answered = _has_been_heard(server, table, 1)
    return not _answers_if_asked(client) and has_answered


@pytest.mark.parametrize("name", BAD_BOTS)
def test_a_bad_bot_hurts_only_itself(server: ClockedServer, client: Client, name: str) -> None:
    table, _ = duel(server, client, f"bot:{name}", clock="100+1,3/move")
    if name == "closes_stdout":
        while not any("a substitute takes over" in fault["message"] for fault in server.faults(table)):
            wait_until(lambda: _waits_for_good(server, client, table), "the bot to be asked after its only answer")
            server.advance(4)
    end = play_to_end(client)
    assert (end["reason"], end["faults"][0]) == ("normal", 0)
    assert end["faults"][1] >= 1
    codes = [fault["code"] for fault in server.faults(table)]
    if name == "crashes":
        assert codes == ["disconnect"] * 3
        words = [fault["message"] for fault in server.faults(table)]
        ended = "exited with code 1; default played"
        assert words == [ended, ended, f"{ended}; a substitute takes over"]
    assert verified(server.log(table))
