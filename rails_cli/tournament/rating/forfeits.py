"""Consequences of faults: who is ranked last, which games count, and who is suspended."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import msgspec

from rails_cli.games.shared.text import printable
from rails_cli.tournament.model import PlayedGame

SUSPENDED_AFTER = 3
"""Number of failures of one kind after which an entrant is suspended. There are two kinds.

- The entrant kills the worker process. This counts once for each seed group (games with one seed).
- The entrant loses its seat in a game: after too many faults, a substitute takes over or the game is aborted. This
  counts only if the entrant has lost its seat in all its games so far.
"""
NOBODYS_FAULT = "interrupted"
"""Value of `PlayedGame.reason` for a game without a result for which no entrant is to blame."""
TOO_FEW = "absent"
"""Value of `PlayedGame.reason` for a game without a result, because fewer than two entrants were present."""
WORKER_DIED = "worker_died"
"""Value of `PlayedGame.reason` for a game that an entrant lost because worker processes died during its turns."""


class Suspended(msgspec.Struct, frozen=True):
    """A suspended entrant, and the reason. The rest of the tournament is played without the entrant."""

    entrant: str
    games: int
    """Number of games in which the entrant lost its seat."""
    fault: str
    """Code and message of the last fault of the entrant."""
    last_words: str
    """Last lines that the entrant's bot wrote to stderr."""
    groups: int = 0
    """Number of seed groups in which the entrant killed the worker process.

    0 if the entrant is suspended because of lost seats.
    """

    @property
    def summary(self) -> str:
        """The name of the entrant and the reason, in one line without stderr."""
        why = f"it failed in each of its first {self.games} games ({self.fault})"
        if self.groups:
            why = f"workers died in {self.groups} seed groups it played in, at every attempt"
        return printable(f"{self.entrant} is suspended: {why}")

    def __str__(self) -> str:
        lines = [self.summary]
        if self.last_words:
            lines[0] += "; the end of its stderr:"
            lines += [f"  {line}" for line in self.last_words.splitlines()]
        return "\n".join(map(printable, lines))


def is_valid(game: PlayedGame) -> bool:
    """Return whether a game has a result. An aborted game has a result if an entrant is to blame and loses."""
    return game.reason not in (NOBODYS_FAULT, TOO_FEW)


def forfeited(scores: Sequence[int], lost: Collection[int]) -> list[int]:
    """Return `scores`, with the score of each seat in `lost` replaced by the minimum of 0 and all scores."""
    return [min(0, *scores) if seat in lost else score for seat, score in enumerate(scores)]


def without_absent(game: PlayedGame) -> PlayedGame:
    """Return `game` without the seats of absent entrants. The remaining seats are renumbered."""
    if not game.absent:
        return game
    there = [seat for seat in range(len(game.seating)) if seat not in game.absent]
    names = ("seating", "scores", "ranks", "faults", "ms", "economy", "answers", "tokens", "bad_reports")
    kept = {name: [getattr(game, name)[seat] for seat in there] for name in names if getattr(game, name)}
    lost = [number for number, seat in enumerate(there) if seat in game.lost]
    return msgspec.structs.replace(game, **kept, lost=lost, absent=[])


def clean_games(games: Sequence[PlayedGame]) -> list[PlayedGame]:
    """Return the games that no fault affected, with the entrants that caused faults in other games marked absent.

    Without these marks, an entrant could gain by causing faults in games that it is losing.
    """
    faulty = {name for game in games for name in _spoilers(game)}
    kept = []
    for game in games:
        if game.is_tainted:
            continue
        away = {*game.absent, *(seat for seat, name in enumerate(game.seating) if name in faulty)}
        reason = game.reason if len(game.seating) - len(away) > 1 else TOO_FEW
        kept.append(msgspec.structs.replace(game, absent=sorted(away), reason=reason) if away else game)
    return kept


def _spoilers(game: PlayedGame) -> Iterator[str]:
    """Yield the names of the entrants whose faults may have changed the result of the game."""
    is_changed = game.is_tainted and is_valid(game)
    for seat, name in enumerate(game.seating):
        if seat in game.lost or (is_changed and game.faults[seat]):
            yield name


class SuspensionTracker:
    """Record of failures.

    It suspends entrants that kill workers, and entrants that lose their seat in all their games.
    """

    def __init__(self) -> None:
        self.failed: Counter[str] = Counter()
        """Mapping from the name of an entrant to the number of games in which it lost its seat."""
        self.ended: dict[str, set[str]] = {}
        """Mapping from the name of an entrant to the ids of the seed groups in which it killed the worker process.

        A seed group has the games with one seed.
        """
        self._sound: set[str] = set()
        self.suspended: dict[str, None] = {}
        """Names of the suspended entrants, in the order of their suspension. The values of this dict are not used."""

    def add_games(self, games: Sequence[PlayedGame]) -> None:
        """Record games in any order, and suspend entrants that have failed `SUSPENDED_AFTER` times.

        An entrant that plays one game to its end is never suspended for lost seats. An aborted game counts only against
        the entrants that caused the abort.
        """
        failed: Counter[str] = Counter()
        for game in filter(is_valid, games):
            if game.reason == WORKER_DIED:
                for seat in game.lost:
                    self.ended.setdefault(game.seating[seat], set()).add(game.group)
                continue
            lost = {game.seating[seat] for seat in game.lost}
            if game.actions or game.reason != "timeout":  # else time may have run out before the loser was asked
                failed.update(lost)
            if game.reason == "normal":
                self._sound.update(
                    name for seat, name in enumerate(game.seating) if seat not in game.absent and name not in lost
                )
        for name in sorted(failed.keys() - self._sound - self.suspended.keys()):
            self.failed[name] += failed[name]
            if self.failed[name] >= SUSPENDED_AFTER:
                self.suspended[name] = None
        for name, groups in sorted(self.ended.items()):
            if len(groups) >= SUSPENDED_AFTER:
                self.suspended.setdefault(name)

    def is_stale(self, games: Sequence[PlayedGame]) -> bool:
        """Return whether `games` must be played again, because an entrant that took part in them is suspended now."""
        return bool(self.suspended) and any(
            name in self.suspended and seat not in game.absent
            for game in games
            for seat, name in enumerate(game.seating)
        )
