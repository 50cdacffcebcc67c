"""Tests of stopping rules: their error rates on simulated tournaments, and forecasts of when they stop."""

import math

import msgspec
import pytest

from rails_cli.games.shared.luck import stream
from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.ratings import rate
from rails_cli.tournament.schedule.forecast import (
    Pace,
    forecast_alike,
    forecast_better,
    forecast_fixed,
    forecast_interval,
    forecast_top,
    spread_of,
)
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin
from rails_cli.tournament.schedule.sequence import GroupSequence, StoppingCheck
from rails_cli.tournament.schedule.stopping_rules import (
    Better,
    Evidence,
    FixedGames,
    Measure,
    Rule,
    TopSettled,
    Verdict,
    differences,
    money_needed,
    pair_differences,
    weigh,
)
from tests.support import statistics_campaigns as campaigns
from tests.support.plackett_luce_games import as_played, by_group, tournament
from tests.support.statistics_campaigns import edge_of, field_differences, run

XYZ = ["x", "y", "z"]


# The rule `Better`: one entrant against the field or another


@pytest.mark.parametrize("kind", campaigns.ERROR_RATES)
def test_better_keeps_its_error_rates(kind: str) -> None:
    campaigns.error_rates_campaign(25, *campaigns.ERROR_RATES[kind])


def test_better_finds_clear_differences_in_few_groups_and_small_ones_no_later() -> None:
    campaigns.speed_campaign(25)


def test_better_keeps_its_error_rates_for_skewed_results() -> None:
    campaigns.skewed_better_campaign(75)


def test_better_needs_fewer_groups_for_a_larger_difference() -> None:
    rule = Better("x", by=0.05)

    def groups(edge: float) -> float:
        runs = [run(rule, field_differences(edge, 3, 3, 0.2, stream(f"{number}"))) for number in range(40)]
        assert all(evidence.answer == "better" for evidence in runs)
        return sum(evidence.seeds for evidence in runs) / len(runs)

    assert groups(edge_of(0.2)) < 0.6 * groups(edge_of(0.1))


def test_smaller_error_rates_need_more_groups() -> None:
    values = [0.1, 0.05, 0.2, -0.05] * 100
    quick = run(Better("x", by=0.1, alpha=0.1), iter(values))
    careful = run(Better("x", by=0.1, alpha=0.001), iter(values))
    assert quick.answer == careful.answer == "better"
    assert quick.seeds < careful.seeds


def test_a_single_group_cannot_make_the_evidence_infinite() -> None:
    evidence = Evidence()
    for value in [0.0] * 200 + [-0.5, 0.5, -0.5]:
        evidence = weigh(Better("x", by=0.4, alpha=1e-9, beta=1e-300), evidence, [value])
    assert math.isfinite(evidence.for_better)
    assert math.isfinite(evidence.for_not_better)


def played(
    seating: str, ranks: list[int], scores: list[int], number: int = 0, reason: str = "normal", seed: int = 1
) -> PlayedGame:
    names = seating.split()
    empty = [0] * len(names)
    return PlayedGame(
        "g", number, Setting("toy", len(names)), seed, names, scores, ranks, reason, empty, False, empty, 9
    )


@pytest.mark.parametrize(
    ("measure", "than", "expected"),
    [
        ("ahead", "y", (1 + 0) / 2 - 0.5),
        ("ahead", None, (1 + 1 + 0 + 0.5) / 4 - 0.5),
        ("beaten", "y", (1 + 0.25) / 2 - (0.5 + 1) / 2),
        ("wins", "y", 1 / 2 - 1 / 2),
        ("wins", None, 1 / 2 - 1 / 4),
        ("score", "y", (0.5 + 0.2) / 2 - (0.3 + 0.6) / 2),
    ],
)
def test_differences_match_a_calculation_by_hand(measure: Measure, than: str | None, expected: float) -> None:
    group = [
        played("x y z", [1, 2, 3], [50, 30, 20]),
        played("y z x", [1, 2, 2], [60, 20, 20], number=1),
        played("x y z", [1, 2, 3], [9, 0, 0], number=2, reason="interrupted"),
    ]
    assert differences(group, Better("x", than=than, measure=measure)) == [pytest.approx(expected)]


