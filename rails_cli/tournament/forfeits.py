"""What a fault costs: who is ranked last, which games count, and who is suspended."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import msgspec

from rails_cli.games.phrases import printable
from rails_cli.tournament.model import Played

SUSPENDED_AFTER = 3
"""An entrant that has lost its seat in all its games so far, and in so many at least, or ended the workers of so many
seed groups, is suspended."""
NOBODYS_FAULT = "interrupted"
TOO_FEW = "absent"
WORKER_DIED = "worker_died"
"""Why games are not played that end any worker, where it is known who ends it: they are losses of that."""


class Suspended(msgspec.Struct, frozen=True):
    """Why the rest of a tournament is played without an entrant."""

    entrant: str
    games: int
    """That it had played, and lost."""
    fault: str
    """Its last one."""
    last_words: str
    """The end of what it wrote to its stderr."""
    groups: int = 0
    """Seed groups in which it ended the worker; none if it failed from the start."""

    def __str__(self) -> str:
        why = f"it failed in each of its first {self.games} games ({self.fault})"
        if self.groups:
            why = f"workers died in {self.groups} seed groups it played in, at every attempt"
        lines = [f"{self.entrant} is suspended: {why}"]
        if self.last_words:
            lines[0] += "; the end of its stderr:"
            lines += [f"  {line}" for line in self.last_words.splitlines()]
        return "\n".join(map(printable, lines))


def is_valid(game: Played) -> bool:
    """Whether a game is a result. One that was broken off is a loss of who caused that."""
    return game.reason not in (NOBODYS_FAULT, TOO_FEW)


def forfeited(scores: Sequence[int], lost: Collection[int]) -> list[int]:
    """The scores without what a substitute has made of a seat: who lost it has nothing, and least of all."""
    return [min(0, *scores) if seat in lost else score for seat, score in enumerate(scores)]


def without_absent(game: Played) -> Played:
    """A game among those who were there."""
    if not game.absent:
        return game
    there = [seat for seat in range(len(game.seating)) if seat not in game.absent]
    names = ("seating", "scores", "ranks", "faults", "ms", "economy")
    kept = {name: [getattr(game, name)[seat] for seat in there] for name in names if getattr(game, name)}
    lost = [number for number, seat in enumerate(there) if seat in game.lost]
    return msgspec.structs.replace(game, **kept, lost=lost, absent=[])


def clean_games(games: Sequence[Played]) -> list[Played]:
    """The games that no fault has changed, among those whose faults never changed one: whoever could choose which of
    its games are left out would choose those it loses."""
    faulty = {name for game in games for name in _spoilers(game)}
    kept = []
    for game in games:
        if game.is_tainted:
            continue
        away = {*game.absent, *(seat for seat, name in enumerate(game.seating) if name in faulty)}
        reason = game.reason if len(game.seating) - len(away) > 1 else TOO_FEW
        kept.append(msgspec.structs.replace(game, absent=sorted(away), reason=reason) if away else game)
    return kept


def _spoilers(game: Played) -> Iterator[str]:
    """Those whose faults may have changed a game."""
    is_changed = game.is_tainted and is_valid(game)
    for seat, name in enumerate(game.seating):
        if seat in game.lost or (is_changed and game.faults[seat]):
            yield name


class Beginnings:
    """Follows the first games of each entrant; one that loses its seat in all of them is not asked any further, nor is
    one that ends workers."""

    def __init__(self) -> None:
        self.failed: Counter[str] = Counter()
        """Games of those that have not yet played one to its end."""
        self.ended: dict[str, set[str]] = {}
        """Seed groups by who ended their workers."""
        self._sound: set[str] = set()
        self.suspended: dict[str, None] = {}
        """In the order in which it happened."""

    def look(self, games: Sequence[Played]) -> None:
        """Some games, in any order; whoever plays one of them to its end is sound. One that was broken off says nothing
        about those who did not cause that."""
        failed: Counter[str] = Counter()
        for game in filter(is_valid, games):
            if game.reason == WORKER_DIED:
                for seat in game.lost:
                    self.ended.setdefault(game.seating[seat], set()).add(game.group)
                continue
            lost = {game.seating[seat] for seat in game.lost}
            if game.actions or game.reason != "timeout":  # it may have been called off: its loser was not asked
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

    def is_stale(self, games: Sequence[Played]) -> bool:
        """Whether somebody plays in these games who is suspended by now."""
        return bool(self.suspended) and any(
            name in self.suspended and seat not in game.absent
            for game in games
            for seat, name in enumerate(game.seating)
        )
