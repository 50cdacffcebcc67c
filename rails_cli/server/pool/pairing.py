"""Pairing of the pool: entrants that wait longest are paired first, with opponents near in rating and rarely met.

Invariants:

- The same waiting list, history, time and seed give the same tables, regardless of the order of the list.
- Two entrants of one owner share a table only if both accept that. No entrant has two seats at a table.
- Entrants of different owners that connect from one address share no table (see `Waiting.address`).
- The longer an entrant waits, the more an opponent's rating may differ from its own, and the more often the two may
  have met recently. After `patience_s` seconds, any rating and any number of meetings is accepted, and anchors
  (built-in players) fill free seats. With enough anchors, no entrant waits much longer.
- People are paired before bots.
"""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import msgspec

from rails_cli.games.shared.luck import seeded, shuffle
from rails_cli.tournament.model import Setting
from rails_cli.tournament.rating.standings import name_of

PATIENCE_S = 4.0
"""Default number of seconds after which a waiting entrant may be paired with any opponent."""
RECENT = 30
"""Number of an entrant's last games that are considered when it is paired. Their opponents count as recently met."""
ANCHOR_EVERY = 20
"""Number of games in which an entrant should meet an anchor (a built-in player) at least once.

If an entrant met anchors less often in its last games, an anchor plays in its next game. Games with anchors make all
ratings comparable. About one game in ten has an anchor, because this rule applies to each entrant in a game.
"""

# Penalties for two entrants at one table, in units of 100 rating points.
_POINTS = 100.0
_JUST_MET = 4.0  # they met in the last game of one of them
_BAD_AT_FIRST, _BAD_AT_LAST = 2.0, 10.0  # highest penalty allowed at the start and end of patience

_SHORTLIST = 12  # number of candidates nearest in rating


class Waiting(msgspec.Struct, frozen=True):
    """A connection that waits for a game of its entrant, or an anchor (a built-in player).

    An anchor may play at any number of tables at the same time.
    """

    entrant: str
    owner: str
    since: float
    """Time at which the wait began, in seconds. The parameter `now` of `pair` is the current time on the same clock."""
    settings: tuple[Setting, ...]
    """Games and numbers of players that the connection accepts."""
    rating: float | None
    is_anchor: bool = False
    meets_own: bool = False
    """Whether the entrant accepts opponents of the same owner."""
    is_person: bool = False
    address: str = ""
    """Client address. Entrants of different owners with the same address do not meet.

    Empty if this rule does not apply.
    """


class Pairing(msgspec.Struct, frozen=True):
    """A table to create, with its players."""

    setting: Setting
    seating: tuple[str, ...]
    """Names of the entrants by seat."""
    places: tuple[int, ...] = ()
    """For each seat, the index of its player in the list `waiting` of `pair`."""


class History:
    """Past games: the recent opponents of each entrant, and the number of its games in each seat."""

    def __init__(self) -> None:
        self._records: dict[str, _Record] = {}
        self._seats: dict[tuple[str, str], list[int]] = {}

    def add(self, setting: Setting, seating: Sequence[str]) -> None:
        """Add a game. `seating` has the names of its entrants by seat. Games must be added in chronological order."""
        where = name_of(setting)
        for seat, name in enumerate(seating):
            self._seats.setdefault((where, name), [0] * setting.players)[seat] += 1
            others = (*seating[:seat], *seating[seat + 1 :])
            self._records.setdefault(name, _Record()).add(others)

    def record(self, name: str) -> "_Record":
        return self._records.get(name, _NEW)

    def seats(self, setting: str, entrant: str) -> Sequence[int]:
        """Return the number of games of `setting` that `entrant` played in each seat.

        Empty if it has not played such games.
        """
        return self._seats.get((setting, entrant), ())


class _Record:
    """The opponents of an entrant in its last RECENT games."""

    __slots__ = ("average", "meetings", "met", "tables")

    def __init__(self) -> None:
        self.tables: deque[tuple[str, ...]] = deque()
        """Names of the opponents in each of the last games, oldest game first."""
        self.met: dict[str, int] = {}
        self.meetings = 0
        self.average = 0.0
        """Mean number of meetings of the entrant with each of its opponents in the last games."""

    def add(self, others: tuple[str, ...]) -> None:
        self.tables.append(others)
        self.meetings += len(others)
        for name in others:
            self.met[name] = self.met.get(name, 0) + 1
        if len(self.tables) > RECENT:
            gone = self.tables.popleft()
            self.meetings -= len(gone)
            for name in gone:
                self.met[name] -= 1
                if not self.met[name]:
                    del self.met[name]
        self.average = self.meetings / len(self.met)

    def nuisance(self, other: str) -> float:
        """Return the penalty for pairing the entrant with `other`, which it has met in its last games.

        The penalty is higher if `other` played in the very last game.
        """
        often = max(0.0, self.met[other] - self.average)
        return often + _JUST_MET if other in self.tables[-1] else often

    def anchor_is_due(self, anchors: Sequence[str]) -> bool:
        return ANCHOR_EVERY * sum(self.met.get(anchor, 0) for anchor in anchors) <= len(self.tables)


