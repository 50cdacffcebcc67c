"""Tests of ratings on simulated games with known strengths: accuracy, coverage of intervals, and invariance."""

import math
import os
import subprocess
import sys
from collections.abc import Iterable
from itertools import permutations, product
from typing import Any

import msgspec
import numpy as np
import pytest

from rails_cli.games.shared.luck import seeded, shuffle, stream
from rails_cli.tournament.rating.plackett_luce import Model, fit
from rails_cli.tournament.rating.rating_types import ELO, Ranking
from rails_cli.tournament.rating.ratings import order_by_strength, rate
from tests.support import statistics_campaigns as campaigns
from tests.support.plackett_luce_games import tournament
from tests.support.statistics_campaigns import FOUR, LEAST_COVERED, MOST_COVERED, ratings_covered
from tests.support.tools import ROOT

COVERS = (LEAST_COVERED, MOST_COVERED)
ZERO = "0 is the mean of "

EIGHT = {f"bot{number}": 0.3 * (number - 3.5) for number in range(8)}


def game(group: str, *entrants: str, ranks: tuple[int, ...] | None = None) -> Ranking:
    """Return a game of `entrants`, which finish in this order unless `ranks` is given."""
    return Ranking(group, entrants, ranks or tuple(range(1, len(entrants) + 1)))


def centred(strengths: dict[str, float]) -> dict[str, float]:
    mean = sum(strengths.values()) / len(strengths)
    return {name: ELO * (strength - mean) for name, strength in strengths.items()}


def ahead(games: Iterable[Ranking], first: str, second: str) -> float:
    """Return the rating of `first` minus the rating of `second`, in points, after rating `games`."""
    return {entrant.name: entrant.rating for entrant in rate(games, second, resamples=2).entrants}[first]


# The model


def likelihood(model: Model, strengths: list[float], ranking: Ranking) -> float:
    """Return the probability of `ranking`, computed directly from the formula of the model.

    `strengths` holds the strengths in the order of the names of the model, followed by the logarithms of the weights of
    ties.
    """
    names = dict(zip(model.names, strengths, strict=False))
    deltas = {size: strengths[len(model.names) + tie] for tie, size in enumerate(model.tie_sizes)}
    value = 1.0
    left = list(zip(ranking.ranks, ranking.entrants, strict=True))
    while len(left) > 1:
        weights = 0.0
        for bits in product((0, 1), repeat=len(left)):
            members = [names[name] for (_, name), bit in zip(left, bits, strict=True) if bit]
            if len(members) == 1 or len(members) in deltas:
                weights += math.exp(sum(members) / len(members) + deltas.get(len(members), 0.0))
        chosen = [names[name] for rank, name in left if rank == min(left)[0]]
        value *= math.exp(sum(chosen) / len(chosen) + deltas.get(len(chosen), 0.0)) / weights
        left = [one for one in left if one[0] > min(left)[0]]
    return value


def prior(strengths: list[float]) -> float:
    return -sum(value**2 for value in strengths) / 18


def test_the_model_is_davidson_luce() -> None:
    games = tournament(FOUR, 6, 4, stream(3), seatings=4, deltas={2: 0.4, 3: 0.1})
    model = Model(games, with_seats=False)
    assert model.tie_sizes == [2, 3]
    strengths = [0.3, -0.2, 0.5, 0.1, -1.0, -2.0]
    expected = sum(math.log(likelihood(model, strengths, ranking)) for ranking in games) + prior(strengths)
    assert model.evaluate(np.array(strengths))[0] == pytest.approx(expected, abs=1e-9)


def test_chances_of_all_rankings_add_up_to_one() -> None:
    names = ("ant", "bee", "cow")
    every = [
        Ranking("g", names, ranks)
        for ranks in product((1, 2, 3), repeat=3)
        if all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    ]
    assert len(every) == 13
    model = Model(every, with_seats=False)
    strengths = [0.7, -0.4, 0.1, -0.8, -1.5]
    assert sum(likelihood(model, strengths, ranking) for ranking in every) == pytest.approx(1)


def test_gradient_and_hessian_are_derivatives() -> None:
    model = Model(tournament(FOUR, 5, 3, stream(4), deltas={2: 0.3, 3: 0.2}), with_seats=True)
    chance = stream(5)
    point = np.array([chance() - 0.5 for _ in range(model.size)])
    _, gradient, hessian = model.evaluate(point)
    for parameter in range(model.size):
        up, down = point.copy(), point.copy()
        up[parameter] += 1e-5
        down[parameter] -= 1e-5
        above, below = model.evaluate(up), model.evaluate(down)
        assert gradient[parameter] == pytest.approx((above[0] - below[0]) / 2e-5, abs=1e-4)
        for other in range(parameter + 1):
            change = (above[1][other] - below[1][other]) / 2e-5
            assert hessian[parameter][other] == pytest.approx(-change, abs=1e-4)


