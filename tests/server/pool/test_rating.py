"""Tests of ratings in the pool.

Ratings use only recent games and are relative to a built-in player. The first ratings of an entrant are provisional. An
update of the ratings takes little time.
"""

import asyncio
import random
from pathlib import Path

import msgspec
import pytest

from rails_cli.server.pool.pairing import Pairing, Waiting
from rails_cli.server.pool.rating import FEWEST, PoolStanding, standings, stored_standings
from rails_cli.server.pool.rating_runs import RunSchedule
from rails_cli.server.pool.worker import DECODER, MAIN, RateTask, TaskResult, run_task
from rails_cli.server.workers.thinkers import ThinkingProcess
from rails_cli.tournament.model import Entrant, PlayedGame, SeedGroup, Setting
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.results.group_results import GroupPlayed
from rails_cli.tournament.results.store import Store
from tests.support.pool_simulation import POINTS, SimulatedPool, played

TABLE = Setting("toy", 3)
STRENGTHS = {f"bot {number}": number / 5 - 1 for number in range(11)} | {"easy": -1.0, "medium": 0.0, "hard": 1.0}
ENTRANTS = list(STRENGTHS)
ANCHORS = ["medium", "easy", "hard"]


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    waiting = [Waiting(name, name, 0.0, (TABLE,), None, is_anchor=name in ANCHORS) for name in ENTRANTS]
    pool = SimulatedPool(waiting, STRENGTHS)
    pool.play(1200)
    return pool.played


def by_name(rows: list[PoolStanding]) -> dict[str, PoolStanding]:
    return {row.entrant: row for row in rows}


def test_ratings_relative_to_the_anchor_recover_known_strengths(games: list[PlayedGame]) -> None:
    rows = standings(games, ENTRANTS, anchors=ANCHORS)
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
        inside += row.low - 80 <= POINTS * strength <= row.high + 80  # the rating of the anchor is uncertain, too
    assert inside >= len(STRENGTHS) - 2
    places = [row.place for row in rows if row.place is not None]
    assert places == list(range(1, len(places) + 1))
    assert found["bot 10"].place == 1 or found["bot 9"].place == 1
    assert standings(list(reversed(games)), ENTRANTS, anchors=ANCHORS) == rows, "the order of the games does not matter"


def test_only_games_in_the_window_are_rated(games: list[PlayedGame]) -> None:
    """Ratings depend only on the games in the window, which are the latest games.

    The results of the 600 games before the window are reversed. No rating changes. An entrant without games has no
    rating.
    """
    turned = [
        msgspec.structs.replace(game, ranks=[4 - rank for rank in game.ranks]) if number < 600 else game
        for number, game in enumerate(games)
    ]
    everybody = [*ENTRANTS, "new"]
    rows = standings(turned, everybody, window=len(games) - 600, anchors=ANCHORS)
    assert [row.rating for row in rows[:-1]] == [
        row.rating for row in standings(games[600:], ENTRANTS, anchors=ANCHORS)
    ]
    assert rows[-1] == PoolStanding("new", None, None, None, is_provisional=True)


def test_ratings_are_provisional_until_there_are_enough_games(games: list[PlayedGame]) -> None:
    few = by_name(standings(games[:25], ENTRANTS, anchors=ANCHORS))
    assert all(row.is_provisional and row.place is None for row in few.values() if row.entrant not in ANCHORS)
    many = by_name(standings(games, ENTRANTS, anchors=ANCHORS))
    assert not any(row.is_provisional for row in many.values())
    pair = Setting("toy", 2)
    apart = [played(f"{number:016x}", Pairing(pair, ("x", "y")), [1, 2]) for number in range(4 * FEWEST)]
    found = by_name(standings([*games, *apart], [*ENTRANTS, "x", "y"], anchors=ANCHORS))
    assert found["x"].rating is None
    assert found["x"].is_provisional
    early = standings(apart, ["x", "y", *ENTRANTS], anchors=ANCHORS)
    assert [row.entrant for row in early if row.rating is not None] == ["x", "y"], "the anchor has not played yet"


