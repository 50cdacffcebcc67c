"""Rounds of tables: who sits together in which order, for formats that play round after round, each like the last."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rails_cli.core.luck import seeded, shuffle
from rails_cli.tournament.designs import DESIGNS, sample_size, tables_of
from rails_cli.tournament.model import Setting
from rails_cli.tournament.schedule import Format, check_known, check_names, seed_of
from rails_cli.tournament.seatings import fair_seatings, seating_count

MOST_TABLES = 252  # all tables of up to ten entrants
NO_SEEDS: Mapping[str, int] = {}
SOMEBODY = ""  # stands for whoever meets a company; no entrant has this name


class Company(NamedTuple):
    """Those who sit together in a round."""

    setting: Setting
    number: int
    """Of the seed, within the setting."""
    turn: int
    """Grows by one from one seed of the table to the next, so that rotations turn."""
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
) -> list[Company]:
    """The companies of a round in the order in which they are played: settings in turn, the rest drawn.

    `free` seats of each table are left to others; `seeds` are, by number of players, those of each company, if not
    one. Where only a sample of the tables is played, who is who in it is
    drawn, and stays while the samples even each other out.
    """
    drawn, _ = shuffle(names, seeded(seed_of(frame.seed, "names", round_number // DESIGNS)))
    luck = seeded(seed_of(frame.seed, "order", round_number))
    placed: list[tuple[float, int, Company]] = []
    for turn, setting in enumerate(frame.settings):
        size = setting.players - free
        field = drawn if math.comb(len(names), size) > most else names
        times = seeds.get(str(setting.players), 1)
        companies = companies_of(field, size, most, repeatable, round_number)
        count = len(companies) * times
        made = [
            Company(setting, time * len(companies) + place, time + place, company)
            for time in range(round_number * times, (round_number + 1) * times)
            for place, company in enumerate(companies)
        ]
        mixed, luck = shuffle(made, luck)
        placed += [((place + 0.5) / count, turn, company) for place, company in enumerate(mixed)]
    return [company for _, _, company in sorted(placed, key=lambda one: one[:2])]


def companies_of(
    field: Sequence[str], size: int, most: int, repeatable: Sequence[str], number: int = 0
) -> list[list[str]]:
    """The companies of round `number`, balanced; a field that is too small is filled up with the repeatable in turn."""
    short = size - len(field)
    if short <= 0:
        return [[field[player] for player in company] for company in tables_of(len(field), size, most, number)]
    turns = 1 if short % len(repeatable) == 0 else len(repeatable)
    return [[*field, *(repeatable[(turn + step) % len(repeatable)] for step in range(short))] for turn in range(turns)]


def company_length(field: Sequence[str], frame: Format, most: int, repeatable: Sequence[str]) -> tuple[int, int]:
    """Groups and games of one round of one challenger."""
    groups = games = 0
    for setting in frame.settings:
        if len(field) >= setting.players - 1:
            number = sample_size(len(field), setting.players - 1, most)
            groups += number
            games += number * seating_count(setting.players, frame.seatings)
        else:
            companies = companies_of(field, setting.players - 1, most, repeatable)
            groups += len(companies)
            games += sum(len(fair_seatings([SOMEBODY, *company], frame.seatings)) for company in companies)
    return groups, games


def check_companies(field: Sequence[str], settings: Sequence[Setting], most: int, repeatable: Sequence[str]) -> None:
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


def may_meet_in_company(field: Sequence[str], settings: Sequence[Setting], one: str, other: str) -> bool:
    """Whether two may play the same seed: two of the field only where a company has more than one."""
    return not (one in field and other in field) or any(setting.players > 2 for setting in settings)
