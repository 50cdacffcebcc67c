"""Tests of people as entrants of the pool: offers, the order of the standings, and rating changes after each game."""

from pathlib import Path

import msgspec

from rails_cli.server.pool.offers import PERSON_ANSWER_S
from rails_cli.server.pool.rating import MOST_CHANGES, RATINGS_FILE, PoolStanding, RatingHistory, StoredRatings
from rails_cli.tournament.model import PlayedGame, Setting
from tests.support.lobby_transcripts import Speaker, TranscriptServer, server

TABLE = Setting("toy", 2)


def rated(name: str, rating: float | None, place: int | None = None, *, is_provisional: bool = False) -> PoolStanding:
    return PoolStanding(name, rating, rating, rating, is_provisional, place)


def game(group: str, *seating: str) -> PlayedGame:
    return PlayedGame(group, 0, TABLE, 1, list(seating), [0, 0], [1, 2], "normal", [0, 0], False, [0, 0], 0)


def entered(place: TranscriptServer, name: str, *, person: bool) -> Speaker:
    """Register an entrant named `name` and let it wait for a game. Move the clock until the pool pairs entrants.

    Return the client of the entrant.
    """
    client = place.enter()
    token = client.say(type="register", name=name, person=person)["token"]
    client.say(type="enter", token=token)
    pair(place)
    return client


def pair(place: TranscriptServer) -> None:
    place.time += 1
    place.lobby.tick(place.time)


def test_an_offer_to_a_person_leaves_time_to_read_it() -> None:
    with server() as place:
        place.add_pool()
        bot = entered(place, "Bot", person=False)
        anna = entered(place, "Anna", person=True)
        assert bot.heard("offered")["answer_within_s"] == 10
        offer = anna.heard("offered")
        assert offer["answer_within_s"] == PERSON_ANSWER_S
        place.time += 11
        place.lobby.tick(place.time)
        assert anna.say(type="ready", offer=offer["offer"])["type"] == "request"
        place.pool.close()


def test_a_person_who_declines_keeps_waiting() -> None:
    with server() as place:
        place.add_pool()
        anna = entered(place, "Anna", person=True)
        first = anna.heard("offered")["offer"]
        assert anna.say(type="decline", offer=first) == {"type": "offer_over", "offer": first, "why": "Anna declined"}
        pair(place)
        assert anna.heard("offered")["offer"] != first
        place.pool.close()


def test_anchors_stand_among_the_other_entrants_by_rating() -> None:
    with server() as place:
        folder = place.registry.storage.folder / "pool"
        folder.mkdir()
        rows = [rated("Top", 50.0, 1), rated("busy", 0.0), rated("Low", -50.0, 2)]
        provisional = rated("Lucky", 400.0, is_provisional=True)
        RatingHistory(folder / RATINGS_FILE).add([*rows, provisional], 1.0)
        place.add_pool()
        client = place.enter()
        for name in ("Low", "Lucky", "New", "Top"):
            client.say(type="register", name=name)
        standings = client.say(type="standings")["standings"]
        assert [row["entrant"] for row in standings] == ["Top", "busy", "Low", "Lucky", "New"]
        assert [row["place"] for row in standings] == [1, None, 2, None, None]
        place.pool.close()


def test_the_change_of_the_ratings_is_kept_for_each_game(tmp_path: Path) -> None:
    file = tmp_path / RATINGS_FILE
    one, two = game("a", "Anna", "Ben"), game("b", "Ben", "Cleo")
    RatingHistory(file).add([rated("Anna", 10.0), rated("Ben", -10.0)], 1.0, [one])
    RatingHistory(file).add([rated("Anna", 11.0), rated("Ben", 20.0), rated("Cleo", None)], 2.0, [one, two])
    history = RatingHistory(file)
    assert history.change("a", "Anna") == (None, 10.0)
    assert history.change("a", "Ben") == (None, -10.0)
    assert history.change("b", "Ben") == (-10.0, 20.0)
    assert history.change("b", "Cleo") == (None, None)
    assert history.change("none", "Anna") == (None, None)
    RatingHistory(file).add(
        [rated("Anna", 0.0)], 3.0, [game(f"g{number}", "Anna", "Ben") for number in range(MOST_CHANGES)]
    )
    assert RatingHistory(file).change("b", "Ben") == (None, None)
    assert RatingHistory(file).change("g0", "Anna") == (11.0, 0.0)


def test_ratings_of_an_earlier_version_do_not_change_the_games_before(tmp_path: Path) -> None:
    file = tmp_path / RATINGS_FILE
    stored = msgspec.to_builtins(StoredRatings(1.0, [rated("Anna", 10.0)]))
    del stored["changes"]
    file.write_bytes(msgspec.json.encode(stored))
    old = game("old", "Anna", "Ben")
    RatingHistory(file).add([rated("Anna", 15.0)], 2.0, [old])
    RatingHistory(file).add([rated("Anna", 25.0)], 3.0, [old, game("new", "Anna", "Ben")])
    assert RatingHistory(file).change("old", "Anna") == (None, None)
    assert RatingHistory(file).change("new", "Anna") == (15.0, 25.0)
