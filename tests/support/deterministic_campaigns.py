"""Measure in simulated tournaments how often confidence intervals and stopping rules are right.

The bots are deterministic, so games differ only because they start from different openings. An opening is a series of
random legal moves. A seed group is a set of games with the same opening and different seatings. The true ratings are
known exactly:

- If one bot is better, all openings are taken from a fixed list, and every possible game from them can be played.
- If all bots are equal, all true ratings are equal, so each seed group may also have a new opening.

A function named `..._campaign` plays many such tournaments. It raises AssertionError if an error rate is too high.
soak.py (`make soak`) plays the most tournaments. `python -m tests.support.deterministic_campaigns GAME OPENINGS
TOURNAMENTS` prints the figures of the manual.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import permutations
from typing import Any, Literal, get_args

from rails_cli.games import load_game, load_players, standard_board
from rails_cli.games.openings import drawn_opening
from rails_cli.games.shared.luck import stream
from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.rating.estimates import Estimate, Sums
from rails_cli.tournament.rating.standings import ScopeTable, make_table
from rails_cli.tournament.schedule.formats.challenge import Duel, Gauntlet
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin
from rails_cli.tournament.schedule.seatings import SeatingChoice
from rails_cli.tournament.schedule.stopping_rules import Better, Rule, TopSettled, Verdict
from tests.support.builders import BUILDERS
from tests.support.plackett_luce_games import Chance
from tests.support.statistics_campaigns import ALPHA, Play, all_of, noise, played, stopped

Styles = tuple[str, ...]
"""Names of the players by seat: built-in players, or the test policy `builder`."""
Source = Callable[[Seed], "Outcomes"]
"""Function that takes the seed of a group of games and returns the results of games from the group's opening."""
Styled = Callable[[SeedGroup], dict[str, str]]
"""Function that takes a group of games and returns the player of each entrant, by the name of the entrant.

A player is a built-in player or the test policy `builder`.
"""
Found = dict[str, Estimate]
"""Measured rates, such as the share of correct intervals, by title.

Each rate has a confidence interval, because it is measured in a limited number of tournaments.
"""

GAMES = ("chicago_express", "american_rails")

GREEDY, BUILDER = "greedy", "builder"
COPIES = {"greedy 1": GREEDY, "greedy 2": GREEDY, "builder 1": BUILDER, "builder 2": BUILDER}
TURNCOATS = ("ant", "bee", "cow", "dog")
RIVALS, FIELD = ("ant", "bee"), ("cow", "dog", "elk")
Comparison = Literal["duel", "gauntlet"]

FEW_GROUPS, GROUPS = 5, 20
"""Small and normal number of seed groups (sets of games with one opening) in tournaments of fixed length."""
LONGEST = 200
"""Number of seed groups (sets of games with one opening) after which a tournament ends without a decision."""
EXACT = 1e-6


class Outcomes(dict[Styles, list[int]]):
    """Results of games that start from the same opening. Each game is played when its result is first needed.

    A key is the tuple of players by seat. Its value is the list of ranks by seat. The opening is made of random moves,
    chosen with the random seed `seed`. If `seed` is None, games start without an opening.
    """

    def __init__(self, name: str, seed: Seed | None) -> None:
        super().__init__()
        self.game, self.board = load_game(name), standard_board(name)
        self.players = {**load_players(name), **BUILDERS[name]}
        options = self.game.options_type()
        self.start: Any = self.game.setup(self.board, 4, options, seed or 0, None)
        drawn = None if seed is None else drawn_opening(self.game, self.board, 4, options, seed)
        for action in drawn.actions if drawn is not None else ():
            self.game.apply(self.start, self.board, action, None)

    def __missing__(self, styles: Styles) -> list[int]:
        game, board, state = self.game, self.board, self.start.copy()
        while state.pending is not None:
            seat = state.pending.seat
            view, legal = game.view(state, board, seat), game.legal_actions(state, board)
            game.apply(state, board, self.players[styles[seat]](view, legal, board), None)
        self[styles] = game.ranks(state, board)
        return self[styles]


def some_openings(name: str, count: int) -> list[Outcomes]:
    """Return the outcomes of `count` random openings of the game `name` with four players."""
    return [Outcomes(name, seed_of(number)) for number in range(count)]


def seed_of(opening: int) -> str:
    return f"{opening:032x}"


def resampled(openings: list[Outcomes]) -> Source:
    """Return a function that takes a seed and returns a random element of `openings`, chosen with this seed."""
    return lambda seed: openings[int(stream(f"opening/{seed}")() * len(openings))]


def newly_drawn(name: str) -> Source:
    """Return a function that takes a seed and returns the outcomes of a new random opening made with this seed.

    `name` is the name of the game.
    """
    return lru_cache(maxsize=LONGEST)(lambda seed: Outcomes(name, seed))