def test_two_versions_are_compared_in_their_separate_games() -> None:
    group = [played("x z u", [1, 2, 3], [5, 3, 2]), played("y z u", [2, 1, 3], [4, 5, 1], number=1)]
    assert differences(group, Better("x", than="y", measure="beaten")) == [0.5]
    assert differences(group, Better("x", than="y", measure="ahead")) == []
    assert differences(group[:1], Better("x", than="y", measure="beaten")) == []


# Verdicts


def toy_groups(strengths: dict[str, float], groups: int, seed: int | str, alike: float = 0.3) -> list[list[PlayedGame]]:
    return by_group(as_played(tournament(strengths, groups, len(strengths), stream(seed), alike=alike)))


def judge(rule: Rule, groups: list[list[PlayedGame]], entrants: list[str]) -> Verdict:
    watch = StoppingCheck([rule], entrants, 1)
    watch.update(groups)
    return watch.verdict or Verdict(False, "", len(groups), "open")


def test_later_games_do_not_change_a_verdict() -> None:
    groups = toy_groups({"x": 1.0, "y": 0.0, "z": 0.0}, 60, 1)
    verdict = judge(Better("x", than="y", by=0.1), groups, XYZ)
    assert (verdict.is_over, verdict.answer) == (True, "better")
    assert verdict.groups < 60
    assert judge(Better("x", than="y", by=0.1), groups[: verdict.groups], XYZ) == verdict
    assert not judge(Better("x", than="y", by=0.1), groups[: verdict.groups - 1], XYZ).is_over
    assert judge(Better("y", than="x", by=0.1), groups, XYZ).answer == "not_better"


def test_only_groups_without_a_gap_before_them_count() -> None:
    schedule = RoundRobin(entrants=("x", "y"), settings=(Setting("toy", 2),), seed=0, rounds=4)
    for done in ([0, 1, 3], [3, 1, 0]):
        order = GroupSequence(schedule)
        groups = [order.take() for _ in range(4)]
        games = [[played("x y", [1, 2], [1, 0])] for _ in groups]
        for number in done:
            given = groups[number]
            assert given is not None
            order.finish(given.id, games[number])
        assert order.finished == games[:2]


def test_the_rule_for_a_fixed_number_of_games_ends_at_that_number() -> None:
    groups = toy_groups({"x": 0.0, "y": 0.0}, 10, 2)
    assert judge(FixedGames(7), groups[:3], XYZ).is_over is False
    verdict = judge(FixedGames(7), groups, XYZ)
    assert (verdict.is_over, verdict.answer, verdict.groups) == (True, "reached", 4)


