"""Rounds of tables: who plays together in which order, for formats whose rounds are all alike."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rails_cli.games.shared.luck import seeded, shuffle
from rails_cli.tournament.model import Setting
from rails_cli.tournament.schedule.designs import DESIGNS, sample_size, tables_of
from rails_cli.tournament.schedule.format import Format, check_known, check_names, seed_of
from rails_cli.tournament.schedule.seatings import fair_seatings, seating_count

MOST_TABLES = 252  # C(10, 5): enough for all tables of any size among ten entrants
NO_SEEDS: Mapping[str, int] = {}
SOMEBODY = ""  # placeholder for the free seats of a table, never the name of an entrant


class Lineup(NamedTuple):
    """The entrants that share a table in a round."""

    setting: Setting
    number: int
    """Number of the seed within the setting."""
    turn: int
    """Counter that grows by one from one seed of the table to the next, so that seats rotate."""
    names: list[str]


def round_of(
    frame: Format,
    names: Sequence[str],
    most: int,
    round_number: int,
    *,
    free: int = 0,
    repeatable: Sequence[str] = (),
    seeds: Mapping[str, int] = NO_SEEDS,
) -> list[Lineup]:
    """Return the tables of a round in the order of play: settings alternate, and the rest is random.

    Each table has `free` seats for others. `seeds` gives the number of seeds per table by number of players (default
    1). If only a sample of the tables is played, the positions of the entrants in it are random. They stay the same for
    `DESIGNS` rounds, in which the samples balance each other.
    """
    drawn, _ = shuffle(names, seeded(seed_of(frame.seed, "names", round_number // DESIGNS)))
    luck = seeded(seed_of(frame.seed, "order", round_number))
    placed: list[tuple[float, int, Lineup]] = []
    for turn, setting in enumerate(frame.settings):
        size = setting.players - free
        field = drawn if math.comb(len(names), size) > most else names
        times = seeds.get(str(setting.players), 1)
        lineups = lineups_of(field, size, most, repeatable, round_number)
        count = len(lineups) * times
        made = [
            Lineup(setting, time * len(lineups) + place, time + place, lineup)
            for time in range(round_number * times, (round_number + 1) * times)
            for place, lineup in enumerate(lineups)
        ]
        mixed, luck = shuffle(made, luck)
        placed += [((place + 0.5) / count, turn, lineup) for place, lineup in enumerate(mixed)]
    return [lineup for _, _, lineup in sorted(placed, key=lambda one: one[:2])]


def lineups_of(
    field: Sequence[str], size: int, most: int, repeatable: Sequence[str], number: int = 0
) -> list[list[str]]:
    """Return the tables of round `number`, balanced.

    A field that is too small is filled with `repeatable` names in turn.
    """
    short = size - len(field)
    if short <= 0:
        return [[field[player] for player in lineup] for lineup in tables_of(len(field), size, most, number)]
    turns = 1 if short % len(repeatable) == 0 else len(repeatable)
    return [[*field, *(repeatable[(turn + step) % len(repeatable)] for step in range(short))] for turn in range(turns)]


def lineup_length(field: Sequence[str], frame: Format, most: int, repeatable: Sequence[str]) -> tuple[int, int]:
    """Return the number of groups and games that one challenger plays in one round."""
    groups = games = 0
    for setting in frame.settings:
        if len(field) >= setting.players - 1:
            number = sample_size(len(field), setting.players - 1, most)
            groups += number
            games += number * seating_count(setting.players, frame.seatings)
        else:
            lineups = lineups_of(field, setting.players - 1, most, repeatable)
            groups += len(lineups)
            games += sum(len(fair_seatings([SOMEBODY, *lineup], frame.seatings)) for lineup in lineups)
    return groups, games


def check_lineups(field: Sequence[str], settings: Sequence[Setting], most: int, repeatable: Sequence[str]) -> None:
    if not field:
        raise ValueError("There are no opponents. Add an entrant, such as builtin:medium (--entrant builtin:medium).")
    if repeatable:
        check_names("repeatable", repeatable)
        check_known("repeatable", repeatable, field)
    for setting in settings:
        size = setting.players - 1
        if len(field) >= size:
            sample_size(len(field), size, most)
        elif not repeatable:
            raise ValueError(
                f"{setting.game} for {setting.players} players needs {size} opponents; there are {len(field)}, "
                "and none may sit more than once. Name who may (repeatable, or --repeatable NAME), or add entrants."
            )


def may_meet_in_lineup(field: Sequence[str], settings: Sequence[Setting], one: str, other: str) -> bool:
    """Return whether two entrants may play the same seed. Two of the field do so only at tables of more than two."""
    return not (one in field and other in field) or any(setting.players > 2 for setting in settings)
