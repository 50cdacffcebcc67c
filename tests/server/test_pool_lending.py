"""Entrants of the pool that are lent: who may borrow whom, what is carried between the two, and every way it ends."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.ws_client import Client, Closed, Json, ServerProcess, play_to_end

SERVER = (
    *("--requests-per-second", "1000", "--pool", "--pool-game", "last_spike:2", "--pool-anchors", "greedy,random"),
    *("--pool-game", "last_spike:3"),
    *("--pool-patience", "0", "--pool-registrations-each", "99", "--pool-games-each", "3"),
)
GAME: Json = {"type": "borrow", "game": "last_spike", "players": 2, "seat": 1, "clock": "30"}
CLOCK: Json = {"bank_s": 30, "increment_s": 0, "move_s": None}
PLACE: Json = {
    "game": "last_spike",
    "rules_version": 1,
    "players": ["A", "B"],
    "seat": 1,
    "options": {},
    "clock": CLOCK,
}
START: Json = {"type": "start", **PLACE, "board": {"words": "wörtlich"}}
UPDATE: Json = {"type": "update", "match": "m1", "events": [], "view": None}
REQUEST: Json = {
    **UPDATE,
    "view": {"cash": [1]},
    "type": "request",
    "number": 1,
    "seat": 1,
    "legal": [],
    "default": 0,
    "clock": None,
}
ERROR: Json = {"type": "error", "code": "too_slow", "message": "", "fatal": False}
FORBIDDEN: list[Json] = [
    {"type": "withdrawn"},
    {**ERROR, "fatal": True},
    {**ERROR, "code": "closed"},
    {**ERROR, "ref": "enter"},
    {"type": "end"},
    {**START, "match": None},
]
"""What no entrant is told by who has borrowed it."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("lending") / "data", *SERVER) as running:
        with Client(running.url) as client:
            client.asked(type="season", token=running.admin_token, state="paused")  # so that nobody is paired
        yield running


def organiser(server: ServerProcess, client: Client, name: str = "Cup") -> str:
    return str(client.asked(type="organiser", token=server.admin_token, name=name)["token"])


def entered(client: Client, name: str, **wish: bool | list[int]) -> str:
    """An entrant that waits; its token."""
    token = str(client.asked(type="register", name=name)["token"])
    client.asked(type="enter", token=token, **wish)
    return token


def is_ready(client: Client) -> Json:
    offered = client.until("offered")
    client.send(type="ready", offer=offered["offer"])
    return offered


def test_who_may_borrow_whom(server: ServerProcess) -> None:
    with Client(server.url) as cup, Client(server.url) as shy, Client(server.url) as open_one:
        assert cup.refused(type="organiser", token="wrong", name="Cup") == "forbidden"
        assert cup.refused(type="organiser", token=server.admin_token, name="Cup", revoke=True) == "bad_request"
        token = organiser(server, cup)
        assert token not in (server.folder / "entrants.jsonl").read_text()
        mine = entered(shy, "Shy")
        entered(open_one, "Picky", lends=True, players=[3])
        for wrong in ("guess", mine, server.admin_token):
            assert cup.refused(**GAME, entrant="Shy", token=wrong) == "forbidden"
        assert cup.refused(**GAME, entrant="Nobody", token=token) == "unknown_entrant"
        assert cup.refused(**GAME, entrant="greedy", token=token) == "bad_request"
        for wrong_wish in (
            {"seat": 2},
            {"game": "no such game \x1b[31m"},
            {"players": 100, "seat": 99},
            {"clock": "forever"},
            {"options": {"no_such": 1}},
        ):
            assert cup.refused(**{**GAME, **wrong_wish}, entrant="Shy", token=token) == "bad_request"
        assert shy.refused(**GAME, entrant="Shy", token=token) == "seated"
        for name, why in (
            ("Shy", "Shy is here, but not for tournaments: its owner did not allow it (--lend)"),
            ("Picky", "Picky does not play last_spike for 2"),
        ):
            told = cup.asked(**GAME, entrant=name, token=token, check=True)
            assert (told["type"], told["state"], told["why"]) == ("borrowing", "absent", why)
        newer = organiser(server, cup)
        assert cup.refused(**GAME, entrant="Shy", token=token) == "forbidden"
        cup.asked(**GAME, entrant="Shy", token=newer)
        shy.asked(type="organiser", token=server.admin_token, name="Cup", revoke=True)
        cup.until("error", code="revoked", fatal=True)
        assert shy.asked(type="entrants")["entrants"][2]["playing"] == 0
        assert not [message for message in shy.heard if message["type"] == "offered"]


