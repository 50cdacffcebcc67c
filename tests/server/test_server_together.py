"""Tests of people at one table: the list of held seats, substitutes for absent players, and chat."""

from collections.abc import Iterator

import pytest

from tests.support.ws_client import Client, ClockedServer, clients, create, duel, play_to_end, table_of


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClockedServer]:
    options = ("--absence", "10", "--requests-per-second", "1000")
    with ClockedServer(tmp_path_factory.mktemp("together") / "data", *options) as running:
        yield running


# Held seats and substitutes


def test_a_client_can_ask_about_all_seats_it_holds(server: ClockedServer) -> None:
    """A client can ask about all seats that it holds, even from a connection without a seat.

    The answer also includes seats at private tables and at tables with a spectator delay.
    """
    with Client(server.url) as ada, Client(server.url) as ben, Client(server.url) as elsewhere:
        created = create(ada, seats=[None, None], private=True, watch_delay_s=60)
        table, owner = table_of(created), created["owner"]
        tokens = []
        for seat, person in enumerate((ada, ben)):
            invite = ada.asked(type="invite", table=table, owner=owner, seat=seat)["invite"]
            tokens.append(person.asked(type="sit", table=table, invite=invite)["token"])
        _, other = duel(server, elsewhere, "builtin:greedy")
        play_to_end(elsewhere)
        held = elsewhere.asked(type="held", tokens=[*tokens, "nobody's", other])["seats"]
        assert [one and one["seat"] for one in held] == [0, 1, None, 0]
        asked = held[0]["table"]["to_move"]
        assert held[1]["table"]["to_move"] == asked
        assert (ada, ben)[asked].until("request")["seat"] == asked
        assert held[0]["ranks"] is None
        assert held[3]["table"]["to_move"] is None
        assert sorted(held[3]["ranks"])[0] == 1
        assert held[3]["table"]["scores"] is not None
        assert elsewhere.asked(type="watch", table=table)["table"]["to_move"] is None
        elsewhere.send(type="held", tokens=["x"] * 51)
        assert elsewhere.until("error")["code"] == "bad_line"


def test_players_and_spectators_see_which_seat_has_a_substitute(server: ClockedServer) -> None:
    """If a player is absent, the other players and spectators see that a substitute plays for the seat.

    Only a game with at least two people gets a substitute. A game with one person waits for this person.
    """
    with Client(server.url) as zoe:
        _, alone = duel(server, zoe, "builtin:greedy")
        zoe.until("request")
    with Client(server.url) as ada, Client(server.url) as spectator:
        table = table_of(create(ada, seats=[None, None]))
        ada.asked(type="sit", table=table, name="Ada")
        spectator.asked(type="watch", table=table)
        with Client(server.url) as ben:
            token = ben.asked(type="sit", table=table, name="Ben")["token"]
            ben.until("start")
        while (ben_seat := ada.until("table")["table"]["seats"][1])["name"] != "Ben" or ben_seat["connected"]:
            pass
        server.advance(11)
        for one in (ada, spectator):
            while not (seat := one.until("table")["table"]["seats"][1])["substitute"]:
                pass
            assert seat["name"] == "Ben"
        [held] = spectator.asked(type="held", tokens=[alone])["seats"]
        assert (held["table"]["state"], held["table"]["to_move"]) == ("playing", held["seat"])
        assert not held["table"]["seats"][held["seat"]]["substitute"]
        with Client(server.url) as ben:
            ben.asked(type="resume", token=token)
            while spectator.until("table")["table"]["seats"][1]["substitute"]:
                pass


# Chat


def chat_lines(client: Client, **fields: object) -> list[tuple[str, str]]:
    """Return the lines of the next `said` message as pairs of name and text.

    If `fields` are given, first send a `chat` message with these fields.
    """
    message = client.asked(type="chat", **fields) if fields else client.until("said")
    return [(line["name"], line["text"]) for line in message["lines"]]


def test_players_and_spectators_can_chat(server: ClockedServer) -> None:
    """Only clients that asked for chat receive chat lines.

    During a game, players do not see lines of spectators. Chat is not logged.
    """
    with clients(server.url, 5) as (ada, ben, sam, sue, deaf):
        table = table_of(create(ada, seats=[None, None]))
        ada.asked(type="chat")
        ada.asked(type="sit", table=table, name="Ada")
        for spectator, name in ((sam, "Sam"), (sue, "Ada"), (deaf, "Deaf")):
            spectator.send(type="join", name=name)
            spectator.asked(type="watch", table=table)
        assert chat_lines(sam, on=True) == chat_lines(sue, on=True) == []
        assert chat_lines(sam, text="  Is this\nseat\x1b[31m \u202etaken?\x07 ") == [("Sam", "Is this seat[31m taken?")]
        assert chat_lines(ada) == chat_lines(sue) == [("Sam", "Is this seat[31m taken?")]
        assert chat_lines(ada, text="Yes") == chat_lines(sam) == chat_lines(sue) == [("Ada", "Yes")]
        ben.asked(type="sit", table=table, name="Ben")
        assert chat_lines(ben, on=True) == [("Sam", "Is this seat[31m taken?"), ("Ada", "Yes")]
        chat_lines(sam, text="Ada is winning")
        assert sue.until("said")["lines"][0]["seat"] is None
        assert chat_lines(sue, text="I am") == chat_lines(sam) == [("Ada", "I am")]
        assert chat_lines(ben, text="Good luck!") == chat_lines(ada) == chat_lines(sue) == [("Ben", "Good luck!")]
        deaf.asked(type="leave")
        assert not any(message["type"] == "said" for message in deaf.heard)
        assert ada.refused(type="chat", text="x" * 301) == "bad_request"
        assert ada.refused(type="chat", text="\u202e\x00") == "bad_request"
        assert deaf.refused(type="chat", text="Hello?") == "bad_request"
        refused = {ada.ask(type="chat", text="spam").get("code") for _ in range(12)}
        assert "too_fast" in refused
        assert b"Good luck" not in server.log(table).read_bytes()


def test_spectators_with_a_delay_do_not_see_chat_of_players_at_once(server: ClockedServer) -> None:
    """At a table with a spectator delay, spectators do not receive the chat lines of players at once.

    They receive the lines of spectators at once. At a table without chat, sending a line is refused.
    """
    with Client(server.url) as ada, Client(server.url) as sam, Client(server.url) as late:
        table = table_of(create(ada, seats=[None, "builtin:random"], watch_delay_s=600))
        ada.asked(type="sit", table=table, name="Ada")
        sam.asked(type="watch", table=table)
        assert chat_lines(sam, on=True) == []
        chat_lines(ada, text="I will build there")
        assert chat_lines(sam, text="What will Ada do?") == [("spectator", "What will Ada do?")]
        late.asked(type="chat")
        late.asked(type="watch", table=table)
        assert chat_lines(late) == [("spectator", "What will Ada do?")]
        sam.asked(type="leave")
        assert not any("build" in str(message) for message in (*sam.heard, *late.heard) if message["type"] == "said")
        quiet = create(sam, seats=[None, "builtin:random"], chat=False)
        assert quiet["table"]["chat"] is False
        sam.asked(type="sit", table=table_of(quiet))
        assert sam.refused(type="chat", text="Hello?") == "forbidden"
