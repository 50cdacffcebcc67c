"""Simulated tournaments with known strengths: each campaign measures how often the statistics are right.

Random game results are passed to the real formats, stopping rules and tables of tournaments. soak.py (`make soak`) runs
the long forms. A campaign raises AssertionError if an error rate is too high, and returns its figures.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, repeat

from rails_cli.games import load_game, standard_board
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy, choose_random
from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.rating.estimates import Estimate, Sums
from rails_cli.tournament.rating.rating_types import ELO, Ranking, Ratings
from rails_cli.tournament.rating.ratings import rate
from rails_cli.tournament.rating.standings import beaten_share, make_table
from rails_cli.tournament.schedule.forecast import Pace, forecast_top
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats.challenge import Gauntlet
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin
from rails_cli.tournament.schedule.sequence import StoppingCheck
from rails_cli.tournament.schedule.stopping_rules import Better, Evidence, Measure, Rule, TopSettled, Verdict, weigh
from tests.support.plackett_luce_games import Chance, game_result, ranked, tournament

Figures = dict[str, float]
Play = Callable[[SeedGroup, Chance], list[list[int]]]
"""Function that chooses random results for a seed group (games with one seed).

It returns one list for each game: the ranks by seat.
"""

Campaign = Callable[[int], Figures]

ALPHA = 0.05
LEAST_COVERED, MOST_COVERED = 0.91, 0.98
"""Accepted range for the share of 95 % rating intervals that contain the true value."""

ERROR_RATES: dict[str, tuple[int, int, float, float]] = {
    "pairs": (2, 2, 0.0, 0.1),
    "dependent games of four": (4, 4, 0.3, 0.07),
    "games nearly copies": (3, 6, 0.9, 0.1),
}
"""Arguments of `error_rates_campaign` by title, in this order:

- number of players in a game.
- number of games in a group. A group is a set of games with one seed.
- probability that a game repeats the ranking of its group.
- amount by which the better player is better: its probability to finish ahead, minus one half.
"""
JACKPOT_COVERED = {5: 0.22, 10: 0.4, 20: 0.64, 50: 0.92}
"""Share of intervals that contain the true mean score if 5 % of seed groups have a very large score (a jackpot).

The key is the number of seed groups. A seed group is a set of games with one seed.
"""
MOST_SEEDS: dict[Measure, dict[float, int]] = {"ahead": {0.3: 20, 0.05: 89}, "beaten": {0.3: 20, 0.05: 120}}
"""Largest accepted median number of seeds after which the rule `Better` decides in `speed_campaign`.

The keys are the measure of the rule, and the true difference between the two players. For the difference 0.05, the
limit is the median of a simpler test, which tests only for this difference.
"""
MOST_SEEDS_OF_ONE_GAME = {0.3: 39, 0.05: 447}
"""Largest accepted median number of seeds after which the rule `Better` decides if each seed has only one game.

The key is the true difference between the two players. The measure is `ahead`. The limit for the difference 0.05 is the
median of a likelihood ratio test, which is the fastest possible test.
"""
PLACES = ((2, 1, 0.0), (2, 3, 0.5), (3, 1, 0.0), (3, 3, 0.9), (10, 3, 0.5))
"""Arguments of `places_campaign`, in this order:

- number of groups. A group is a set of games with one seed.
- number of games in a group.
- probability that a game repeats the ranking of its group.
"""
FOUR = {"ant": -0.5, "bee": -0.2, "cow": 0.2, "dog": 0.5}
RATINGS: dict[str, tuple[dict[str, float], int, int, int | None, float, dict[int, float] | None]] = {
    "10 groups of dependent games": (FOUR, 10, 4, 6, 0.5, None),
    "ties": (FOUR, 20, 3, None, 0.2, {2: 0.2}),
    "wide field, games nearly copies": ({**FOUR, "elk": 1.2, "fox": -1.2}, 30, 3, 2, 0.9, None),
}
"""Arguments of `rating_campaign` by title, in this order:

- true strength of each entrant.
- number of groups. A group is a set of games with one seed.
- number of players in a game.
- number of games in a group (None for all seatings).
- probability that a game repeats the ranking of its group.
- weight of a tie by the number of tied seats (None without ties).
"""


def noise(runs: int, rate_of: float = ALPHA) -> float:
    """Return the tolerance for a measured rate: its accepted distance from the true rate `rate_of`.

    The rate is measured in `runs` tournaments. A correct campaign exceeds the tolerance with a probability of 1 in 200.
    """
    return 2.6 * math.sqrt(rate_of * (1 - rate_of) / runs)


def played(group: SeedGroup, play: Play, chance: Chance) -> list[PlayedGame]:
    """Play all games of the seed group `group` with `play`. Return their results as a tournament stores them."""
    games = enumerate(zip(group.seatings, play(group, chance), strict=True))
    return [game_result(group.id, at, group.setting, group.seed, seating, ranks) for at, (seating, ranks) in games]


def by_strength(strengths: dict[str, float] | Callable[[Setting], dict[str, float]], alike: float = 0.3) -> Play:
    """Return a function that chooses random ranks of players with the given `strengths`, for all games of a seed group.

    A seed group is a set of games with one seed. The ranks follow the Plackett-Luce model. `strengths` may be a
    function of the setting. The group has one random ranking. With probability `alike`, a game has this ranking instead
    of its own.
    """

    def play(group: SeedGroup, chance: Chance) -> list[list[int]]:
        own = strengths if isinstance(strengths, dict) else strengths(group.setting)
        names = sorted(group.seatings[0])
        favoured = dict(zip(names, ranked([own[name] for name in names], chance), strict=True))
        return [
            [favoured[name] for name in seating]
            if chance() < alike
            else ranked([own[name] for name in seating], chance)
            for seating in group.seatings
        ]

    return play


def all_of(schedule: Format, play: Play, chance: Chance) -> list[list[PlayedGame]]:
    """Play all games of `schedule`. Return a list of games for each seed group (set of games with one seed)."""
    return [played(group, play, chance) for group in schedule.groups({})]


def stopped(schedule: Format, rule: Rule, play: Play, chance: Chance, most: int) -> Verdict:
    """Play groups of games of `schedule` until the stopping rule `rule` decides, at most `most` groups.

    Return the verdict, whose `answer` is for example "better", or "open" if `rule` has not decided.
    """
    watch = StoppingCheck([rule], schedule.entrants, schedule.cycle())
    finished: list[list[PlayedGame]] = []
    for group in islice(schedule.groups({}), most):
        finished.append(played(group, play, chance))
        watch.update(finished)
        if watch.verdict is not None:
            return watch.verdict
    return Verdict(False, "", most, "open")


def answers(runs: int, name: str, judged: Callable[[Chance, int], Verdict]) -> Counter[str]:
    """Play `runs` tournaments. Return how often each answer, such as "better", was the verdict.

    `judged` plays one tournament, given its random generator and its number. `name` seeds the generators.
    """
    return Counter(judged(stream(f"{name}/{number}"), number).answer for number in range(runs))


# Stopping rules


def field_differences(edge: float, players: int, games: int, alike: float, chance: Chance) -> Iterator[float]:
    """Yield one number for each group of games: the share of opponents that the first player beats, minus one half.

    The first player is stronger than the others by `edge`. A group has `games` games of `players` players, and one
    random ranking. With probability `alike`, a game has this ranking instead of its own.
    """
    values = [edge] + [0.0] * (players - 1)
    while True:
        common = ranked(values, chance)
        ranks = [common if chance() < alike else ranked(values, chance) for _ in range(games)]
        yield sum(beaten_share(own, 0) for own in ranks) / games - 0.5


def run(rule: Better, values: Iterator[float], most: int = 3000) -> Evidence:
    """Pass `values`, one for each seed, to the stopping rule `rule` until it decides, at most `most` values.

    Return the evidence. Its `answer` is the decision, or an empty string if `rule` has not decided.
    """
    evidence = Evidence()
    for value in values:
        evidence = weigh(rule, evidence, [value])
        if evidence.answer or evidence.seeds >= most:
            break
    return evidence


def edge_of(by: float) -> float:
    """Return by how much a player must be stronger to finish ahead with the probability one half plus `by`."""
    return math.log((0.5 + by) / (0.5 - by))


def error_rates_campaign(runs: int, players: int, games: int, alike: float, by: float) -> Figures:
    """Check the errors of the stopping rule `Better` for equal players, and for a player that is better by `by`.

    The rule must rarely call an equal player better, and rarely call the better player not better. `by` is the
    probability to finish ahead, minus one half. Games are played in groups of `games` games with `players` players.
    With probability `alike`, a game repeats the ranking of its group.
    """
    rule = Better("x", by=by)
    figures: Figures = {}
    for edge, wrong in ((0.0, "better"), (edge_of(by), "not_better")):
        found: list[str] = [
            run(rule, field_differences(edge, players, games, alike, stream(f"{number}/{edge}"))).answer
            for number in range(runs)
        ]
        assert "" not in found
        figures[f"wrongly {wrong}"] = found.count(wrong) / runs
        assert found.count(wrong) / runs <= ALPHA + noise(runs), figures
    return figures


def speed_campaign(runs: int) -> Figures:
    """Check the median number of seeds that the stopping rule `Better` needs, and its error rates.

    The rule is evaluated after every seed. For each seed it gets the difference between two players, a random value.
    Its standard deviation is 0.2, or 0.5 if each seed has one game.
    """
    figures: Figures = {}

    def measured(title: str, measure: Measure, mean: float, draw: Callable[[Chance, float], float]) -> float:
        """Return the median number of seeds after which `Better` decides.

        For each seed, `draw` returns a random difference between two players. Its mean is `mean`.
        """
        rule = Better("x", by=0.05, measure=measure)
        chances = [stream(f"speed/{title}/{mean}/{number}") for number in range(runs)]
        found = [run(rule, (draw(chance, mean) for _ in repeat(None))) for chance in chances]
        wrong = "not_better" if mean >= rule.by else "better"
        figures[f"{title} {mean:g}: wrong"] = sum(evidence.answer == wrong for evidence in found) / runs
        figures[f"{title} {mean:g}: seeds"] = median = statistics.median(evidence.seeds for evidence in found)
        assert figures[f"{title} {mean:g}: wrong"] <= ALPHA + noise(runs), figures
        return median

    for measure, most in MOST_SEEDS.items():
        for mean in (0.3, 0.1, 0.05, 0.0, -0.3):
            median = measured(measure, measure, mean, lambda chance, mean: mean + (0.2 if chance() < 0.5 else -0.2))
            assert median <= most.get(mean, math.inf), figures
    for mean, limit in MOST_SEEDS_OF_ONE_GAME.items():
        median = measured("one game", "ahead", mean, lambda chance, mean: 0.5 if chance() < 0.5 + mean else -0.5)
        assert median <= limit * (1 + 2 / math.sqrt(runs)), figures  # two standard errors of a median
    return figures


def skewed_better_campaign(runs: int) -> Figures:
    """Check that a player with many small gains and rare large losses is rarely called better.

    A normal approximation would be wrong for such values.
    """
    rule = Better("x", by=0.05)
    found = []
    for number in range(runs):
        chance = stream(f"skewed/{number}")
        found.append(run(rule, (0.04 if chance() < 0.92 else -0.46 for _ in repeat(None))).answer)
    assert found.count("better") / runs <= ALPHA + noise(runs)
    return {"called better": found.count("better") / runs}


def several_games_campaign(runs: int) -> Figures:
    """Check that an entrant that is better at one kind of game and worse at two others is rarely called better."""
    names = ("x", "a", "b", "c", "d", "e")
    settings = tuple(Setting(game, 3) for game in ("first", "second", "third"))

    def strengths(setting: Setting) -> dict[str, float]:
        own = math.log(0.7 / 0.3) if setting.game == "first" else math.log(0.4 / 0.6)
        return {**dict.fromkeys(names, 0.0), "x": own}

    def judged(chance: Chance, seed: int) -> Verdict:
        schedule = RoundRobin(entrants=names, settings=settings, seed=seed, rounds=1000, seatings="rotations")
        return stopped(schedule, Better("x", by=0.1), by_strength(strengths), chance, 600)

    found = answers(runs, "several games", judged)
    assert found["better"] / runs <= ALPHA + noise(runs), found
    return {"called better": found["better"] / runs}


def average_entrant_campaign(runs: int) -> Figures:
    """Check that an entrant of average strength is rarely reported as better than the others.

    A round robin arranges its entrants in a circle. In this campaign the average entrant stands between the two weakest
    entrants, which could make it look too strong.
    """
    values = {"x": 0.0, **{name: place / 2 for place, name in enumerate("abcdefghi", -4)}}
    strengths = {name: values[name] for name in "xacegihfdb"}

    def judged(chance: Chance, seed: int) -> Verdict:
        schedule = RoundRobin(
            entrants=tuple(strengths), settings=(Setting("toy", 2),), seed=seed, rounds=1000, seatings="rotations"
        )
        return stopped(schedule, Better("x", by=0.1), by_strength(strengths), chance, 900)

    found = answers(runs, "average", judged)
    assert found["better"] / runs <= ALPHA + noise(runs), found
    return {"called better": found["better"] / runs}


def skewed(group: SeedGroup, chance: Chance) -> list[list[int]]:
    """Return random ranks by seat for the 24 games of a seed group with the two players x and y.

    On average x and y are equal. Usually x wins 13 games of the group. With probability 1/12, x wins only 1 game.
    """
    wins = 1 if chance() < 1 / 12 else 13
    won = [number < wins for number in range(24)]
    return [
        [1, 2] if (seating[0] == "x") == is_won else [2, 1] for seating, is_won in zip(group.seatings, won, strict=True)
    ]


def skewed_top_campaign(runs: int) -> Figures:
    """Check that the order of two equal players is rarely called settled.

    Games are played in seed groups, which are sets of games with one seed. One player wins slightly more games in most
    groups, but loses almost all games of a few groups.
    """

    def judged(chance: Chance, seed: int) -> Verdict:
        watch = StoppingCheck([TopSettled(1)], ["x", "y"], 1)
        finished: list[list[PlayedGame]] = []
        for number in range(150):
            group = SeedGroup(Setting("toy", 2), number, [["x", "y"]] * 24)
            finished.append(played(group, skewed, chance))
            watch.update(finished)
            if watch.verdict is not None:
                return watch.verdict
        return Verdict(False, "", 150, "open")

    found = answers(runs, "skewed", judged)
    assert found["settled"] / runs <= ALPHA + noise(runs), found
    return {"called settled": found["settled"] / runs}


def top_campaign(runs: int) -> Figures:
    """Check that the order of three players of known strength is found in about 95 % of tournaments or more."""
    strengths = {"x": 0.6, "y": 0.0, "z": -0.6}
    right, groups = 0, 0
    for number in range(runs):
        schedule = RoundRobin(
            entrants=tuple(strengths), settings=(Setting("one", 3), Setting("two", 3)), seed=number, rounds=1000
        )
        chance = stream(f"top/{number}")
        verdict = stopped(schedule, TopSettled(2), by_strength(strengths), chance, 400)
        groups += verdict.groups
        right += verdict.text == "the order is settled: x, y"
    assert right / runs >= 0.95 - noise(runs)
    return {"right": right / runs, "groups": groups / runs}


def equals_campaign(runs: int) -> Figures:
    """Check that a tournament of four equally strong players rarely stops because its order counts as settled."""
    names = ("w", "x", "y", "z")

    def judged(chance: Chance, seed: int) -> Verdict:
        schedule = RoundRobin(
            entrants=names, settings=(Setting("toy", 3),), seed=seed, rounds=1000, seatings="rotations"
        )
        return stopped(schedule, TopSettled(1), by_strength(dict.fromkeys(names, 0.0)), chance, 240)

    found = answers(runs, "equals", judged)
    assert found["settled"] / runs <= ALPHA + noise(runs), found
    return {"called settled": found["settled"] / runs}


def copies_campaign(runs: int) -> Figures:
    """Measure how many seeds the rule `Better` needs to decide whether a bot is better than a copy of itself."""
    rule = Better("x", "y", by=0.05)
    seeds = []
    for number in range(runs):
        chance = stream(f"copies/{number}")
        evidence = Evidence()
        while not evidence.answer:
            evidence = weigh(rule, evidence, [0.5 if chance() < 0.5 else -0.5])
        seeds.append(evidence.seeds)
    mean = sum(seeds) / runs
    assert mean < 800
    return {"seeds": mean}


# Intervals


def is_covered(estimate: Estimate, truth: float) -> bool:
    """Return whether the interval of `estimate` contains `truth`."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


