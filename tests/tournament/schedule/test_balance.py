"""Tests that entrants play every game in every seat equally often.

Also tests of the warnings about plans in which they do not.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.plan.membership import uneven_words, used_up_words
from rails_cli.tournament.plan.plan import make_format
from rails_cli.tournament.plan.reading import make_plan
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats.challenge import Duel, Gauntlet
from rails_cli.tournament.schedule.formats.knockout import Knockout
from rails_cli.tournament.schedule.formats.round_robin import Roster, RoundRobin
from rails_cli.tournament.schedule.formats.swiss import Swiss
from tests.support.positions import some_seeds

GAMES = ("chicago_express", "american_rails", "last_spike")
COUNTS: Sequence[int] = range(3, 13) if len(some_seeds()) > 1 else (3, 4, 6, 9)
"""Numbers of entrants to test: from 3 to 12 in `make soak`, some of these numbers otherwise."""
SIZES = range(2, 7)
CHOICES: tuple[Any, ...] = ("rotations", 30, "balanced", 12)


def names_of(count: int) -> tuple[str, ...]:
    return tuple("abcdefghijkl"[:count])


def cases() -> Iterable[tuple[int, int, dict[str, Any]]]:
    """Yield combinations of the number of entrants, the number of players in a game, and keyword arguments of a format.

    The keyword arguments are those that every tournament format takes. Their settings include one to three board games.
    """
    for number, (count, size, games) in enumerate(product(COUNTS, SIZES, (1, 2, 3))):
        settings = tuple(Setting(game, size) for game in GAMES[:games])
        seatings = CHOICES[number % len(CHOICES)]
        yield count, size, {"entrants": names_of(count), "settings": settings, "seed": number, "seatings": seatings}


def seats_taken(groups: Iterable[SeedGroup]) -> Counter[tuple[str, int, str]]:
    """Return how often each entrant has each seat of each game."""
    return Counter(
        (group.setting.game, seat, name)
        for group in groups
        for seating in group.seatings
        for seat, name in enumerate(seating)
    )


def assert_even(schedule: Format, groups: Iterable[SeedGroup], peers: Sequence[Sequence[str]]) -> None:
    taken = seats_taken(groups)
    for setting, names in product(schedule.settings, peers):
        times = {taken[setting.game, seat, name] for seat in range(setting.players) for name in names}
        assert len(times) <= 1, (schedule, setting, names, times)
        assert 0 not in times


@pytest.mark.parametrize("tables", [1, 15])
def test_every_round_of_a_round_robin_is_balanced(tables: int) -> None:
    for count, size, values in cases():
        if size <= count:
            schedule = RoundRobin(**values, tables=tables)
            for number in range(2):
                assert_even(schedule, schedule.round_groups(number), schedule.peers)


@pytest.mark.parametrize("kind", [Gauntlet, Duel])
@pytest.mark.parametrize("extra", [1, 2])
def test_every_round_against_a_field_is_balanced(kind: Any, extra: int) -> None:
    option = "challengers" if kind is Gauntlet else "versions"
    for count, _, values in cases():
        again = values["entrants"][2 : 2 + extra]
        schedule = kind(**values, **{option: values["entrants"][:2]}, tables=10, repeatable=again)
        for number in range(2):
            assert_even(schedule, schedule.round_groups(number), schedule.peers)
        assert sum(map(len, schedule.peers)) == count


def games_by_strength(group: SeedGroup) -> list[PlayedGame]:
    """Return the results of the games of `group`. In each game, the entrants finish in the order of their names."""
    return [
        PlayedGame(
            group=group.id,
            number=number,
            setting=group.setting,
            seed=group.seed,
            seating=seating,
            scores=[-ord(name) for name in seating],
            ranks=[1 + sorted(seating).index(name) for name in seating],
            reason="normal",
            faults=[0] * len(seating),
            is_tainted=False,
            ms=[0] * len(seating),
            actions=1,
        )
        for number, seating in enumerate(group.seatings)
    ]


def played(schedule: Format) -> list[SeedGroup]:
    """Play a whole schedule. Return its seed groups, which are sets of games with one seed."""
    results: dict[str, list[PlayedGame]] = {}
    groups: list[SeedGroup] = []
    while batch := list(schedule.groups(results)):
        results |= {group.id: games_by_strength(group) for group in batch}
        groups += batch
    return groups


def test_a_swiss_tournament_is_balanced_or_says_by_how_much_not() -> None:
    for count, size, values in cases():
        if size > count:
            continue
        schedule = Swiss(**values, rounds=2)
        groups = played(schedule)
        for table in {group.stage for group in groups}:
            there = [group for group in groups if group.stage == table]
            assert_even(schedule, there, [sorted(there[0].seatings[0])])
        rounds = Counter(name for group in groups if group.setting.game == GAMES[0] for name in group.seatings[0])
        fewest, most = (end(rounds[name] for name in values["entrants"]) for end in (min, max))
        words = " ".join(schedule.uneven_words())
        assert (f"played {fewest} rounds there and others {most}" in words) == (fewest < most)
        if fewest == most:
            assert_even(schedule, groups, schedule.peers)
            assert words == ""


@pytest.mark.parametrize("rounds", [7, 10])
def test_entrants_of_a_swiss_tournament_play_at_tables_of_each_size_equally_often(rounds: int) -> None:
    settings = (Setting("last_spike", 4), Setting("american_rails", 3))
    for count in (7, 10):
        schedule = Swiss(entrants=names_of(count), settings=settings, seed=1, rounds=rounds, seatings="rotations")
        groups = played(schedule)
        for setting in settings:
            times = Counter(name for group in groups if group.setting == setting for name in group.seatings[0])
            numbers = [times[name] for name in schedule.entrants]
            assert max(numbers) - min(numbers) == (rounds % count != 0)
        assert (schedule.uneven_words() == []) == (rounds % count == 0)


def test_a_knockout_says_how_unequally_entrants_play() -> None:
    for count, size, values in cases():
        if size > count:
            continue
        schedule = Knockout(**values, extras=0)
        groups = played(schedule)
        for table in {group.stage for group in groups}:
            there = [group for group in groups if group.stage == table]
            assert_even(schedule, there, [sorted(there[0].seatings[0])])
        rounds = len({group.stage.split(" table")[0] for group in groups})
        expected = f"entrants will have played 1 to {rounds} rounds"
        assert [words.endswith(expected) for words in schedule.uneven_words()] == [True] * (rounds > 1)


# Entrants that join and leave


def grown(*rosters: Sequence[str], size: int, tables: int) -> RoundRobin:
    """Return a round robin of one round in which the list of entrants changes during the round.

    `rosters` holds the successive lists of entrants. `size` is the number of players at a table. `tables` is the
    maximum number of tables in a round.
    """
    made = tuple(Roster(tuple(names), min(place, 1)) for place, names in enumerate(rosters))
    entrants = tuple(dict.fromkeys(name for names in rosters for name in names))
    settings = (Setting("last_spike", size),)
    return RoundRobin(entrants=entrants, settings=settings, seed=1, seatings="rotations", tables=tables, rosters=made)


@pytest.mark.parametrize("tables", [1, 6, 30])
def test_a_round_is_balanced_again_after_entrants_joined(tables: int) -> None:
    for first, last, size in product((3, 4, 5, 6, 8, 11), (5, 7, 9, 12), SIZES):
        if size <= first < last:
            names = names_of(last)
            schedule = grown(names[:first], names[: (first + last) // 2], names, size=size, tables=tables)
            before = {group.id for group in grown(names[:first], size=size, tables=tables).all_groups()}
            groups = list(schedule.all_groups())
            assert before <= {group.id for group in groups}
            assert_even(schedule, groups, schedule.peers)


def test_newcomers_catch_up_in_about_as_many_games_as_a_new_tournament_has() -> None:
    names = names_of(12)
    for size, tables in product(SIZES, (4, 8)):
        together = len(list(grown(names[:8], names, size=size, tables=tables).all_groups()))
        new = len(list(grown(names, size=size, tables=3 * tables).all_groups()))
        assert together <= 2 * new
    assert len(list(grown(names[:8], names, size=4, tables=6).all_groups())) == 12  # 6 tables before


def test_newcomers_meet_those_who_have_played() -> None:
    names = names_of(12)
    tables = [set(group.seatings[0]) for group in grown(names[:8], names, size=4, tables=6).all_groups()]
    assert all(any({name, new} <= table for table in tables for new in names[8:]) for name in names[:8])


# Warnings before the first game


def plan_of(**tables: Any) -> Any:
    usual = {
        "games": [{"game": game, "players": 3} for game in GAMES],
        "entrants": [{"name": name, "builtin": "random"} for name in names_of(9)],
        "format": {"seatings": "rotations"},
        "seed": 1,
    }
    return make_plan({**usual, **tables}, "test", Path())


@pytest.mark.parametrize(("games", "is_even"), [(250, False), (270, True), (756, True), (800, False), (1512, True)])
def test_a_number_of_games_that_ends_a_round_early_is_reported(games: int, is_even: bool) -> None:
    plan = plan_of(stop={"games": games})
    schedule = make_format(plan)
    seats = seats_taken(islice(schedule.all_groups(), -(-games // 3)))
    times: Counter[tuple[str, str]] = Counter()
    for (game, _, name), number in seats.items():
        times[game, name] += number
    words = "".join(uneven_words(plan, schedule, []))
    assert ("a whole round has 756 games" in words) != is_even
    assert max(times.values()) - min(times.values()) <= 2 * 3
    for game in GAMES:
        numbers = {name: times[game, name] for name in plan.names}
        fewest, most = (end(plan.names, key=lambda name: numbers[name]) for end in (min, max))
        expected = f"{game} for 3: {fewest} {numbers[fewest]} and {most} {numbers[most]}"
        assert (expected in words) == (numbers[fewest] < numbers[most])


def test_suspended_entrants_do_not_count_as_playing_less() -> None:
    plan = plan_of(entrants=[{"name": name, "builtin": "random"} for name in "abcd"])
    rosters = (Roster(("a", "b", "c", "x")), Roster(("a", "b", "c", "d"), 1))
    history = [(group.id, games_by_strength(group)) for group in make_format(plan, rosters[:1]).all_groups()]
    schedule = make_format(plan, rosters)
    assert "last_spike for 3: d 9 and a 15" in "".join(uneven_words(plan, schedule, history))
    assert uneven_words(plan, schedule, history, {"d"}) == []


def test_an_entrant_without_games_left_is_reported() -> None:
    entrants = [{"name": name, "builtin": "random"} for name in "abcd"]
    plan = plan_of(entrants=entrants, games=[{"game": "last_spike", "players": 3}], stop={"games": 3})
    rosters = (Roster(("a", "b", "c")), Roster(("a", "b", "c", "d"), 1))
    history = [(group.id, games_by_strength(group)) for group in make_format(plan, rosters[:1]).round_groups(0)]
    said = uneven_words(plan, make_format(plan, rosters), history)
    assert said[0] == "d will play no game: of the 3 games of stop.games 3 are already played; raise it (--games)"


def test_used_up_time_is_reported() -> None:
    plan = plan_of(stop={"minutes": 2})
    assert used_up_words(plan, 119) == []
    assert "no game will be played: earlier runs took all 2 minutes" in used_up_words(plan, 120)[0]