def test_scores_of_the_blocks_add_up_to_the_gradient() -> None:
    games = tournament(FOUR, 9, 3, stream(6), deltas={2: 0.3})
    fitted = fit(games)
    total = fitted.model.scores(np.array(fitted.strengths)).sum(axis=0)
    for parameter, strength in enumerate(fitted.strengths):
        assert total[parameter] == pytest.approx(strength / 9, abs=1e-8)


def test_the_fit_equals_an_independent_fit() -> None:
    """`fit` finds the same strengths as a simpler algorithm in this test.

    The simpler algorithm repeatedly changes one strength to its best value, until no strength changes any more.
    """
    games = tournament(FOUR, 6, 4, stream(7), seatings=3) + tournament(FOUR, 5, 3, stream(8), seatings=2)
    strengths = dict.fromkeys(sorted(FOUR), 0.0)
    choices = []
    for ranking in games:
        order = [name for _, name in sorted(zip(ranking.ranks, ranking.entrants, strict=True))]
        choices += [order[place:] for place in range(len(order) - 1)]
    moved = 1.0
    while moved > 1e-10:
        moved = 0.0
        for name in strengths:
            slope, bend = -strengths[name] / 9, 1 / 9
            for left in choices:
                if name in left:
                    share = math.exp(strengths[name]) / sum(math.exp(strengths[other]) for other in left)
                    slope += (name == left[0]) - share
                    bend += share * (1 - share)
            strengths[name] += slope / bend
            moved = max(moved, abs(slope / bend))
    fitted = fit(games)
    for name, strength in zip(fitted.names, fitted.strengths, strict=True):
        assert ELO * strength == pytest.approx(ELO * strengths[name], abs=5e-6)


def test_the_rating_of_two_entrants_matches_a_calculation_by_hand() -> None:
    """The ratings of two entrants are those of a calculation by hand.

    The first entrant wins 70 of 100 games. Its strength x solves the equation 70 = 100 / (1 + exp(-2x)) + x / 9. The
    term x / 9 comes from the prior, which is a normal distribution of strengths with standard deviation 3.
    """
    games = [game(f"g{number}", *(("ant", "bee") if number < 70 else ("bee", "ant"))) for number in range(100)]
    low, high = 0.0, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        excess = 70 - 100 / (1 + math.exp(-2 * middle)) - middle / 9
        low, high = (middle, high) if excess > 0 else (low, middle)
    ratings = rate(games)
    assert [entrant.name for entrant in ratings.entrants] == ["ant", "bee"]
    assert ratings.entrants[0].rating == pytest.approx(ELO * low)
    assert ratings.entrants[1].rating == pytest.approx(-ELO * low)
    assert ratings.entrants[0].rating == pytest.approx(ELO * math.log(7 / 3) / 2, rel=0.02)
    first = ratings.entrants[0]
    assert first.low is not None
    assert first.high is not None
    wald = 1.96 * ELO / math.sqrt(100 * 0.21) / 2
    assert (first.high - first.low) / 2 == pytest.approx(wald, rel=0.08)


# Recovery of known values


def test_strengths_and_their_order_are_recovered() -> None:
    ratings = rate(tournament(EIGHT, 150, 4, stream(1), alike=0.3))
    truth = centred(EIGHT)
    assert [entrant.name for entrant in ratings.entrants] == sorted(EIGHT, reverse=True)
    for entrant in ratings.entrants:
        assert entrant.rating == pytest.approx(truth[entrant.name], abs=40)
        assert entrant.low is not None
        assert entrant.high is not None
        assert entrant.high - entrant.low < 60
        assert entrant.best_place <= 8 - int(entrant.name[-1]) <= entrant.worst_place
    assert ratings.games == 150 * 24
    assert ratings.groups == 150


def test_games_of_all_sizes_are_rated_together() -> None:
    chance = stream(2)
    games = []
    for players in range(2, 7):
        for ranking in tournament(EIGHT, 40, players, chance, seatings=6):
            games.append(msgspec.structs.replace(ranking, group=f"{players}/{ranking.group}"))
    assert [entrant.name for entrant in rate(games).entrants] == sorted(EIGHT, reverse=True)