def gauntlet_campaign(runs: int) -> Figures:
    """Check a gauntlet of equal entrants, in which five challengers play against the same two opponents.

    For each seed, either both opponents win most of their games, or both lose most of them. At least about 95 % of the
    intervals of the opponents' win shares must contain 0.5. An opponent must rarely be called better than the
    challengers.
    """
    challengers, field = ("a", "b", "c", "d", "e"), ("f", "g")
    names = (*challengers, *field)
    covered: list[bool] = []
    alarms = 0
    rule = Better("f", by=0.1)

    def luck_of_the_field(group: SeedGroup, chance: Chance) -> list[list[int]]:
        luck = stream(f"{group.seed}")()
        return [
            [1, 2] if (seating[0] in field) == (chance() < 0.85 if luck < 0.5 else chance() < 0.15) else [2, 1]
            for seating in group.seatings
        ]

    for number in range(runs):
        chance = stream(f"gauntlet/{number}")
        schedule = Gauntlet(
            entrants=names, settings=(Setting("toy", 2),), seed=number, rounds=20, challengers=challengers
        )
        finished = all_of(schedule, luck_of_the_field, chance)
        table = make_table(game for group in finished for game in group)
        covered += [is_covered(row.win_share, 0.5) for row in table.standings if row.name in field]
        watch = StoppingCheck([rule], names, schedule.cycle())
        watch.update(finished)
        alarms += watch.verdict is not None and watch.verdict.answer == "better"
    share = sum(covered) / len(covered)
    assert share >= 0.95 - noise(len(covered)), share
    assert alarms / runs <= ALPHA + noise(runs), alarms
    return {"covered": share, "called better": alarms / runs}


