"""Detection of copied seed groups, whose games all repeat games of another seed group. Copies do not count.

A seed group consists of the games with one seed. Deterministic players play the same game with every seed if the seed
does not affect the game. A player varies if it does not always answer the same question in the same way. Repeated games
of such a player count, because leaving them out would give rare results too much weight.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rails_cli.games.game import without_info_fields
from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import PlayedGame, Setting

_encode = msgspec.json.Encoder().encode
_START, _MOVE = 16, 4  # characters of a trail for the start and for each move

Content = tuple[tuple[str, tuple[int, ...]], ...]
"""The content of a seed group (games with one seed): sorted pairs of fingerprint and ranks, one for each game.

A copy has the same content as its original.
"""


def fingerprint_of(setting: Setting, setup: str, seating: Sequence[str], actions: Sequence[Any]) -> str:
    """Return a hash of the setting, the digest `setup` of the first position, the seating and the actions."""
    about = (setting.game, setting.players, sorted(setting.options.items()), setting.board)
    content = _encode((about, setup, seating, list(map(without_info_fields, actions))))
    return hashlib.sha256(content).hexdigest()[:16]


def trail_of(start: str, moves: Iterable[tuple[int, Any]]) -> str:
    """Return the trail of a game: `start`, followed by four characters for each move.

    `start` is the fingerprint of the game before its first action. A move is a seat and an action. The four characters
    are the seat, and a hash of all moves up to this one.
    """
    hashed, parts = hashlib.sha256(), [start]
    for seat, action in moves:
        hashed.update(_encode(without_info_fields(action)))
        parts.append(f"{seat:x}{hashed.hexdigest()[: _MOVE - 1]}")
    return "".join(parts)


def content_of(group: Iterable[PlayedGame]) -> Content | None:
    """Return the fingerprints and ranks of the games in `group`, or None if a game has no fingerprint."""
    games = sorted((game.fingerprint, tuple(game.ranks)) for game in group)
    return None if not games or not games[0][0] else tuple(games)


def distinct(played: Iterable[PlayedGame]) -> list[PlayedGame]:
    """Return `played` without copies: seed groups in which all games repeat other games.

    Of several equal seed groups, the one with the lowest seed is kept.
    """
    games = list(played)
    copies = copied_groups(games)
    return [game for game in games if game.group not in copies]


def copied_groups(played: Iterable[PlayedGame]) -> set[str]:
    """Return the ids of the seed groups in which all games repeat games of another seed group."""
    groups: dict[str, list[PlayedGame]] = {}
    for game in played:
        groups.setdefault(game.group, []).append(game)
    order = sorted(groups, key=lambda group: (_seed_order(groups[group][0].seed), group))
    finder = CopyFinder()
    for group in order:
        finder.add(groups[group])
    return {order[number] for number in finder.copies}


def _seed_order(seed: Seed) -> tuple[int, str]:
    """Return a sort key of a seed: numbers come first, in numerical order, then seeds that are hexadecimal text."""
    return len(str(seed)), str(seed)


class CopyFinder:
    """A search for copies among seed groups that are added one after another.

    A seed group whose games were all played before is a copy, unless one of its entrants varies. An entrant varies if
    it gave different answers in two games with the same start and the same moves before.
    """

    def __init__(self) -> None:
        self.copies: dict[int, set[str]] = {}
        """Mapping from the number of a seed group that is a copy to the names of its entrants.

        The seed group added first has the number 0.
        """
        self.varied: set[str] = set()
        self._added = 0
        self._known: set[Content] = set()
        self._trails: dict[str, str] = {}
        """Mapping from the hash of the set-up and seating of a game to the trail of the first game with this hash.

        `trail_of` describes trails.
        """

    def add(self, group: Iterable[PlayedGame]) -> bool:
        """Add the games of the next seed group.

        Return whether some earlier seed groups no longer count as copies. That happens if the new games show that an
        entrant varies: after the same start and the same moves, it gave different answers.
        """
        games = list(group)
        number, content = self._added, content_of(games)
        self._added += 1
        if content is None:
            return False
        if content in self._known:
            names = {name for game in games for name in game.seating}
            if self.varied.isdisjoint(names):
                self.copies[number] = names
            return False
        self._known.add(content)
        self.varied.update(name for game in games for name in self._varied_in(game))
        before = len(self.copies)
        self.copies = {number: names for number, names in self.copies.items() if self.varied.isdisjoint(names)}
        return len(self.copies) < before

    def _varied_in(self, game: PlayedGame) -> list[str]:
        """Compare a game with the first game that had the same start. Return the entrant that answered differently.

        The result is a list with one name, or an empty list if there is no different answer. Games with faults or
        absent entrants are ignored, because the program chose some of their actions.
        """
        if not game.trail or game.is_tainted or game.absent:
            return []
        known = self._trails.setdefault(game.trail[:_START], game.trail)
        length = min(len(known), len(game.trail))
        for at in range(_START, length, _MOVE):
            if known[at : at + _MOVE] != game.trail[at : at + _MOVE]:
                return [game.seating[int(known[at], 16)]]
        return []


def copies_words(copies: int, games: int, where: str = "") -> str:
    """Return a warning that `copies` of `games` games repeat other games. `where` is inserted after "games"."""
    many = f"{copies:,} of {games:,} games{where} are copies of others"
    return f"{many}: these bots always play the same game. Use openings."
