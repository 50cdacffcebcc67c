"""Tests of the tables of a tournament: figures calculated by hand, intervals by seed group, and counted games."""

import msgspec
import pytest

from rails_cli.commands.tournaments.results import between, whole
from rails_cli.games.game import win_share
from rails_cli.games.shared.luck import seeded, shuffle, stream
from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.estimates import Estimate, Sums, normal_part, student_quantile, student_tail
from rails_cli.tournament.rating.standings import (
    Standings,
    Unrated,
    beaten_share,
    make_standings,
    make_table,
    name_of,
    score_share,
    short_table,
)
from tests.support.plackett_luce_games import as_played, tournament

TOY = Setting("toy", 3)


def played(group: str, number: int, seating: str, ranks: list[int], scores: list[int]) -> PlayedGame:
    seats = len(ranks)
    return PlayedGame(
        group,
        number,
        Setting("toy", seats),
        int(group[1:]),
        seating.split(),
        scores,
        ranks,
        "normal",
        [0] * seats,
        False,
        [30] * seats,
        10 * seats,
    )


def games() -> list[PlayedGame]:
    return [
        played("g1", 0, "ant bee cow", [1, 2, 3], [50, 30, 20]),
        played("g1", 1, "bee cow ant", [1, 1, 3], [40, 40, 20]),
        played("g2", 0, "ant bee cow", [1, 3, 2], [60, 0, 40]),
        played("g2", 1, "cow ant bee", [3, 1, 2], [10, 60, 30]),
    ]


# Estimates