def places_campaign(runs: int, groups: int, seatings: int, alike: float) -> Figures:
    """Check that the standings of three equal players rarely exclude one of the places for a player.

    For almost every player the standings must state that all places from 1 to 3 are possible. Each of the `runs`
    tournaments has `groups` groups of `seatings` games with one seed. With probability `alike`, a game repeats the
    ranking of its group.
    """
    held: list[bool] = []
    for number in range(runs):
        chance = stream(f"equals/{number}")
        games = tournament(dict.fromkeys(("ant", "bee", "cow"), 0.0), groups, 3, chance, seatings=seatings, alike=alike)
        rated = rate(games, resamples=200).entrants
        held += [(one.best_place, one.worst_place) == (1, 3) for one in rated]
    share = sum(held) / len(held)
    assert share >= LEAST_COVERED, share
    return {"any place": share}


def rating_campaign(
    runs: int,
    strengths: dict[str, float],
    groups: int,
    players: int,
    seatings: int | None,
    alike: float,
    deltas: dict[int, float] | None,
) -> Figures:
    """Measure how often rating intervals contain the true strengths, in `runs` tournaments.

    Each tournament has `groups` groups of games. A group has `players` entrants, and a game for each seating, or for
    the first `seatings` of them. `deltas` holds the weight of a tie by the number of tied seats. With probability
    `alike`, a game repeats the ranking of its group.
    """
    mean = sum(strengths.values()) / len(strengths)
    truth = {name: ELO * (strength - mean) for name, strength in strengths.items()}
    covered: list[bool] = []
    for number in range(runs):
        chance = stream(f"cover/{number}")
        games = tournament(strengths, groups, players, chance, alike=alike, seatings=seatings, deltas=deltas)
        covered += ratings_covered(rate(games, resamples=200, seed=number), truth)
    share = sum(covered) / len(covered)
    assert LEAST_COVERED <= share <= MOST_COVERED, share
    return {"covered": share}