def playing(source: Source, styled: Styled) -> Play:
    """Return a function that plays a seed group (a set of games with one opening) and returns the ranks by seat.

    `source` is called with the seed of the group. It returns the outcomes of games from the group's opening. `styled`
    is called with the group. It returns the built-in player of each entrant.
    """

    def play(group: SeedGroup, chance: Chance) -> list[list[int]]:
        outcomes, styles = source(group.seed), styled(group)
        return [outcomes[tuple(styles[name] for name in seating)] for seating in group.seatings]

    return play


def copies(group: SeedGroup) -> dict[str, str]:
    """Return the player of each of four entrants, by the name of the entrant: two `greedy` and two `builder`.

    The result is the same for every seed group (set of games with one opening).
    """
    return COPIES


def turncoats(group: SeedGroup) -> dict[str, str]:
    """Return the player of each of four entrants, by the name of the entrant: two `greedy` and two `builder`.

    A seed group is a set of games with one opening. The players are assigned at random with the seed of the group. Over
    many groups all four entrants are equally strong.
    """
    return drawn_styles(f"{group.seed}")


def drawn_styles(key: str) -> dict[str, str]:
    """Return the player of each of four entrants, by the name of the entrant: two `greedy` and two `builder`.

    The players are assigned at random with the seed `key`.
    """
    chance = stream(f"styles/{key}")
    order = sorted(TURNCOATS, key=lambda _: chance())
    return dict(zip(order, COPIES.values(), strict=True))


def tournament(
    name: str, entrants: tuple[str, ...], seed: int, groups: int, seatings: SeatingChoice = "rotations"
) -> RoundRobin:
    """Return the schedule of a round robin of the game `name` with four players.

    It has `groups` seed groups, which are sets of games with one opening.
    """
    return RoundRobin(entrants=entrants, settings=(Setting(name, 4),), seed=seed, rounds=groups, seatings=seatings)


def truth_about_copies(openings: list[Outcomes]) -> ScopeTable:
    """Return the true standings of four entrants: two copies of `greedy` and two copies of `builder`.

    They are computed from all games that are possible with `openings`, each played once.
    """
    games: list[PlayedGame] = []
    for number in range(len(openings)):
        seatings = [list(seating) for seating in permutations(COPIES)]
        group = SeedGroup(Setting("toy", 4), number, seatings)
        games += played(group, playing(lambda seed: openings[int(seed)], copies), stream("truth"))
    return make_table(games, anchor="greedy 2")


# Intervals


def holds(low: float | None, high: float | None, truth: float) -> bool:
    """Return whether the interval from `low` to `high` contains `truth`. A limit that is None means no limit."""
    return (low is None or low <= truth + EXACT) and (high is None or truth - EXACT <= high)


class Tally:
    """Counts of intervals that contain the true value, by kind of interval and by tournament."""

    def __init__(self) -> None:
        self.held: dict[str, Sums] = {}

    def add(self, what: str, tournament: int, low: float | None, high: float | None, truth: float) -> None:
        """Count one interval from `low` to `high`, and whether it contains the true value `truth`.

        `what` is the kind of the interval, for example "mean rank". `tournament` is the number of the tournament.
        """
        self.held.setdefault(what, Sums()).add(f"{tournament}", holds(low, high, truth))

    def compare(self, number: int, table: ScopeTable, truth: ScopeTable) -> None:
        """Record for each interval of `table` whether it contains the true value, which is the value in `truth`.

        `number` is the number of the tournament.
        """
        true_of = {row.name: row for row in truth.standings}
        for row in table.standings:
            own = true_of[row.name]
            if row.name != "greedy 2":
                what = "rating against a copy" if row.name == "greedy 1" else "rating against another bot"
                self.add(what, number, row.rating.low, row.rating.high, own.rating.rating)
            self.add("share of wins", number, row.win_share.low, row.win_share.high, own.win_share.mean)
            self.add("mean rank", number, row.mean_rank.low, row.mean_rank.high, own.mean_rank.mean)
        ahead = {frozenset((pair.first, pair.second)): pair for pair in truth.pairings}
        for pair in table.pairings:
            other = ahead[frozenset((pair.first, pair.second))]
            share = other.ahead.mean if other.first == pair.first else 1 - other.ahead.mean
            what = "ahead of a copy" if COPIES[pair.first] == COPIES[pair.second] else "ahead of another bot"
            self.add(what, number, pair.ahead.low, pair.ahead.high, share)

    def found(self) -> Found:
        """Return for each kind of interval the share of intervals that contain the true value."""
        return {what: sums.share() for what, sums in self.held.items()}