def test_faults_count_as_in_tournaments(games: list[PlayedGame]) -> None:
    """An entrant that loses its seat ranks last. A seat without an entrant and an interrupted game do not count."""
    games = games[:400]
    made = Pairing(TABLE, ("bot 0", "bot 5", "bot 10"))

    def more(**changes: object) -> PoolStanding:
        game = played("0", made, [2, 3, 1])
        extra = [
            msgspec.structs.replace(game, **changes, group=f"f{number:015x}", seed=f"{number:032x}")
            for number in range(100)
        ]
        return by_name(standings([*games, *extra], ENTRANTS, anchors=ANCHORS))["bot 5"]

    before = by_name(standings(games, ENTRANTS, anchors=ANCHORS))["bot 5"]
    assert before.rating is not None
    lost = more(reason="timeout", lost=[1], ranks=[1, 3, 1])
    assert lost.rating is not None
    assert lost.rating < before.rating - 50
    assert more(reason="interrupted").rating == before.rating
    absent = more(absent=[1])
    assert absent.rating is not None
    assert abs(absent.rating - before.rating) < 50


def test_standings_from_stored_results_use_only_the_window(tmp_path: Path, games: list[PlayedGame]) -> None:
    entrants = tuple(Entrant(name, "pool:x") for name in ENTRANTS)
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
    found, _ = stored_standings(tmp_path / "pool", ENTRANTS, window=100, anchors=ANCHORS)
    assert [row.rating for row in found] == [row.rating for row in standings(kept[200:], ENTRANTS, anchors=ANCHORS)]


def test_rating_fits_use_at_most_their_share_of_cpu_time() -> None:
    schedule = RunSchedule(share=0.02, every_s=5.0)
    now, busy, fits = 0.0, 0.0, 0
    while now < 10_000:
        if schedule.due(now):
            schedule.started(now)
            assert not schedule.due(now + 1e6), "a second fit must not start before the first has ended"
            cpu_s = 0.01 if now < 1000 else 14.0
            now += cpu_s
            schedule.ended(now, cpu_s)
            busy += cpu_s
            fits += 1
        now += 0.5
    assert busy <= 0.02 * now + 14
    assert fits > 1000 / 6
    waits = []
    for cpu_s in (0.01, 0.01, 0.01, 0.0):
        while not schedule.due(now):
            now += 0.5
        schedule.started(now)
        now, began = now + 2.0, now
        schedule.ended(now, cpu_s, is_failed=True)
        while not schedule.due(now):
            now += 0.5
        waits.append(now - began)
    assert waits == [10.0, 20.0, 40.0, 100.0], "a failed fit counts with its whole duration"
    failed = run_task(b"{}")
    assert (failed.cpu_s > 0, "\n" in str(failed.failure)) == (True, False)


def test_the_report_of_a_failed_rating_run_says_what_failed(tmp_path: Path) -> None:
    (tmp_path / "pool").write_text("not a folder")
    reports: list[str] = []

    async def rate() -> TaskResult:
        process = ThinkingProcess(reports.append, MAIN, DECODER)
        result: asyncio.Future[TaskResult] = asyncio.get_running_loop().create_future()
        process.ask(RateTask(str(tmp_path / "pool"), [], []), result.set_result)
        try:
            return await result
        finally:
            await process.close()

    failed = asyncio.run(rate())
    assert failed.failure is not None
    assert reports == [f"computing the ratings of the pool failed: {failed.failure}"]


def test_games_of_one_seed_group_count_as_one_result() -> None:
    """Three equal results give a wider rating interval if the games have the same seed.

    If each game has its own seed, the interval is narrower.
    """
    pair, chance = Setting("toy", 2), random.Random(3)
    single, grouped = [], []
    for number in range(300):
        ranks = [1, 2] if chance.random() < 0.6 else [2, 1]
        for game in range(3):
            one = played(f"{3 * number + game:016x}", Pairing(pair, ("x", "medium")), ranks)
            single.append(one)
            grouped.append(msgspec.structs.replace(one, seed=f"{number:032x}"))
    widths = []
    for games in (single, grouped):
        row = by_name(standings(games, ["x", "medium"], anchors=ANCHORS))["x"]
        assert row.low is not None
        assert row.high is not None
        widths.append(row.high - row.low)
    assert 1.5 < widths[1] / widths[0] < 2.0  # the expected factor is the square root of 3
