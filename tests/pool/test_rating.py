"""Ratings of a pool: over a window, from an anchor, provisional at first, and refreshed at a bounded cost."""

import random
from pathlib import Path

import msgspec
import pytest

from rails_cli.pool.pairing import Pairing, Waiting
from rails_cli.pool.rating import FEWEST, Member, PoolStanding, Refresh, standings, stored_standings
from rails_cli.server.pool_work import work_of
from rails_cli.tournament.model import Entrant, PlayedGame, SeedGroup, Setting
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.results.group_results import GroupPlayed
from rails_cli.tournament.results.store import Store
from tests.support.pool_simulation import POINTS, SimulatedPool, played

TABLE = Setting("toy", 3)
STRENGTHS = {f"bot {number}": number / 5 - 1 for number in range(11)} | {"easy": -1.0, "medium": 0.0, "hard": 1.0}
MEMBERS = [Member(name, "built-in" if name.isalpha() else name, name.isalpha()) for name in STRENGTHS]


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    waiting = [Waiting(one.name, one.owner, 0.0, (TABLE,), None, is_anchor=one.is_anchor) for one in MEMBERS]
    pool = SimulatedPool(waiting, STRENGTHS)
    pool.play(1200)
    return pool.played


def by_name(rows: list[PoolStanding]) -> dict[str, PoolStanding]:
    return {row.entrant: row for row in rows}


def test_known_strengths_are_recovered_from_the_anchor(games: list[PlayedGame]) -> None:
    rows = standings(games, MEMBERS, anchor="medium")
    found = by_name(rows)
    assert found["medium"].rating == 0
    assert found["medium"].place is None
    inside = 0
    for name, strength in STRENGTHS.items():
        row = found[name]
        assert row.rating is not None
        assert row.low is not None
        assert row.high is not None
        assert abs(row.rating - POINTS * strength) < 150, row
        inside += row.low - 80 <= POINTS * strength <= row.high + 80  # the anchor is not where it seems, either
    assert inside >= len(STRENGTHS) - 2
    places = [row.place for row in rows if row.place is not None]
    assert places == list(range(1, len(places) + 1))
    assert found["bot 10"].place == 1 or found["bot 9"].place == 1
    assert standings(list(reversed(games)), MEMBERS, anchor="medium") == rows, "the same games, the same ratings"


def test_only_the_window_counts(games: list[PlayedGame]) -> None:
    """Somebody who has become strong is rated by what it does now; a newcomer without games has no rating."""
    turned = [
        msgspec.structs.replace(game, ranks=[4 - rank for rank in game.ranks]) if number < 600 else game
        for number, game in enumerate(games)
    ]
    everybody = [*MEMBERS, Member("new", "new")]
    rows = standings(turned, everybody, window=len(games) - 600, anchor="medium")
    assert [row.rating for row in rows[:-1]] == [row.rating for row in standings(games[600:], MEMBERS, anchor="medium")]
    assert rows[-1] == PoolStanding("new", "new", None, None, None, 0, None, True, False, None)


def test_provisional_until_the_games_are_enough(games: list[PlayedGame]) -> None:
    few = by_name(standings(games[:25], MEMBERS, anchor="medium"))
    assert all(row.is_provisional and row.place is None for row in few.values() if not row.is_anchor)
    many = by_name(standings(games, MEMBERS, anchor="medium"))
    assert not any(row.is_provisional for row in many.values())
    pair = Setting("toy", 2)
    apart = [played(f"{number:016x}", Pairing(pair, ("x", "y")), [1, 2]) for number in range(4 * FEWEST)]
    told = by_name(standings([*games, *apart], [*MEMBERS, Member("x", "x"), Member("y", "y")], anchor="medium"))
    assert told["x"].games == 4 * FEWEST
    assert told["x"].rating is None
    assert told["x"].is_provisional
    early = standings(apart, [Member("x", "x"), Member("y", "y"), *MEMBERS], anchor="medium")
    assert [row.entrant for row in early if row.rating is not None] == ["x", "y"], "the anchor has not played yet"


