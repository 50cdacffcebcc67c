"""Tests of `pair`, which chooses entrants for games. Its inputs are lists of waiting entrants, or simulated pools."""

import random
from collections import Counter

import msgspec
import pytest

from rails_cli.server.pool.pairing import PATIENCE_S, History, Pairing, Waiting, pair
from rails_cli.tournament.model import Setting
from rails_cli.tournament.rating.plackett_luce import fit
from rails_cli.tournament.rating.standings import name_of, rankings_of
from tests.support.pool_simulation import POINTS, SimulatedPool

TWO, THREE, FOUR = (Setting("toy", players) for players in (2, 3, 4))
ANCHORS = ("easy", "medium", "hard")
STEP_S = 0.25
"""Simulated seconds between two rounds of pairing."""


def bot(name: str, owner: str | None = None, *settings: Setting, since: float = 0.0, rating: float = 0.0) -> Waiting:
    return Waiting(name, owner or f"owner of {name}", since, settings or (TWO,), rating)


def anchors(*settings: Setting) -> list[Waiting]:
    return [
        Waiting(name, "builtin", 0.0, settings, 200.0 * level - 200, is_anchor=True)
        for level, name in enumerate(ANCHORS)
    ]


def names(made: list[Pairing]) -> list[list[str]]:
    return [sorted(one.seating) for one in made]


def met_an_anchor(*bots: str) -> History:
    """Return a history in which each of `bots` has played one game, against a built-in player of the pool (an anchor).

    A bot with such a game need not meet an anchor in its next game.
    """
    history = History()
    for name in bots:
        history.add(TWO, [name, "medium"])
    return history


def test_the_longest_waiting_entrant_is_paired_with_the_nearest_rating() -> None:
    waiting = [
        bot("far", since=1, rating=900),
        bot("near", since=3, rating=120),
        bot("nearer", since=3, rating=90),
        bot("first", since=0, rating=100),
    ]
    history = met_an_anchor("far", "near", "nearer", "first")
    assert names(pair(waiting, history, now=3, seed=1)) == [["first", "nearer"]]
    assert names(pair(waiting, history, now=PATIENCE_S + 1, seed=1)) == [["first", "nearer"], ["far", "near"]]


def test_entrants_that_have_just_met_wait_for_other_opponents() -> None:
    history = met_an_anchor("one", "other", "third")
    history.add(TWO, ["one", "other"])
    two = [bot("one"), bot("other")]
    assert not pair(two, history, now=0, seed=0)
    assert names(pair([*two, bot("third", since=0.1)], history, now=0.1, seed=0))[0] in (
        ["one", "third"],
        ["other", "third"],
    )
    assert names(pair(two, history, now=PATIENCE_S, seed=0)) == [["one", "other"]]


def test_entrants_of_one_owner_meet_only_if_both_allow_it() -> None:
    history = met_an_anchor("one", "other")
    one, other = bot("one", "me"), bot("other", "me")
    asking = [msgspec.structs.replace(each, meets_own=True) for each in (one, other)]
    late = 10 * PATIENCE_S
    assert not pair([one, other], history, now=late, seed=0)
    assert not pair([one, asking[1]], history, now=late, seed=0)
    assert names(pair(asking, history, now=late, seed=0)) == [["one", "other"]]
    twice = msgspec.structs.replace(asking[0], since=1.0)
    assert not pair([asking[0], twice], history, now=late, seed=0)


def test_entrants_from_one_address_do_not_meet() -> None:
    history = met_an_anchor("one", "other", "third")
    here = [msgspec.structs.replace(bot(name), address="192.0.2.1") for name in ("one", "other")]
    late = 10 * PATIENCE_S
    assert not pair(here, history, now=late, seed=0)
    third = bot("third", None, THREE)
    both = [msgspec.structs.replace(each, settings=(THREE,)) for each in here]
    assert not pair([*both, third], history, now=late, seed=0)
    free = [msgspec.structs.replace(each, address="") for each in here]
    assert names(pair(free, history, now=late, seed=0)) == [["one", "other"]]


