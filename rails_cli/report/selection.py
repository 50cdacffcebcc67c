"""Which games are worth a replay, if not all of them: a few of each kind that a reader would look for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest

import msgspec

from rails_cli.tournament.forfeits import without_absent
from rails_cli.tournament.model import Played
from rails_cli.tournament.standings import name_of
from rails_cli.tournament.store import Listed

ALL_GAMES = "all"


class Chosen(msgspec.Struct, frozen=True):
    """A game that is replayed."""

    game: Listed
    why: str


def choose(games: Sequence[Listed], number: int | None, ratings: Mapping[str, float]) -> list[Chosen]:
    """So many games (all, if no number is given) that have a log, in the order of the schedule.

    The kinds take turns, and within each kind the games that are played.
    """
    logged = [game for game in games if game.played.log is not None]
    if number is None or len(logged) <= number:
        return [Chosen(game, ALL_GAMES) for game in logged]
    settings = list(dict.fromkeys(name_of(game.played.setting) for game in logged))
    kinds = [
        _in_turn([_sorted(logged, setting, worth) for setting in settings], why)
        for why, worth in _kinds(ratings).items()
    ]
    taken: dict[str, Chosen] = {}
    for chosen in chain.from_iterable(zip_longest(*kinds)):
        if len(taken) == number:
            break
        if chosen is not None:
            taken.setdefault(chosen.game.id, chosen)
    return [taken[game.id] for game in logged if game.id in taken]


def _kinds(ratings: Mapping[str, float]) -> dict[str, Callable[[Played], float | None]]:
    """What games are chosen for, each with its worth: the least comes first, those without are left out."""
    return {
        "faults": lambda game: -sum(game.faults) if any(game.faults) else None,
        "closest": lambda game: _lead(game) if game.reason == "normal" else None,
        "most one-sided": lambda game: -_lead(game) if game.reason == "normal" else None,
        "longest": lambda game: -game.actions if game.reason == "normal" else None,
        "greatest surprise": lambda game: _surprise(game, ratings) if game.reason == "normal" else None,
        "first played": lambda game: 0,
    }


def _sorted(games: Sequence[Listed], setting: str, worth: Callable[[Played], float | None]) -> list[Listed]:
    weighed = [(worth(game.played), game) for game in games if name_of(game.played.setting) == setting]
    return [game for _, game in sorted(((w, game) for w, game in weighed if w is not None), key=lambda one: one[0])]


def _in_turn(by_setting: list[list[Listed]], why: str) -> Iterator[Chosen]:
    for turn in zip_longest(*by_setting):
        yield from (Chosen(game, why) for game in turn if game is not None)


def _lead(game: Played) -> float:
    """The lead of the first before the second, as a part of the first's score."""
    first, second = sorted(without_absent(game).scores, reverse=True)[:2]
    return (first - second) / max(1, abs(first))


def _surprise(game: Played, ratings: Mapping[str, float]) -> float | None:
    """How far the worst rated of those who came in first is rated ahead of the best of the others; less is stranger."""
    first = [ratings.get(name, 0.0) for name, rank in zip(game.seating, game.ranks, strict=True) if rank == 1]
    others = [ratings.get(name, 0.0) for name, rank in zip(game.seating, game.ranks, strict=True) if rank != 1]
    if not others or min(first) >= max(others):
        return None
    return min(first) - max(others)