_NEW = _Record()


def pair(
    waiting: Sequence[Waiting], history: History, *, now: float, seed: int, patience_s: float = PATIENCE_S
) -> list[Pairing]:
    """Return the tables to create at time `now`. Entrants that are not paired continue to wait.

    `waiting` includes the anchors (built-in players), and `history` has all past games. `seed` makes random choices
    reproducible. `patience_s` is the number of seconds after which an entrant may be paired with any opponent.
    """
    return list(_PairingRound(waiting, history, now, seed, patience_s).tables())


class _PairingRound:
    """The state of one call of `pair`: the connections that wait, and the tables made so far.

    `queue` has the waiting connections in the order in which they are paired, then the anchors (built-in players). In
    the methods, the place of a connection or an anchor is its index in `queue`.
    """

    def __init__(self, waiting: Sequence[Waiting], history: History, now: float, seed: int, patience_s: float) -> None:
        places = sorted(range(len(waiting)), key=lambda place: (waiting[place].entrant, waiting[place].since))
        mixed, self.luck = shuffle(places, seeded(seed))
        self.places = sorted(mixed, key=lambda place: _rank(waiting[place]))
        """For each element of `queue`, the index of the same element in the list `waiting`."""
        self.queue = [waiting[place] for place in self.places]
        self.anchors = [place for place, one in enumerate(self.queue) if one.is_anchor]
        self.anchor_names = [self.queue[place].entrant for place in self.anchors]
        self.seekers = len(self.queue) - len(self.anchors)
        self.history = history
        self.records = [history.record(one.entrant) for one in self.queue]
        self.patience = [max(0.0, now - one.since) / patience_s if patience_s > 0 else 1.0 for one in self.queue]
        """For each element of `queue`, its waiting time as a fraction of `patience_s`.

        From 1 on, the entrant may be paired with any opponent.
        """
        known = sorted(one.rating for one in self.queue if one.rating is not None)
        middle = known[len(known) // 2] if known else 0.0
        self.ratings = [middle if one.rating is None else one.rating for one in self.queue]
        self.settings: dict[str, Setting] = {}
        self.accepts = [self._names(one) for one in self.queue]
        self.by_rating = self._by_rating()
        self.taken = [False] * len(self.queue)
        self.met: dict[tuple[str, str], int] = {}
        """Mapping from the names of two entrants to the number of tables made so far at which they meet."""
        self.sat: dict[tuple[str, str, int], int] = {}
        """Mapping from setting name, entrant and seat to the number of tables at which the entrant has this seat."""

    def _names(self, one: Waiting) -> list[str]:
        names = list(map(name_of, one.settings))
        self.settings.update(zip(names, one.settings, strict=True))
        return names

    def _by_rating(self) -> dict[str, tuple[list[float], list[int]]]:
        """Return a mapping from the name of a setting to two lists about the connections that accept it.

        The first list has their ratings, lowest first. The second has their places (indices in `queue`) in the same
        order.
        """
        rows: dict[str, tuple[list[float], list[int]]] = {name: ([], []) for name in self.settings}
        for place in sorted(range(self.seekers), key=self.ratings.__getitem__):
            for name in self.accepts[place]:
                rows[name][0].append(self.ratings[place])
                rows[name][1].append(place)
        return rows

    def tables(self) -> Iterator[Pairing]:
        for place in range(self.seekers):
            if not self.taken[place]:
                found = self._table(place)
                if found is not None:
                    yield self._seated(*found)

    def _table(self, place: int) -> tuple[str, list[int]] | None:
        """Return the next game of the entrant at `place`: the name of its setting, and the places of all its players.

        A place is an index in `queue`. The entrant gets a setting that it has rarely played, if possible. Return None
        if no game is possible yet.
        """
        seeker = self.queue[place]
        wants_anchor = not seeker.is_person and self.records[place].anchor_is_due(self.anchor_names)
        settings = sorted(self.accepts[place], key=lambda name: self._times(name, seeker.entrant))
        for with_anchors in (False, True) if self.patience[place] >= 1 else (False,):
            for setting in settings:
                seats = self.settings[setting].players - 1
                anchors = self._anchors(place, setting) if wants_anchor or with_anchors else []
                reserved = 1 if wants_anchor and anchors else 0
                others = self._others(place, setting, seats - reserved)
                lacking = seats - len(others)
                if lacking <= (len(anchors) if with_anchors else reserved):
                    for one in (place, *others):
                        self._take(one)
                    return setting, [place, *others, *anchors[:lacking]]
        return None

    def _take(self, place: int) -> None:
        self.taken[place] = True
        for setting in self.accepts[place]:
            ratings, places = self.by_rating[setting]
            at = places.index(place, bisect_left(ratings, self.ratings[place]))
            del ratings[at], places[at]

    def _anchors(self, place: int, setting: str) -> list[int]:
        """Return the places (indices in `queue`) of the anchors, or built-in players, that play `setting`.

        The best opponents of the entrant at `place` come first.
        """
        met = self.records[place].met
        own = self.ratings[place]
        return sorted(
            [anchor for anchor in self.anchors if setting in self.accepts[anchor]],
            key=lambda anchor: abs(self.ratings[anchor] - own) / _POINTS + met.get(self.queue[anchor].entrant, 0),
        )

    def _others(self, place: int, setting: str, number: int) -> list[int]:
        """Return the places (indices in `queue`) of up to `number` suitable opponents for the entrant at `place`.

        The best opponent comes first.
        """
        patience = self.patience[place]
        allowed = math.inf if patience >= 1 else _BAD_AT_FIRST + (_BAD_AT_LAST - _BAD_AT_FIRST) * patience
        table = place
        found: list[int] = []
        badness = dict.fromkeys(self._shortlist(place, setting, allowed) if number else (), 0.0)
        while len(found) < number and badness:
            for one in badness:
                badness[one] += self._badness(table, one)
            company = len(found) + 1
            best = min(badness, key=lambda one: (badness[one] / company - min(2.0, self.patience[one]), one))
            if badness[best] / company > allowed:
                break
            found.append(best)
            table = best
            badness = {one: bad for one, bad in badness.items() if _may_meet(self.queue[best], self.queue[one])}
        return found

    def _shortlist(self, place: int, setting: str, allowed: float) -> list[int]:
        """Return the places (indices in `queue`) of possible opponents of the entrant at `place`, nearest rating first.

        There are three limits:
        - At most _SHORTLIST places are returned.
        - At most n of them belong to the same owner, if the game needs n opponents.
        - Their ratings are at most 100 times `allowed` points from the rating of the entrant.
        """
        seeker, (ratings, places) = self.queue[place], self.by_rating[setting]
        most = self.settings[setting].players - 1
        own = self.ratings[place]
        above = bisect_left(ratings, own)
        below = above - 1
        found: list[int] = []
        owners: dict[str, int] = {}
        while len(found) < _SHORTLIST and (below >= 0 or above < len(places)):
            if below < 0 or (above < len(places) and ratings[above] - own <= own - ratings[below]):
                one, above = places[above], above + 1
            else:
                one, below = places[below], below - 1
            if abs(self.ratings[one] - own) > allowed * _POINTS:
                break
            other = self.queue[one]
            number = owners.get(other.owner, 0)
            if number < most and _may_meet(seeker, other):
                owners[other.owner] = number + 1
                found.append(one)
        return found

    def _badness(self, one: int, other: int) -> float:
        name, other_name = self.queue[one].entrant, self.queue[other].entrant
        bad = abs(self.ratings[one] - self.ratings[other]) / _POINTS
        bad += _JUST_MET * self.met.get((name, other_name), 0)
        mine, its = self.records[one], self.records[other]
        if other_name not in mine.met:
            return bad + its.nuisance(name) if name in its.met else bad
        nuisance = mine.nuisance(other_name)
        return bad + (max(nuisance, its.nuisance(name)) if name in its.met else nuisance)

    def _seated(self, setting: str, company: Sequence[int]) -> Pairing:
        """Return a table of the players at the places `company` (indices in `queue`).

        Each player gets a seat that it has rarely had in games of `setting`.
        """
        seated, self.luck = shuffle(list(company), self.luck)
        names = [self.queue[place].entrant for place in seated]
        sat = {name: [self._sat(setting, name, seat) for seat in range(len(names))] for name in names}
        moved = True
        while moved:
            moved = False
            for one, other in combinations(range(len(names)), 2):
                here, there = sat[names[one]], sat[names[other]]
                if here[other] + there[one] < here[one] + there[other]:
                    names[one], names[other] = names[other], names[one]
                    seated[one], seated[other] = seated[other], seated[one]
                    moved = True
        for seat, name in enumerate(names):
            self.sat[setting, name, seat] = self.sat.get((setting, name, seat), 0) + 1
        for two in permutations(names, 2):
            self.met[two] = self.met.get(two, 0) + 1
        return Pairing(self.settings[setting], tuple(names), tuple(self.places[place] for place in seated))

    def _times(self, setting: str, entrant: str) -> int:
        return sum(self._sat(setting, entrant, seat) for seat in range(self.settings[setting].players))

    def _sat(self, setting: str, entrant: str, seat: int) -> int:
        known = self.history.seats(setting, entrant)
        return (known[seat] if known else 0) + self.sat.get((setting, entrant, seat), 0)


def _rank(one: Waiting) -> tuple[bool, bool, float]:
    return one.is_anchor, not one.is_person, one.since


def _may_meet(one: Waiting, other: Waiting) -> bool:
    if one.owner == other.owner:
        return one.meets_own and other.meets_own and one.entrant != other.entrant
    return one.entrant != other.entrant and not (one.address and one.address == other.address)
