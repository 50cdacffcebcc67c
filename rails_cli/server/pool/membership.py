"""The connections in the pool: entering, waiting, offers, games and leaving."""

import math
from collections.abc import Collection, Iterator

from rails_cli.protocol import pool as wire
from rails_cli.protocol.lobby import Seated
from rails_cli.protocol.messages import Error
from rails_cli.server.lobby import Lobby
from rails_cli.server.pool.entrants import PoolEntrant
from rails_cli.server.pool.games import PoolGames, entrant_at, game_at
from rails_cli.server.pool.offers import MOST_IN_A_ROW, MOST_MISSED, Member, MissedOffers, Offer, OfferEnd, Offers
from rails_cli.server.refused import Refused
from rails_cli.server.settings import PoolSettings
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.table import GameTable
from rails_cli.tournament.model import Setting


class Membership:
    """The connections that entered the pool: their waiting, offers and games, until they leave."""

    def __init__(self, lobby: Lobby, settings: PoolSettings, games: PoolGames, offers: Offers) -> None:
        self._lobby = lobby
        self._registry = lobby.registry
        self._settings = settings
        self._games = games
        self._offers = offers
        self.missed = MissedOffers()
        self._members: dict[Connection, Member] = {}

    def __iter__(self) -> Iterator[Member]:
        return iter(list(self._members.values()))

    def __len__(self) -> int:
        return len(self._members)

    def get(self, connection: Connection | None) -> Member | None:
        return None if connection is None else self._members.get(connection)

    def of(self, name: str) -> list[Member]:
        return [member for member in self._members.values() if member.entrant == name]

    def send(self, name: str, message: Error) -> None:
        for member in self.of(name):
            member.send(message)

    # Entering and leaving

    def enter(
        self, connection: Connection, entrant: PoolEntrant, request: wire.Enter, settings: tuple[Setting, ...]
    ) -> tuple[Member, bool]:
        """Let a connection enter the pool, or change the games that it accepts if it has entered already.

        Return the member, and whether it is new. `settings` are the accepted games and numbers of players. Raise
        Refused if the connection plays or waits elsewhere, or if the entrant has too many connections.
        """
        place = self._lobby.seated.get(connection)
        if place is not None and place[0].state != "ended" and entrant_at(*place) != entrant.name:
            raise Refused("seated", f"you sit at table {place[0].id}; leave it first, or use another connection")
        member = self._members.get(connection)
        if member is not None and member.entrant != entrant.name:
            raise Refused("seated", f"this connection is waiting for {member.entrant}; withdraw first, or use another")
        is_new = member is None
        if member is None:
            self._check_crowd(entrant, connection)
            if place is None or place[0].state == "ended":
                self._lobby.let_go_of(connection)
            member = self._members[connection] = Member(
                connection, entrant.name, request, settings, is_person=entrant.is_person
            )
        member.settings, member.request, member.is_leaving = settings, request, False
        member.is_playing = connection in self._lobby.seated
        return member, is_new

    def _check_crowd(self, entrant: PoolEntrant, connection: Connection) -> None:
        """Raise Refused if `entrant` has too many connections to add `connection`.

        A person may have one connection. If this connection only waits for a game, `connection` replaces it.
        """
        name = entrant.name
        if entrant.is_person:
            for other in [member for member in self.of(name) if not member.is_playing]:
                self._remove(other, f"{name} has gone")
                other.send(wire.Withdrawn(name, f"{name} is now waiting on another connection"))
        here = {member.connection for member in self.of(name)} | {connection}
        elsewhere = sum(seat.channel is not None and seat.channel not in here for _, seat in self._games.running(name))
        most = 1 if entrant.is_person else self._settings.games_each
        if len(here) - 1 + elsewhere >= most:
            times = f"{most} time{'s' * (most > 1)}"
            raise Refused("too_many", f"{name} is here {times} already, which is the most this pool allows")

    def note_return(self, member: Member) -> None:
        """Count a missed offer if the entrant of `member` left a series of games with one seed a short time ago.

        So an entrant cannot avoid the remaining games of a series by disconnecting for a short time.
        """
        if self.missed.is_back_soon(member.entrant, self._registry.now()):
            self._miss(member.entrant)

    def withdraw(self, connection: Connection, ref: str | None) -> wire.Withdrawn:
        """Let a connection leave the pool, now or after its game. Return the answer to the request with the id `ref`.

        Raise Refused if the connection is not in the pool.
        """
        member = self._members.get(connection)
        if member is None:
            raise Refused("bad_request", "you have not entered the pool")
        if member.is_playing:
            member.is_leaving = True
            return wire.Withdrawn(member.entrant, "no more games after this one", ref)
        self._remove(member, f"{member.entrant} has withdrawn")
        return wire.Withdrawn(member.entrant, "as you asked", ref)

    def disconnected(self, connection: Connection) -> None:
        member = self._members.get(connection)
        if member is not None:
            self._remove(member, f"{member.entrant} has gone")

    def disconnect(self, name: str, *, is_for_good: bool) -> None:
        """Close all connections of an entrant whose token became invalid.

        If `is_for_good`, the entrant also loses its seats in running games.
        """
        registry = self._registry
        words = "the token of this entrant was revoked"
        for member in self.of(name):
            self._remove(member, "an entrant was revoked")
            member.connection.drop("revoked", words)
        for table, seat in self._games.running(name):
            connection, seat.channel = seat.channel, None
            registry.tokens.revoke(seat)
            if connection is not None:
                self._lobby.seated.pop(connection, None)
                connection.drop("revoked", words)
            if not is_for_good:
                registry.tokens.issue(table, seat)  # nobody has this token, but the seat stays taken
                seat.absent_since = registry.now()
            registry.save(table)
            if is_for_good and seat.player is None:
                try:
                    table.give_up(seat, words)
                except Exception as error:
                    registry.end_after_error(table, error)

    def _remove(self, member: Member, why: str) -> None:
        self._members.pop(member.connection, None)
        self._leave_offer(member, why)

    # Waiting and offers

    def wait(self, member: Member, since: float | None = None) -> None:
        """Let a member wait for a game, or seat it in a running game of its entrant that has no connected player.

        `since` is the time at which its wait began. None means now.
        """
        member.is_playing, member.offer = False, None
        member.since = self._registry.now() if since is None else since
        for table, seat in self._games.unattended(member.entrant):
            self._take_back(member, table, seat)
            return

    def _take_back(self, member: Member, table: GameTable, seat: ServerSeat) -> None:
        """Seat a member in a running game of its entrant, and issue a new token for the seat."""
        self._registry.tokens.revoke(seat)
        token = self._registry.tokens.issue(table, seat)
        self._lobby.take(member.connection, table, seat)
        self._registry.save(table)
        member.send(Seated(table.info(), seat.index, token))
        table.send_table()
        if table.match is not None:
            table.send_start(seat, member.connection)
            table.again(seat, member.connection)

    def seat_taken(self, connection: Connection, table: GameTable) -> None:
        """Process the event that a connection took a seat.

        If the table is not in the pool, the connection leaves the pool.
        """
        member = self._members.get(connection)
        if member is None:
            return
        if table.spec.pool is None:
            self._remove(member, f"{member.entrant} plays elsewhere")
        else:
            self._leave_offer(member, f"{member.entrant} is playing")
            member.is_playing = True

    def _leave_offer(self, member: Member, why: str) -> None:
        """Cancel the open offer of a member that leaves, and count a missed offer.

        Send the reason `why` to all other players.
        """
        if member.offer is not None:
            offer, member.offer = member.offer, None
            self._miss(member.entrant)
            self.cancel(offer, why, end="left")

    def cancel(self, offer: Offer, why: str, *, end: OfferEnd | None = None, missed_by: Collection[int] = ()) -> None:
        """Cancel an offer, and send the reason `why` to its players.

        The players at the seats `missed_by` have missed the offer. They go to the end of the queue, or leave the queue
        after too many missed offers in a row. All other players return to their positions in the queue. The offer is
        counted under `end`, unless `end` is None.
        """
        if not self._offers.close(offer, end):
            return
        for seat, member in offer.members.items():
            if member.offer is not offer:
                continue
            member.send(wire.OfferOver(offer.id, why))
            if seat not in missed_by:
                self.wait(member, member.since)
                continue
            self._miss(member.entrant)
            self.wait(member)
            if (misses := self.missed.in_a_row[member.entrant]) >= MOST_IN_A_ROW:
                self._remove(member, why)
                words = f"{misses} offers in a row were missed; enter again when you are ready"
                member.send(wire.Withdrawn(member.entrant, words))

    def cancel_expired(self, now: float) -> None:
        for offer in self._offers.open():
            if now > offer.until:
                missing = [seat for seat in offer.members if seat not in offer.ready]
                names = ", ".join(offer.members[seat].entrant for seat in missing)
                self.cancel(offer, f"{names} did not answer", end="unanswered", missed_by=missing)

    def cancel_of(self, name: str, why: str) -> None:
        for offer in self._offers.open():
            if any(member.entrant == name for member in offer.members.values()):
                self.cancel(offer, why)

    def _miss(self, name: str) -> None:
        """Count a missed offer of the entrant `name`.

        After too many missed offers, the entrant gets no offers for some time. If this time begins now, its connections
        are informed.
        """
        if self.missed.add(name, self._registry.now()):
            for member in self.of(name):
                self.explain_pause(member)

    def explain_pause(self, member: Member) -> None:
        """If the entrant of `member` gets no offers at the moment, send `member` the time until the next offers."""
        wait_s = self.missed.pause_s(member.entrant, self._registry.now())
        if wait_s > 0:
            missed = f"{member.entrant} has missed {MOST_MISSED + 1} of its last offers"
            words = f"{missed}; the next comes in {math.ceil(wait_s / 60)} minutes"
            member.send(Error("choosy", words, fatal=False))

    def note_left_group(self, name: str) -> None:
        """Count a missed offer for an entrant that left before the last game of a series with one seed.

        If the entrant is disconnected, the missed offer is counted later, and only if the entrant returns soon.
        """
        if self.of(name):
            self._miss(name)
        else:
            self.missed.left_group(name, self._registry.now())

    # Games

    def seat(self, offer: Offer, table: GameTable) -> None:
        """Seat the players of an accepted offer at the table that was created for it."""
        self._offers.close(offer, "taken")
        for index, member in offer.members.items():
            self.missed.accepted(member.entrant, is_rated=offer.rated)
            seat = table.seats[index]
            token = self._registry.tokens.issue(table, seat)
            member.offer = None
            self._lobby.take(member.connection, table, seat)
            member.send(Seated(table.info(), index, token))
        self._registry.save(table)

    def release_table(self, table: GameTable) -> bool:
        """Remove all members from their seats at a finished table.

        Return whether all these members stay in the pool.
        """
        do_all_stay = True
        for seat in table.seats:
            member = self.get(seat.channel)
            if member is None or self._lobby.seated.get(member.connection, (None,))[0] is not table:
                continue
            if member.is_leaving:
                do_all_stay = False
                if game_at(table).next_seatings:
                    self.missed.left_group(member.entrant, self._registry.now())
            self._release(member)
        return do_all_stay

    def release_ended(self) -> None:
        """Remove members from their seats at tables that ended or were deleted because of an error."""
        for member in self:
            place = self._lobby.seated.get(member.connection)
            if member.is_playing and (place is None or place[0].state == "ended"):
                self._release(member)

    def _release(self, member: Member) -> None:
        """Remove a member from its finished game.

        The member then waits for a game, or leaves the pool if it asked to leave.
        """
        self._lobby.let_go_of(member.connection)
        if member.is_leaving:
            self._remove(member, "")
            member.send(wire.Withdrawn(member.entrant, "the game is over"))
        else:
            self.wait(member)