def ratings_covered(ratings: Ratings, truth: dict[str, float]) -> list[bool]:
    """Return for each entrant whether its rating interval contains the true rating.

    `truth` holds the true ratings by name.
    """
    return [
        (entrant.low is None or entrant.low <= truth[entrant.name])
        and (entrant.high is None or truth[entrant.name] <= entrant.high)
        for entrant in ratings.entrants
    ]


def handicap_campaign(runs: int) -> Figures:
    """Check how often rating intervals contain the true ratings of three players of Chicago Express.

    `runs` tournaments are played. The players are:

    - `busy` plays like the built-in player of this name.
    - `lost` chooses each move like the built-in player `random`.
    - `half` chooses each move like one of the two, with equal probability.

    The rating from the games of all tournaments together counts as the true rating.
    """
    handicaps = {"busy": 0.0, "half": 0.5, "lost": 1.0}
    names = tuple(handicaps)
    tournaments = []
    for number in range(runs):
        games = []
        for seed in range(6 * number, 6 * number + 6):
            for turn in range(3):
                seating = names[turn:] + names[:turn]
                ranks = _play_handicapped(seed, [handicaps[name] for name in seating], turn)
                games.append(Ranking(f"{seed}", seating, tuple(ranks)))
        tournaments.append(games)
    whole = rate(ranking for games in tournaments for ranking in games)
    assert tuple(entrant.name for entrant in whole.entrants) == names
    assert all(entrant.ahead == 1 for entrant in whole.entrants[:2])
    truth = {entrant.name: entrant.rating for entrant in whole.entrants}
    covered: list[bool] = []
    best = 0
    for games in tournaments:
        ratings = rate(games, resamples=200)
        covered += ratings_covered(ratings, truth)
        best += ratings.entrants[0].name == "busy"
    share = sum(covered) / len(covered)
    assert share >= LEAST_COVERED, share
    if runs >= 100:  # with few tournaments, each one affects the mean considerably
        assert share <= MOST_COVERED, share
    assert best >= 0.9 * runs
    return {"covered": share, "best found": best / runs}


