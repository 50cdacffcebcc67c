"""Tests of the websocket server for players: lobby, seats, tokens, clocks, spectators, and bots of the server."""

import json
import random
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
from rails_cli.server.tables.rematches import RETURN_S
from rails_cli.study.playback.recorded import read_recorded
from tests.support.fetching import fetched
from tests.support.tools import GOLDEN, bot
from tests.support.waiting import wait_until
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
"""Default values of the server options `--absence` and `--open-table`, in seconds."""
BAD_BOTS = ("crashes", "never_starts", "garbage", "endless_line", "floods_stdout", "closes_stdout")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three logs: of a game that was resumed and finished, of an unfinished game, and an invalid one."""
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

    def found(**fields: Any) -> list[str]:
        answer = client.asked(type="list", **fields)
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
    ("fields", "expected"),
    [
        ({"game": "chess"}, "chicago_express"),
        ({"players": 9}, "players"),
        ({"players": -1}, "players"),
        ({"options": {"cash": "gone"}}, "cash"),
        ({"options": {"colour": "red"}}, "colour"),
        ({"clock": "soon"}, "60+0.5"),
        ({"clock": "0"}, "no time"),
        ({"clock": "9" * 400}, "clock"),
        ({"clock": "0.0001/move"}, "0.01 s"),  # timing: the server refuses it
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
def test_a_table_with_invalid_settings_is_refused(client: Client, fields: Json, expected: str) -> None:
    answer = client.ask(**{"type": "create", "game": "last_spike", "players": 2, **fields})
    assert (answer["type"], answer["code"], answer["fatal"]) == ("error", "bad_request", False)
    assert expected in answer["message"]


def test_a_table_starts_from_an_opening_only_on_request(server: ServerProcess, client: Client) -> None:
    """A table starts from an opening only on request. A rematch then starts from an opening as well.

    An opening is a series of random first moves. Players and spectators receive its events.
    """
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
        expected = [event for line in (setup, *actions) for event in line["events"]]
        assert request["events"] == expected
        end = play_to_end(client)
        watcher.until("end")
    shown = [event for message in watcher.heard if message["type"] == "update" for event in message["events"]]
    assert shown == [event for line in server.lines(table) for event in line.get("events", [])]
    assert end["reason"] == "normal"
    assert verified(server.log(table))
    client.send(type="rematch")
    again = client.until("seated")["table"]
    assert again["openings"] == "drawn"


def test_control_characters_are_removed_from_table_names_and_long_names_cut(client: Client) -> None:
    named = create(client, name="\x1b[2J\u202e<b>" + "x" * 500)["table"]
    assert named["name"] == "[2J<b>" + "x" * 54
    for blank in "\n\u115f\u2800\u3164\ufe0f":
        assert create(client, name=blank)["table"]["name"] == "The Last Spike for 2"


def test_a_game_between_two_people(server: ServerProcess, client: Client, other: Client) -> None:
    other.send(type="join", name="Ann")
    table = table_of(create(client))
    first = client.asked(type="sit", table=table, name="Ann")
    second = other.asked(type="sit", table=table)
    assert (first["seat"], second["seat"]) == (0, 1)
    assert first["token"] != second["token"]
    received = client.until("table")["table"]
    assert [seat["name"] for seat in received["seats"]] == ["Ann", None]
    received = client.until("table")["table"]
    assert [seat["name"] for seat in received["seats"]] == ["Ann", "Ann 2"]
    start = client.until("start")
    assert (start["match"], start["seat"], start["players"]) == (table, 0, ["Ann", "Ann 2"])
    assert start["board"] is not None
    mine, theirs = all_play([client, other])
    assert mine["scores"] == theirs["scores"]
    assert (mine["reason"], mine["faults"]) == ("normal", [0, 0])
    assert verified(server.log(table))
    [ended] = client.asked(type="list", search=table)["tables"]
    assert (ended["state"], ended["scores"]) == ("ended", mine["scores"])


def test_updates_include_the_view_of_the_seat_on_request(server: ServerProcess) -> None:
    """With `push_view`, each update for a player contains the view of the seat of this player.

    The server sends an update at the start and after each move of any player.
    """
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
            received = each.until("update")
            assert received["events"][0]["type"] == "piece_played"
            assert received["view"]["players"][asked]["cash"] < first[seat]["players"][asked]["cash"]
            assert (received["view"]["players"][asked]["hand"] is not None) == (seat == asked)


def test_the_settings_in_a_join_message_are_applied(server: ServerProcess, client: Client) -> None:
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


def test_a_client_gets_changes_of_the_view_until_it_connects_again(
    server: ServerProcess, client: Client, other: Client
) -> None:
    for each in (client, other):
        each.send(type="join", view="delta")
    _, token = duel(server, client)
    first, *later = [client.until("request")]
    assert first["view"]["seat"] == 0
    for _ in range(2):
        client.answer(client.open or {})
        later.append(client.until("request"))
    assert [(request["view"], bool(request["delta"])) for request in later] == [(None, True)] * 2
    other.asked(type="resume", token=token)
    again = other.until("request")
    assert again["view"]["seat"] == 0
    assert "delta" not in again
    other.send(type="again", view="text")
    assert "Choices:\n0 " in other.until("request")["text"]


def test_sitting_down_at_an_unavailable_seat_is_refused(server: ServerProcess, client: Client, other: Client) -> None:
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


def test_an_invitation_works_once_and_for_its_seat_only(client: Client, other: Client) -> None:
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


def test_a_reserved_seat_needs_an_invitation(client: Client, other: Client) -> None:
    made = create(client, seats=["reserved"])
    table = table_of(made)
    assert other.asked(type="sit", table=table)["seat"] == 1
    assert client.refused(type="sit", table=table) == "forbidden"
    invite = client.asked(type="invite", table=table, owner=made["owner"])["invite"]
    assert client.asked(type="sit", table=table, invite=invite)["seat"] == 0
    assert client.refused(type="invite", table=table, owner=made["owner"]) == "taken"


def test_leaving_an_open_table_frees_the_seat(client: Client, other: Client) -> None:
    table = table_of(create(client))
    token = client.asked(type="sit", table=table)["token"]
    assert client.asked(type="leave")["table"] == table
    assert client.refused(type="leave") == "bad_request"
    assert client.refused(type="resume", token=token) == "forbidden"
    assert other.asked(type="sit", table=table)["seat"] == 0


def test_a_player_who_leaves_a_running_game_cannot_return(server: ServerProcess, client: Client, other: Client) -> None:
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


def test_the_owner_of_a_table_can_fill_free_seats_and_start(server: ServerProcess, client: Client) -> None:
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


def test_a_rematch_starts_when_all_players_have_asked_for_it(
    server: ServerProcess, client: Client, other: Client
) -> None:
    made = create(client, name="best of three", clock="100+1")
    table = table_of(made)
    tokens = [each.asked(type="sit", table=table)["token"] for each in (client, other)]
    assert client.refused(type="rematch") == "bad_request"
    all_play([client, other])
    assert client.asked(type="rematch")["table"]["rematch"] == [0]
    assert client.settled() == []
    assert other.until("table")["table"]["rematch"] == [0]
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
    returned = client.asked(type="resume", token=tokens[0])
    assert (table_of(returned), returned["table"]["rematch"]) == (table, [])
    assert "seated" not in {message["type"] for message in client.settled()}


def test_a_rematch_waits_for_a_player_who_reloads_the_page(server: ClockedServer, client: Client) -> None:
    table = table_of(create(client))
    client.asked(type="sit", table=table)
    with Client(server.url) as other:
        token = other.asked(type="sit", table=table)["token"]
        client.asked(type="admin", token=server.admin_token, command="end_table", table=table)
        client.asked(type="rematch")
    while client.until("table", "seated")["table"]["seats"][1]["connected"]:
        pass
    with Client(server.url) as other:
        assert other.asked(type="resume", token=token)["table"]["rematch"] == [0]
        assert "seated" not in {message["type"] for message in client.settled()}
    while client.until("table", "seated")["table"]["seats"][1]["connected"]:
        pass
    assert "seated" not in {message["type"] for message in client.settled()}
    server.advance(RETURN_S + 2)
    assert table_of(client.until("seated")) != table


def test_a_rematch_offer_ends_if_its_player_is_away_for_long(server: ClockedServer, client: Client) -> None:
    table = table_of(create(client))
    client.asked(type="sit", table=table)
    with Client(server.url) as other:
        token = other.asked(type="sit", table=table)["token"]
        client.asked(type="admin", token=server.admin_token, command="end_table", table=table)
        other.asked(type="rematch")
    while client.until("table")["table"]["seats"][1]["connected"]:
        pass
    client.asked(type="leave")
    server.advance(RETURN_S + 2)
    with Client(server.url) as other:
        assert other.asked(type="resume", token=token)["table"]["rematch"] == []
        assert "seated" not in {message["type"] for message in other.settled()}


def test_a_rematch_after_a_player_left_has_an_open_seat(server: ServerProcess, client: Client, other: Client) -> None:
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


def test_admin_commands_need_the_admin_token(server: ServerProcess, client: Client, other: Client) -> None:
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


def test_seats_of_absent_players_are_freed_and_unused_tables_closed(
    server: ClockedServer, client: Client, other: Client
) -> None:
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
    """Wait until a `table` message shows the given values for `seat`."""
    while True:
        found = client.until("table")["table"]["seats"][seat]
        if found == found | values:
            return


# Returning to a seat


def test_a_player_can_resume_a_seat_from_another_connection(server: ClockedServer, client: Client) -> None:
    """A player whose connection has broken can continue with the token of the seat on a new connection.

    The player receives all events so far and the open request again. Meanwhile the clock of the seat has kept running.
    """
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


def test_a_player_can_resume_a_seat_while_another_player_is_to_move(
    server: ServerProcess, client: Client, other: Client
) -> None:
    table = table_of(create(client))
    tokens = [each.asked(type="sit", table=table)["token"] for each in (client, other)]
    asked, waiting, token = (client, other, tokens[1]) if has_open_request(client) else (other, client, tokens[0])
    request = asked.open or asked.until("request")
    waiting.cut()
    with Client(server.url) as back:
        back.asked(type="resume", token=token)
        back.until("start")
        received = back.until("update")
        assert received["view"]["seat"] == (0 if token == tokens[0] else 1)
        asked.answer(request)
        all_play([asked, back])
        back.asked(type="resume", token=token)
        assert back.until("end")["match"] == table


def test_a_newer_connection_replaces_the_older_one(server: ServerProcess, client: Client, other: Client) -> None:
    _, token = duel(server, client)
    request = client.until("request")
    other.asked(type="resume", token=token)
    received = client.until("error")
    assert (received["code"], received["fatal"]) == ("replaced", True)
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


def test_other_clients_cannot_play_for_a_seat(server: ServerProcess, client: Client, other: Client) -> None:
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
    first, second = (client, other) if has_open_request(client) else (other, client)
    second.send(type="action", number=1, choice=0)
    refused = second.until("rejected")
    assert (refused["code"], refused["strikes"]) == ("not_your_turn", 0)
    first.send(type="again")
    ends = all_play([first, second])
    assert ends[0]["faults"] == [0, 0]
    moves = [line for line in server.lines(table) if line["type"] == "action"]
    assert not any(line.get("default") for line in moves)


def has_open_request(client: Client) -> bool:
    """Return whether the game waits for this client, so that its last request is still open."""
    client.settled()
    return client.open is not None


def test_tokens_stay_secret(tmp_path: Path) -> None:
    """A token is never part of a file, a page, the output of the server, or a message to another client."""
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
            metrics = fetched(server, "/metrics")[2].decode()
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


# Time


def test_an_absent_player_is_substituted_until_the_player_returns(
    server: ClockedServer, client: Client, other: Client
) -> None:
    table = table_of(create(client))
    token = client.asked(type="sit", table=table)["token"]
    other.asked(type="sit", table=table)
    match = client.until("start")["match"]
    client.cut()
    wait_for_seat(other, 0, connected=False)
    server.advance(ABSENCE_S + 1)
    for _ in range(3):  # more requests come only because the substitute plays
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
    assert own[-1].get("ms") is not None, "the player makes the last actions, after the substitute"
    assert verified(server.log(table))


def test_a_substituted_player_can_resume_the_seat(server: ClockedServer, client: Client, other: Client) -> None:
    table = table_of(create(client, clock="10/move"))
    token = client.asked(type="sit", table=table)["token"]
    other.asked(type="sit", table=table)
    while "substituted" not in (codes := [message.get("code") for message in client.heard]):
        if has_open_request(client):
            client.open = None
            server.advance(9)
            assert client.settled() == [], "the time is not up yet"
            server.advance(2)
        elif has_open_request(other) and other.open is not None:
            other.answer(other.open)
    assert codes.count("too_slow") == 3
    client.send(type="action", number=1, choice=0)
    assert client.until("error")["code"] == "substituted"
    client.asked(type="resume", token=token)
    assert all_play([client, other])[0]["faults"] == [3, 0]
    assert verified(server.log(table))


def test_a_result_that_a_substitute_finished_is_marked(server: ClockedServer, client: Client) -> None:
    table, token = duel(server, client, clock="10/move")
    while "end" not in (kinds := [message["type"] for message in client.heard]):
        if has_open_request(client):
            server.advance(11)
    assert kinds.count("request") == 3
    for _ in range(2):  # a player who returns after the end does not take over the result
        seated = client.asked(type="resume", token=token)
        assert [seat["substitute"] for seat in seated["table"]["seats"]] == [True, False]
    [held] = client.asked(type="held", tokens=[token])["seats"]
    assert held["table"]["seats"][0]["substitute"]
    result = client.asked(type="show")["result"]
    assert result["substituted"] == [0]
    assert result["ranks"] == held["ranks"] == [2, 1]
    assert result["words"][-1] == "A bot finished this game for you."
    assert [sum(amount for _, amount in own) for own in result["sources"]] == result["scores"]
    assert verified(server.log(table))


def test_with_on_faults_void_a_lost_player_ends_the_game(tmp_path: Path) -> None:
    options = (*PLENTY, "--on-faults", "void")
    with ClockedServer(tmp_path / "data", *options) as server, clients(server.url, 2) as (client, other):
        table = table_of(create(client))
        tokens = [each.asked(type="sit", table=table)["token"] for each in (client, other)]
        client.cut()
        wait_for_seat(other, 0, connected=False)
        server.advance(ABSENCE_S + 1)
        assert other.until("end")["reason"] == "disconnect"
        assert "the match is void" in server.faults(table)[-1]["message"]
        assert other.asked(type="held", tokens=[tokens[1]])["seats"][0]["ranks"] == [2, 1]
        assert verified(server.log(table))
        assert read_recorded(server.log(table).read_bytes()).ranks() == [2, 1]


# Spectators


def events_in(messages: list[Json]) -> list[Json]:
    """Return all events in `messages`, in order."""
    return [
        event for message in messages if message["type"] in ("request", "update", "end") for event in message["events"]
    ]


def steps(server: ServerProcess, table: str) -> list[ReplayedLine]:
    return list(replay(read_log(server.log(table).read_bytes())))


def events_for(server: ServerProcess, table: str, observer: int) -> Any:
    return json.loads(msgspec.json.encode(steps(server, table)[-1].match.events_for(observer, 0)))


def test_spectators_see_public_events_and_everything_after_the_end(
    server: ServerProcess, client: Client, other: Client
) -> None:
    """During a game with hidden hands and cash, spectators receive exactly the public events.

    Players receive exactly the events that their own seats may see. After the end, spectators can see everything.
    """
    table = table_of(create(client, options={"cash": "hidden"}))
    with Client(server.url) as early, Client(server.url) as late, Client(server.url) as third:
        early.asked(type="watch", table=table)
        for each in (client, other):
            each.asked(type="sit", table=table)
        assert early.until("start")["seat"] is None
        asked = client if has_open_request(client) else other
        asked.answer(asked.open or asked.until("request"), choice=0)
        asked.settled()
        late.asked(type="watch", table=table)
        assert late.until("start")["seat"] is None
        position = late.until("update")
        assert position["view"]["seat"] is None
        all_play([client, other])
        for watcher in (early, late):
            end = watcher.until("end")
            assert end["scores"] is not None
            *running, shown = [message for message in watcher.heard if message["type"] == "update"]
            assert shown["events"] == []
            assert json.loads(msgspec.json.encode(steps(server, table)[-1].match.view_for(ALL_SEATS))) == shown["view"]
            assert events_in(running) == events_for(server, table, PUBLIC)
            for message in running:
                if message["view"] is not None:
                    assert all(player["hand"] is None for player in message["view"]["players"])
                    assert all(player["cash"] is None for player in message["view"]["players"])
        for seat, each in enumerate((client, other)):
            assert events_in(each.heard) == events_for(server, table, seat)
        third.asked(type="watch", table=table)
        third.until("end")
        assert events_in(third.heard) == events_for(server, table, ALL_SEATS)


def test_views_sent_to_a_seat_equal_those_of_the_replayed_log(server: ServerProcess, client: Client) -> None:
    seats = [None, "builtin:busy", "builtin:busy"]
    table = table_of(create(client, players=3, options={"cash": "hidden"}, seats=seats))
    client.asked(type="sit", table=table)
    play_to_end(client)
    shown = [message["view"] for message in client.heard if message["type"] == "request"]
    log = replay(read_log(server.log(table).read_bytes()))
    views = [msgspec.json.encode(step.match.view_for(0)) for step in log if step.match.seat == 0]
    assert shown == list(map(json.loads, views))


def test_spectators_of_a_table_with_a_delay_see_everything_late(
    server: ClockedServer, client: Client, other: Client
) -> None:
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
    assert not any(message["type"] == "end" for message in other.heard), "the end must be delayed as well"
    server.advance(5)
    assert other.until("end")["scores"] == end["scores"]
    assert events_in(other.heard) == events_for(server, table, PUBLIC)


def test_a_logged_game_can_be_watched_like_a_live_one(server: ServerProcess, client: Client, shelf: Path) -> None:
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
    assert events_in(client.heard) == json.loads(msgspec.json.encode(log[-1].match.events_for(ALL_SEATS, 0)))
    assert [type(step.message) for step in log[:2]] == [SetupLine, ResumedLine]


def test_unfinished_logs_and_files_outside_the_folder_cannot_be_watched(client: Client) -> None:
    listed = {table["table"] for table in client.asked(type="list")["tables"]}
    assert "old-game" in listed
    assert listed.isdisjoint({"running", "rubbish", "outside"})
    for name in ("running", "rubbish", "../outside", "outside", "old-game.jsonl", "", ".", "/etc/passwd", "\x00"):
        assert client.refused(type="watch", table=name) == "unknown_table"


def test_an_ended_game_can_be_watched_at_a_given_pace(server: ClockedServer, client: Client) -> None:
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


def test_a_bot_run_by_the_server_plays_a_game(server: ServerProcess, client: Client) -> None:
    table, _ = duel(server, client, "bot:honest", clock="20/move")
    end = play_to_end(client, random.Random(1))
    assert (end["reason"], end["faults"]) == ("normal", [0, 0])
    header = server.lines(table)[0]
    assert header["players"][1] == {"name": "honest", "seat": "bot:honest"}
    assert verified(server.log(table))


def test_a_table_of_bots_only_starts_by_itself(server: ServerProcess, client: Client) -> None:
    table = table_of(create(client, players=3, seats=["bot:honest", "builtin:greedy", "bot:honest"]))
    client.ask(type="watch", table=table)
    assert client.until("end")["faults"] == [0, 0, 0]
    assert verified(server.log(table))


def answer_open_request(client: Client) -> bool:
    if not has_open_request(client) or client.open is None:
        return False
    client.answer(client.open)
    return True


def has_bot_answered(server: ServerProcess, table: str, seat: int) -> bool:
    """Return whether `seat` has played and its last action was chosen by its bot, not played as a default."""
    played = [line for line in server.lines(table) if line["type"] == "action" and line["seat"] == seat]
    return bool(played) and not played[-1].get("default")


def is_waiting_for_bot(server: ServerProcess, client: Client, table: str) -> bool:
    """Return whether the bot in seat 1 has played a move of its own, and the server now waits for its next move.

    If `client` has an open request instead, answer it and return False. The log is read before the check for an open
    request. Otherwise the bot could move in between, so that the server would wait for `client`.
    """
    has_answered = has_bot_answered(server, table, 1)
    return not answer_open_request(client) and has_answered


@pytest.mark.parametrize("name", BAD_BOTS)
def test_faults_of_a_bad_bot_do_not_affect_its_opponent(server: ClockedServer, client: Client, name: str) -> None:
    table, _ = duel(server, client, f"bot:{name}", clock="100+1,3/move")
    if name == "closes_stdout":
        while not any("a substitute takes over" in fault["message"] for fault in server.faults(table)):
            wait_until(lambda: is_waiting_for_bot(server, client, table), "the bot to be asked after its only answer")
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
