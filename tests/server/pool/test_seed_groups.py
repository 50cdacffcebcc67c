"""Tests of seed groups in the pool. A seed group is a set of games with the same start and the same entrants.

Each game of the group has another order of seats. No game of a group is lost or counted twice.
"""

from pathlib import Path

from tests.support.pool_campaign import bring_to_rest, checked_results
from tests.support.pool_clients import POOL, entrant_info, sit_down
from tests.support.waiting import wait_until
from tests.support.ws_client import Client, HastenedServer, Json, ServerProcess, all_play, clients, play_to_end

OFFER_S = 3600
"""Simulated seconds for which an offer stays open."""

SERVER = (
    *(*POOL, "--pool-game", "last_spike:3", "--pool-faults", "1", "--pool-patience", "0", "--absence", "36000"),
    *("--pool-offer", str(OFFER_S), "--pool-clock", "36000", "--silence", "1000000", "--idle", "1000000"),
)
FOR_TWO = [2]


def entered(client: Client, name: str, *, person: bool = False, single: bool = False) -> str:
    token = str(client.asked(type="register", name=name, person=person)["token"])
    client.asked(type="enter", token=token, players=FOR_TWO, single=single)
    return token


def play_one_game(client: Client) -> Json:
    sit_down(client)
    return play_to_end(client)


def check_quarantined(client: Client) -> None:
    quitter = entrant_info(client, "Quitter")
    assert (quitter["state"], quitter["faults_in_a_row"]) == ("quarantined", 1)


def lose_a_seat(server: ServerProcess, slow: Client, quitter: Client) -> str:
    """Let the entrant Quitter leave a game against the entrant Slow. Return the token of Slow.

    The game stays open, because Slow does not answer. Quitter is quarantined at once. Before its next rated game,
    Quitter must pass a check, which is an unrated game.
    """
    slow.asked(type="season", token=server.admin_token, state="paused")
    token = entered(slow, "Slow", person=True)
    quitter_token = entered(quitter, "Quitter")
    slow.asked(type="season", token=server.admin_token, state="open")
    for client in (slow, quitter):
        client.send(type="ready", offer=client.until("offered")["offer"])
    with Client(server.url) as second:
        second.asked(type="enter", token=quitter_token, players=FOR_TWO)
        offer = second.until("offered")
        assert not offer["check"]
        quitter.until("seated")
        quitter.asked(type="withdraw")  # otherwise this connection might be offered the check
        quitter.asked(type="leave")
        assert "Quitter lost its seat through faults in a game" in second.until("error", code="quarantined")["message"]
        second.until("offer_over", offer=offer["offer"], why="Quitter is quarantined")
        assert second.until("offered")["check"]
    check_quarantined(slow)
    return token


def test_seed_groups_and_single_games_across_withdrawals_and_a_crash(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with HastenedServer(data, *SERVER) as server, clients(server.url, 5) as (alone, single, fickle, slow, quitter):
        slow_token = lose_a_seat(server, slow, quitter)
        token = entered(alone, "Alone")
        entered(single, "Single", single=True)
        sit_down(alone)
        alone.asked(type="enter", token=token, players=[3])  # applies to later groups only
        play_to_end(alone)
        all_play([alone, single], play_one_game)
        play_one_game(single)
        for client in (alone, single):
            client.send(type="withdraw")
            client.until("withdrawn")
        token = entered(fickle, "Fickle")
        sit_down(fickle)
        fickle.asked(type="withdraw")
        play_to_end(fickle)
        fickle.until("withdrawn", why="the game is over")
        fickle.asked(type="enter", token=token, players=FOR_TWO)  # the withdrawal ended its seed group
        for _ in range(2):  # with the withdrawal, these are 3 missed offers in a row
            fickle.send(type="decline", offer=fickle.until("offered")["offer"])
        assert fickle.until("withdrawn")["why"].startswith("3 offers in a row")
        fickle.asked(type="enter", token=token, players=FOR_TWO)
        sit_down(fickle)
        server.kill()
    with HastenedServer(data, *SERVER) as server, clients(server.url, 4) as (fickle, one, other, slow):
        check_quarantined(slow)
        slow.asked(type="enter", token=slow_token, players=FOR_TWO)
        slow.asked(type="withdraw")
        play_to_end(slow)
        fickle.asked(type="enter", token=token, players=FOR_TWO)
        sit_down(fickle)
        fickle.asked(type="enter", token=token, players=FOR_TWO, single=True)  # applies to later groups only
        slow.asked(type="season", token=server.admin_token, state="paused")  # no offer may come before it disconnects
        play_to_end(fickle)
        fickle.close()

        def is_nobody_connected() -> bool:
            entrants = slow.asked(type="entrants")["entrants"]
            return not any(one["waiting"] or one["playing"] for one in entrants)

        wait_until(is_nobody_connected, "all entrants to be disconnected")
        slow.asked(type="season", token=server.admin_token, state="open")
        with Client(server.url) as fickle:  # it reconnects in time
            fickle.asked(type="enter", token=token, players=FOR_TWO)
            play_one_game(fickle)  # second game of the group, which survived the crash
            fickle.asked(type="withdraw")
        entered(one, "One")
        token = entered(other, "Other")
        for _ in range(2):  # newcomers play anchors first
            all_play([one, other], play_one_game)
        one.asked(type="season", token=server.admin_token, state="paused")
        one.asked(type="season", token=server.admin_token, state="open")
        all_play([one, other], play_one_game)  # now they play each other
        other.close()
        wait_until(lambda: not entrant_info(one, "Other")["waiting"], "Other to be disconnected")
        server.advance(OFFER_S + 1)
        one.until("offered")  # the group ended because Other did not return in time
        one.asked(type="withdraw")
        with Client(server.url) as other:
            other.asked(type="enter", token=token, players=FOR_TWO)
            for _ in range(2):  # leaving the group counts as a missed offer
                other.send(type="decline", offer=other.until("offered")["offer"])
            assert other.until("withdrawn")["why"].startswith("3 offers in a row")
        bring_to_rest(one, server)
        check_quarantined(one)  # the lost seat is counted once
    games = checked_results(data, {})
    groups: dict[str, list[list[str]]] = {}
    for game in games:
        groups.setdefault(game["seed"], []).append(game["seating"])
    for seatings in groups.values():
        assert seatings in ([seatings[0]], [seatings[0], seatings[0][::-1]])

    def sizes(name: str) -> list[int]:
        return [len(seatings) for seatings in groups.values() if name in seatings[0]]

    assert (sizes("Alone"), sizes("Single"), sizes("Fickle")) == ([2], [1, 1], [1, 2])
    assert sizes("One") == sizes("Other") == [2, 1]
    assert [sorted(seatings[0]) for seatings in groups.values()][-1] == ["One", "Other"]
