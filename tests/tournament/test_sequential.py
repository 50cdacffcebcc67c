"""Stopping rules hold their error rates on simulated tournaments; the planner foresees what they take."""

import math
from collections.abc import Callable, Iterator
from itertools import repeat

import msgspec
import pytest

from rails_cli.core.luck import stream
from rails_cli.tournament.forecast import (
    Pace,
    elo_margin,
    forecast_better,
    forecast_fixed,
    forecast_interval,
    forecast_top,
    spread_of,
)
from rails_cli.tournament.model import Played, SeedGroup, Setting
from rails_cli.tournament.plackett_luce import fit
from rails_cli.tournament.ratings import gap, rate
from rails_cli.tournament.sequential import (
    Better,
    Evidence,
    FixedGames,
    Measure,
    Rule,
    TimeBudget,
    TopSettled,
    boundary,
    completed,
    difference,
    is_look,
    judge,
    least_groups,
    next_look,
    pair_chance,
    weigh,
)
from rails_cli.tournament.standings import beaten_share, rankings_of
from tests.support.plackett_luce_games import as_played, by_group, ranked, tournament

MANY = 300
NOISE = 2.6 * math.sqrt(0.05 * 0.95 / MANY)  # of a rate of 5 %; one simulation in 200 is off by more

XYZ = ["x", "y", "z"]

Chance = Callable[[], float]


def field_differences(edge: float, players: int, games: int, alike: float, chance: Chance) -> Iterator[float]:
    """Group after group how much more than half of its opponents one beats who is so much stronger than the others."""
    values = [edge] + [0.0] * (players - 1)
    while True:
        common = ranked(values, chance)
        ranks = [common if chance() < alike else ranked(values, chance) for _ in range(games)]
        yield sum(beaten_share(own, 0) for own in ranks) / games - 0.5


def run(rule: Better, values: Iterator[float], most: int = 3000) -> Evidence:
    evidence = Evidence()
    for value in values:
        evidence = weigh(rule, evidence, value)
        if evidence.answer or evidence.groups >= most:
            break
    return evidence


def edge_of(by: float) -> float:
    """The strength that makes one come in ahead so much more often than every second time."""
    return math.log((0.5 + by) / (0.5 - by))


# X better than the field


@pytest.mark.parametrize(
    ("players", "games", "alike", "by"),
    [
        pytest.param(2, 2, 0.0, 0.1, id="pairs"),
        pytest.param(4, 4, 0.3, 0.07, id="dependent games of four"),
        pytest.param(3, 6, 0.9, 0.1, id="games nearly copies"),
    ],
)
def test_better_holds_its_error_rates(players: int, games: int, alike: float, by: float) -> None:
    rule = Better("x", by=by)
    for edge, wrong in ((0.0, "better"), (edge_of(by), "not_better")):
        answers: list[str] = [
            run(rule, field_differences(edge, players, games, alike, stream(f"{number}/{edge}"))).answer
            for number in range(MANY)
        ]
        assert "" not in answers
        assert answers.count(wrong) / MANY <= 0.05 + NOISE


def test_better_holds_for_skewed_groups() -> None:
    """Mostly small gains, seldom a great loss: the mean is 0, and a test that trusts the normal law is fooled."""
    rule = Better("x", by=0.05)
    answers = []
    for number in range(MANY):
        chance = stream(f"skewed/{number}")
        answers.append(run(rule, (0.04 if chance() < 0.92 else -0.46 for _ in repeat(None))).answer)
    assert answers.count("better") / MANY <= 0.05 + NOISE


def test_better_finds_more_than_it_was_asked_for_sooner() -> None:
    rule = Better("x", by=0.05)

    def groups(edge: float) -> float:
        runs = [run(rule, field_differences(edge, 3, 3, 0.2, stream(f"{number}"))) for number in range(40)]
        assert all(evidence.answer == "better" for evidence in runs)
        return sum(evidence.groups for evidence in runs) / len(runs)

    assert groups(edge_of(0.2)) < 0.6 * groups(edge_of(0.1))


def test_smaller_error_rates_take_longer() -> None:
    values = [0.1, 0.05, 0.2, -0.05] * 100
    quick = run(Better("x", by=0.1, alpha=0.1), iter(values))
    careful = run(Better("x", by=0.1, alpha=0.001), iter(values))
    assert quick.answer == careful.answer == "better"
    assert quick.groups < careful.groups


