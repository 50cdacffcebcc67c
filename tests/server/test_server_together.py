"""People at a table together: whose turn it is where they hold seats, who stands in for whom, and what they say."""

from collections.abc import Iterator

import pytest

from tests.support.ws_client import Client, ServerProcess, create, duel, play_to_end, table_of


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("together") / "data", "--absence", "0.2") as running:
        yield running


# Seats that one holds


def test_how_ones_games_stand(server: ServerProcess) -> None:
    """Private tables and delayed ones, too, from a connection that sits nowhere."""
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


def test_everybody_is_told_who_stands_in(server: ServerProcess) -> None:
    with Client(server.url) as ada, Client(server.url) as spectator:
        table = table_of(create(ada, seats=[None, None]))
        ada.asked(type="sit", table=table, name="Ada")
        spectator.asked(type="watch", table=table)
        with Client(server.url) as ben:
            token = ben.asked(type="sit", table=table, name="Ben")["token"]
        for one in (ada, spectator):
            while not (seat := one.until("table")["table"]["seats"][1])["substitute"]:
                pass
            assert seat["name"] == "Ben"
        with Client(server.url) as ben:
            ben.asked(type="resume", token=token)
            while spectator.until("table")["table"]["seats"][1]["substitute"]:
                pass