def test_rules_are_decoded_and_validated() -> None:
    rule = msgspec.json.decode(b'{"type": "better", "entrant": "x", "by": 0.03}', type=Rule)
    assert rule == Better("x", by=0.03)
    for line in (b'{"type": "better", "entrant": "x", "by": 0}', b'{"type": "top", "top": 0}', b'{"type": "games"}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(line, type=Rule)


# The order of the top


def test_equal_entrants_are_rarely_put_in_an_order() -> None:
    wrong = sum(
        judge(TopSettled(1, alpha=0.1), toy_groups({"x": 0.0, "y": 0.0}, 50, f"equal/{number}"), ["x", "y"]).is_over
        for number in range(50)
    )
    assert wrong <= 10  # the expected 5, plus two and a half standard deviations


def test_the_settled_order_of_the_top_is_right() -> None:
    texts = []
    for number in range(15):
        groups = toy_groups({"x": 0.7, "y": 0.0, "z": -0.7}, 120, f"top/{number}")
        texts.append(judge(TopSettled(2), groups, XYZ).text)
    assert texts.count("the order is settled: x, y") >= 14
    assert not any("settled: y" in text or "settled: x, z" in text for text in texts)


def test_an_unbeaten_entrant_needs_several_groups_and_separate_pools_are_not_ordered() -> None:
    sure = [[played("x y", [1, 2], [1, 0])] for _ in range(30)]
    groups = [[msgspec.structs.replace(game[0], group=f"g{number}", seed=number)] for number, game in enumerate(sure)]
    verdict = judge(TopSettled(1), groups, ["x", "y"])
    assert verdict.is_over
    assert 6 <= verdict.groups < 12  # a fair coin shows the same side 6 times in a row once in 32 attempts
    assert not judge(TopSettled(1), groups, ["x", "y", "z"]).is_over
    apart = [
        [msgspec.structs.replace(game[0], group=f"h{number}", seed=100 + number, seating=["u", "v"])]
        for number, game in enumerate(sure)
    ]
    assert not judge(TopSettled(3), [*groups, *apart], ["u", "v", "x", "y"]).is_over


def pairings(*results: tuple[str, str]) -> list[list[PlayedGame]]:
    """Return one game for each pair of winner and loser in `results`. Each game is in a list of its own."""
    return [
        [msgspec.structs.replace(played(f"{one} {other}", [1, 2], [1, 0]), group=f"g{number}", seed=number)]
        for number, (one, other) in enumerate(results)
    ]


def test_two_entrants_that_always_lose_and_never_meet_are_not_ordered() -> None:
    groups = pairings(*[("x", "y"), ("x", "z")] * 40, *[("x", "z")] * 40)
    assert not judge(TopSettled(2), groups, XYZ).is_over
    assert judge(TopSettled(1), groups, XYZ).text == "the order is settled: x"


def test_an_order_depends_only_on_groups_that_connect_the_entrants() -> None:
    """Two entrants are ordered only by games that connect them, directly or through others.

    - y and z both lose to x 40 times. This does not compare y with z, and one game between them is not enough.
    - x beats y, and y beats z, in 12 games each. Then the order is settled.
    """
    groups = pairings(*[("x", "y"), ("x", "z")] * 40, ("y", "z"))
    assert not judge(TopSettled(2), groups, XYZ).is_over
    through = pairings(*[("x", "y"), ("y", "z")] * 12)
    assert judge(TopSettled(2), through, XYZ).text == "the order is settled: x, y"


def test_a_suspended_entrant_is_not_ordered_and_loses_no_unplayed_games() -> None:
    game = played("x y z", [1, 2, 3], [2, 1, 0])
    groups = [[msgspec.structs.replace(game, group=f"g{number}", seed=number, absent=[2])] for number in range(30)]
    assert [(one, other) for one, other, _ in pair_differences(groups[0])] == [("x", "y")]
    assert judge(TopSettled(3), groups, XYZ).text == "the order is settled: x, y"


def test_the_error_rate_is_divided_among_all_pairs() -> None:
    assert money_needed(TopSettled(1, alpha=0.06), 4) == pytest.approx(math.log(12 / 0.06))
    assert money_needed(TopSettled(1, alpha=0.06), 2) == pytest.approx(math.log(2 / 0.06))
    more = ("q", "r", "s", "t", "u", "v", "w")
    sure = pairings(*[("x", "y")] * 9, *[("y", other) for other in more for _ in range(9)])
    names = sorted({name for group in sure for name in group[0].seating})
    assert not judge(TopSettled(1), sure, names).is_over
    assert judge(TopSettled(1), sure[:9], ["x", "y"]).is_over


# Forecasts


@pytest.mark.parametrize(("players", "games", "alike", "by"), [(2, 2, 0.0, 0.1), (4, 6, 0.5, 0.07)])
def test_the_forecast_of_better_matches_simulated_runs(players: int, games: int, alike: float, by: float) -> None:
    rule = Better("x", by=by)
    pilot = field_differences(0.0, players, games, alike, stream("pilot"))
    values = [next(pilot) for _ in range(300)]
    variance = sum(value**2 for value in values) / 300
    plan = forecast_better(variance, rule, Pace(games, 50))
    runs = sorted(
        run(rule, field_differences(edge_of(by), players, games, alike, stream(f"plan/{number}"))).seeds
        for number in range(50)
    )
    assert plan.groups == pytest.approx(sum(runs) / 50, rel=0.3)
    assert plan.groups_90 == pytest.approx(runs[45], rel=0.3)
    assert plan.games == plan.groups * games
    assert plan.minutes == pytest.approx(plan.games / 50 / 60)
    assert plan.groups < forecast_fixed(variance, rule, Pace(games, 50)).groups


def test_the_forecast_for_a_clear_difference_matches_simulated_runs() -> None:
    strengths = {"x": 1.5, "y": 0.0, "z": -0.5}
    rule = Better("x", "y")
    pilot = [game for group in toy_groups(strengths, 20, "pilot") for game in group]
    _, variance, seeds = spread_of(pilot, rule)
    pace = Pace(len(pilot) / seeds, 10)
    small = forecast_better(variance, rule, pace)
    clear = forecast_alike(pilot, rule, pace, small.groups)
    assert clear is not None
    runs = [judge(rule, toy_groups(strengths, 100, f"clear/{number}"), XYZ).groups for number in range(8)]
    assert clear.groups == pytest.approx(sum(runs) / 8, rel=0.4)
    assert 2 * clear.groups < small.groups
    equals = [game for group in toy_groups(dict.fromkeys(XYZ, 0.0), 20, "pilot") for game in group]
    assert forecast_alike(equals, rule, pace, 5) is None


def test_the_forecast_of_interval_widths_matches_simulated_ratings() -> None:
    strengths = {"ant": -0.5, "bee": -0.2, "cow": 0.2, "dog": 0.5}
    pilot = rate(tournament(strengths, 40, 4, stream(4), alike=0.3, seatings=6), anchor="ant").entrants[0]
    assert pilot.low is not None
    error = (pilot.rating - pilot.low) / 2.023  # Student's t, 39 degrees of freedom
    plan = forecast_interval(error, 40, 25, Pace(6, 10))
    whole = rate(tournament(strengths, plan.groups, 4, stream(5), alike=0.3, seatings=6), anchor="ant")
    dog = whole.entrants[0]
    assert dog.low is not None
    assert dog.high is not None
    assert (dog.high - dog.low) / 2 == pytest.approx(25, rel=0.25)


def test_the_forecast_of_the_settled_top_matches_simulated_runs() -> None:
    strengths = {"x": 0.5, "y": 0.0, "z": -0.5}
    games = [game for group in toy_groups(strengths, 400, 6) for game in group]
    rule = TopSettled(2)
    plan = forecast_top(games, rule, Pace(6, 10))
    assert plan is not None
    assert plan.groups_90 is not None
    runs = sorted(judge(rule, toy_groups(strengths, 200, f"foreseen/{number}"), XYZ).groups for number in range(6))
    assert plan.groups == pytest.approx(sum(runs) / 6, rel=0.4)
    assert plan.groups_90 > plan.groups


def test_the_spread_of_a_pilot_is_estimated() -> None:
    games = [game for group in toy_groups({"x": 0.4, "y": 0.0, "z": 0.0}, 200, 7) for game in group]
    mean, variance, seeds = spread_of(games, Better("x"))
    assert seeds == 200
    assert mean == pytest.approx(1 / (1 + math.exp(-0.4)) - 0.5, abs=0.05)
    assert 0 < variance < 0.25
    with pytest.raises(ValueError, match="at least 2 seeds"):
        spread_of(games[:1], Better("x"))
