"""Selection of the games that get a replay page: a few games of each interesting kind."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest

import msgspec

from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.rating.forfeits import without_absent
from rails_cli.tournament.rating.standings import name_of
from rails_cli.tournament.results.store import Listed

ALL_GAMES = "all"


class Chosen(msgspec.Struct, frozen=True):
    """A game with a replay page, and the reason for the choice of this game."""

    game: Listed
    why: str


def choose(games: Sequence[Listed], number: int | None, ratings: Mapping[str, float]) -> list[Chosen]:
    """Choose up to `number` games that have a log, and return them in schedule order. None means all games with a log.

    There are several kinds of interesting games, such as the closest and the longest ones. The kinds take turns: each
    adds one game, then the next kind. Within a kind, the settings take turns in the same way. `ratings` maps the name
    of an entrant to its rating.
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


def _kinds(ratings: Mapping[str, float]) -> dict[str, Callable[[PlayedGame], float | None]]:
    """Return the kinds of interesting games. Each kind has a name, and a function that returns the sort key of a game.

    Games with lower keys are chosen first. The key is None for a game that is not of this kind.
    """
    return {
        "faults": lambda game: -sum(game.faults) if any(game.faults) else None,
        "closest": lambda game: _lead(game) if game.reason == "normal" else None,
        "most one-sided": lambda game: -_lead(game) if game.reason == "normal" else None,
        "longest": lambda game: -game.actions if game.reason == "normal" else None,
        "greatest surprise": lambda game: _surprise(game, ratings) if game.reason == "normal" else None,
        "first played": lambda game: 0,
    }


def _sorted(games: Sequence[Listed], setting: str, worth: Callable[[PlayedGame], float | None]) -> list[Listed]:
    weighed = [(worth(game.played), game) for game in games if name_of(game.played.setting) == setting]
    return [game for _, game in sorted(((w, game) for w, game in weighed if w is not None), key=lambda one: one[0])]


def _in_turn(by_setting: list[list[Listed]], why: str) -> Iterator[Chosen]:
    for turn in zip_longest(*by_setting):
        yield from (Chosen(game, why) for game in turn if game is not None)


def _lead(game: PlayedGame) -> float:
    """Return the difference of the two best scores as a fraction of the best score."""
    first, second = sorted(without_absent(game).scores, reverse=True)[:2]
    return (first - second) / max(1, abs(first))


def _surprise(game: PlayedGame, ratings: Mapping[str, float]) -> float | None:
    """Return the rating of the winner minus the highest rating of a loser. The lowest value is the greatest surprise.

    If several entrants won, the lowest of their ratings is used. Return None if no loser has a higher rating.
    """
    first = [ratings.get(name, 0.0) for name, rank in zip(game.seating, game.ranks, strict=True) if rank == 1]
    others = [ratings.get(name, 0.0) for name, rank in zip(game.seating, game.ranks, strict=True) if rank != 1]
    if not others or min(first) >= max(others):
        return None
    return min(first) - max(others)
