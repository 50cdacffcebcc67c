"""Detection of copied seed groups, whose games all repeat games of another seed group. Copies do not count.

A seed group consists of the games with one seed. Deterministic players play the same game with every seed if the seed
does not affect the game.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rails_cli.games.game import without_info_fields
from rails_cli.tournament.model import PlayedGame, Setting

_encode = msgspec.json.Encoder().encode

Content = tuple[tuple[str, tuple[int, ...]], ...]
"""Sorted pairs of `PlayedGame.fingerprint` and ranks, one for each game of a seed group.

If two seed groups have equal pairs, one of them is a copy of the other.
"""


def fingerprint_of(setting: Setting, setup: str, seating: Sequence[str], actions: Sequence[Any]) -> str:
    """Return a hash that is equal for games with the same setting, first position, seating and actions.

    `setup` is the digest of the first position.
    """
    about = (setting.game, setting.players, sorted(setting.options.items()), setting.board)
    content = _encode((about, setup, seating, list(map(without_info_fields, actions))))
    return hashlib.sha256(content).hexdigest()[:16]


def content_of(group: Iterable[PlayedGame]) -> Content | None:
    """Return the fingerprints and ranks of the games of a seed group, which are equal for its copies.

    Return None if there are no games or a game has no fingerprint.
    """
    games = sorted((game.fingerprint, tuple(game.ranks)) for game in group)
    return None if not games or not games[0][0] else tuple(games)


def distinct(played: Iterable[PlayedGame]) -> list[PlayedGame]:
    """Return the games without those of copied seed groups. Of equal seed groups, keep the one with the lowest seed.

    The result does not depend on the order of play.
    """
    games = list(played)
    copies = copied_groups(games)
    return [game for game in games if game.group not in copies]


def copied_groups(played: Iterable[PlayedGame]) -> set[str]:
    """Return the ids of the seed groups that are copies of another seed group."""
    groups: dict[str, list[PlayedGame]] = {}
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
    """Return a warning that `copies` of `games` games are copies.

    `where` is inserted after the word "games". It is empty or text such as " of the pilot".
    """
    many = f"{copies:,} of {games:,} games{where} are copies of others"
    return f"{many}: these bots always play the same game. Use openings."