def test_lines_are_carried_both_ways(server: ServerProcess) -> None:
    """An entrant hears nothing but the game, and its words are never taken for those of the server."""
    with Client(server.url) as cup, Client(server.url) as bot:
        token = organiser(server, cup)
        bot.send(type="join", view="none")
        entered(bot, "Deep", lends=True)
        assert cup.asked(**GAME, entrant="Deep", token=token, check=True)["state"] == "free"
        assert cup.asked(**GAME, entrant="Deep", token=token)["state"] == "offered"
        offered = is_ready(bot)
        told = {key: offered[key] for key in ("game", "players", "seat", "clock", "rated", "organiser")}
        game: Json = {"game": "last_spike", "players": 2, "seat": 1, "clock": "30"}
        assert told == {**game, "rated": False, "organiser": "Cup"}
        lent = cup.until("lent")
        assert (lent["entrant"], lent["join"]["view"]) == ("Deep", "none")
        assert lent["lag_ms"] >= 0
        cup.send(**START, match="m1", more="not of a start")
        assert bot.until("start") == {**START, "match": "m1"}
        for forbidden in FORBIDDEN:
            cup.send(**forbidden)
            assert cup.until("error")["code"] == "bad_line"
        two_types = json.dumps(UPDATE).replace("}", ', "type": "withdrawn"}')
        for wrong in (two_types, two_types.replace("update", "withdrawn", 1)):
            cup.say(wrong)
            assert cup.until("error")["code"] == "bad_line"
        for allowed in (ERROR, UPDATE, REQUEST):
            cup.send(**allowed)
            assert bot.receive() == {**allowed, **({"ref": None} if allowed is ERROR else {})}
        bot.socket.send(b'{"type":"join","name":"\xff"}', text=True)
        assert bot.until("error")["code"] == "bad_line"  # and the organiser hears nothing of it
        for words in ('{"type":"loan_over"}', "nonsense", '{"type":"action","number":1,"choice":0}', "\x00"):
            bot.say(words)
            assert cup.socket.recv(60) == f" {words}"
        bot.say('{"type":"join","push":true}')
        assert json.loads(cup.socket.recv(60))["push"] is True
        assert bot.asked(type="standing")["standing"]["games"] == 0  # this is for the server
        [info] = [one for one in bot.asked(type="entrants")["entrants"] if one["entrant"] == "Deep"]
        assert (info["playing"], info["waiting"]) == (1, 0)
        assert cup.refused(**GAME, entrant="Deep", token=token) == "seated"
        with Client(server.url) as other:
            assert other.asked(**GAME, entrant="Deep", token=token)["state"] == "busy"
            cup.send(type="end", match="m1", scores=[1, 2], ranks=[2, 1], reason="normal", faults=[0, 0])
            assert bot.until("end")["scores"] == [1, 2]
            is_ready(bot)  # the next has waited for it
            assert other.until("lent")["join"]["push"] is True
            other.send(**START, match="m2")
            bot.until("start")
        end = bot.until("end")  # the organiser is cut off
        assert (end["match"], end["reason"], end["ranks"]) == ("m2", "interrupted", [1, 1])
        assert cup.asked(**GAME, entrant="Deep", token=token, check=True)["state"] == "free"


def test_every_way_in_which_one_leaves(server: ServerProcess) -> None:
    with Client(server.url) as cup, Client(server.url) as bot, Client(server.url) as admin:
        token = organiser(server, cup)
        mine = entered(bot, "Fickle", lends=True)
        cup.asked(**GAME, entrant="Fickle", token=token)
        bot.send(type="decline", offer=bot.until("offered")["offer"])
        is_ready(bot)  # it is asked again
        cup.until("lent")
        bot.close()
        assert cup.until("loan_over")["why"] == "Fickle has gone"
        assert cup.asked(**GAME, entrant="Fickle", token=token)["why"] == "Fickle is not connected to the pool"
        with Client(server.url) as again:
            again.asked(type="enter", token=mine, lends=True)
            is_ready(again)
            cup.until("lent")
            assert again.asked(type="withdraw")["why"] == "no more games after this one"
            cup.send(type="end", match="m", scores=[1, 2], ranks=[2, 1], reason="normal", faults=[0, 0])
            again.until("withdrawn", why="the game is over")
            again.asked(type="enter", token=mine, lends=True)
            cup.asked(**GAME, entrant="Fickle", token=token)
            is_ready(again)
            cup.until("lent")
            admin.asked(type="season", token=server.admin_token, state="open")  # while it is lent, nobody else has it
            admin.asked(type="revoke", entrant="Fickle", token=server.admin_token)
            cup.until("loan_over")
            with pytest.raises(Closed):
                again.until("offered")
        assert cup.asked(**GAME, entrant="Fickle", token=token)["state"] == "gone"
        with Client(server.url) as player:  # games of the pool and of tournaments, one after another
            entered(player, "Both", lends=True)
            is_ready(player)
            player.until("seated")
            assert cup.asked(**GAME, entrant="Both", token=token)["state"] == "busy"
            play_to_end(player)
            assert is_ready(player)["organiser"] == "Cup"
            cup.until("lent")
        cup.until("loan_over")