def test_tie_parameters_are_recovered_and_do_not_bias_strengths() -> None:
    deltas = {2: 0.3, 3: 0.1}
    ratings = rate(tournament(FOUR, 150, 4, stream(7), seatings=12, deltas=deltas))
    assert ratings.ties == pytest.approx(deltas, rel=0.25)
    truth = centred(FOUR)
    for entrant in ratings.entrants:
        assert entrant.rating == pytest.approx(truth[entrant.name], abs=25)


def test_entrants_that_always_tie_have_equal_ratings() -> None:
    games = [game(f"g{number}", "ant", "bee", "cow", ranks=(1, 1, 1)) for number in range(20)]
    ratings = rate(games)
    assert [entrant.rating for entrant in ratings.entrants] == pytest.approx([0, 0, 0], abs=1e-9)
    assert ratings.ties[3] > 5


def test_ties_reduce_the_rating_difference() -> None:
    games = [game(f"g{number}", "ant", "bee") for number in range(8)]
    games += [game("g8", "bee", "ant"), game("g9", "bee", "ant")]
    with_ties = [*games, *(game(f"t{number}", "ant", "bee", ranks=(1, 1)) for number in range(20))]
    assert 0 < ahead(with_ties, "ant", "bee") < ahead(games, "ant", "bee")


def test_seat_effects_are_recovered() -> None:
    seats = [0.4, 0.1, -0.1, -0.4]
    games = tournament(FOUR, 60, 4, stream(8), seats=seats)
    ratings = rate(games, with_seats=True)
    assert [(effect.table, effect.seat) for effect in ratings.seats] == [("toy/4", seat) for seat in range(4)]
    for effect, truth in zip(ratings.seats, seats, strict=True):
        assert effect.effect == pytest.approx(ELO * truth, abs=25)
        assert effect.low is not None
        assert effect.high is not None
        assert effect.low < effect.effect < effect.high
        assert effect.high - effect.low < 60
    assert sum(effect.effect for effect in ratings.seats) == pytest.approx(0, abs=1e-6)
    for entrant in ratings.entrants:
        assert entrant.rating == pytest.approx(centred(FOUR)[entrant.name], abs=25)


@pytest.mark.parametrize("kind", campaigns.RATINGS)
def test_intervals_cover_the_true_ratings_as_often_as_stated(kind: str) -> None:
    campaigns.rating_campaign(25, *campaigns.RATINGS[kind])


@pytest.mark.parametrize("kind", campaigns.PLACES)
def test_equal_entrants_may_have_any_place(kind: tuple[int, int, float]) -> None:
    campaigns.places_campaign(25, *kind)


def test_intervals_cover_the_true_ratings_if_one_entrant_is_never_beaten() -> None:
    """If one entrant is never beaten, the rating intervals of the other entrants are still correct.

    The ratings are relative to the mean of these other entrants. The interval of the unbeaten entrant is not checked.
    """
    truth = centred(FOUR)
    covered = []
    for number in range(30):
        chance = stream(f"dominant/{number}")
        games = tournament({**FOUR, "yak": 12.0}, 20, 3, chance, alike=0.3, seatings=2)
        ratings = rate(games, resamples=100, seed=number)
        assert ratings.entrants[0].name == "yak"
        assert "0 is the mean of ant, bee, cow, dog" in ratings.notes
        others = msgspec.structs.replace(ratings, entrants=ratings.entrants[1:])
        covered += ratings_covered(others, truth)
    assert COVERS[0] - 0.02 <= sum(covered) / len(covered) <= COVERS[1] + 0.02


def test_intervals_of_few_groups_use_student_quantiles_and_bessel_correction() -> None:
    games = [game(f"g{number}", *(("ant", "bee") if won else ("bee", "ant"))) for number, won in enumerate((1, 1, 0))]
    ratings = rate(games, anchor="bee", resamples=4000)
    moves = [ELO * (one - other) for one, other in zip(*fit(games).influence[:2], strict=True)]
    mean = sum(moves) / 3
    error = math.sqrt(3 / 2 * sum((move - mean) ** 2 for move in moves))
    first = ratings.entrants[0]
    assert first.high is not None
    assert first.high - first.rating == pytest.approx(4.303 * error, rel=0.05)  # Student's t, 2 degrees of freedom


