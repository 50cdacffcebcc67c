"""Offered games of the pool, the connections that get the offers, and missed offers.

The number of missed offers is limited. Otherwise an entrant could choose its games, and its rating would depend on the
choice.
"""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from rails_cli.basics.tokens import new_token
from rails_cli.protocol import pool as wire
from rails_cli.protocol.lines import frame
from rails_cli.server.pool.pairing import Pairing
from rails_cli.server.refused import Refused
from rails_cli.server.tables.seat import Connection
from rails_cli.tournament.model import SeedGroup, Setting

OfferEnd = Literal["taken", "declined", "unanswered", "left"]
"""Outcome of an offer.

- `taken`: all players accepted it.
- `declined`: a player declined it.
- `unanswered`: a player did not answer in time.
- `left`: a player left while the offer was open.
"""
MOST_IN_A_ROW = 3
"""Number of consecutive missed offers after which a connection leaves the queue."""
OFFERS_KEPT = 20
"""Number of the latest offers of an entrant that are examined for missed ones."""
MOST_MISSED = 4
"""Number of missed offers among the latest for which an entrant is not suspended."""
PERSON_ANSWER_S = 30.0
"""Seconds for which an offer to a person stays open, unless the pool gives all entrants more time."""
PAUSE_S = 300.0
"""Seconds without offers for an entrant that missed more than `MOST_MISSED` of its last `OFFERS_KEPT` offers."""


@dataclass(eq=False)
class Member:
    """A connection that entered the pool and plays or waits for a game there.

    `request` is its last `enter` message. `settings` are the games and numbers of players that it accepts.
    """

    connection: Connection
    entrant: str
    request: wire.Enter
    settings: tuple[Setting, ...]
    is_person: bool
    since: float = 0.0
    """Time on the server's clock, in seconds, at which the member began to wait."""
    offer: "Offer | None" = None
    is_playing: bool = False
    is_leaving: bool = False
    """Whether the member leaves the pool after its current game."""
    has_limit_notice: bool = False
    """Whether the member was notified that its entrant has reached the limit of games per day."""

    def send(self, message: object) -> None:
        self.connection.post(frame(message))


@dataclass(eq=False)
class Offer:
    """An offered game, for which a table is created when all players have accepted the offer."""

    pairing: Pairing
    members: dict[int, Member]
    """Mapping from seat to member. All seats that are not in the mapping are for built-in players."""
    rated: bool
    group: SeedGroup | None = None
    """Seed group (games with one seed and the same players) of the game. None if the game starts a new seed group."""
    next_seatings: Sequence[list[str]] | None = None
    """Seatings (names of entrants by seat) of the further games of the seed group. None if not decided yet."""
    id: str = field(default_factory=lambda: new_token()[:12])
    until: float = 0.0
    """Time on the server's clock, in seconds, until which the offer is open. Set by `Offers.make`."""
    ready: set[int] = field(default_factory=set)
    """Seats whose members have accepted the offer."""

    @property
    def is_check(self) -> bool:
        """Whether the game decides if a quarantined entrant may play again. All its opponents are built-in players."""
        return not self.rated and len(self.members) == 1


class Offers:
    """The open offers of the pool."""

    def __init__(self, clock: str, answer_s: float) -> None:
        """Start without offers.

        `clock` is the time control of all games in the pool. An offer must be answered within `answer_s` seconds. A
        person always has at least PERSON_ANSWER_S seconds.
        """
        self._clock = clock
        self._answer_s = answer_s
        self._open: dict[str, Offer] = {}
        self.ended: Counter[OfferEnd] = Counter(dict.fromkeys(get_args(OfferEnd), 0))
        """Mapping from outcome to the number of offers with this outcome since the server started."""

    def open(self) -> list[Offer]:
        return list(self._open.values())

    def make(self, offer: Offer, now: float) -> None:
        self._open[offer.id] = offer
        has_person = any(member.is_person for member in offer.members.values())
        answer_s = max(self._answer_s, PERSON_ANSWER_S) if has_person else self._answer_s
        offer.until = now + answer_s
        setting = offer.pairing.setting
        for seat, member in offer.members.items():
            member.offer = offer
            member.send(
                wire.Offered(
                    offer.id,
                    setting.game,
                    setting.players,
                    setting.options,
                    self._clock,
                    seat,
                    offer.rated,
                    answer_s,
                    offer.is_check,
                )
            )

    def find(self, id: str, connection: Connection) -> tuple[Offer, int]:
        """Return the open offer `id`, and the seat offered to `connection`.

        Raise Refused if `connection` has no such offer.
        """
        if (offer := self._open.get(id)) is not None:
            for seat, member in offer.members.items():
                if member.connection is connection:
                    return offer, seat
        raise Refused("stale_offer", "this offer is over, or was made to somebody else")

    def close(self, offer: Offer, end: OfferEnd | None) -> bool:
        """Remove an offer, and count it under `end` unless `end` is None. Return False if it was already removed."""
        if self._open.pop(offer.id, None) is None:
            return False
        if end is not None:
            self.ended[end] += 1
        return True


class MissedOffers:
    """Record of the last offers that each entrant accepted or missed. Times are seconds on the server's clock."""

    def __init__(self) -> None:
        self._recent: dict[str, deque[bool]] = {}
        """Mapping from entrant to its last offers: True for an accepted offer, False for a missed offer."""
        self.in_a_row: Counter[str] = Counter()
        self._paused_until: dict[str, float] = {}
        self._left_at: dict[str, float] = {}
        """Mapping from entrant to the time at which it left a seed group (games with one seed and the same players)."""

    def accepted(self, name: str, *, is_rated: bool) -> None:
        """Record that the entrant `name` accepted an offer. This ends its series of missed offers.

        If `is_rated`, also count the offer among the last offers of the entrant. An entrant may miss only a few of
        these.
        """
        self.in_a_row.pop(name, None)
        if is_rated:
            self._recent.setdefault(name, deque(maxlen=OFFERS_KEPT)).append(True)

    def add(self, name: str, now: float) -> bool:
        """Record a missed offer of the entrant `name`.

        Return whether the entrant now gets no offers for PAUSE_S seconds.
        """
        self.in_a_row[name] += 1
        recent = self._recent.setdefault(name, deque(maxlen=OFFERS_KEPT))
        recent.append(False)
        if recent.count(False) <= MOST_MISSED:
            return False
        recent.clear()
        self._paused_until[name] = now + PAUSE_S
        return True

    def pause_s(self, name: str, now: float) -> float:
        """Return the number of seconds until the entrant `name` may get offers. 0 if it may get offers now."""
        return max(0.0, self._paused_until.get(name, now) - now)

    def left_group(self, name: str, now: float) -> None:
        """Record that the entrant `name` left before the last game of a seed group. `now` is the time of leaving.

        If the entrant enters the pool again within PAUSE_S seconds, the caller of `is_back_soon` counts a missed offer.
        """
        self._left_at[name] = now

    def is_back_soon(self, name: str, now: float) -> bool:
        """Return whether `left_group` was called for the entrant `name` less than PAUSE_S seconds ago.

        Further calls return False, until `left_group` is called again.
        """
        return now - self._left_at.pop(name, now - PAUSE_S) < PAUSE_S