def test_many_entrants_of_one_owner_do_not_prevent_a_game_with_others() -> None:
    """An entrant gets three opponents, although most of the waiting entrants belong to one owner.

    That owner has 60 waiting entrants, all with similar ratings. Entrants of one owner may not play together. So the
    three opponents are one of the 60, and two entrants of other owners.
    """
    many = [bot(f"mine {number:02}", "me", FOUR, rating=number, since=1) for number in range(60)]
    others = [bot("one", "her", FOUR, rating=500, since=1), bot("other", "him", FOUR, rating=-500, since=1)]
    made = pair([bot("seeker", None, FOUR, rating=30), *many, *others], History(), now=1 + PATIENCE_S, seed=0)
    assert len(made) == 1
    assert {"seeker", "one", "other"} < set(made[0].seating)


def test_a_person_is_paired_first() -> None:
    bots = [bot(f"bot {number}", None, TWO, since=0) for number in range(3)]
    person = Waiting("Ann", "Ann", 50.0, (TWO,), None, is_person=True)
    history = met_an_anchor(*(one.entrant for one in bots))
    made = pair([*bots, person, *anchors(TWO)], history, now=50.0, seed=0)
    assert "Ann" in made[0].seating
    assert not set(made[0].seating) & set(ANCHORS)


def test_anchors_fill_seats_after_a_wait_but_play_newcomers_at_once() -> None:
    person = Waiting("Ann", "Ann", 0.0, (FOUR,), None, is_person=True)
    assert not pair([person, *anchors(FOUR)], History(), now=1, seed=0)
    assert names(pair([person, *anchors(FOUR)], History(), now=PATIENCE_S, seed=0)) == [sorted(["Ann", *ANCHORS])]
    newcomers = [bot("one", None, THREE, rating=190), bot("other", None, THREE, rating=180)]
    assert names(pair([*newcomers, *anchors(THREE)], History(), now=0, seed=0)) == [["hard", "one", "other"]]
    assert not pair([*newcomers, *anchors(TWO)], History(), now=PATIENCE_S, seed=0), (
        "anchors play only their own settings"
    )


def test_the_setting_that_the_entrants_have_played_least_is_chosen() -> None:
    history = met_an_anchor("one", "other", "third")
    three = [bot(name, None, TWO, THREE) for name in ("one", "other", "third")]
    assert [made.setting for made in pair(three, history, now=0, seed=0)] == [THREE]
    two = [bot("one", None, TWO, THREE), bot("other", None, TWO)]
    assert [made.setting for made in pair(two, history, now=0, seed=0)] == [TWO]


def test_pairings_depend_on_the_seed_but_not_on_the_order_of_the_list() -> None:
    waiting = [bot(f"bot {number}", f"owner {number % 5}", TWO, FOUR, rating=number) for number in range(30)]
    waiting += anchors(TWO, FOUR)
    mixed = random.Random(3).sample(waiting, len(waiting))
    made, same = (pair(one, History(), now=1, seed=7) for one in (waiting, mixed))
    assert [(one.setting, one.seating) for one in made] == [(one.setting, one.seating) for one in same]
    for one in same:
        assert one.seating == tuple(mixed[place].entrant for place in one.places)
    assert pair(waiting, History(), now=1, seed=7) != pair(waiting, History(), now=1, seed=8)


@pytest.fixture(scope="module", params=[False, True], ids=["single games", "seed groups"])
def pool(request: pytest.FixtureRequest) -> SimulatedPool:
    """Return a simulated pool of forty bots of eight owners, in which 900 games have been played.

    New ratings are computed after 200, 600 and 900 games.
    """
    strengths = {f"bot {number:02}": 3.0 * number / 39 - 1.5 for number in range(40)}
    waiting = [Waiting(name, f"owner {number % 8}", 0.0, (THREE, FOUR), None) for number, name in enumerate(strengths)]
    waiting += anchors(THREE, FOUR)
    strengths |= dict(zip(ANCHORS, (-1.0, 0.0, 1.0), strict=True))
    pool = SimulatedPool(waiting, strengths, step_s=STEP_S, in_groups=request.param)
    for games in (200, 600, 900):
        pool.play(games)
        found = fit(rankings_of(pool.played))
        pool.rate({name: POINTS * strength for name, strength in zip(found.names, found.strengths, strict=False)})
    return pool