def test_neither_end_can_harm_the_other(server: ServerProcess) -> None:
    """Who floods is cut off, and never who is flooded; what was borrowed with a token ends with it."""
    with Client(server.url) as cup, Client(server.url) as loud, Client(server.url) as quiet:
        cup.asked(type="season", token=server.admin_token, state="paused")
        token = organiser(server, cup)
        entered(loud, "Loud", lends=True)
        cup.asked(**GAME, entrant="Loud", token=token)
        is_ready(loud)
        cup.until("lent")
        long_line = json.dumps({"type": "join", "name": "x" * 900_000})
        with suppress(ConnectionClosed):
            for _ in range(17):
                loud.say(long_line)
        assert cup.until("loan_over")["why"] in ("Loud sends more than can be read", "Loud has gone")  # as too fast
        with pytest.raises(Closed):
            loud.until("offered")

        entered(quiet, "Quiet", lends=True)
        cup.asked(**GAME, entrant="Quiet", token=token)
        is_ready(quiet)
        cup.until("lent")
        cup.send(**START, match="m3")
        flood = json.dumps({**UPDATE, "view": "x" * 20_000})
        with suppress(ConnectionClosed):
            for _ in range(3000):  # nobody reads them
                cup.say(flood)
        with pytest.raises(Closed):
            cup.until("error", code="too_slow")
        assert {one["code"] for one in cup.heard if one["type"] == "error"} <= {"too_fast"}
        assert quiet.until("end")["reason"] == "interrupted"

        with Client(server.url) as fair, Client(server.url) as deaf:
            entered(deaf, "Deaf", lends=True)
            fair.asked(**GAME, entrant="Deaf", token=token)
            is_ready(deaf)
            fair.until("lent")
            fair.send(**START, match="m4")
            asked = json.dumps({**REQUEST, "match": "m4", "view": "x" * 200_000})
            fair.say(asked)
            with suppress(ConnectionClosed):
                for _ in range(200):  # it asks for more than it reads: it has to go, not who tells it
                    deaf.send(type="again")
            while (told := fair.until("again", "loan_over"))["type"] == "again":
                fair.say(asked)
            assert told["why"] == "Deaf has gone"

        with Client(server.url) as again, Client(server.url) as admin:
            assert again.asked(**GAME, entrant="Quiet", token=token)["state"] == "offered"
            is_ready(quiet)
            again.until("lent")
            organiser(server, admin)
            again.until("error", code="revoked", fatal=True)
            assert quiet.until("end")["reason"] == "interrupted"


def test_nothing_of_a_loan_is_kept(tmp_path: Path) -> None:
    """After a crash the organiser borrows again with its token, and nobody else does."""
    data = tmp_path / "data"
    with ServerProcess(data, *SERVER) as server, Client(server.url) as cup:
        token = organiser(server, cup)
        server.kill()
    with ServerProcess(data, *SERVER, "--idle", "1") as server, Client(server.url) as cup, Client(server.url) as bot:
        assert cup.refused(**GAME, entrant="Deep", token=token) == "unknown_entrant"
        assert cup.refused(**GAME, entrant="Deep", token="x") == "forbidden"
        cup.asked(type="season", token=server.admin_token, state="paused")
        mine = entered(bot, "Patient", lends=True)
        cup.asked(**{**GAME, "clock": "0.01/move"}, entrant="Patient", token=token)
        is_ready(bot)
        cup.until("lent")
        cup.until("error", code="idle")  # nobody is kept for a game that does not begin
        assert bot.until("end")["reason"] == "interrupted"
        with Client(server.url) as again:
            again.asked(**{**GAME, "clock": "0.01/move"}, entrant="Patient", token=token)
            is_ready(bot)
            again.until("lent")
            again.send(**START, match="m")
            again.until("error", code="idle")  # nor for one that stands still
            assert bot.until("end")["match"] == "m"
        bot.asked(type="season", token=server.admin_token, state="closed")
        assert bot.refused(type="enter", token=mine) == "closed"