def test_one_newton_step_has_the_spread_of_a_full_refit() -> None:
    games = tournament(FOUR, 25, 4, stream(9), alike=0.4, seatings=8)
    groups = sorted({ranking.group for ranking in games})
    chance = stream(10)
    gaps = []
    for _ in range(50):
        drawn = [groups[int(chance() * len(groups))] for _ in groups]
        resample = [
            msgspec.structs.replace(ranking, group=f"{number}")
            for number, group in enumerate(drawn)
            for ranking in games
            if ranking.group == group
        ]
        gaps.append(ahead(resample, "dog", "ant"))
    mean = sum(gaps) / len(gaps)
    spread = math.sqrt(sum((value - mean) ** 2 for value in gaps) / (len(gaps) - 1))
    dog = rate(games, anchor="ant").entrants[0]
    assert dog.low is not None
    assert dog.rating - dog.low == pytest.approx(2.064 * spread, rel=0.2)  # Student's t, 24 degrees of freedom


def test_dependent_games_widen_the_intervals() -> None:
    def width(alike: float) -> float:
        first = rate(tournament(FOUR, 40, 4, stream(11), alike=alike)).entrants[0]
        assert first.low is not None
        assert first.high is not None
        return first.high - first.low

    assert width(0.7) > 2 * width(0.0)


def test_handicapped_players_are_ranked_in_order_and_intervals_cover() -> None:
    campaigns.handicap_campaign(10)


# Invariance


def test_ratings_do_not_depend_on_the_order_of_games() -> None:
    games = tournament(EIGHT, 30, 4, stream(12), seatings=5, alike=0.3, deltas={2: 0.1})
    expected = msgspec.json.encode(rate(games, with_seats=True))
    mixed, _ = shuffle(games, seeded(0))
    assert msgspec.json.encode(rate(mixed, with_seats=True)) == expected
    assert msgspec.json.encode(rate(reversed(games), with_seats=True)) == expected


HASHED = """
import hashlib, msgspec
from rails_cli.games.shared.luck import stream
from rails_cli.tournament.rating.standings import make_standings
from tests.support.plackett_luce_games import as_played, tournament
strengths = {"ant": -0.5, "bee": 0.0, "cow": 0.1, "dog": 0.5}
played = as_played(tournament(strengths, 12, 3, stream(1), deltas={2: 0.2}))
digest = hashlib.sha256(msgspec.json.encode(make_standings(played))).hexdigest()
"""


