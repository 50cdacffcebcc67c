"""The rated pool of a running server. It handles messages of clients, events of tables, and periodic work.

The record of a table contains its pool game. So games continue after a crash, and every result is counted once. The
queue is not stored: connections are lost when the server stops, and clients enter the pool again.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from rails_cli.basics.seeds import new_seed
from rails_cli.basics.tokens import matches_hash
from rails_cli.protocol import pool as wire
from rails_cli.protocol.lines import frame
from rails_cli.server.lobby import Lobby
from rails_cli.server.net.bucket import Budgets
from rails_cli.server.pool.checks import Checks
from rails_cli.server.pool.entrants import Entrants
from rails_cli.server.pool.games import PoolGames, entrant_at, game_at
from rails_cli.server.pool.matchmaking import Matchmaker
from rails_cli.server.pool.membership import Membership
from rails_cli.server.pool.offers import Offer, Offers
from rails_cli.server.pool.rating_runs import LatestRatings
from rails_cli.server.pool.result_queue import ResultQueue
from rails_cli.server.pool.results import FOLDER, PoolResults
from rails_cli.server.pool.seasons import Allowed, ComputeFinal, FinalGames, Season, advanced, requested
from rails_cli.server.pool.standings import PoolStandings
from rails_cli.server.pool.terms import pool_terms, wanted_settings
from rails_cli.server.pool.worker import RunTask
from rails_cli.server.refused import Refused
from rails_cli.server.settings import PoolSettings
from rails_cli.server.store.records import PoolGame
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.table import GameTable
from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.results.group_results import LOGS
from rails_cli.tournament.results.store import locked

ENTRANTS = "entrants.jsonl"
"""Name of the file with all owners and entrants in the data folder of a server."""
PAIR_S = 0.25
"""Seconds between two attempts to pair waiting entrants."""
TIDY_S = 1.0
"""Seconds between two removals of connections and games that have ended."""
PING_S = 10.0
"""Seconds between two measurements of the network latency of entrants."""
HOUR_S = 3600.0


class Pool:
    """The rated pool of a server, in which bots and people are paired and rated."""

    def __init__(
        self,
        lobby: Lobby,
        settings: PoolSettings,
        max_faults: int,
        store: RunTask,
        rate: RunTask,
        compute_final: ComputeFinal,
    ) -> None:
        """Open the pool.

        - `max_faults` is the number of default actions after which a player loses its seat.
        - `store` and `rate` run tasks in worker processes: storing a result, and computing ratings.
        - `compute_final` computes the games of a final.

        Raise ValueError if the settings are invalid, or StoreError if the results cannot be used.
        """
        self._lobby = lobby
        self.registry = registry = lobby.registry
        self.settings = settings
        self.terms = terms = pool_terms(settings, max_faults)
        self.folder = registry.storage.folder / FOLDER
        self.logs = self.folder / LOGS
        self._resources = ExitStack()
        self._resources.enter_context(locked(self.folder))
        file = registry.storage.folder / ENTRANTS
        self.entrants = Entrants(file, terms.anchors, settings)
        self._resources.callback(self.entrants.close)
        for problem in self.entrants.problems:
            registry.report(f"{file}: {problem}")
        self.ratings = LatestRatings(self.folder, terms.anchors, rate, registry.now, registry.wall)
        self.games = PoolGames(self.entrants)
        self.offers = Offers(terms.clock, settings.offer_s)
        self.membership = Membership(lobby, settings, self.games, self.offers)
        self._checks = Checks(self.entrants, self.membership, settings.faults)
        self._matchmaker = Matchmaker(
            settings, terms, self.entrants, self.games, self.offers, self.membership, self.ratings
        )
        self.standings = PoolStandings(self.entrants, self.games, self.membership, self.ratings, registry.wall)
        self.results = ResultQueue(registry, terms, store, self._stored)
        self._final_games = FinalGames(compute_final)
        self._registrations = Budgets(float(settings.registrations_each), HOUR_S)
        self._paired_at = self._tidied_at = self._pinged_at = registry.now()
        self._read_results()
        registry.on_seat_lost = self._seat_lost
        registry.on_game_ended = self._game_ended
        lobby.pool = self
        for kind, handler in (
            (wire.Register, self._register),
            (wire.Enter, self._enter),
            (wire.Ready, self._ready),
            (wire.Decline, self._decline),
            (wire.Withdraw, self._withdraw),
            (wire.AskStanding, self._standing),
            (wire.AskStandings, self._standings),
            (wire.ListEntrants, self._list),
            (wire.Revoke, self._revoke),
            (wire.BanOwner, self._ban_owner),
            (wire.InviteEntrants, self._invite),
            (wire.SetSeason, self._set_season),
        ):
            lobby.handle(kind, handler)

    def close(self) -> None:
        self._resources.close()

    def _read_results(self) -> None:
        """Load all stored games, and count the opponents, seats and games of each entrant."""
        with closing(PoolResults(self.folder, self.terms)) as results:
            for listed in results.store.games():
                self.results.stored.add(listed.group.id)
                played, ended_at = listed.played, listed.group.finished
                self.games.restore(played.setting, played.seating, ended_at, self.registry.wall())

    def restore_tables(self) -> None:
        """Add the running games of restored tables to the pool.

        Store the results of ended games that are not stored yet.
        """
        for table in list(self.registry.tables.values()):
            if table.spec.pool is None:
                continue
            if table.state == "ended":
                self.results.add(table)
            else:
                self.games.start(table)

    # Messages about entrants

    def _register(self, connection: Connection, address: str, request: wire.Register) -> None:
        if not self.allowed.registering:
            raise Refused("closed", f"nobody new may enter: {self.allowed.words}")
        if not self._registrations.take(address, 1.0, self.registry.now()):
            raise Refused("too_many", "too many registrations from your address; try again in an hour")
        _send(connection, self.entrants.register(request, self.registry.wall(), self.games.stored_of))

    def _revoke(self, connection: Connection, _: str, request: wire.Revoke) -> None:
        entrant = self.entrants.named(request.entrant)
        by_admin = matches_hash(request.token, self.registry.admin_seal)
        if not by_admin:
            owner = self.entrants.owner_of(request.token)
            if owner is None or owner.name != entrant.owner:
                raise Refused(
                    "forbidden", f"this is neither the token of the owner of {entrant.name} nor the admin token"
                )
        if entrant.builtin is not None:
            raise Refused("bad_request", f"{entrant.name} is a built-in player and has no token")
        if request.renew:
            token = self.entrants.renew(entrant.name, by_admin=by_admin)
            self.membership.disconnect(entrant.name, is_for_good=False)
            _send(connection, wire.Registered(entrant.name, token, entrant.owner, None, request.ref))
        else:
            self.entrants.revoke(entrant.name, by_admin=by_admin)
            self.membership.disconnect(entrant.name, is_for_good=True)
            revoked = [self.entrants.named(entrant.name)]
            _send(connection, wire.Entrants(self.standings.infos(revoked), request.ref))

    def _ban_owner(self, connection: Connection, _: str, request: wire.BanOwner) -> None:
        self._check_admin(request.token)
        theirs = self.entrants.ban(request.owner, is_banned=not request.lift)
        for entrant in () if request.lift else theirs:
            self.membership.disconnect(entrant.name, is_for_good=True)
        _send(connection, wire.Entrants(self.standings.infos(theirs), request.ref))

    def _invite(self, connection: Connection, _: str, request: wire.InviteEntrants) -> None:
        self._check_admin(request.token)
        _send(connection, wire.EntrantsInvited(self.entrants.invite(request.count), request.ref))

    def _check_admin(self, token: str) -> None:
        if not matches_hash(token, self.registry.admin_seal):
            raise Refused("forbidden", "this is not the admin token")

    def _standing(self, connection: Connection, _: str, request: wire.AskStanding) -> None:
        member = self.membership.get(connection)
        name = member.entrant if request.entrant is None and member is not None else request.entrant
        if name is None:
            raise Refused("bad_request", "name an entrant, or enter first")
        _send(connection, wire.Standing(self.standings.of(self.entrants.named(name)), request.ref))

    def _standings(self, connection: Connection, _: str, request: wire.AskStandings) -> None:
        _send(
            connection,
            wire.Standings(
                self.standings.all(),
                self.entrants.season.state,
                self.settings.entry,
                self.games.stored,
                [f"{setting.game}:{setting.players}" for setting in self.terms.settings],
                self.terms.clock,
                request.ref,
            ),
        )

    def _list(self, connection: Connection, _: str, request: wire.ListEntrants) -> None:
        chosen = [one for one in self.entrants.by_name.values() if request.owner in (None, one.owner)]
        _send(connection, wire.Entrants(self.standings.infos(chosen), request.ref))

    # The season

    @property
    def allowed(self) -> Allowed:
        return self.entrants.season.allowed

    def _set_season(self, connection: Connection, _: str, request: wire.SetSeason) -> None:
        self._check_admin(request.token)
        now, best = self.registry.wall(), self.standings.best
        self._change_season(requested(self.entrants.season, request, now, best, self.terms.settings, new_seed()))
        _send(connection, self._season_message(request.ref))

    def _change_season(self, season: Season) -> None:
        """Set the season and inform all members.

        Cancel open offers if the new state of the season does not allow pairing.
        """
        if season == self.entrants.season:
            return
        self.entrants.set_season(season)
        if not self.allowed.groups:
            self._matchmaker.end_groups()
        if not self.allowed.pairing:
            for offer in self.offers.open():
                self.membership.cancel(offer, self.allowed.words)
        message = self._season_message()
        for member in self.membership:
            member.send(message)

    def _season_message(self, ref: str | None = None) -> wire.Season:
        season = self.entrants.season
        left = 0
        if season.state == "closing" and season.final is not None:
            unfinished = self._unfinished_final()
            left = season.final.length() if unfinished is None else len(unfinished)
        return wire.Season(season.state, season.ends_at, left, ref)

    def _unfinished_final(self) -> list[SeedGroup] | None:
        """Return the games of the final that are not stored yet.

        None if the season has no final. Also None if the server has not finished computing which games the final has.
        """
        final = self.entrants.season.final
        return None if final is None else self._final_games.unfinished(final, self.results.stored)

    def _advance_season(self) -> None:
        """Change the state of the season if it is due.

        Pairing ends at the end time of the season. The final ends after its last game.
        """
        season = self.entrants.season
        if season.ends_at is None and season.state != "closing":
            return
        is_played = season.state == "closing" and self._unfinished_final() == []
        now, best = self.registry.wall(), self.standings.best
        self._change_season(advanced(season, now, best, self.terms.settings, new_seed(), is_played=is_played))

    # Messages about games

    def _enter(self, connection: Connection, _: str, request: wire.Enter) -> None:
        entrant = self.entrants.holder(request.token)
        if not self.allowed.entering:
            raise Refused("closed", self.allowed.words)
        member, is_new = self.membership.enter(connection, entrant, request, wanted_settings(self.terms, request))
        connection.yield_to_people(yields=not entrant.is_person)
        season = self.entrants.season.state
        member.send(wire.Entered(entrant.name, entrant.state, self.standings.of(entrant), season, request.ref))
        if is_new:
            self.membership.note_return(member)
        self.membership.explain_pause(member)
        if is_new:
            self._checks.explain(member, self.registry.wall())
        connection.measure()
        if is_new and not member.is_playing:
            self.membership.wait(member)

    def _withdraw(self, connection: Connection, _: str, request: wire.Withdraw) -> None:
        _send(connection, self.membership.withdraw(connection, request.ref))

    def _ready(self, connection: Connection, _: str, request: wire.Ready) -> None:
        offer, seat = self.offers.find(request.offer, connection)
        offer.ready.add(seat)
        if len(offer.ready) == len(offer.members):
            self._begin(offer)

    def _decline(self, connection: Connection, _: str, request: wire.Decline) -> None:
        offer, seat = self.offers.find(request.offer, connection)
        why = f"{offer.members[seat].entrant} declined"
        self.membership.cancel(offer, why, end="declined", missed_by=(seat,))

    def _begin(self, offer: Offer) -> None:
        """Create the table of an offer that all players accepted, and start its game."""
        game = self._matchmaker.game_of(offer, self.registry.wall())
        try:
            table = self.registry.create_for_pool(game, self.terms.clock)
        except Refused as refused:
            self.membership.cancel(offer, str(refused))
            return
        self.games.start(table)
        self.membership.seat(offer, table)
        self._lobby.start_if_full(table)

    # Events of connections and tables

    def is_member(self, connection: Connection) -> bool:
        return self.membership.get(connection) is not None

    def is_token(self, token: str) -> bool:
        try:
            self.entrants.holder(token)
        except Refused:
            return False
        return True

    def seat_taken(self, connection: Connection, table: GameTable) -> None:
        self.membership.seat_taken(connection, table)

    def disconnected(self, connection: Connection) -> None:
        self.membership.disconnected(connection)

    def _seat_lost(self, table: GameTable, seat: ServerSeat) -> None:
        """Count a lost seat as a fault of its entrant at once. The game may continue for a long time."""
        pool, name = table.spec.pool, entrant_at(table, seat)
        if pool is None or name not in self.entrants.by_name:
            return
        with self._stopping_server():
            if pool.is_check:
                self._checks.note_failed(name, table, self.registry.wall())
            elif pool.rated and self.entrants.note_lost(name, pool.group.id):
                # after the substitute has taken the seat
                self.registry.later(table, self._checks.announce_quarantine, name)

    def _game_ended(self, table: GameTable) -> None:
        pool = table.spec.pool
        if pool is None:
            return
        self.games.end(table)
        self.results.add(table)
        if pool.is_check:
            with self._stopping_server():
                self._checks.note_ended(table, self.registry.wall())
        self.registry.later(table, self._release, table)

    def _release(self, table: GameTable) -> None:
        """Let the members of a finished table wait for games again.

        If all players stay and more games with the same seed and players are planned, the next of these games is
        stored. Then it can be offered.
        """
        game, outcome = game_at(table), table.outcome
        connections = {game.seating[seat.index]: seat.channel for seat in table.seats}
        do_all_stay = self.membership.release_table(table)
        is_whole = outcome is not None and outcome.reason == "normal"
        has_lost_seats = any(seat.is_lost or seat.is_abandoned for seat in table.seats)
        if game.next_seatings and self.allowed.groups and do_all_stay and is_whole and not has_lost_seats:
            self._matchmaker.keep_group(game, connections, self.registry.now())

    def _stored(self, game: PoolGame, ended_at: float, lost: list[int] | None) -> None:
        """Count a game whose result is stored. `ended_at` is the Unix timestamp of its end.

        `lost` has the seats that were lost in it. None means that the result was stored by an earlier call, so the lost
        seats are counted already.
        """
        self.games.add_stored(game.seating, ended_at)
        for seat, name in enumerate(game.seating):
            if lost is not None and name in self.entrants.by_name:
                with self._stopping_server():
                    if self.entrants.note_game(name, game.group.id, is_lost=seat in lost):
                        self._checks.announce_quarantine(name)

    @contextmanager
    def _stopping_server(self) -> Iterator[None]:
        """Context manager that stops the server if the register of entrants cannot be written inside the context."""
        try:
            yield
        except OSError as error:
            self.registry.stop(error)

    # Time

    def tick(self, now: float) -> None:
        """Do all periodic work that is due at time `now`, such as pairing, latency measurements and ratings."""
        self.membership.cancel_expired(now)
        if now - self._paired_at >= PAIR_S:
            self._paired_at = now
            self._advance_season()
            if self.membership and not self.registry.is_draining and (self.allowed.pairing or self.allowed.final):
                final_games = self._unfinished_final() if self.allowed.final else None
                self._matchmaker.make_offers(now, self.registry.wall(), final_games, self.results.tables())
        if now - self._pinged_at >= PING_S:
            self._pinged_at = now
            for member in self.membership:
                member.connection.measure()
        if now - self._tidied_at >= TIDY_S:
            self._tidied_at = now
            self.membership.release_ended()
            self.games.remove_ended()
            self.results.retry(now)
            self._registrations.tidy(now)
            self.ratings.refresh(self.games.stored, self.entrants.by_name)


def _send(connection: Connection, message: Any) -> None:
    connection.post(frame(message))