def test_waits_are_short_and_games_and_settings_are_evenly_shared(pool: SimulatedPool) -> None:
    assert max(waited for waited, _ in pool.waits) <= PATIENCE_S + STEP_S
    games = Counter(name for made in pool.pairings for name in made.seating if name.startswith("bot"))
    assert min(games.values()) > 0.7 * max(games.values())
    settings = Counter(name_of(made.setting) for made in pool.pairings for _ in made.seating)
    assert min(settings.values()) > 0.8 * max(settings.values())


def test_every_entrant_plays_each_seat_about_equally_often(pool: SimulatedPool) -> None:
    for name in pool.by_name:
        for setting in (THREE, FOUR):
            sat = [pool.seats[name, name_of(setting), seat] for seat in range(setting.players)]
            assert max(sat) - min(sat) <= 4, (name, sat)


def test_entrants_of_one_owner_never_meet_and_opponents_vary(pool: SimulatedPool) -> None:
    bots = [(pair, times) for pair, times in pool.met.items() if all(name.startswith("bot") for name in pair)]
    assert not [pair for pair, _ in bots if pool.by_name[pair[0]].owner == pool.by_name[pair[1]].owner]
    games = Counter(name for made in pool.pairings for name in made.seating)
    for (one, other), times in bots:
        assert times < 0.3 * min(games[one], games[other]), (one, other, times)
    for before, after in zip(pool.pairings, pool.pairings[1:], strict=False):
        assert set(before.seating) != set(after.seating)


def test_every_entrant_plays_some_games_with_anchors(pool: SimulatedPool) -> None:
    with_anchors = [made for made in pool.pairings if set(made.seating) & set(ANCHORS)]
    assert 0.05 < len(with_anchors) / len(pool.pairings) < 0.3
    assert {name for made in with_anchors for name in made.seating} == set(pool.by_name)


def test_ratings_recover_the_order_of_the_simulated_strengths(pool: SimulatedPool) -> None:
    order = fit(rankings_of(pool.played)).order()
    true = sorted(pool.strengths, key=lambda name: -pool.strengths[name])
    off = [abs(order.index(name) - place) for place, name in enumerate(true)]
    assert sum(off) / len(off) < 3, order


def test_an_entrant_with_a_rare_setting_does_not_wait_longer() -> None:
    """A bot with a rare setting waits no longer than the patience of the pool (`PATIENCE_S`).

    The setting here is the number of players. Only one bot waits for games of three players, all others for games of
    four.
    """
    waiting = [Waiting(f"bot {number}", f"owner {number % 2}", 0.0, (FOUR,), None) for number in range(7)]
    waiting += [Waiting("alone", "owner 0", 0.0, (THREE,), None), *anchors(THREE, FOUR)]
    strengths = dict.fromkeys([one.entrant for one in waiting], 0.0)
    pool = SimulatedPool(waiting, strengths, step_s=STEP_S, duration_s=0.1)  # timing: simulated
    pool.play(100)
    assert max(waited for waited, _ in pool.waits) <= PATIENCE_S + STEP_S
    assert all(pool.now - one.since <= PATIENCE_S + STEP_S for one in pool.waiting)
    assert {name for made in pool.pairings for name in made.seating} == set(pool.by_name)


def test_a_game_is_given_to_the_connection_that_waits_for_its_setting() -> None:
    """If an entrant waits with several connections, a game goes to the connection that waits for its number of players.

    The entrant "one" waits with two connections: one for games of three players, one for games of two. A game of two
    players goes to the second connection.
    """
    both = [bot("one", None, THREE, since=0), bot("one", None, TWO, since=1), bot("other", None, TWO, since=1)]
    [made] = pair(both, met_an_anchor("one", "other"), now=PATIENCE_S + 1, seed=0)
    assert (made.setting, sorted(made.places)) == (TWO, [1, 2])
