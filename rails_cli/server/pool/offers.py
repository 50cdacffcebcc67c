"""Offered games of the pool, and the connections they are offered to."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from rails_cli.basics.tokens import new_token
from rails_cli.protocol import pool as wire
from rails_cli.protocol.lines import frame
from rails_cli.server.pool.pairing import Pairing
from rails_cli.server.refused import Refused
from rails_cli.server.seat import Connection
from rails_cli.tournament.model import SeedGroup, Setting

OfferEnd = Literal["taken", "declined", "unanswered", "left"]
"""How an offer ended. `left` means that a player left while it was open."""


class Member:
    """A connection that entered the pool."""

    def __init__(self, connection: Connection, entrant: str, wish: wire.Enter, settings: tuple[Setting, ...]) -> None:
        self.connection = connection
        self.entrant = entrant
        self.wish = wish
        self.settings = settings
        self.since = 0.0
        """Time on the server's clock at which it began to wait."""
        self.offer: Offer | None = None
        self.is_playing = False
        self.is_leaving = False
        """Whether it leaves after its current game."""
        self.is_told_of_limit = False

    def send(self, message: object) -> None:
        self.connection.post(frame(message))


class Offer:
    """An offered game. Its table is created when all players are ready."""

    def __init__(
        self,
        pairing: Pairing,
        members: dict[int, Member],
        until: float,
        *,
        rated: bool,
        group: SeedGroup | None = None,
        next_seatings: Sequence[list[str]] | None = None,
    ) -> None:
        """`group` is a game of a final, or the next game of a seed group with `next_seatings` still to come. Without it
        the game is drawn."""
        self.id = new_token()[:12]
        self.pairing = pairing
        self.members = members
        """By seat. The other seats are played by the server."""
        self.until = until
        self.rated = rated
        self.group = group
        self.next_seatings = next_seatings
        self.ready: set[int] = set()

    @property
    def is_check(self) -> bool:
        """Whether the game decides if a quarantined entrant may play again. All other seats are built-in players."""
        return not self.rated and len(self.members) == 1


class Offers:
    """The open offers."""

    def __init__(self, clock: str, answer_s: float) -> None:
        """`clock` is that of all games, `answer_s` the time to answer an offer."""
        self._clock = clock
        self._answer_s = answer_s
        self._open: dict[str, Offer] = {}
        self.ended: Counter[OfferEnd] = Counter(dict.fromkeys(get_args(OfferEnd), 0))
        """Ended offers by outcome since the server started."""

    def open(self) -> list[Offer]:
        return list(self._open.values())

    def make(self, offer: Offer) -> None:
        """Send an offer to its players."""
        self._open[offer.id] = offer
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
                    self._answer_s,
                    offer.is_check,
                ),
            )

    def find(self, id: str, connection: Connection) -> tuple[Offer, int]:
        """Return an open offer and the seat offered to a connection. Raise Refused if there is none."""
        if id in self._open:
            offer = self._open[id]
            for seat, member in offer.members.items():
                if member.connection is connection:
                    return offer, seat
        raise Refused("stale_offer", "this offer is over, or was made to somebody else")

    def close(self, offer: Offer, end: OfferEnd | None) -> bool:
        """Remove an offer, and count it under `end`. Return False if it was closed before."""
        if self._open.pop(offer.id, None) is None:
            return False
        if end is not None:
            self.ended[end] += 1
        return True
