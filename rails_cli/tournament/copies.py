"""Games that were played before: a seed group that repeats another one game by game tells nothing new, and counts once.

Players without chance of their own play the same game for every seed where the seed decides nothing.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rails_cli.games.game import bare
from rails_cli.tournament.model import Played, Setting

_encode = msgspec.json.Encoder().encode

Content = tuple[tuple[str, tuple[int, ...]], ...]
"""What came of a group: of each game its fingerprint and the ranks, in order."""


def fingerprint_of(setting: Setting, setup: str, seating: Sequence[str], actions: Sequence[Any]) -> str:
    """The same for the same game by the same entrants in the same seats; `setup` is the first position's digest."""
    about = (setting.game, setting.players, sorted(setting.options.items()), setting.board)
    content = _encode((about, setup, seating, list(map(bare, actions))))
    return hashlib.sha256(content).hexdigest()[:16]


def content_of(group: Iterable[Played]) -> Content | None:
    """What came of the games of a group; nothing where a game has no fingerprint, and so is no copy."""
    games = sorted((game.fingerprint, tuple(game.ranks)) for game in group)
    return None if not games or not games[0][0] else tuple(games)


def distinct(played: Iterable[Played]) -> list[Played]:
    """The games without those of groups that are copies of another; of these, the one with the lowest seed stays.

    So games that met the same luck stay together, and it does not matter which of them was played first.
    """
    games = list(played)
    copies = copied_groups(games)
    return [game for game in games if game.group not in copies]


def copied_groups(played: Iterable[Played]) -> set[str]:
    """The ids of groups that are copies of another one."""
    groups: dict[str, list[Played]] = {}
    for game in played:
        groups.setdefault(game.group, []).append(game)
    known: set[Content] = set()
    copies: set[str] = set()
    for group in sorted(groups, key=lambda group: (str(groups[group][0].seed), group)):
        content = content_of(groups[group])
        if content in known:
            copies.add(group)
        elif content is not None:
            known.add(content)
    return copies


def copies_words(copies: int, games: int, where: str = "") -> str:
    """A warning; `games` are all that were played, with the copies."""
    many = f"{copies:,} of {games:,} games{where} are copies of others"
    return f"{many}: these bots always play the same game. Use openings."
