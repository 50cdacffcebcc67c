"""Tests of tournament formats: fair seatings, balanced tables, and schedules independent of the order of results."""

import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice, permutations

import msgspec
import pytest

from rails_cli.basics.seeds import parse_seed
from rails_cli.games.shared.luck import below, seeded, shuffle, stream
from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.schedule.designs import run_length, sample_size, tables_of
from rails_cli.tournament.schedule.format import Format, Results, mean_points, rank_points, seed_of
from rails_cli.tournament.schedule.formats.challenge import Duel, Gauntlet, paired
from rails_cli.tournament.schedule.formats.knockout import Knockout
from rails_cli.tournament.schedule.formats.round_robin import Roster, RoundRobin
from rails_cli.tournament.schedule.formats.swiss import Swiss, deal, table_sizes
from rails_cli.tournament.schedule.seatings import SeatingChoice, fair_seatings, seating_count

SIZES = (2, 3, 4, 5, 6)
FIELDS = (6, 13, 20, 31)
Ranking = Callable[[SeedGroup, int], list[int]]


def is_over(schedule: Format, played: Results) -> bool:
    return next(schedule.groups(played), None) is None


def tables_made(schedule: Swiss | Knockout, played: Results) -> list[list[list[str]]]:
    """Return the tables of each round that has been made so far. A table is the list of its entrants' names."""
    return [[table.names for table in made] for made in schedule.rounds_made(played)]


def names_of(count: int) -> tuple[str, ...]:
    """Return names whose alphabetical order differs from their order in the tuple."""
    return tuple(f"{'zxqkjw'[number % 6]}{number}" for number in range(count))


def settings_of(*sizes: int) -> tuple[Setting, ...]:
    return tuple(Setting("chicago_express", size) for size in sizes)


def by_strength(entrants: Sequence[str]) -> Ranking:
    """Return a function that ranks the entrants of a game in the order of `entrants`."""
    return lambda group, number: _ranks([-entrants.index(name) for name in group.seatings[number]])


def by_chance(strengths: dict[str, float]) -> Ranking:
    """Return a function that chooses a random ranking of a game in the Plackett-Luce model.

    `strengths` holds the strength of each entrant. Calls for the same game return the same ranking.
    """

    def ranks(group: SeedGroup, number: int) -> list[int]:
        draw = stream(f"{group.seed} {group.seatings[number]}")
        # arrival times of independent exponential clocks have the order of Plackett-Luce
        return _ranks([math.log(1 - draw()) / strengths[name] for name in group.seatings[number]])

    return ranks


def _ranks(worth: Sequence[float]) -> list[int]:
    return [1 + sum(other > own for other in worth) for own in worth]


def play(group: SeedGroup, ranking: Ranking, numbers: Iterable[int] | None = None) -> list[PlayedGame]:
    games = []
    for number in range(len(group.seatings)) if numbers is None else numbers:
        ranks = ranking(group, number)
        games.append(
            PlayedGame(
                group=group.id,
                number=number,
                setting=group.setting,
                seed=group.seed,
                seating=group.seatings[number],
                scores=[100 - 10 * rank for rank in ranks],
                ranks=ranks,
                reason="normal",
                faults=[0] * len(ranks),
                is_tainted=False,
                ms=[0] * len(ranks),
                actions=1,
            )
        )
    return games


def run(
    schedule: Format, ranking: Ranking, most: int | None = None
) -> tuple[list[SeedGroup], dict[str, list[PlayedGame]]]:
    """Play a schedule to its end. With `most`, play only this number of seed groups.

    `ranking` returns the ranks by seat of a game. Its arguments are the seed group and the number of the game in it.
    Return the groups, and the games by group id.
    """
    played: dict[str, list[PlayedGame]] = {}
    groups: list[SeedGroup] = []
    while batch := list(islice(schedule.groups(played), most)):
        for group in batch:
            played[group.id] = play(group, ranking)
        groups += batch
        if most is not None and len(groups) >= most:
            break
    assert len({group.id for group in groups}) == len(groups)
    return groups, played


def flat(order: list[list[str]]) -> list[str]:
    return [name for equals in order for name in equals]