def interval_campaign(name: str, openings: list[Outcomes], runs: int, groups: int = GROUPS) -> Found:
    """Measure how often the intervals in the standings contain the true values, in `runs` tournaments.

    `name` is the name of the game. The entrants are two copies of one bot and two copies of a stronger bot. A
    tournament has `groups` sets of games, each from one of `openings`, chosen at random. Assert that at least about 95
    % of the intervals are correct. Return the fractions by kind of interval.
    """
    truth, tally = truth_about_copies(openings), Tally()
    for number in range(runs):
        schedule = tournament(name, tuple(COPIES), number, groups)
        finished = all_of(schedule, playing(resampled(openings), copies), stream("intervals"))
        table = make_table((game for group in finished for game in group), anchor="greedy 2")
        tally.compare(number, table, truth)
    return held_as_stated(tally, runs)


def equals_interval_campaign(name: str, source: Source, runs: int, groups: int = GROUPS) -> Found:
    """Measure how often intervals contain the true values, in `runs` tournaments of four equal entrants.

    A tournament has `groups` sets of games, each with an opening from `source`. For each set, the built-in players of
    the entrants are chosen at random, so all entrants are equally strong.
    """
    tally = Tally()
    for number in range(runs):
        schedule = tournament(name, TURNCOATS, number, groups)
        finished = all_of(schedule, playing(source, turncoats), stream("equals"))
        for row in make_table(game for group in finished for game in group).standings:
            tally.add("rating of equals", number, row.rating.low, row.rating.high, 0)
            tally.add("share of wins of equals", number, row.win_share.low, row.win_share.high, 1 / 4)
    return held_as_stated(tally, runs)


def held_as_stated(tally: Tally, runs: int) -> Found:
    """Check that at least about 95 % of the intervals of each kind in `tally` contain the true value.

    `runs` is the number of tournaments. Return the measured shares by kind of interval.
    """
    found = tally.found()
    for what, estimate in found.items():
        assert estimate.mean >= 1 - ALPHA - noise(runs), f"{what}: {estimate}"
    return found


# Stopping rules


def stopping_campaign(name: str, openings: list[Outcomes], runs: int, longest: int = LONGEST) -> Found:
    """Measure how often stopping rules give a wrong answer about bots of known strength.

    Play `runs` tournaments of at most `longest` groups for each kind of error. Return the share of wrong answers by
    kind of error.
    """
    wrong: dict[str, tuple[Rule, Styled, str]] = {
        "a copy called better": (Better("greedy 1", "greedy 2"), copies, "better"),
        "one of two copies called the best": (TopSettled(1), copies, "settled"),
        "an equal called better": (Better("ant", "bee"), turncoats, "better"),
        "an equal called the best": (TopSettled(1), turncoats, "settled"),
        "the weaker called better": (Better("builder 1", "greedy 1"), copies, "better"),
        "the better called not better by what it is": (
            Better("greedy 1", "builder 1", by=lead_of_greedy(openings)), copies, "not_better",
        ),
    }  # fmt: skip
    found = {}
    for what, (rule, styled, answer) in wrong.items():
        play = playing(resampled(openings), styled)
        verdicts = (stopping(name, styled, rule, play, number, longest) for number in range(runs))
        found[what] = share(verdict.answer == answer for verdict in verdicts)
        assert found[what].mean <= ALPHA + noise(runs), f"{what}: {found[what]}"
    return found


def stopping(name: str, styled: Styled, rule: Rule, play: Play, seed: int, longest: int = LONGEST) -> Verdict:
    """Play a tournament until the stopping rule `rule` decides, at most `longest` groups.

    Return the verdict, whose `answer` is for example "better", or "open" without a decision. `play` plays the games.
    `styled` is the function that assigns players to entrants. Here it only determines the names of the entrants.
    """
    entrants = tuple(COPIES) if styled is copies else TURNCOATS
    return stopped(tournament(name, entrants, seed, longest), rule, play, stream("rules"), longest)


def lead_of_greedy(openings: list[Outcomes]) -> float:
    """Return the share of games in which `greedy` finishes ahead of `builder`, minus one half.

    The games are all games that are possible with `openings`, between two copies of `greedy` and two of `builder`.
    """
    for pair in truth_about_copies(openings).pairings:
        if (pair.first, pair.second) == ("greedy 1", "builder 1"):
            return pair.ahead.mean - 0.5
    raise AssertionError("builder finishes ahead of greedy")


def share(happened: Iterable[bool]) -> Estimate:
    """Return the share of values in `happened` that are true, with its confidence interval."""
    sums = Sums()
    for number, value in enumerate(happened):
        sums.add(f"{number}", value)
    return sums.share()


# Entrants that never meet: versions in a duel, challengers in a gauntlet