def _play_handicapped(seed: int, handicaps: list[float], number: int) -> list[int]:
    """Play a game of Chicago Express and return the ranks by seat. `seed` and `number` seed the choices.

    `handicaps` holds by seat the probability that a move is chosen like `random` and not like `busy`.
    """
    rules, board = load_game("chicago_express"), standard_board("chicago_express")
    state = rules.setup(board, len(handicaps), rules.options_type(), seed, None)
    chance = stream(f"{seed}/{number}")
    while state.pending is not None:
        is_lost = chance() < handicaps[state.pending.seat]
        legal = rules.legal_actions(state, board)
        rules.apply(state, board, (choose_random if is_lost else choose_busy)(legal, chance), None)
    return list(rules.ranks(state, board))


def anchor_campaign(runs: int, anchor_groups: int) -> Figures:
    """Check how often rating intervals contain the true ratings if the ratings are relative to an anchor.

    The anchor is the entrant whose rating is set to 0. It has played only `anchor_groups` seeds, while the four other
    entrants have played 30 seeds. If it has played one seed, no rating may have an interval.
    """
    strengths = {"ant": -0.5, "bee": 0.0, "cow": 0.2, "dog": 0.5}
    covered: list[bool] = []
    for number in range(runs):
        chance = stream(f"anchor/{number}")
        games = tournament(strengths, 30, 4, chance, alike=0.3, seatings=6)
        for group in range(anchor_groups):
            rivals = sorted(strengths, key=lambda _: chance())[:3]
            names = ("zero", *rivals)
            for turn in range(4):
                seating = names[turn:] + names[:turn]
                ranks = ranked([strengths.get(name, 0.0) for name in seating], chance)
                games.append(type(games[0])(f"z{group}", seating, tuple(ranks), "toy/4"))
        for one in rate(games, "zero", resamples=20).entrants:
            if one.name == "zero":
                continue
            if anchor_groups == 1:
                assert (one.low, one.high) == (None, None)
            elif one.low is not None and one.high is not None:
                covered.append(one.low <= ELO * strengths[one.name] <= one.high)
    share = sum(covered) / len(covered) if covered else 1.0
    assert share >= 0.95 - noise(len(covered) or 1) - 0.02, share
    return {"covered": share}