class TestSeatings:
    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("choice", ["all", "balanced"])
    def test_seatings_balance_seats_neighbours_and_order(self, size: int, choice: SeatingChoice) -> None:
        games = fair_seatings(range(size), choice)
        assert len(games) == (math.factorial(size) if choice == "all" else size * (size - 1))
        assert len(set(map(tuple, games))) == len(games)
        share = len(games) // (size * (size - 1))
        seats = Counter((seat, player) for game in games for seat, player in enumerate(game))
        assert set(seats.values()) == {share * (size - 1)}
        assert len(seats) == size * size
        # at each seat, every player follows every other player equally often
        after = Counter((seat, game[seat - 1], game[seat]) for game in games for seat in range(size))
        assert set(after.values()) == {share}
        assert len(after) == size * size * (size - 1)
        earlier = Counter(pair for game in games for pair in combinations(game, 2))
        assert set(earlier.values()) == {len(games) // 2}

    @pytest.mark.parametrize("size", SIZES)
    def test_rotations_balance_neighbours_over_several_seeds(self, size: int) -> None:
        orders = {2: 1, 3: 2, 4: 6, 5: 4, 6: 10}[size]
        after: Counter[tuple[int, int]] = Counter()
        for turn in range(7 * orders, 8 * orders):
            games = fair_seatings(range(size), "rotations", turn)
            seats = Counter((seat, player) for game in games for seat, player in enumerate(game))
            assert len(games) == size
            assert len(seats) == size * size
            after.update((game[seat - 1], game[seat]) for game in games for seat in range(size))
        assert len(after) == size * (size - 1)
        assert len(set(after.values())) == 1

    def test_a_number_limits_the_seatings(self) -> None:
        assert [seating_count(size) for size in SIZES] == [2, 6, 24, 20, 30]
        assert [seating_count(size, 12) for size in SIZES] == [2, 6, 12, 10, 12]
        assert [seating_count(size, 6) for size in SIZES] == [2, 6, 4, 5, 6]
        assert [seating_count(size, "rotations") for size in SIZES] == list(SIZES)
        assert seating_count(6, 1000) == 720
        assert fair_seatings("ABCDEF", 59) == fair_seatings("ABCDEF", "balanced")
        assert fair_seatings("ABCDEF", 6, 3) == fair_seatings("ABCDEF", "rotations", 3)

    @pytest.mark.parametrize("limit", [8, 12, 24])
    def test_limited_seatings_balance_neighbours_over_several_seeds(self, limit: int) -> None:
        games = [game for turn in range(10) for game in fair_seatings(range(6), limit, turn)]
        after = Counter((game[seat - 1], game[seat]) for game in games for seat in range(6))
        assert len(after) == 30
        assert len(set(after.values())) == 1

    @pytest.mark.parametrize("size", SIZES[1:])
    def test_a_player_with_several_seats_has_each_seat_equally_often(self, size: int) -> None:
        for choice in ("all", "balanced", "rotations"):
            players = ["A"] + ["greedy"] * (size - 1)
            assert sorted(fair_seatings(players, choice)) == sorted(
                ["greedy"] * seat + ["A"] + ["greedy"] * (size - 1 - seat) for seat in range(size)
            )
            some = fair_seatings(["A", *"BCDE"[: size - 2], "A"], choice)
            seats = Counter((seat, player) for game in some for seat, player in enumerate(game))
            assert {seats[seat, "A"] for seat in range(size)} == {2 * len(some) // size}
        assert len(fair_seatings("AABB", "all")) == 6

    @pytest.mark.parametrize(("players", "choice"), [("A", "all"), ("ABCDEFG", "all"), ("ABCD", 3), ("AB", 0)])
    def test_impossible_seatings_are_refused(self, players: str, choice: SeatingChoice) -> None:
        with pytest.raises(ValueError, match=r"^[A-Z].*\.$"):
            fair_seatings(players, choice)


class TestTables:
    @pytest.mark.parametrize("size", SIZES)
    def test_all_tables_are_made_if_the_limit_allows(self, size: int) -> None:
        for count in range(size, 11):
            tables = tables_of(count, size, 252)
            assert sorted(tables) == list(combinations(range(count), size))
            assert sample_size(count, size, 252) == len(tables)
            assert tables == tables_of(count + 1, size, 1000)[: len(tables)]

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("count", FIELDS)
    def test_a_sample_of_tables_is_balanced(self, count: int, size: int) -> None:
        for most in (count, 3 * count):
            if math.comb(count, size) <= most:
                continue
            tables = tables_of(count, size, most)
            assert len(tables) == sample_size(count, size, most) == most
            assert all(len(set(table)) == size for table in tables)
            sat = Counter(player for table in tables for player in table)
            assert set(sat.values()) == {most * size // count}
            met = Counter(pair for table in tables for pair in combinations(table, 2))
            times = [met[pair] for pair in combinations(range(count), 2)]
            assert max(times) - min(times) <= (1 if size == 2 else 3)
            # the variance is near its minimum, whereas that of random tables would be near the mean
            mean = Fraction(sum(times), len(times))
            part = mean - math.floor(mean)
            variance = sum((number - mean) ** 2 for number in times) / len(times)
            assert variance - part * (1 - part) <= Fraction(3, 10)

    @pytest.mark.parametrize(("count", "size"), [(12, 4), (20, 4), (13, 5), (16, 6)])
    def test_samples_of_several_rounds_balance_each_other(self, count: int, size: int) -> None:
        met: Counter[tuple[int, ...]] = Counter()
        rounds = [tables_of(count, size, count, number) for number in range(9)]
        assert rounds[0] != rounds[1]
        assert rounds[0] == rounds[8]
        for tables in rounds[:8]:
            met.update(pair for table in tables for pair in combinations(table, 2))
        times = [met[pair] for pair in combinations(range(count), 2)]
        assert max(times) - min(times) <= 2

    def test_consecutive_parts_of_a_sample_are_balanced(self) -> None:
        tables = tables_of(20, 4, 250)
        for start in range(0, 240, 60):
            assert set(Counter(player for table in tables[start : start + 60] for player in table).values()) == {12}

    def test_a_sample_does_not_exceed_its_limit(self) -> None:
        assert run_length(40, 4) == 10
        assert run_length(40, 6) == 20
        assert run_length(13, 4) == 13
        assert sample_size(40, 4, 252) == 250
        assert sample_size(40, 6, 252) == 240
        with pytest.raises(ValueError, match=r"13 would do\."):
            tables_of(13, 4, 12)
        with pytest.raises(ValueError, match="too few"):
            sample_size(3, 4, 12)


class TestPoints:
    def test_points_depend_on_ranks(self) -> None:
        assert rank_points([1, 2]) == [120, 0]
        assert rank_points([2, 1, 2, 4]) == [60, 120, 60, 0]
        assert rank_points([1, 1, 1, 1, 1, 1]) == [60] * 6
        for size in SIZES:
            assert sum(rank_points(list(range(1, size + 1)))) == 60 * size

    def test_void_games_do_not_count(self) -> None:
        group = next(RoundRobin(entrants=("A", "B"), settings=settings_of(2), seed=0).groups({}))
        first, second = play(group, by_strength("AB"))
        void = msgspec.structs.replace(second, reason="interrupted")
        assert mean_points([first, void]) == {"A": 1, "B": 0}
        assert mean_points([void]) == {}

    def test_seeds_are_distinct_and_valid(self) -> None:
        seeds = {seed_of(base, series, number) for base in (0, 1) for series in ("", "a") for number in range(500)}
        assert len(seeds) == 2000
        assert all(parse_seed(seed) == seed for seed in seeds)
        assert seed_of(7, "chicago_express 4 ", 3) == "19f8eb6bd5bd6c2894645855eb9abd6a"


FORMATS: list[Format] = [
    RoundRobin(entrants=names_of(5), settings=settings_of(3, 4), seed=1, rounds=2, seatings="rotations"),
    RoundRobin(entrants=names_of(14), settings=settings_of(4), seed=1, rounds=2, tables=20, seatings=4),
    RoundRobin(
        entrants=names_of(4), settings=settings_of(2, 3), seed=1, rounds=2, seatings="rotations", seeds={"2": 3}
    ),
    Gauntlet(entrants=names_of(6), settings=settings_of(3), seed=2, challengers=names_of(6)[2:4], rounds=2),
    Swiss(entrants=names_of(11), settings=settings_of(3), seed=3, rounds=3, groups_a_table=2),
    Swiss(entrants=names_of(14), settings=settings_of(4, 3), seed=3, rounds=3, seatings=4),
    Knockout(entrants=names_of(13), settings=settings_of(2), seed=4),
    Knockout(entrants=names_of(21), settings=settings_of(4), seed=4, advance=2, groups_a_table=2, seatings=4),
    Duel(entrants=names_of(6), settings=settings_of(4), seed=5, versions=("z0", "x1"), rounds=2, seatings="balanced"),
]


@pytest.mark.parametrize("schedule", FORMATS, ids=lambda schedule: type(schedule).__name__)
class TestAnyFormat:
    def test_the_schedule_does_not_depend_on_the_order_of_results(self, schedule: Format) -> None:
        strengths = {name: 1.0 + number % 5 for number, name in enumerate(names_of(21))}
        groups, finished = run(schedule, by_chance(strengths))
        luck = seeded(0)
        played: dict[str, list[PlayedGame]] = {}
        known: dict[str, SeedGroup] = {}
        while playable := list(islice(schedule.groups(played), 12)):
            chosen, luck = shuffle(playable, luck)
            for group in chosen[:3]:
                known[group.id] = group
                numbers, luck = shuffle(range(len(group.seatings)), luck)
                # a run that was killed leaves part of a group, and the rest is played later
                done = {game.number for game in played.get(group.id, [])}
                share, luck = below(luck, len(numbers) + 1)
                kept = [number for number in numbers if number not in done]
                played[group.id] = [*play(group, by_chance(strengths), kept[share:]), *played.get(group.id, [])]
            mixed, luck = shuffle(list(played.items()), luck)
            played = dict(mixed)
        assert set(known) == {group.id for group in groups}
        assert schedule.order(played) == schedule.order(finished)

    def test_listing_groups_has_no_side_effects(self, schedule: Format) -> None:
        first = list(schedule.groups({}))
        assert first == list(schedule.groups({}))
        played = {group.id: play(group, by_strength(names_of(21))) for group in first[::2]}
        assert [group for group in schedule.groups(played) if group in first] == first[1::2]
        assert not is_over(schedule, played)

    def test_the_number_of_groups_is_as_announced(self, schedule: Format) -> None:
        plan = schedule.length()
        groups, played = run(schedule, by_strength(names_of(21)))
        assert plan.groups_most is not None
        assert plan.games_most is not None
        assert plan.groups_least <= len(groups) <= plan.groups_most
        assert plan.games_least <= sum(len(group.seatings) for group in groups) <= plan.games_most
        if not isinstance(schedule, Knockout):
            assert plan.groups_least == plan.groups_most
            assert plan.games_least == plan.games_most
        assert is_over(schedule, played)

    def test_groups_have_valid_seeds_and_balanced_seatings(self, schedule: Format) -> None:
        for group in run(schedule, by_strength(names_of(21)))[0]:
            assert parse_seed(str(group.seed)) == group.seed
            assert all(len(seating) == len(set(seating)) == group.setting.players for seating in group.seatings)
            seats = Counter((seat, name) for seating in group.seatings for seat, name in enumerate(seating))
            versions = schedule.versions if isinstance(schedule, Duel) else ()
            assert len({times for (_, name), times in seats.items() if name not in versions}) == 1

    def test_a_schedule_of_void_games_still_ends(self, schedule: Format) -> None:
        played: dict[str, list[PlayedGame]] = {}
        while batch := list(schedule.groups(played)):
            for group in batch:
                games = play(group, by_strength(names_of(21)))
                played[group.id] = [msgspec.structs.replace(game, reason="interrupted") for game in games]
        assert schedule.order(played)


def test_schedules_do_not_depend_on_the_hash_seed() -> None:
    script = (
        f"from {__name__} import *\n"
        "for schedule in FORMATS:\n"
        "    groups, played = run(schedule, by_strength(names_of(21)))\n"
        "    print([group.id for group in groups], schedule.order(played))\n"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"  # different from the one of this process
    printed = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    here = []
    for schedule in FORMATS:
        groups, played = run(schedule, by_strength(names_of(21)))
        here.append(f"{[group.id for group in groups]} {schedule.order(played)}")
    assert printed.splitlines() == here


class TestRoundRobin:
    def test_small_tables_may_have_more_seeds(self) -> None:
        """If tables of two get more seeds, all games that would be played anyway stay the same.

        These are the games of larger tables, and the games with the first seeds at tables of two.
        """
        once, more = (
            RoundRobin(entrants=names_of(4), settings=settings_of(2, 3), seed=0, rounds=6, seeds=seeds)
            for seeds in ({}, {"2": 3})
        )
        few, many = (list(schedule.all_groups()) for schedule in (once, more))
        assert [one.id for one in few if one.setting.players == 3] == [
            one.id for one in many if one.setting.players == 3
        ]
        times = Counter(tuple(sorted(one.seatings[0])) for one in many if one.setting.players == 2)
        assert set(times.values()) == {18}
        assert len({one.seed for one in many}) == len(many) == more.length().groups_most
        assert {one.seed for one in few} < {one.seed for one in many}

    @pytest.mark.parametrize("seeds", [{"2": 0}, {"7": 1}, {"two": 1}])
    def test_invalid_numbers_of_seeds_are_refused(self, seeds: dict[str, int]) -> None:
        with pytest.raises(ValueError, match=r"^seeds: "):
            RoundRobin(entrants=names_of(4), settings=settings_of(2, 3), seed=0, seeds=seeds)

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("count", [6, 7, 9])
    def test_every_table_is_played_in_each_round(self, count: int, size: int) -> None:
        schedule = RoundRobin(
            entrants=names_of(count), settings=settings_of(size), seed=0, rounds=2, seatings="rotations"
        )
        groups, _ = run(schedule, by_strength(names_of(count)))
        assert len(groups) == 2 * math.comb(count, size)
        met = Counter(frozenset(group.seatings[0]) for group in groups)
        assert set(met.values()) == {2}
        assert len({group.seed for group in groups}) == len(groups)

    def test_more_rounds_keep_the_first_rounds(self) -> None:
        for count in (6, 14):
            few, many = (
                RoundRobin(
                    entrants=names_of(count), settings=settings_of(4), seed=0, rounds=rounds, tables=21, seatings=4
                )
                for rounds in (2, 3)
            )
            first = list(few.groups({}))
            assert first == list(many.groups({}))[: len(first)]

    def test_entrants_are_ordered_by_their_known_strengths(self) -> None:
        entrants = names_of(8)
        strengths = {name: 0.6**number for number, name in enumerate(entrants)}
        for schedule in (
            RoundRobin(entrants=entrants[::-1], settings=settings_of(4), seed=0),
            RoundRobin(entrants=entrants[::-1], settings=settings_of(3, 4), seed=0, rounds=3, tables=24),
        ):
            assert flat(schedule.order(run(schedule, by_chance(strengths))[1])) == list(entrants)

    def test_forty_entrants_are_ordered_by_a_sample_of_tables(self) -> None:
        schedule = RoundRobin(entrants=names_of(40), settings=settings_of(4), seed=0, seatings="balanced")
        assert (schedule.length().groups_most, schedule.length().games_most) == (250, 3000)
        strengths = {name: 0.9**number for number, name in enumerate(names_of(40))}
        order = flat(schedule.order(run(schedule, by_chance(strengths))[1]))
        assert sum(abs(order.index(name) - place) for place, name in enumerate(names_of(40))) / 40 < 2


def grown(*rosters: Roster, tables: int = 252) -> RoundRobin:
    """Return a round robin of three rounds, with games of four players and games of three players.

    A roster is the list of entrants from a given round on. It replaces the roster before it. `tables` is the maximum
    number of tables in a round.
    """
    entrants = tuple(dict.fromkeys(name for roster in rosters for name in roster.names))
    settings = (*settings_of(4), Setting("last_spike", 3))
    return RoundRobin(
        entrants=entrants, settings=settings, seed=0, seatings="rotations", rosters=rosters, rounds=3, tables=tables
    )


def seeds_played(groups: Iterable[SeedGroup]) -> dict[int, Counter[str]]:
    """Return, for each table size, how many seeds each entrant plays at tables of this size."""
    played: dict[int, Counter[str]] = {}
    for group in groups:
        played.setdefault(group.setting.players, Counter()).update(group.seatings[0])
    return played


class TestGrowingRoundRobin:
    def test_games_keep_their_seeds_when_entrants_are_added_one_by_one(self) -> None:
        names = names_of(8)
        rosters = [Roster(names[:4]), *(Roster(names[:count], 2) for count in range(5, 9))]
        before: set[str] = set()
        for count in range(1, 6):
            groups = list(grown(*rosters[:count]).all_groups())
            assert before <= {group.id for group in groups}
            assert len({group.seed for group in groups}) == len(groups)
            before = {group.id for group in groups}
        assert before == {group.id for group in grown(Roster(names)).all_groups()}

    def test_newcomers_play_every_table_of_the_others(self) -> None:
        names = names_of(7)
        schedule = grown(Roster(names[:5]), Roster(names[:6], 1), Roster(names, 2))
        for players, played in seeds_played(schedule.all_groups()).items():
            assert set(played.values()) == {3 * math.comb(6, players - 1)}

    def test_an_entrant_that_left_plays_no_more_until_it_returns(self) -> None:
        names = names_of(6)
        rosters = (Roster(names), Roster(names[1:], 1))
        without = grown(*rosters)
        assert all(names[0] not in group.seatings[0] for group in without.all_groups())
        assert {group.id for group in without.begun_groups()} < {
            group.id for group in grown(Roster(names)).all_groups()
        }
        back = grown(*rosters, Roster(names, 2))
        assert all(set(played.values()) == {played[names[0]]} for played in seeds_played(back.all_groups()).values())

    @pytest.mark.parametrize("count", [14, 19])
    def test_newcomers_extend_a_sample_of_tables(self, count: int) -> None:
        names = names_of(20)
        begun = grown(Roster(names[:count]), tables=60)
        schedule = grown(Roster(names[:count]), Roster(names, 2), tables=60)
        groups = list(schedule.all_groups())
        assert {group.id for group in begun.all_groups() if group.stage != "round 3"} < {group.id for group in groups}
        for number in range(3):
            in_round = [group for group in groups if group.stage == f"round {number + 1}"]
            for played in seeds_played(in_round).values():
                assert set(played) == set(names)
                assert max(played.values()) - min(played.values()) <= (1 if number < 2 else 0)
        plan = schedule.length()
        assert plan.groups_most == len(groups)
        assert len(list(schedule.begun_groups())) == plan.groups_most - schedule.cycle()

    def test_a_round_has_enough_tables_for_all_to_play_equally_often(self) -> None:
        for count in (6, 7, 13):
            schedule = grown(Roster(names_of(count)), tables=1)
            for played in seeds_played(schedule.all_groups()).values():
                assert len(played) == count
                assert len(set(played.values())) == 1
            assert schedule.length().groups_most == len(list(schedule.all_groups()))

    def test_a_newcomer_joins_a_sample_with_those_present_only(self) -> None:
        names = names_of(15)
        schedule = grown(Roster(names[:14]), Roster(names[4:], 1), tables=60)
        late = [group.seatings[0] for group in schedule.begun_groups(with_left=True) if names[14] in group.seatings[0]]
        assert late
        assert not any(name in table for table in late for name in names[:4])

    def test_rounds_have_begun_up_to_the_last_played_group(self) -> None:
        schedule = grown(Roster(names_of(4)))
        groups = list(schedule.all_groups())
        assert schedule.rounds_begun([]) == 0
        assert schedule.rounds_begun([groups[0].id]) == 1
        assert schedule.rounds_begun([groups[0].id, groups[-1].id]) == 3
        with pytest.raises(ValueError, match="not in this tournament"):
            schedule.rounds_begun(["stranger"])


class TestGauntlet:
    @pytest.mark.parametrize("size", SIZES)
    def test_the_challenger_plays_in_every_game(self, size: int) -> None:
        entrants = names_of(9)
        schedule = Gauntlet(entrants=entrants, settings=settings_of(size), seed=0, challengers=("k3",))
        groups, _ = run(schedule, by_strength(entrants))
        assert all("k3" in seating for group in groups for seating in group.seatings)
        others = Counter(name for group in groups for name in group.seatings[0] if name != "k3")
        assert len(others) == 8
        assert len(set(others.values())) == 1
        pairs = Counter(pair for group in groups for pair in combinations(sorted(set(group.seatings[0]) - {"k3"}), 2))
        assert len(set(pairs.values())) <= 1

    def test_challengers_have_the_same_seeds_and_opponents(self) -> None:
        schedule = Gauntlet(
            entrants=names_of(30), settings=settings_of(4), seed=0, challengers=("z0", "x1"), tables=56, seatings=4
        )
        groups = list(schedule.groups({}))
        assert len(groups) == 2 * 56
        for first, second in zip(groups[::2], groups[1::2], strict=True):
            assert first.seed == second.seed
            swapped = [["x1" if name == "z0" else name for name in seating] for seating in first.seatings]
            assert swapped == second.seatings

    def test_repeatable_entrants_fill_the_remaining_seats(self) -> None:
        schedule = Gauntlet(
            entrants=("new", "old", "greedy"),
            settings=settings_of(2, 3, 5),
            seed=0,
            challengers=("new",),
            repeatable=("greedy",),
        )
        groups = list(schedule.groups({}))
        companies = sorted((sorted(group.seatings[0]) for group in groups), key=lambda names: (len(names), names))
        assert companies == [
            ["greedy", "new"],
            ["new", "old"],
            ["greedy", "new", "old"],
            ["greedy", "greedy", "greedy", "new", "old"],
        ]
        assert schedule.length().groups_most == 4
        assert schedule.length().games_most == sum(len(group.seatings) for group in groups)

    def test_known_strengths_decide_the_order(self) -> None:
        entrants = names_of(8)
        strengths = {name: 0.6**number for number, name in enumerate(entrants)}
        schedule = Gauntlet(
            entrants=entrants, settings=settings_of(3), seed=0, challengers=(entrants[4], entrants[1], entrants[2])
        )
        _, played = run(schedule, by_chance(strengths))
        assert schedule.order(played) == [[entrants[1]], [entrants[2]], [entrants[4]]]


def can_seat_without_repeats(names: Sequence[str], size: int, met: set[frozenset[str]]) -> bool:
    """Return whether `names` can be divided into tables of `size` so that no two entrants meet again.

    `met` holds the pairs of entrants that have met before. All divisions are tried.
    """
    if not names:
        return True
    for company in combinations(names[1:], size - 1):
        table = (names[0], *company)
        if all(frozenset(pair) not in met for pair in combinations(table, 2)):
            rest = [name for name in names if name not in table]
            if can_seat_without_repeats(rest, size, met):
                return True
    return False


class TestSwiss:
    def test_table_sizes_seat_as_many_entrants_as_possible(self) -> None:
        assert table_sizes(10, (4,)) == (4, 4)
        assert table_sizes(10, (4, 3)) == (4, 3, 3)
        assert table_sizes(10, (3, 4)) == (3, 3, 4)
        assert table_sizes(5, (4, 3)) == (4,)
        assert table_sizes(6, (4, 3, 2)) == (4, 2)
        assert table_sizes(11, (5, 2)) == (5, 2, 2, 2)

    def test_the_first_round_separates_the_best_entrants(self) -> None:
        assert deal("ABCDEFGHIJ", (4, 3, 3)) == [["A", "F", "G", "J"], ["B", "E", "H"], ["C", "D", "I"]]

    @pytest.mark.parametrize(
        ("count", "size", "rounds"),
        [(8, 2, 5), (16, 2, 10), (17, 2, 10), (9, 3, 3), (15, 3, 5), (16, 4, 3), (36, 6, 3)],
    )
    def test_no_pair_meets_twice_where_possible(self, count: int, size: int, rounds: int) -> None:
        schedule = Swiss(
            entrants=names_of(count), settings=settings_of(size), seed=0, rounds=rounds, seatings="rotations"
        )
        for ranking in (by_strength(names_of(count)), by_chance(dict.fromkeys(names_of(count), 1.0))):
            _, played = run(schedule, ranking)
            met = Counter(
                frozenset(pair)
                for tables in tables_made(schedule, played)
                for table in tables
                for pair in combinations(table, 2)
            )
            assert max(met.values()) == 1

    @pytest.mark.parametrize(("count", "size", "rounds"), [(8, 2, 8), (10, 2, 10), (12, 3, 6), (16, 4, 5)])
    def test_pairs_meet_again_only_if_unavoidable(self, count: int, size: int, rounds: int) -> None:
        for seed in range(2):
            schedule = Swiss(
                entrants=names_of(count), settings=settings_of(size), seed=seed, rounds=rounds, seatings="rotations"
            )
            _, played = run(schedule, by_chance(dict.fromkeys(names_of(count), 1.0)))
            met: set[frozenset[str]] = set()
            for tables in tables_made(schedule, played):
                pairs = {frozenset(pair) for table in tables for pair in combinations(table, 2)}
                assert pairs.isdisjoint(met) or not can_seat_without_repeats(names_of(count), size, met)
                met |= pairs

    def test_pairs_meet_equally_often_in_many_rounds(self) -> None:
        schedule = Swiss(entrants=names_of(6), settings=settings_of(2), seed=0, rounds=15)
        _, played = run(schedule, by_strength(names_of(6)))
        met = Counter(frozenset(table) for tables in tables_made(schedule, played) for table in tables)
        assert len(met) == 15
        assert max(met.values()) - min(met.values()) <= 1

    @pytest.mark.parametrize(("count", "sizes"), [(11, (3,)), (11, (4,)), (7, (2,)), (5, (4, 3)), (23, (6, 5))])
    def test_byes_are_spread_evenly(self, count: int, sizes: tuple[int, ...]) -> None:
        for rounds in (1, 9):
            schedule = Swiss(
                entrants=names_of(count), settings=settings_of(*sizes), seed=0, rounds=rounds, seatings="rotations"
            )
            _, played = run(schedule, by_strength(names_of(count)))
            made = tables_made(schedule, played)
            assert len(made) == rounds
            seated = Counter(name for tables in made for table in tables for name in table)
            times = [seated[name] for name in names_of(count)]
            assert max(times) - min(times) <= 1

    def test_winners_of_the_first_round_meet_in_the_second(self) -> None:
        schedule = Swiss(entrants=names_of(16), settings=settings_of(4), seed=0, rounds=2)
        _, played = run(schedule, by_strength(names_of(16)))
        first, second = tables_made(schedule, played)
        winners = [min(table, key=names_of(16).index) for table in first]
        assert sorted(second[0]) == sorted(winners)

    def test_tables_play_each_game_of_their_size(self) -> None:
        settings = (Setting("last_spike", 4), Setting("american_rails", 3), Setting("chicago_express", 4))
        schedule = Swiss(entrants=names_of(7), settings=settings, seed=0, rounds=1, groups_a_table=2)
        played = Counter((group.setting.game, group.stage) for group in schedule.groups({}))
        assert played == {
            ("last_spike", "round 1 table 1"): 2,
            ("chicago_express", "round 1 table 1"): 2,
            ("american_rails", "round 1 table 2"): 2,
        }

    def test_known_strengths_decide_the_order(self) -> None:
        entrants = names_of(24)
        strengths = {name: 0.75**number for number, name in enumerate(entrants)}
        schedule = Swiss(entrants=entrants[::-1], settings=settings_of(4), seed=0, rounds=6)
        order = flat(schedule.order(run(schedule, by_chance(strengths))[1]))
        assert order[0] == entrants[0]
        assert set(order[:4]) <= set(entrants[:6])
        assert sum(abs(order.index(name) - place) for place, name in enumerate(entrants)) / 24 < 2


class TestKnockout:
    @pytest.mark.parametrize(("size", "advance"), [(size, k) for size in SIZES for k in range(1, size)])
    def test_brackets_of_any_size(self, size: int, advance: int) -> None:
        for count in sorted({size, size + 1, 2 * size - 1, 2 * size, 16, 17, 33}):
            entrants = names_of(count)
            schedule = Knockout(
                entrants=entrants, settings=settings_of(size), seed=0, advance=advance, seatings="rotations"
            )
            _, played = run(schedule, by_strength(entrants))
            made = tables_made(schedule, played)
            order = schedule.order(played)
            assert len(made[-1]) == 1
            assert all(len(table) == size for tables in made for table in tables)
            assert sorted(flat(order)) == sorted(entrants)
            assert order[:size] == [[name] for name in entrants[:size]], "the best entrants reach the final"
            # in each round, the highest-seeded players sit at different tables
            for tables in made:
                heads = sorted(entrants.index(name) for table in tables for name in table)[: len(tables)]
                assert all(len([n for n in table if entrants.index(n) in heads]) == 1 for table in tables)

    @pytest.mark.parametrize("count", [5, 6, 7, 11, 13, 16, 31])
    def test_byes_are_given_to_the_best_in_the_first_round(self, count: int) -> None:
        schedule = Knockout(entrants=names_of(count), settings=settings_of(2), seed=0)
        _, played = run(schedule, by_strength(names_of(count)))
        made = tables_made(schedule, played)
        full = 2 ** (count.bit_length() - 1)
        if count != full:
            first = made.pop(0)
            assert sorted(name for table in first for name in table) == sorted(names_of(count)[2 * (full - count) :])
            assert len(first) == count - full
        assert [len(tables) for tables in made] == [full >> step for step in range(1, full.bit_length())]

    def test_entrants_that_met_are_seated_at_different_tables(self) -> None:
        entrants = names_of(24)
        schedule = Knockout(entrants=entrants, settings=settings_of(6), seed=0, advance=3)
        first, second, _ = tables_made(schedule, run(schedule, by_strength(entrants))[1])
        assert [len(first), len(second)] == [4, 2]
        for old in first:
            for new in second:
                assert len(set(old) & set(new)) <= 2, "three players of one table are split over two tables"
        pairs = Knockout(entrants=names_of(16), settings=settings_of(4), seed=0, advance=2)
        first, second, _ = tables_made(pairs, run(pairs, by_strength(names_of(16)))[1])
        assert all(len(set(old) & set(new)) <= 1 for old in first for new in second)

    def test_a_tie_is_broken_by_extra_groups_and_then_by_seeding(self) -> None:
        schedule = Knockout(entrants=("A", "B"), settings=settings_of(2), seed=0, extras=2)
        groups, played = run(schedule, lambda group, number: [1, 1])
        assert [group.stage for group in groups] == ["final table 1", "final table 1 extra 1", "final table 1 extra 2"]
        assert schedule.order(played) == [["A"], ["B"]]
        assert len({group.seed for group in groups}) == 3

        def second_extra(group: SeedGroup, number: int) -> list[int]:
            if not group.stage.endswith("extra 1"):
                return [1, 1]
            return [1, 2] if group.seatings[number][0] == "B" else [2, 1]

        groups, played = run(schedule, second_extra)
        assert len(groups) == 2
        assert schedule.order(played) == [["B"], ["A"]]

    def test_a_tie_in_points_is_not_broken_by_scores(self) -> None:
        schedule = Knockout(entrants=("A", "B"), settings=settings_of(2), seed=0, extras=1)
        played: dict[str, list[PlayedGame]] = {}
        while (group := next(schedule.groups(played), None)) is not None:
            played[group.id] = [
                msgspec.structs.replace(game, scores=[70 if name == "B" else 60 for name in game.seating])
                for game in play(group, lambda group, number: [1, 1])
            ]
        assert len(played) == 2, "the extra seed is played"
        assert schedule.order(played) == [["A"], ["B"]]

    def test_a_tie_in_points_after_extra_groups_is_broken_by_ranks(self) -> None:
        schedule = Knockout(entrants=("B", "A", "C"), settings=settings_of(3), seed=0, extras=1, seatings="rotations")
        ranks = [{"A": 1, "C": 1, "B": 3}, {"B": 1, "A": 2, "C": 2}, {"A": 1, "B": 1, "C": 1}]
        groups, played = run(schedule, lambda group, number: [ranks[number][name] for name in group.seatings[number]])
        assert len(groups) == 2
        (made,) = schedule.rounds_made(played)
        assert made[0].worth == {"A": (360, 8), "B": (360, 10), "C": (360, 8)}
        assert schedule.order(played) == [["A"], ["C"], ["B"]]

    def test_the_order_of_an_unfinished_knockout(self) -> None:
        schedule = Knockout(entrants=names_of(8), settings=settings_of(2), seed=0)
        assert schedule.order({}) == [list(names_of(8))]
        played = {group.id: play(group, by_strength(names_of(8))) for group in schedule.groups({})}
        assert schedule.order(played) == [list(names_of(4)), [names_of(8)[place] for place in (7, 6, 5, 4)]]

    def test_known_strengths_decide_the_order(self) -> None:
        entrants = names_of(16)
        strengths = {name: 0.6**number for number, name in enumerate(entrants)}
        mixed, _ = shuffle(entrants, seeded(1))
        schedule = Knockout(entrants=tuple(mixed), settings=settings_of(4), seed=0, advance=2, groups_a_table=3)
        order = flat(schedule.order(run(schedule, by_chance(strengths))[1]))
        assert order[0] == entrants[0]
        assert set(order[:3]) <= set(entrants[:4])


class TestDuel:
    @pytest.mark.parametrize("size", SIZES)
    def test_both_versions_play_the_same_seats_and_opponents(self, size: int) -> None:
        entrants = ("A", "B", *names_of(6))
        schedule = Duel(entrants=entrants, settings=settings_of(size), seed=0, versions=("A", "B"), rounds=2)
        groups, played = run(schedule, by_strength(entrants))
        assert len(groups) == 2 * math.comb(6, size - 1)
        for group in groups:
            for first, second in zip(group.seatings[::2], group.seatings[1::2], strict=True):
                assert "A" in first
                assert ["B" if name == "A" else name for name in first] == second
            seats = Counter(seating.index("B") for seating in group.seatings[1::2])
            assert len(seats) == size
            assert len(set(seats.values())) == 1
            pairs = paired(played[group.id][::-1])
            assert [(one.number, other.number) for one, other in pairs] == [
                (number, number + 1) for number in range(0, len(group.seatings), 2)
            ]
        company = Counter(name for group in groups for name in group.seatings[0] if name != "A")
        assert len(set(company.values())) == 1

    def test_half_a_pair_does_not_count(self) -> None:
        schedule = Duel(entrants=("A", "B", "C"), settings=settings_of(2), seed=0, versions=("A", "B"))
        group = next(schedule.groups({}))
        games = play(group, by_strength("ABC"))
        games[2] = msgspec.structs.replace(games[2], reason="interrupted")
        assert [(one.number, other.number) for one, other in paired(games)] == [(0, 1)]

    def test_a_duel_uses_the_seeds_and_seatings_of_a_gauntlet(self) -> None:
        entrants = ("A", "B", *names_of(5))
        duel = Duel(entrants=entrants, settings=settings_of(4), seed=9, versions=("A", "B"))
        gauntlet = Gauntlet(entrants=entrants, settings=settings_of(4), seed=9, challengers=("A", "B"))
        both = list(gauntlet.groups({}))
        assert [group.seed for group in duel.groups({})] == [group.seed for group in both[::2]]
        assert [group.seatings[::2] for group in duel.groups({})] == [group.seatings for group in both[::2]]

    def test_one_opponent_may_have_all_other_seats(self) -> None:
        schedule = Duel(
            entrants=("A", "B", "greedy"),
            settings=settings_of(4),
            seed=0,
            versions=("A", "B"),
            rounds=3,
            repeatable=("greedy",),
        )
        groups = list(schedule.groups({}))
        assert len(groups) == 3
        assert [seating.index("A") for seating in groups[0].seatings[::2]] == [0, 1, 2, 3]
        assert schedule.length().games_most == 24

    def test_known_strengths_decide_the_order(self) -> None:
        entrants = ("new", "old", *names_of(4))
        strengths = {"new": 1.2, "old": 1.0, **dict.fromkeys(names_of(4), 1.0)}
        schedule = Duel(entrants=entrants, settings=settings_of(4), seed=0, versions=("old", "new"), rounds=10)
        _, played = run(schedule, by_chance(strengths))
        assert schedule.order(played) == [["new"], ["old"]]


def made_format(kind: str, **changes: object) -> Format:
    given: dict[str, object] = {"entrants": names_of(6), "settings": settings_of(3), "seed": 0, **changes}
    builds: dict[str, Callable[..., Format]] = {
        "round_robin": RoundRobin,
        "gauntlet": Gauntlet,
        "swiss": Swiss,
        "knockout": Knockout,
        "duel": Duel,
    }
    return builds[kind](**given)


def mistakes() -> Iterator[tuple[str, dict[str, object], str]]:
    needs: dict[str, dict[str, object]] = {
        "round_robin": {},
        "gauntlet": {"challengers": ("z0",)},
        "swiss": {"rounds": 2},
        "knockout": {},
        "duel": {"versions": ("z0", "x1")},
    }
    for kind, more in needs.items():
        yield kind, {**more, "entrants": ("z0", "x1", "q2", "x1")}, "The entrants: x1 appears twice."
        yield kind, {**more, "entrants": ("z0", "x1", "")}, "The entrants: number 3 has no name."
        yield kind, {**more, "entrants": ()}, "The entrants: none given."
        yield kind, {**more, "settings": ()}, "There is no game to play."
        yield kind, {**more, "settings": settings_of(7)}, "chicago_express for 7 players: a table has 2 to 6."
        yield kind, {**more, "settings": settings_of(3) * 2}, "is listed twice."
        yield kind, {**more, "seatings": 2}, "not everybody at a table of 3 can sit in each seat."
        yield kind, {**more, "seed": -1}, "The seed is a number from 0 to"
    for kind in ("round_robin", "swiss", "knockout"):
        wrong = {**needs[kind], "entrants": ("z0", "x1")}
        yield kind, wrong, "chicago_express for 3 players needs 3 entrants; there are 2."
    for kind in ("round_robin", "gauntlet", "swiss", "duel"):
        yield kind, {**needs[kind], "rounds": 0}, "rounds must be at least 1, not 0."
    for kind in ("gauntlet", "duel"):
        wrong = {**needs[kind], "entrants": ("z0", "x1", "q2"), "settings": settings_of(4)}
        yield kind, wrong, "chicago_express for 4 players needs 3 opponents; there are"
        yield kind, {**needs[kind], "repeatable": ("z0",)}, "repeatable: z0 is not an entrant."
    yield "round_robin", {"tables": 0}, "tables must be at least 1, not 0."
    yield "gauntlet", {"tables": 1, "challengers": ("z0",)}, "5 would do."
    yield "gauntlet", {"entrants": ("z0",), "challengers": ("z0",)}, "There are no opponents."
    yield "duel", {"entrants": ("z0", "x1"), "versions": ("z0", "x1")}, "There are no opponents."
    yield "gauntlet", {"challengers": ()}, "The challengers: none given."
    yield "gauntlet", {"challengers": ("y",)}, "The challengers: y is not an entrant."
    yield "duel", {"versions": ("z0", "z0")}, "The versions: z0 appears twice."
    yield "duel", {"versions": ("z0", "y")}, "The versions: y is not an entrant."
    yield "swiss", {"rounds": 1, "groups_a_table": 0}, "groups_a_table must be at least 1, not 0."
    yield "knockout", {"advance": 3}, "Of a table of 3, 1 to 2 can advance, not 3."
    yield "knockout", {"advance": 0}, "Of a table of 3, 1 to 2 can advance, not 0."
    yield "knockout", {"extras": -1}, "extras must be at least 0, not -1."
    yield "knockout", {"settings": settings_of(3, 4)}, "A knockout has tables of one size"


@pytest.mark.parametrize(("kind", "changes", "message"), list(mistakes()))
def test_impossible_formats_are_refused(kind: str, changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=r"\.$") as refusal:
        made_format(kind, **changes)
    assert message in str(refusal.value)


def test_formats_are_read_from_plain_data() -> None:
    plain = {
        "kind": "knockout",
        "entrants": ["A", "B", "C"],
        "settings": [{"game": "last_spike", "players": 2}],
        "seed": 5,
        "seatings": "balanced",
        "advance": 1,
    }
    read = msgspec.convert(plain, Knockout)
    assert read == Knockout(entrants=("A", "B", "C"), settings=(Setting("last_spike", 2),), seed=5, seatings="balanced")
    with pytest.raises(msgspec.ValidationError, match="unknown field `round`"):
        msgspec.convert({**plain, "round": 3}, Knockout)
    with pytest.raises(msgspec.ValidationError, match="1 to 1 can advance, not 2"):
        msgspec.convert({**plain, "advance": 2}, Knockout)


def test_all_seatings_of_every_table_are_played_once() -> None:
    """With all seatings, a round robin plays every order of the entrants of every table once."""
    schedule = RoundRobin(entrants=names_of(5), settings=settings_of(3), seed=0, seatings="all")
    games = Counter(tuple(seating) for group in schedule.groups({}) for seating in group.seatings)
    assert set(games) == set(permutations(names_of(5), 3))
    assert set(games.values()) == {1}