def test_faults_count_as_in_tournaments(games: list[PlayedGame]) -> None:
    """Who lost its seat is behind all; a seat that nobody held counts for nobody; an interrupted game for nobody."""
    games = games[:400]
    made = Pairing(TABLE, ("bot 0", "bot 5", "bot 10"))

    def more(**changes: object) -> PoolStanding:
        game = played("0", made, [2, 3, 1])
        extra = [
            msgspec.structs.replace(game, **changes, group=f"f{number:015x}", seed=f"{number:032x}")
            for number in range(100)
        ]
        return by_name(standings([*games, *extra], MEMBERS, anchor="medium"))["bot 5"]

    before = by_name(standings(games, MEMBERS, anchor="medium"))["bot 5"]
    assert before.rating is not None
    lost = more(reason="timeout", lost=[1], ranks=[1, 3, 1])
    assert lost.rating is not None
    assert lost.rating < before.rating - 50
    assert lost.games == before.games + 100
    assert more(reason="interrupted").rating == before.rating
    absent = more(absent=[1])
    assert absent.games == before.games


def test_standings_of_a_folder_say_when_each_played_last(tmp_path: Path, games: list[PlayedGame]) -> None:
    entrants = tuple(Entrant(member.name, "pool:x") for member in MEMBERS)
    rows, kept = [], []
    for number, game in enumerate(games[:300]):
        group = SeedGroup(TABLE, game.seed, [game.seating], "pool")
        kept.append(msgspec.structs.replace(game, group=group.id))
        rows.append((number, group, GroupPlayed(group.id, kept[-1:], [], 1.0)))
    plan = TournamentPlan(
        name="Pool",
        clock="60",
        max_faults=3,
        game_limit_s=None,
        anchor="medium",
        output="x",
        base=str(tmp_path),
        format={"kind": "round_robin"},
        settings=(TABLE,),
        entrants=entrants,
    )
    with Store(tmp_path / "pool", create=True) as store:
        store.begin(plan)
        store.add(rows[:200], 1.0)
        store.add(rows[200:], 1.0)
    told = stored_standings(tmp_path / "pool", MEMBERS, window=100, anchor="medium")
    assert [row.rating for row in told] == [row.rating for row in standings(kept[200:], MEMBERS, anchor="medium")]
    assert all(row.last_played is not None for row in told)


def test_fits_take_no_more_than_their_share_of_the_time() -> None:
    refresh = Refresh(share=0.02, every_s=5.0)
    now, busy, fits = 0.0, 0.0, 0
    while now < 10_000:
        if refresh.due(now):
            refresh.started(now)
            assert not refresh.due(now + 1e6), "one at a time"
            cpu_s = 0.01 if now < 1000 else 14.0
            now += cpu_s
            refresh.ended(now, cpu_s)
            busy += cpu_s
            fits += 1
        now += 0.5
    assert busy <= 0.02 * now + 14
    assert fits > 1000 / 6
    waits = []
    for cpu_s in (0.01, 0.01, 0.01, 0.0):
        while not refresh.due(now):
            now += 0.5
        refresh.started(now)
        now, began = now + 2.0, now
        refresh.ended(now, cpu_s, is_failed=True)
        while not refresh.due(now):
            now += 0.5
        waits.append(now - began)
    assert waits == [10.0, 20.0, 40.0, 100.0], "a process that is lost may have worked all the time"
    failed = work_of(b"{}")
    assert (failed.cpu_s > 0, "\n" in str(failed.failure)) == (True, False)


def test_games_of_a_seed_group_are_one_unit() -> None:
    """Three games that tell the same are no more certain than one."""
    pair, chance = Setting("toy", 2), random.Random(3)
    single, grouped = [], []
    for number in range(300):
        ranks = [1, 2] if chance.random() < 0.6 else [2, 1]
        for game in range(3):
            one = played(f"{3 * number + game:016x}", Pairing(pair, ("x", "medium")), ranks)
            single.append(one)
            grouped.append(msgspec.structs.replace(one, seed=f"{number:032x}"))
    members = [Member("x", "x"), Member("medium", "built-in", is_anchor=True)]
    widths = []
    for games in (single, grouped):
        row = by_name(standings(games, members, anchor="medium"))["x"]
        assert row.low is not None
        assert row.high is not None
        assert row.games == 900
        widths.append(row.high - row.low)
    assert 1.5 < widths[1] / widths[0] < 2.0  # the root of 3