def mean_campaign(runs: int, groups: int) -> Figures:
    """Check how often the interval of a mean score contains the true mean, in `runs` tournaments of `groups` groups.

    A group is a set of games with one seed. Scores are random numbers of several distributions. In one distribution,
    5 % of groups have a very large score (a jackpot). With few groups, its intervals often miss the true mean. So its
    share of correct intervals is compared with `JACKPOT_COVERED`, whose values the manual states.
    """
    kinds: dict[str, tuple[float, Callable[[Chance], float]]] = {
        "long tail": (math.exp(0.5), lambda chance: math.exp(_normal(chance))),
        "exponential": (1.0, lambda chance: -math.log(1 - chance())),
        "normal": (0.0, _normal),
        "jackpot": (2.1, lambda chance: (21.0 if chance() < 0.05 else 1.0) + 0.2 * chance()),
    }
    least = {"long tail": 0.9, "exponential": 0.93, "normal": 0.94, "jackpot": JACKPOT_COVERED[groups]}
    shares: Figures = {}
    for kind, (truth, draw) in kinds.items():
        covered = 0
        for number in range(runs):
            chance = stream(f"mean/{number}")
            sums = Sums()
            for group in range(groups):
                sums.add(f"{group}", draw(chance))
            covered += is_covered(sums.mean(), truth)
        shares[kind] = covered / runs
        assert shares[kind] >= least[kind] - noise(runs), shares
    assert abs(shares["jackpot"] - least["jackpot"]) <= noise(runs, least["jackpot"]) + 0.01, shares
    return shares


def _normal(chance: Chance) -> float:
    return math.sqrt(-2 * math.log(1 - chance())) * math.cos(2 * math.pi * chance())


def mixed_tables_campaign(runs: int) -> Figures:
    """Check that the interval of a win share contains its true value, in games of two, three and four equal players."""
    kinds = ((2, 2), (3, 6), (4, 24))  # players, games in a group
    truth = sum(games / players for players, games in kinds) / sum(games for _, games in kinds)
    covered = 0
    for number in range(runs):
        chance = stream(f"mixed/{number}")
        sums = Sums()
        for group in range(24):
            players, games = kinds[group % len(kinds)]
            favoured = chance() < 1 / players
            for _ in range(games):
                sums.add(f"{group}", favoured if chance() < 0.3 else chance() < 1 / players)
        covered += is_covered(sums.share(), truth)
    assert covered / runs >= 0.92 - noise(runs), covered
    return {"covered": covered / runs}