def test_no_money_is_staked_that_one_group_could_take() -> None:
    evidence = Evidence()
    for value in [0.0] * 200 + [-0.5, 0.5, -0.5]:
        evidence = weigh(Better("x", by=0.4, alpha=1e-9, beta=1e-300), evidence, value)
    assert math.isfinite(evidence.for_better)
    assert math.isfinite(evidence.for_not_better)


def played(seating: str, ranks: list[int], scores: list[int], number: int = 0, reason: str = "normal") -> Played:
    names = seating.split()
    empty = [0] * len(names)
    return Played("g", number, Setting("toy", len(names)), 1, names, scores, ranks, reason, empty, False, empty, 9)


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
def test_differences_by_hand(measure: Measure, than: str | None, expected: float) -> None:
    group = [
        played("x y z", [1, 2, 3], [50, 30, 20]),
        played("y z x", [1, 2, 2], [60, 20, 20], number=1),
        played("x y z", [1, 2, 3], [9, 0, 0], number=2, reason="timeout"),
    ]
    assert difference(group, Better("x", than=than, measure=measure)) == pytest.approx(expected)


def test_two_versions_are_compared_in_games_of_their_own() -> None:
    group = [played("x z u", [1, 2, 3], [5, 3, 2]), played("y z u", [2, 1, 3], [4, 5, 1], number=1)]
    assert difference(group, Better("x", than="y", measure="beaten")) == 0.5
    assert difference(group, Better("x", than="y", measure="ahead")) is None
    assert difference(group[:1], Better("x", than="y", measure="beaten")) is None


# Verdicts


def toy_groups(strengths: dict[str, float], groups: int, seed: int | str, alike: float = 0.3) -> list[list[Played]]:
    return by_group(as_played(tournament(strengths, groups, len(strengths), stream(seed), alike=alike)))


def test_a_verdict_stands_whatever_is_played_after_it() -> None:
    groups = toy_groups({"x": 1.0, "y": 0.0, "z": 0.0}, 60, 1)
    verdict = judge(Better("x", than="y", by=0.1), groups, XYZ)
    assert (verdict.is_over, verdict.answer) == (True, "better")
    assert verdict.groups < 60
    assert judge(Better("x", than="y", by=0.1), groups[: verdict.groups], XYZ) == verdict
    assert not judge(Better("x", than="y", by=0.1), groups[: verdict.groups - 1], XYZ).is_over
    assert judge(Better("y", than="x", by=0.1), groups, XYZ).answer == "not_better"


def test_only_the_unbroken_run_of_groups_counts() -> None:
    setting = Setting("toy", 2)
    groups = [SeedGroup(setting, seed, [["x", "y"], ["y", "x"]]) for seed in range(4)]
    games = [
        Played(group.id, number, setting, group.seed, seating, [1, 0], [1, 2], "normal", [0, 0], False, [0, 0], 9)
        for group in groups
        for number, seating in enumerate(group.seatings)
    ]
    assert len(completed(groups, games)) == 4
    without = [game for game in games if (game.group, game.number) != (groups[2].id, 1)]
    for chosen in (without, without[::-1]):
        finished = completed(groups, chosen)
        assert [group[0].seed for group in finished] == [0, 1]
        assert [[game.number for game in group] for group in finished] == [[0, 1], [0, 1]]


def test_a_fixed_number_of_games() -> None:
    groups = toy_groups({"x": 0.0, "y": 0.0}, 10, 2)
    assert judge(FixedGames(7), groups[:3], XYZ).is_over is False
    verdict = judge(FixedGames(7), groups, XYZ)
    assert (verdict.is_over, verdict.answer, verdict.groups) == (True, "reached", 4)


def test_a_time_budget() -> None:
    assert judge(TimeBudget(60), [], XYZ, elapsed_s=59.9).is_over is False
    assert judge(TimeBudget(60), [], XYZ, elapsed_s=60.0).is_over is True