def test_standings_do_not_depend_on_the_hash_seed() -> None:
    here: dict[str, str] = {}
    exec(HASHED, here)
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"  # different from the one of this process
    words = [sys.executable, "-c", f"{HASHED}print(digest)"]
    done = subprocess.run(words, cwd=ROOT, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == here["digest"]


def test_many_groups_are_resampled_in_blocks() -> None:
    games = tournament(FOUR, 2500, 3, stream(13), seatings=1)
    assert fit(games).model.blocks == 1000
    entrant = rate(games).entrants[0]
    assert entrant.low is not None
    assert entrant.high is not None
    assert entrant.groups == sum("dog" in ranking.entrants for ranking in games)
    plain = 1.96 * ELO * 1.6 / math.sqrt(2500)
    assert (entrant.high - entrant.low) / 2 == pytest.approx(plain, rel=0.3)


def test_resampling_does_not_repeat_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    games = tournament(EIGHT, 417, 4, stream(14))
    assert len(games) > 10_000
    evaluated: list[int] = []
    evaluate = Model.evaluate

    def counted(model: Model, strengths: Any) -> Any:
        evaluated.append(1)
        return evaluate(model, strengths)

    monkeypatch.setattr(Model, "evaluate", counted)
    rate(games, resamples=200)
    assert 1 < len(evaluated) < 20


# Anchors and edge cases


def test_an_anchor_has_rating_0_and_shifts_the_others() -> None:
    games = tournament(FOUR, 20, 4, stream(15), seatings=6)
    free = {entrant.name: entrant for entrant in rate(games).entrants}
    tied = {entrant.name: entrant for entrant in rate(games, "bee").entrants}
    assert sum(entrant.rating for entrant in free.values()) == pytest.approx(0, abs=1e-5)
    assert (tied["bee"].rating, tied["bee"].low, tied["bee"].high) == (0, 0, 0)
    for name in FOUR:
        assert tied[name].rating == pytest.approx(free[name].rating - free["bee"].rating)


def test_an_anchor_that_never_played_is_reported() -> None:
    ratings = rate(tournament(FOUR, 5, 4, stream(16)), "eel")
    assert ratings.anchor is None
    assert "eel" in ratings.notes[0]


def test_pools_that_never_met_are_not_compared() -> None:
    games = tournament(FOUR, 10, 3, stream(17))
    games += [game(f"x{number}", *order) for number, order in enumerate([("eel", "fox"), ("fox", "eel")] * 5)]
    ratings = rate(games, "ant")
    assert ratings.pools == [["ant", "bee", "cow", "dog"], ["eel", "fox"]]
    assert [entrant.pool for entrant in ratings.entrants] == [0, 0, 0, 0, 1, 1]
    assert "ant, bee, cow, dog; eel, fox" in ratings.notes[0]
    assert [entrant.rating for entrant in ratings.entrants[4:]] == pytest.approx([0, 0])
    assert ratings.entrants[3].ahead is None
    assert ratings.entrants[4].best_place == 1


def test_an_entrant_that_always_wins_has_a_finite_rating_and_no_upper_bound() -> None:
    def first(groups: int) -> tuple[float, float]:
        games = []
        for number, ranking in enumerate(tournament({"bee": 0.0, "cow": 0.1}, groups, 2, stream(18), seatings=1)):
            games.append(Ranking(f"{number}", ("ant", *ranking.entrants), (1, *(rank + 1 for rank in ranking.ranks))))
        ratings = rate(games)
        ant, *others = ratings.entrants
        assert ant.name == "ant"
        assert ant.high is None
        assert ant.low is not None
        assert all(entrant.low is not None and entrant.high is not None for entrant in others)
        assert any("ant never lost" in note for note in ratings.notes)
        level = sum(entrant.rating for entrant in others) / 2
        chance = 0.025 ** (1 / groups)
        assert ant.low == pytest.approx(level + ELO * math.log(chance / (1 - chance)))
        return ant.rating, ant.low

    few, many = first(20), first(200)
    assert few[0] < many[0] < 3000
    assert few[1] < many[1]


def test_an_entrant_that_always_loses_has_no_lower_bound() -> None:
    games = [game(f"g{number}", *order, "cow") for number, order in enumerate([("ant", "bee"), ("bee", "ant")] * 6)]
    cow = rate(games, "ant").entrants[-1]
    assert cow.name == "cow"
    assert cow.low is None
    assert cow.high is not None
    assert cow.rating < cow.high < 0


def test_the_lower_bound_of_an_unbeaten_entrant_uses_all_its_opponents() -> None:
    games = [game(f"g{number}", "ant", *order) for number, order in enumerate([("bee", "cow"), ("cow", "bee")] * 9)]
    games += [game(f"h{number}", *order) for number, order in enumerate([("cow", "dog"), ("dog", "cow")] * 3)]
    games += [game(f"i{number}", "ant", "dog") for number in range(2)]
    ant, *others = rate(games, "dog").entrants
    assert ant.name == "ant"
    assert ant.high is None
    assert ant.low is not None
    assert ant.low > 100  # from 20 groups (the two with the anchor alone would give -187)
    assert all(other.low is not None and ant.low >= other.low for other in others)


def test_one_of_two_entrants_always_wins() -> None:
    ant, bee = rate([game(f"g{number}", "ant", "bee") for number in range(10)]).entrants
    assert ant.rating == -bee.rating > 0
    assert ant.high is None
    assert bee.low is None
    assert ant.low is not None
    assert bee.high is not None


def test_the_lower_bound_of_an_unbeaten_entrant_is_that_of_its_only_opponent() -> None:
    games = [game(f"g{number}", "ant", "bee") for number in range(5)]
    games += [game(f"h{number}", "bee", *order) for number, order in enumerate([("cow", "dog"), ("dog", "cow")] * 5)]
    ant, bee, *others = rate(games).entrants
    assert bee.low is not None
    assert (ant.name, ant.low, ant.high) == ("ant", bee.low, None)
    assert bee.high is None
    assert all(entrant.low is not None and entrant.high is not None for entrant in others)


def test_one_group_has_no_interval() -> None:
    games = [game("g", *order) for order in permutations(("ant", "bee", "cow"))]
    assert all(entrant.low is None and entrant.high is None for entrant in rate(games).entrants)
    assert all(entrant.ahead is None for entrant in rate(games).entrants)


def test_an_entrant_may_have_two_seats_in_a_game() -> None:
    games = tournament({"ant": 0.5, "bee": 0.0}, 30, 2, stream(19))
    alone = rate(games).entrants
    mirrors = [game(f"m{number}", "ant", "ant") for number in range(10)]
    assert rate([*games, *mirrors]).entrants[0].rating == pytest.approx(alone[0].rating)
    assert rate([*games, game("x", "ant", "ant", "bee")]).entrants[0].rating > alone[0].rating


@pytest.mark.parametrize("seed", range(12))
def test_ratings_of_random_games_are_finite_and_consistent(seed: int) -> None:
    """Ratings are finite, inside their intervals and in descending order, whatever the results of the games are.

    The number of games is small or large. Results are one-sided or tied. Some entrants cannot be compared by any games.
    """
    chance = stream(f"any/{seed}")
    names = [f"bot{number}" for number in range(2 + int(chance() * 7))]
    kinds = 1 + int(chance() * 4)
    games = []
    for number in range(1 + int(chance() * 40)):
        seats = 2 + int(chance() * min(5, len(names) - 1))
        start = int(chance() * (len(names) - seats + 1))
        marks = [int(chance() * kinds) + place * (seed % 3) for place in range(seats)]
        ranks = tuple(1 + sum(other < mark for other in marks) for mark in marks)
        repeats = 1 + int(chance() ** 4 * 2000)
        games += [Ranking(f"g{number // 2}", tuple(names[start : start + seats]), ranks)] * repeats
    ratings = rate(games, with_seats=seed % 2 == 0, resamples=50)
    for entrant in ratings.entrants:
        assert abs(entrant.rating) < 10_000
        assert entrant.low is None or entrant.low <= entrant.rating
        assert entrant.high is None or entrant.high >= entrant.rating
    for pool in range(len(ratings.pools)):
        own = {entrant.name: entrant.rating for entrant in ratings.entrants if entrant.pool == pool}
        assert list(own.values()) == sorted(own.values(), reverse=True)
        zero_sets = [note.removeprefix(ZERO).split(", ") for note in ratings.notes if note.startswith(ZERO)]
        yardstick = next((names for names in zero_sets if names[0] in own), list(own))
        assert sum(own[name] for name in yardstick) == pytest.approx(0, abs=1e-6)


def test_no_games_give_no_ratings() -> None:
    assert rate([]).entrants == []


@pytest.mark.parametrize("names", [("ant",), ("ant", "ant")], ids=["alone", "mirror"])
def test_games_without_opponents_give_rating_0(names: tuple[str, ...]) -> None:
    assert rate(game(f"g{number}", *names) for number in range(5)).entrants[0].rating == 0


@pytest.mark.parametrize("groups", [2, 3, 5])
def test_a_few_identical_groups_leave_places_open(groups: int) -> None:
    orders = ("ant", "bee"), ("bee", "ant"), ("ant", "bee")
    games = [game(f"g{group}", *order) for group in range(groups) for order in orders]
    for entrant in rate(games).entrants:
        assert entrant.low is not None
        assert entrant.high is not None
        assert entrant.low < entrant.rating - 100
        assert entrant.rating + 100 < entrant.high
        assert (entrant.best_place, entrant.worst_place) == (1, 2)


def test_many_identical_groups_settle_the_places() -> None:
    games = [game(f"g{group}", "ant", "bee", "cow") for group in range(30)]
    assert [(one.name, one.best_place, one.worst_place) for one in rate(games).entrants] == [
        ("ant", 1, 1),
        ("bee", 2, 2),
        ("cow", 3, 3),
    ]


def test_entrants_with_equal_results_are_sorted_by_name() -> None:
    """Entrants with equal results are listed in the order of their names.

    Their computed strengths differ by rounding errors, which depend on the platform. Rounding errors must not decide
    the order.
    """
    names = ("cow", "ant", "bee")
    games = [game(f"g{number}", *names, ranks=(1, 1, 1)) for number in range(9)]
    assert [one.name for one in rate(games).entrants] == order_by_strength(games) == sorted(names)


def test_results_are_rounded() -> None:
    ratings = rate(tournament(FOUR, 20, 4, stream(15), deltas={2: 0.3}), with_seats=True)
    numbers = [value for one in ratings.entrants for value in (one.rating, one.low, one.high)]
    numbers += [value for seat in ratings.seats for value in (seat.effect, seat.low, seat.high)]
    for value in (*numbers, *ratings.ties.values()):
        assert value is not None
        assert value == round(value, 6)


def test_numpy_is_imported_by_the_first_rating_only() -> None:
    program = "import rails_cli.cli, rails_cli.tournament.run.runner, sys; print('numpy' in sys.modules)"
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