# The planner


def forecast_campaign(runs: int) -> Figures:
    """Measure how often the order of the best two entrants is known within the forecast number of seeds.

    The forecast is made from the games of the first 20 seeds.
    """
    strengths = {"x": 0.9, "y": 0.0, "z": -0.9}
    kept = foreseen = 0
    for number in range(runs):
        chance = stream(f"forecast/{number}")
        schedule = RoundRobin(
            entrants=tuple(strengths), settings=(Setting("toy", 3),), seed=number, rounds=1000, seatings="rotations"
        )
        play = by_strength(strengths)
        pilot = [game for group in islice(schedule.groups({}), 20) for game in played(group, play, chance)]
        plan = forecast_top(pilot, TopSettled(2), Pace(3, 10))
        if plan is None or plan.groups_90 is None:
            continue
        foreseen += 1
        kept += stopped(schedule, TopSettled(2), play, chance, plan.groups_90).is_over
    assert foreseen >= runs / 3
    assert kept / foreseen >= 0.9 - noise(foreseen, 0.1), (kept, foreseen)
    return {"kept": kept / foreseen, "foreseen": foreseen / runs}


# Schedules


def circular_orders(schedule: Format, groups: int) -> dict[frozenset[str], Counter[tuple[str, ...]]]:
    """Play `groups` groups of tied games. Count the orders in which the players of a group sit around the table.

    The outer key of the result is the set of players of a group. The inner key is the order of these players, starting
    with the name that comes first in the alphabet. The value is the number of groups with this order.
    """
    results: dict[str, list[PlayedGame]] = {}
    while made := list(islice(schedule.groups(results), groups - len(results))):
        for group in made:
            results[group.id] = played(group, _tied, stream("tied"))
    found: dict[frozenset[str], Counter[tuple[str, ...]]] = {}
    for games in results.values():
        seating = games[0].seating
        start = seating.index(min(seating))
        found.setdefault(frozenset(seating), Counter())[*seating[start:], *seating[:start]] += 1
    return found


def _tied(group: SeedGroup, chance: Chance) -> list[list[int]]:
    return [[1] * len(seating) for seating in group.seatings]


def all_campaigns(runs: int) -> Iterator[tuple[str, Figures]]:
    yield "several games", several_games_campaign(runs)
    yield "an average entrant", average_entrant_campaign(runs)
    yield "skewed seeds", skewed_top_campaign(runs)
    yield "the top of three", top_campaign(runs)
    yield "four equals", equals_campaign(runs)
    yield "copies of a bot", copies_campaign(runs)
    yield "challengers who share seeds", gauntlet_campaign(runs)
    for groups in (1, 2, 3, 5):
        yield f"an anchor with {groups} seeds", anchor_campaign(runs, groups)
    for groups in (5, 10, 20, 50):
        yield f"mean scores of {groups} seeds", mean_campaign(10 * runs, groups)
    yield "tables of several sizes", mixed_tables_campaign(10 * runs)
    yield "forecasts of the top", forecast_campaign(runs)
    for name, case in ERROR_RATES.items():
        yield f"error rates, {name}", error_rates_campaign(runs, *case)
    yield "seeds until `better` decides", speed_campaign(runs)
    yield "skewed groups", skewed_better_campaign(runs)
    for kind in PLACES:
        yield f"places of equals after {kind[0]} seeds", places_campaign(runs, *kind)
    for name, field in RATINGS.items():
        yield f"ratings, {name}", rating_campaign(runs, *field)
    yield "handicapped players", handicap_campaign(runs)