def test_rules_are_read_and_checked() -> None:
    rule = msgspec.json.decode(b'{"type": "better", "entrant": "x", "by": 0.03}', type=Rule)
    assert rule == Better("x", by=0.03)
    for line in (b'{"type": "better", "entrant": "x", "by": 0}', b'{"type": "top", "top": 0}', b'{"type": "games"}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(line, type=Rule)


# The order of the top


def test_the_boundary_holds_at_all_times() -> None:
    """Walks of 300 coins, and of 300 normal steps, looked at after every step."""
    for is_normal in (False, True):
        crossed = 0
        for number in range(MANY):
            chance = stream(f"walk/{number}")
            total = squares = 0.0
            for step in range(1, 301):
                if is_normal:
                    value = math.sqrt(-2 * math.log(1 - chance())) * math.cos(2 * math.pi * chance())
                else:
                    value = 1.0 if chance() < 0.5 else -1.0
                total += value
                squares += value * value
                if step < least_groups(0.05):
                    continue
                error = math.sqrt(max(0.0, squares - total * total / step) / (step - 1) / step)
                if abs(total / step) > boundary(step, 0.05) * error:
                    crossed += 1
                    break
        assert crossed / MANY <= 0.05 + NOISE


def test_equals_are_seldom_put_in_an_order() -> None:
    wrong = sum(
        judge(TopSettled(1, alpha=0.1), toy_groups({"x": 0.0, "y": 0.0}, 50, f"equal/{number}"), ["x", "y"]).is_over
        for number in range(100)
    )
    assert wrong <= 17  # 10 and two and a half standard deviations


def test_the_top_is_settled_and_right() -> None:
    texts = []
    for number in range(25):
        groups = toy_groups({"x": 0.7, "y": 0.0, "z": -0.7}, 120, f"top/{number}")
        texts.append(judge(TopSettled(2), groups, XYZ).text)
    assert texts.count("the order is settled: x, y") >= 23
    assert not any("settled: y" in text or "settled: x, z" in text for text in texts)


def test_looks_that_are_known_to_have_failed_may_be_skipped() -> None:
    groups = toy_groups({"x": 1.0, "y": 0.0, "z": -1.0}, 80, 3)
    verdict = judge(TopSettled(2), groups, XYZ)
    assert verdict.is_over
    assert not judge(TopSettled(2), groups[: verdict.groups - 1], XYZ).is_over
    assert judge(TopSettled(2), groups, XYZ, since=verdict.groups - 1) == verdict
    looks = [2]
    while looks[-1] < 1000:
        looks.append(next_look(looks[-1]))
    assert verdict.groups in looks
    assert [number for number in range(1, looks[-1] + 1) if is_look(number)] == looks
    assert len(looks) < 70


def test_one_who_always_wins_needs_some_groups_and_pools_apart_are_never_settled() -> None:
    sure = [[played("x y", [1, 2], [1, 0])] for _ in range(30)]
    groups = [[msgspec.structs.replace(game[0], group=f"g{number}")] for number, game in enumerate(sure)]
    verdict = judge(TopSettled(1), groups, ["x", "y"])
    assert verdict.is_over
    assert least_groups(0.05) <= verdict.groups < 12
    assert not judge(TopSettled(1), groups, ["x", "y", "z"]).is_over
    apart = [
        [msgspec.structs.replace(game[0], group=f"h{number}", seating=["u", "v"])] for number, game in enumerate(sure)
    ]
    assert not judge(TopSettled(3), [*groups, *apart], ["u", "v", "x", "y"]).is_over


def pairings(*results: tuple[str, str]) -> list[list[Played]]:
    """Groups of one game, each with its winner and its loser."""
    return [
        [msgspec.structs.replace(played(f"{one} {other}", [1, 2], [1, 0]), group=f"g{number}")]
        for number, (one, other) in enumerate(results)
    ]


def test_two_who_always_lose_and_never_meet_are_in_no_order() -> None:
    groups = pairings(*[("x", "y"), ("x", "z")] * 40, *[("x", "z")] * 40)
    assert not judge(TopSettled(2), groups, XYZ).is_over
    assert judge(TopSettled(1), groups, XYZ).text == "the order is settled: x"
    assert gap(fit(rankings_of([game for group in groups for game in group])), "y", "z") is None


def test_an_order_rests_on_the_groups_that_connect_the_two() -> None:
    """Both lose to x again and again, which says nothing about y and z; only one game of theirs does."""
    groups = pairings(*[("x", "y"), ("x", "z")] * 40, ("y", "z"))
    assert not judge(TopSettled(2), groups, XYZ).is_over
    fitted = fit(rankings_of([game for group in groups for game in group]))
    ahead, behind = gap(fitted, "y", "z"), gap(fitted, "z", "y")
    assert ahead is not None
    assert behind is not None
    assert (ahead.groups, ahead.is_open) == (1, True)
    assert not behind.is_open
    through = pairings(*[("x", "y"), ("y", "x"), ("y", "z"), ("z", "y")] * 10)
    chained = gap(fit(rankings_of([game for group in through for game in group])), "x", "z")
    assert chained is not None
    assert (chained.groups, chained.is_open) == (20, False)


def test_the_chance_of_error_is_shared_out_over_all_pairs() -> None:
    assert pair_chance(TopSettled(1, alpha=0.06), 4) == pytest.approx(0.01)
    assert pair_chance(TopSettled(1, alpha=0.06), 2) == pytest.approx(0.06)
    more = ("q", "r", "s", "t", "u", "v", "w")
    sure = pairings(*[("x", "y")] * 9, *[("y", other) for other in more for _ in range(9)])
    names = sorted({name for group in sure for name in group[0].seating})
    assert not judge(TopSettled(1), sure, names).is_over
    assert judge(TopSettled(1), sure[:9], ["x", "y"]).is_over


# The planner


@pytest.mark.parametrize(("players", "games", "alike", "by"), [(2, 2, 0.0, 0.1), (4, 6, 0.5, 0.07)])
def test_the_planner_foresees_the_sequential_test(players: int, games: int, alike: float, by: float) -> None:
    rule = Better("x", by=by)
    pilot = field_differences(0.0, players, games, alike, stream("pilot"))
    values = [next(pilot) for _ in range(300)]
    variance = sum(value**2 for value in values) / 300
    plan = forecast_better(variance, rule, Pace(games, 50))
    runs = sorted(
        run(rule, field_differences(edge_of(by), players, games, alike, stream(f"plan/{number}"))).groups
        for number in range(200)
    )
    assert plan.groups == pytest.approx(sum(runs) / 200, rel=0.25)
    assert plan.groups_90 == pytest.approx(runs[180], rel=0.25)
    assert plan.games == plan.groups * games
    assert plan.minutes == pytest.approx(plan.games / 50 / 60)
    assert plan.groups < forecast_fixed(variance, rule, Pace(games, 50)).groups


def test_the_planner_foresees_intervals() -> None:
    strengths = {"ant": -0.5, "bee": -0.2, "cow": 0.2, "dog": 0.5}
    pilot = gap(fit(tournament(strengths, 40, 4, stream(4), alike=0.3, seatings=6)), "dog", "ant")
    assert pilot is not None
    plan = forecast_interval(pilot.error, pilot.groups, 25, Pace(6, 10))
    whole = rate(fit(tournament(strengths, plan.groups, 4, stream(5), alike=0.3, seatings=6)), anchor="ant")
    dog = whole.entrants[0]
    assert dog.low is not None
    assert dog.high is not None
    assert (dog.high - dog.low) / 2 == pytest.approx(25, rel=0.25)


def test_the_planner_foresees_the_top() -> None:
    strengths = {"x": 0.5, "y": 0.0, "z": -0.5}
    games = [game for group in toy_groups(strengths, 400, 6) for game in group]
    rule = TopSettled(2)
    plan = forecast_top(fit(rankings_of(games)), rule, Pace(6, 10))
    assert plan is not None
    runs = sorted(judge(rule, toy_groups(strengths, 300, f"foreseen/{number}"), XYZ).groups for number in range(12))
    assert plan.groups == pytest.approx(sum(runs) / 12, rel=0.4)
    assert plan.groups_90 > plan.groups


def test_a_pilot_tells_its_spread() -> None:
    groups = toy_groups({"x": 0.4, "y": 0.0, "z": 0.0}, 200, 7)
    mean, variance = spread_of(groups, Better("x"))
    assert mean == pytest.approx(1 / (1 + math.exp(-0.4)) - 0.5, abs=0.05)
    assert 0 < variance < 0.25
    with pytest.raises(ValueError, match="at least 2 groups"):
        spread_of(groups[:1], Better("x"))


def test_margins_in_elo() -> None:
    assert elo_margin(0) == 0
    assert elo_margin(400) == pytest.approx(10 / 11 - 0.5)
