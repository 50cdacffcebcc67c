"""Tests of the statistics in schedules, stopping rules and intervals: short forms of the simulations in `make soak`."""

import math
from collections import Counter
from itertools import islice
from statistics import stdev

import pytest

from rails_cli.games.shared.luck import stream
from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.rating.estimates import Sums
from rails_cli.tournament.rating.rating_types import Ranking
from rails_cli.tournament.rating.ratings import rate
from rails_cli.tournament.rating.standings import make_table
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats.challenge import Duel, Gauntlet
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin
from rails_cli.tournament.schedule.formats.swiss import Swiss
from rails_cli.tournament.schedule.sequence import StoppingCheck
from rails_cli.tournament.schedule.stopping_rules import Better
from tests.support import statistics_campaigns as campaigns
from tests.support.plackett_luce_games import Chance, tournament

SIX = ("ant", "bee", "cow", "dog", "elk", "fox")
THREE_GAMES = tuple(Setting(game, 3) for game in ("one", "two", "three"))


# The order in which groups are played


@pytest.mark.parametrize(
    "schedule",
    [
        RoundRobin(entrants=SIX, settings=THREE_GAMES, seed=1, rounds=4),
        Gauntlet(entrants=SIX, settings=THREE_GAMES, seed=1, rounds=4, challengers=("ant", "bee")),
        Duel(entrants=SIX, settings=THREE_GAMES, seed=1, rounds=4, versions=("ant", "bee")),
    ],
    ids=lambda schedule: type(schedule).__name__,
)
def test_settings_alternate_and_each_cycle_has_all_tables(schedule: Format) -> None:
    groups = list(schedule.groups({}))
    cycle = schedule.cycle()
    assert len(groups) == 4 * cycle
    step = 3 * len(schedule.challengers) if isinstance(schedule, Gauntlet) else 3
    for start in range(0, len(groups), step):
        games = Counter(group.setting.game for group in groups[start : start + step])
        assert set(games.values()) == {step // 3}, "every setting is played before any is repeated"
    rounds = [groups[start : start + cycle] for start in range(0, len(groups), cycle)]
    tables = [Counter((group.setting.game, frozenset(group.seatings[0])) for group in made) for made in rounds]
    assert all(one == tables[0] for one in tables)
    assert len({tuple(frozenset(group.seatings[0]) for group in made) for made in rounds}) == 4, (
        "each round has its own order"
    )


def test_the_seed_determines_the_order_of_groups() -> None:
    def order(seed: int) -> list[frozenset[str]]:
        groups = RoundRobin(entrants=SIX, settings=THREE_GAMES[:1], seed=seed).groups({})
        return [frozenset(group.seatings[0]) for group in groups]

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert sorted(map(sorted, order(1))) == sorted(map(sorted, order(2)))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_rotations_use_every_circular_order_equally_often(players: int) -> None:
    orders = {3: 2, 4: 6, 5: 4}[players]
    schedule = RoundRobin(
        entrants=SIX, settings=(Setting("toy", players),), seed=1, rounds=orders, seatings="rotations"
    )
    found = campaigns.circular_orders(schedule, 10_000)
    assert all(len(counts) == orders and set(counts.values()) == {1} for counts in found.values())


def test_rotations_vary_in_formats_with_unplanned_tables() -> None:
    schedule = Swiss(entrants=SIX[:4], settings=(Setting("toy", 4),), seed=1, rounds=15, seatings="rotations")
    (counts,) = campaigns.circular_orders(schedule, 60).values()
    assert len(counts) >= 5


# Stopping rules


def test_stopping_rules_are_checked_after_whole_cycles() -> None:
    """A stopping rule can end a tournament only after a whole cycle, in which every table has played every setting.

    Even an entrant that wins almost all its games is not called better before the end of the first cycle.
    """
    schedule = RoundRobin(entrants=SIX, settings=THREE_GAMES, seed=1, rounds=1000, seatings="rotations")
    strengths = {name: 9.0 if name == "ant" else 0.0 for name in SIX}
    verdict = campaigns.stopped(
        schedule, Better("ant", by=0.2), campaigns.by_strength(strengths), stream("sure"), 10 * schedule.cycle()
    )
    assert (verdict.answer, verdict.groups) == ("better", schedule.cycle())


def test_a_seed_shared_by_challengers_counts_once() -> None:
    """Games with the same seed count as one result, even if eight challengers play them.

    All eight challengers lose all games of the three seeds. The stopping rule and the table count three seeds.
    """
    names = tuple(f"c{number}" for number in range(8))
    schedule = Gauntlet(entrants=(*names, "field"), settings=(Setting("toy", 2),), seed=1, rounds=3, challengers=names)

    def field_wins(group: SeedGroup, chance: Chance) -> list[list[int]]:
        return [[1, 2] if seating[0] == "field" else [2, 1] for seating in group.seatings]

    finished: list[list[PlayedGame]] = [
        campaigns.played(group, field_wins, stream("field")) for group in schedule.groups({})
    ]
    watch = StoppingCheck([Better("field", by=0.2)], schedule.entrants, schedule.cycle())
    watch.update(finished)
    assert watch.evidence[0].seeds == 3
    table = make_table(game for group in finished for game in group)
    assert table.groups == 3
    assert {row.groups for row in table.standings} == {3}


@pytest.mark.parametrize(
    ("campaign", "runs"),
    [
        (campaigns.several_games_campaign, 5),
        (campaigns.average_entrant_campaign, 5),
        (campaigns.skewed_top_campaign, 5),
        (campaigns.top_campaign, 5),
        (campaigns.equals_campaign, 5),
        (campaigns.copies_campaign, 15),
        (campaigns.gauntlet_campaign, 5),
        (campaigns.mixed_tables_campaign, 100),
        (campaigns.forecast_campaign, 8),
    ],
    ids=lambda one: one.__name__.removesuffix("_campaign") if callable(one) else "",
)
def test_error_rates_and_coverage_hold_in_simulations(campaign: campaigns.Campaign, runs: int) -> None:
    campaign(runs)


@pytest.mark.parametrize("groups", [1, 2, 3, 5])
def test_an_anchor_with_few_groups_widens_the_other_intervals(groups: int) -> None:
    campaigns.anchor_campaign(12, groups)


@pytest.mark.parametrize("groups", [5, 20])
def test_intervals_of_means_of_skewed_scores_cover_as_stated(groups: int) -> None:
    campaigns.mean_campaign(250, groups)


# Intervals


def test_an_interval_is_longer_on_the_side_of_the_long_tail() -> None:
    sums = Sums()
    for number, value in enumerate([1, 1, 2, 2, 3, 12]):
        sums.add(f"{number}", value)
    estimate = sums.mean(least=0, most=12)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.high - estimate.mean > 1.5 * (estimate.mean - estimate.low)
    assert (estimate.low, estimate.high) == (0, 12)


def test_an_outlier_at_most_doubles_one_side_of_an_interval() -> None:
    values = [*range(140, 156), 60]
    sums = Sums()
    for number, value in enumerate(values):
        sums.add(f"{number}", value)
    estimate = sums.mean()
    assert estimate.low is not None
    assert estimate.high is not None
    half = 2.1199 * stdev(values) / math.sqrt(len(values))  # Student's t, 16 degrees of freedom
    assert estimate.mean - estimate.low == pytest.approx(2 * half, rel=1e-4)
    assert estimate.high - estimate.mean == pytest.approx(half, rel=1e-4)


def test_one_large_group_among_small_ones_widens_the_interval() -> None:
    def width(sizes: list[int]) -> float:
        sums = Sums()
        for group, size in enumerate(sizes):
            for number in range(size):
                sums.add(f"{group}", (number + group) % 2)
        estimate = sums.share()
        assert estimate.low is not None
        assert estimate.high is not None
        return estimate.high - estimate.low

    assert width([31, 1, 1, 1, 1]) > 2 * width([7, 7, 7, 7, 7])


def test_an_entrant_with_one_group_may_have_any_place() -> None:
    strengths = {"ant": -1.5, "bee": -0.5, "cow": 0.5, "dog": 1.5}
    games = tournament(strengths, 40, 4, stream("places"))
    games += [Ranking("once", ("eel", "ant", "bee"), (1, 2, 3), "toy/3")]
    rated = {one.name: one for one in rate(games).entrants}
    assert (rated["eel"].best_place, rated["eel"].worst_place) == (1, 5)
    assert (rated["eel"].low, rated["eel"].high) == (None, None)
    assert (rated["dog"].best_place, rated["dog"].worst_place) == (1, 2), "the new entrant may be ahead of it"
    assert (rated["ant"].best_place, rated["ant"].worst_place) == (4, 5)


def test_a_pilot_plays_all_settings_equally_often() -> None:
    schedule = RoundRobin(entrants=SIX, settings=THREE_GAMES, seed=1, rounds=1)
    assert set(Counter(group.setting.game for group in islice(schedule.groups({}), 21)).values()) == {7}