def rivals(group: SeedGroup) -> dict[str, str]:
    """Return the player of each entrant, by the name of the entrant, chosen at random with the seed of the group.

    Of the two entrants `RIVALS` one gets `greedy`, the other `builder`. Each opponent gets `greedy` or `builder`.
    """
    chance = stream(f"rivals/{group.seed}")
    own = [GREEDY, BUILDER] if chance() < 0.5 else [BUILDER, GREEDY]
    field = [GREEDY if chance() < 0.5 else BUILDER for _ in FIELD]
    return dict(zip((*RIVALS, *FIELD), (*own, *field), strict=True))


def rivals_of(kind: Comparison, name: str, seed: int, rounds: int) -> Duel | Gauntlet:
    """Return a duel or gauntlet (`kind`) in which the two entrants `RIVALS` never meet, but meet the same opponents."""
    frame: dict[str, Any] = {
        "entrants": (*RIVALS, *FIELD), "settings": (Setting(name, 4),), "seed": seed, "rounds": rounds,
        "seatings": "rotations",
    }  # fmt: skip
    return Duel(versions=RIVALS, **frame) if kind == "duel" else Gauntlet(challengers=RIVALS, **frame)


def rivals_campaign(
    kind: Comparison, name: str, source: Source, runs: int, groups: int = GROUPS, longest: int = LONGEST
) -> Found:
    """Check comparisons of two equal entrants that never meet, but play the same seeds against the same opponents.

    Play `runs` tournaments of `groups` seed groups to check rating intervals. Play `runs` more, of at most `longest`
    groups, to check a stopping rule. Return two kinds of rates: how often the interval of the rating difference
    contains 0, and how often one of the two entrants is called better than the other.
    """
    tally, play, rule = Tally(), playing(source, rivals), Better(*RIVALS, measure="beaten")
    for number in range(runs):
        finished = all_of(rivals_of(kind, name, number, groups), play, stream(kind))
        table = make_table((game for group in finished for game in group), anchor=RIVALS[1])
        (row,) = (row for row in table.standings if row.name == RIVALS[0])
        tally.add("rating against an equal", number, row.rating.low, row.rating.high, 0)
    found = held_as_stated(tally, runs)
    verdicts = [
        stopped(rivals_of(kind, name, number, longest), rule, play, stream(kind), longest) for number in range(runs)
    ]
    found["an equal called better"] = share(verdict.answer == "better" for verdict in verdicts)
    assert found["an equal called better"].mean <= ALPHA + noise(runs), found
    return found


# Without openings


def echo_campaign(name: str, runs: int) -> Found:
    """Measure how often one of two equal entrants is called better if all games start without an opening.

    A tournament consists of seed groups, which are sets of games with one seed. The bots are deterministic, so every
    group repeats the games of the first group. The entrant that wins more games in the first group is called better.
    This shows why tournaments need openings.

    The results have no fingerprints, which are hashes of the moves. With fingerprints the table would recognise the
    repeated games and ignore them.
    """
    beginning = Outcomes(name, None)
    rule = Better("ant", "bee")
    called = [
        stopping(name, turncoats, rule, playing(lambda seed: beginning, always(number)), number)
        for number in range(runs)
    ]
    return {"an equal called better": share(verdict.answer == "better" for verdict in called)}


def always(number: int) -> Styled:
    """Return a function that assigns the same players to the entrants in every group.

    The assignment is random, with the seed `number`.
    """
    styles = drawn_styles(f"{number}")
    return lambda _: styles


def all_campaigns(runs: int, openings: int) -> Iterator[tuple[str, Found]]:
    for name in GAMES:
        yield from campaigns_of(name, some_openings(name, openings), runs)


def campaigns_of(name: str, openings: list[Outcomes], runs: int) -> Iterator[tuple[str, Found]]:
    """Run all campaigns of this module for the game `name`. Yield the title and the measured rates of each.

    A campaign is a call of a function `..._campaign` with certain settings. `openings` has the outcomes of games for
    each opening. `runs` is the number of tournaments in each campaign.
    """
    for groups in (FEW_GROUPS, GROUPS):
        yield f"{name}, intervals after {groups} seeds", interval_campaign(name, openings, runs, groups)
        for how, source in (("", resampled(openings)), (", each from its own opening", newly_drawn(name))):
            yield f"{name}, equals after {groups} seeds{how}", equals_interval_campaign(name, source, runs, groups)
    for kind in get_args(Comparison):
        yield f"{name}, equals in a {kind}", rivals_campaign(kind, name, resampled(openings), runs)
    yield f"{name}, wrong answers", stopping_campaign(name, openings, runs)
    yield f"{name}, without openings", echo_campaign(name, runs)


def in_words(found: Found) -> str:
    return ", ".join(f"{what} {one.mean:.1%} ({one.low:.1%} to {one.high:.1%})" for what, one in found.items())


def main(name: str, openings: str, runs: str) -> None:
    for what, found in campaigns_of(name, some_openings(name, int(openings)), int(runs)):
        print(f"{what}: {in_words(found)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