@pytest.mark.parametrize(
    ("freedom", "value"), [(1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (9, 2.26216), (30, 2.04227)]
)
def test_student_quantiles(freedom: int, value: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(value, rel=1e-4)
    assert student_quantile(0.025, freedom) == pytest.approx(-value, rel=1e-4)
    assert student_quantile(0.5, freedom) == 0


@pytest.mark.parametrize(("tail", "freedom", "value"), [(0.001, 5, 5.8934), (0.001, 30, 3.3852), (1e-5, 9, 8.1021)])
def test_student_tails(tail: float, freedom: int, value: float) -> None:
    assert student_tail(tail, freedom) == pytest.approx(value, rel=1e-4)


def test_the_normal_distribution_function() -> None:
    assert normal_part(-1.959964) == pytest.approx(0.025)
    assert normal_part(-8) == pytest.approx(6.2210e-16, rel=1e-4)


def test_the_interval_of_a_mean_is_calculated_by_groups() -> None:
    """The interval of a mean is calculated from the means of the seed groups.

    A seed group is a set of games with one seed. Two groups have the means 1 and 3, so the standard error is 1. The
    interval extends 12.7 to both sides. This is the quantile of Student's t distribution with one degree of freedom.
    """
    sums = Sums()
    for group, value in (("a", 0), ("a", 2), ("b", 3), ("b", 3)):
        sums.add(group, value)
    estimate = sums.mean()
    assert estimate.mean == 2
    assert estimate.low == pytest.approx(2 - 12.7062, rel=1e-5)
    assert estimate.high == pytest.approx(2 + 12.7062, rel=1e-5)


def test_one_group_has_a_mean_and_no_interval() -> None:
    sums = Sums()
    sums.add("a", 1)
    sums.add("a", 0)
    assert msgspec.structs.astuple(sums.mean()) == (0.5, None, None)
    assert msgspec.structs.astuple(sums.share()) == (0.5, None, None)


@pytest.mark.parametrize("groups", [2, 5, 40])
def test_identical_groups_still_have_an_interval(groups: int) -> None:
    ranks = Sums()
    for group in range(groups):
        for value in (1, 3, 3):
            ranks.add(str(group), value)
    mean = ranks.mean(least=1, most=3)
    assert mean.low is not None
    assert mean.high is not None
    assert 1 <= mean.low < mean.mean - 0.05
    assert mean.mean + 0.03 < mean.high <= 3
    assert ranks.mean() == Estimate(mean.mean, None, None)
    shares = Sums()
    for group in range(groups):
        for value in (0, 0, 1):
            shares.add(str(group), value)
    share = shares.share()
    assert share.low is not None
    assert share.high is not None
    assert 0 <= share.low < 1 / 3 - 0.1
    assert 1 / 3 + 0.1 < share.high <= 1


def test_intervals_of_shares_stay_within_0_and_1_and_have_a_width() -> None:
    sums = Sums()
    for number in range(20):
        sums.add(f"g{number}", 1)
    estimate = sums.share()
    assert estimate.mean == estimate.high == 1
    assert estimate.low is not None
    assert 0.75 < estimate.low < 0.9


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_intervals_of_shares_cover_as_often_as_stated(share: float) -> None:
    """About 95 % of the intervals of a win share contain the true value, even if the games of a group are dependent.

    A group has four games and one random result. With probability 1/2, a game has the result of its group, otherwise a
    random result of its own. `share` is the probability that a result is a win.
    """
    covered = 0
    for number in range(1000):
        chance = stream(f"share/{number}")
        sums = Sums()
        for group in range(25):
            common = chance() < share
            for _ in range(4):
                sums.add(f"{group}", common if chance() < 0.5 else chance() < share)
        estimate = sums.share()
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low <= share <= estimate.high
    assert 0.93 <= covered / 1000 <= 0.975


# Shares of one game


def test_shares_of_a_game() -> None:
    assert [win_share([1, 1, 3], seat) for seat in range(3)] == [0.5, 0.5, 0]
    assert [beaten_share([1, 1, 3, 4], seat) for seat in range(4)] == pytest.approx([5 / 6, 5 / 6, 1 / 3, 0])
    assert [score_share([30, 10, -5], seat) for seat in range(3)] == [0.75, 0.25, 0]
    assert [score_share([0, 0], seat) for seat in range(2)] == [0.5, 0.5]


def test_settings_have_names() -> None:
    assert name_of(TOY) == "toy/3"
    assert name_of(Setting("toy", 4, {"b": "2", "a": "1"})) == "toy/4/a=1,b=2"
    assert name_of(Setting("toy", 4, {}, "3f2a")) == "toy/4/board=3f2a"


# Tables


def test_a_table_matches_a_calculation_by_hand() -> None:
    table = make_table(games())
    rows = {row.name: row for row in table.standings}
    assert [row.place for row in table.standings] == [1, 2, 3]
    assert table.standings[0].name == "ant"
    ant = rows["ant"]
    assert (ant.games, ant.groups) == (4, 2)
    assert ant.mean_rank.mean == 1.5
    assert ant.win_share.mean == 0.75
    assert ant.beaten.mean == 0.75
    assert ant.mean_score == ant.scores["toy"]
    assert ant.scores["toy"].mean == 47.5
    assert ant.score_share.mean == pytest.approx((0.5 + 0.2 + 0.6 + 0.6) / 4)
    assert rows["bee"].win_share.mean == 0.125
    assert sum(row.win_share.mean for row in table.standings) == 1
    assert ant.ms_per_game.mean == 30
    assert ant.ms_per_action == 3
    assert (table.games, table.groups, table.tainted, table.void) == (4, 2, 0, {})


def test_pairings_match_a_calculation_by_hand() -> None:
    table = make_table(games())
    pairs = {frozenset((pair.first, pair.second)): pair for pair in table.pairings}
    assert len(table.pairings) == 3
    ant_bee = pairs[frozenset(("ant", "bee"))]
    assert (ant_bee.first, ant_bee.games, ant_bee.ahead.mean) == ("ant", 4, 0.75)
    bee_cow = pairs[frozenset(("bee", "cow"))]
    ahead = bee_cow.ahead.mean if bee_cow.first == "bee" else 1 - bee_cow.ahead.mean
    assert ahead == (1 + 0.5 + 0 + 1) / 4


def test_seat_statistics_match_a_calculation_by_hand() -> None:
    first, second, third = make_table(games()).seats
    assert (first.setting, first.seat, first.games) == ("toy/3", 0, 4)
    assert first.win_share.mean == (1 + 0.5 + 1 + 0) / 4
    assert second.mean_rank.mean == (2 + 1 + 3 + 1) / 4
    assert third.score_share.mean == pytest.approx((0.2 + 0.2 + 0.4 + 0.3) / 4)
    assert first.effect is None
    effect = make_table(games(), with_seat_effects=True).seats[0].effect
    assert effect is not None
    assert (effect.table, effect.seat) == ("toy/3", 0)


def test_void_games_are_counted_and_left_out() -> None:
    void = msgspec.structs.replace(games()[0], number=2, reason="interrupted", ranks=[3, 2, 1])
    table = make_table([*games(), void])
    assert table.void == {"interrupted": 1}
    assert msgspec.structs.replace(table, void={}) == make_table(games())


def test_standings_with_and_without_tainted_games() -> None:
    assert make_standings(games()).clean == []
    tainted = msgspec.structs.replace(games()[1], is_tainted=True, faults=[0, 0, 2])
    chosen = [games()[0], tainted, *games()[2:]]
    standings = make_standings(chosen)
    assert standings.tables[0].tainted == 1
    assert standings.tables[0].games == 4
    assert standings.clean[0].games == 3
    ant = standings.tables[0].standings[0]
    assert (ant.faults, ant.faulty_games) == (2, 1)
    all_names, clean = ({row.name for row in table[0].standings} for table in (standings.tables, standings.clean))
    assert clean == all_names - {"ant"}  # otherwise an entrant could choose which of its games count


def test_each_setting_has_a_table_if_there_are_several() -> None:
    pair = played("g3", 0, "ant bee", [2, 1], [10, 20])
    standings = make_standings([*games(), pair])
    assert [table.scope for table in standings.tables] == ["all", "toy/2", "toy/3"]
    assert [table.games for table in standings.tables] == [5, 1, 4]
    assert {seat.setting for seat in standings.tables[0].seats} == {"toy/2", "toy/3"}


def test_economic_profiles_are_averaged() -> None:
    first = msgspec.structs.replace(games()[0], economy=[{"paid": 10, "held": {"red": 2}, "note": "x"}, {}, {}])
    second = msgspec.structs.replace(games()[2], economy=[{"paid": 30}, {}, {}])
    economy = {row.name: row.economy for row in make_table([first, second]).standings}
    assert list(economy["ant"]) == ["held.red", "paid"]
    assert economy["ant"]["paid"].mean == 20
    assert economy["ant"]["held.red"].mean == 2
    assert economy["bee"] == {}


def test_the_anchor_of_a_table_has_rating_0() -> None:
    table = make_table(games(), anchor="bee")
    assert next(row for row in table.standings if row.name == "bee").rating.rating == 0


def test_standings_do_not_depend_on_the_order_of_games() -> None:
    strengths = {"ant": -0.3, "bee": 0.0, "cow": 0.1, "dog": 0.4}
    chosen = as_played(tournament(strengths, 15, 3, stream(1), deltas={2: 0.2}))
    expected = msgspec.json.encode(make_standings(chosen))
    mixed, _ = shuffle(chosen, seeded(2))
    assert msgspec.json.encode(make_standings(mixed)) == expected
    assert msgspec.json.encode(msgspec.json.decode(expected, type=Standings)) == expected


def test_an_entrant_that_no_game_compares_with_others_has_no_rating() -> None:
    """An entrant has no rating if no game compares it with others.

    This happens if all players of a game lose their seats, because then none of them finishes ahead of another.
    """
    lost = msgspec.structs.replace(
        played("g3", 0, "dog ant", [1, 1], [0, 0]), reason="timeout", faults=[2, 1], lost=[0, 1]
    )
    alone = make_standings([lost]).tables[0]
    assert (alone.standings, alone.pairings) == ([], [])
    assert alone.unrated == [Unrated("ant", 1, 1, 1, 0), Unrated("dog", 1, 2, 1, 0)]
    assert [(row.place, row.name, row.rating, row.games) for row in short_table([lost])] == [
        (0, "ant", None, 1),
        (0, "dog", None, 1),
    ]
    table = make_table([*games(), lost])
    assert [row.name for row in table.standings] == ["ant", "bee", "cow"]
    assert table.standings[0].games == 5
    assert table.unrated == [Unrated("dog", 1, 2, 1, 0)]
    assert "no game compares these with others, so they have no rating: dog" in table.notes
    assert [(row.name, row.place) for row in short_table([*games(), lost])][-1] == ("dog", 0)
    assert msgspec.json.decode(msgspec.json.encode(make_standings([lost])), type=Standings) == make_standings([lost])


def test_no_games_give_an_empty_table() -> None:
    assert make_standings([]).tables[0].standings == []


def test_a_rating_that_rounds_to_zero_has_no_sign() -> None:
    assert [whole(rating) for rating in (-0.2, 0.2, -0.6)] == ["0", "0", "-1"]
    assert between(-0.2, 3) == "0 to 3"
