"""Rounds of tables, for formats in which all rounds have the same structure."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rails_cli.games.shared.luck import seeded, shuffle
from rails_cli.tournament.model import SeedGroup, Setting
from rails_cli.tournament.schedule.designs import DESIGNS, tables_of
from rails_cli.tournament.schedule.format import Format, seed_group, seed_of

MOST_TABLES = 252  # C(10, 5): enough for all tables of any size among ten entrants
_WINDOW = 60  # number of lineups from which the next one is chosen
ONE_SEED: Mapping[str, int] = {}


class Lineup(NamedTuple):
    """The entrants at one table, who play one seed of a setting together."""

    setting: Setting
    repetition: int
    """Number of earlier seeds for the same setting and `place`. The seed of this table is derived from this number."""
    place: int
    """Index of the table among the tables of its setting in the round."""
    names: list[str]


def tables_among(frame: Format, names: Sequence[str], size: int, most: int, round_number: int) -> list[list[str]]:
    """Return the tables of `size` players among `names` in a round, each as a list of names.

    Return all tables, or a balanced sample if there are more than `most`. For a sample, the names are put in a random
    order, which stays the same for `DESIGNS` rounds. The samples of these rounds are balanced together.
    """
    if math.comb(len(names), size) > most:
        names, _ = shuffle(names, seeded(seed_of(frame.seed, "names", round_number // DESIGNS)))
    return [[names[player] for player in table] for table in tables_of(len(names), size, most, round_number)]


def round_of(
    frame: Format, round_number: int, tables: Sequence[Sequence[list[str]]], seeds: Mapping[str, int] = ONE_SEED
) -> list[Lineup]:
    """Return the lineups (tables with a seed) of a round in the order of play. Settings alternate.

    Tables are in a random order in which entrants play almost equally often up to any point of the round. `tables` has
    the tables for each setting. `seeds` maps a number of players, as text, to the number of seeds per table. The
    default is 1.
    """
    luck = seeded(seed_of(frame.seed, "order", round_number))
    placed: list[tuple[float, int, Lineup]] = []
    for turn, (setting, own) in enumerate(zip(frame.settings, tables, strict=True)):
        times = seeds.get(str(setting.players), 1)
        made = [
            Lineup(setting, repetition, place, names)
            for repetition in range(round_number * times, (round_number + 1) * times)
            for place, names in enumerate(own)
        ]
        mixed, luck = shuffle(made, luck)
        mixed = _evenly(mixed)
        placed += [((place + 0.5) / len(made), turn, lineup) for place, lineup in enumerate(mixed)]
    return [lineup for _, _, lineup in sorted(placed, key=lambda one: one[:2])]


def _evenly(lineups: list[Lineup]) -> list[Lineup]:
    """Return `lineups` in an order in which entrants play almost equally often up to any point.

    The next lineup is always one of the first `_WINDOW` that are left: the one whose entrants have played least often.
    """
    left = lineups[::-1]
    played: Counter[str] = Counter()
    ordered = []
    while left:
        window = range(len(left) - 1, max(-1, len(left) - 1 - _WINDOW), -1)
        ordered.append(left.pop(min(window, key=lambda place: sum(map(played.__getitem__, left[place].names)))))
        played.update(ordered[-1].names)
    return ordered


def lineup_group(frame: Format, lineup: Lineup, stage: str) -> SeedGroup:
    """Return the seed group (games with one seed) of a lineup.

    The seed depends on the index of the table, not on the names at the table.
    """
    setting, repetition, place, names = lineup
    return seed_group(frame, setting, names, stage, place, str(repetition), turn=repetition + place)
