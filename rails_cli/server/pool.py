"""The rated pool on the event loop: the queue, offers, the tables that result from them, and their results.

A table records which game of the pool it is. So games continue after a crash and every result is counted once. The
queue is not stored: connections are lost with the server, and clients enter again by themselves.
"""

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from protocol import pool as wire
from protocol.lines import frame
from protocol.lobby import Seated
from protocol.messages import Clock, Error
from protocol.pool_api import PoolCheck, PoolRow
from rails_cli.core.luck import below, seeded
from rails_cli.games import game_sizes, load_game, load_openings, standard_board, whole_games
from rails_cli.games.options import read_options
from rails_cli.players.builtin import SUBSTITUTE, check_player, is_slow
from rails_cli.pool.entrants import Entrants, EntryRefused, PoolEntrant
from rails_cli.pool.model import PoolGame, rotations
from rails_cli.pool.pairing import History, Pairing, Waiting, pair
from rails_cli.pool.rating import Member as RatedMember
from rails_cli.pool.results import FOLDER, PoolResults, Terms
from rails_cli.pool.season import (
    ALLOWED,
    MOST_GAMES,
    Allowed,
    Final,
    FinalRules,
    Season,
    advanced,
    closing,
    next_games,
    paused,
)
from rails_cli.seeds import new_seed
from rails_cli.server.kept_logs import DAY_S
from rails_cli.server.lobby import Lobby
from rails_cli.server.net.bucket import Budgets
from rails_cli.server.pool_rating import PoolRatings, Rate
from rails_cli.server.pool_work import KeepTask, LetGoTask, Work
from rails_cli.server.seat import Connection, ServerSeat
from rails_cli.server.settings import PoolSettings
from rails_cli.server.table import GameTable
from rails_cli.server.table_registry import Refused, checked_clock, clock_words
from rails_cli.tokens import is_token, new_token
from rails_cli.tournament.group_results import LOGS
from rails_cli.tournament.model import BUILTIN, SeedGroup, Setting
from rails_cli.tournament.play import deal_of
from rails_cli.tournament.store import locked

ENTRANTS = "entrants.jsonl"
"""Name of the file of entrants in the folder of a server."""
PAIR_S = 0.25
LOOK_S = 1.0
PING_S = 10.0
LONGEST_CHECK_AGAIN_S = 3600.0
"""Most seconds between two checks of a quarantined entrant."""
ADVICE = "For a bot, `rails-cli check-bot` shows what is wrong."
KEEP_AGAIN_S = 60.0
MISSES = 3
"""Consecutive missed offers after which the connection that missed the last one leaves the queue."""
OFFERS_KEPT = 20
MOST_MISSED = 4
CHOOSY_S = 300.0
"""Seconds without offers for an entrant that missed more than `MOST_MISSED` of its last `OFFERS_KEPT` offers."""
GROUPS_GO_ON = ("open", "paused")
"""States of the season in which seed groups continue. In any other state they end."""
HOUR_S = 3600.0
USUAL_PLAYERS = 3

OfferEnd = Literal["taken", "declined", "unanswered", "left"]
"""How an offer ended. `left` means that a player left while it was open."""
Keep = Callable[[KeepTask | LetGoTask, Callable[[Work], None]], None]
Plan = Callable[[Final, Callable[[dict[str, SeedGroup]], None]], None]
"""Computes the games of a final outside the event loop and passes them to the callback."""


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


class GoingOn(NamedTuple):
    """A finished game whose seed group continues if all its players are still there."""

    game: PoolGame
    lines: dict[str, Connection | None]
    """By entrant, the connection that played."""
    until: float
    """Time until which players who left may come back."""
    season: Season


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
        rest: Sequence[list[str]] | None = None,
    ) -> None:
        """`group` is a game of a final, or the next game of a seed group with `rest` still to come. Without it the
        game is drawn."""
        self.id = new_token()[:12]
        self.pairing = pairing
        self.members = members
        """By seat. The other seats are played by the server."""
        self.until = until
        self.rated = rated
        self.group = group
        self.rest = rest
        self.ready: set[int] = set()

    @property
    def is_check(self) -> bool:
        """Whether the game decides if a quarantined entrant may play again. All other seats are built-in players."""
        return not self.rated and len(self.members) == 1


class Pool:
    """The pool of a server."""

    def __init__(
        self,
        lobby: Lobby,
        settings: PoolSettings,
        max_faults: int,
        keep: Keep,
        rate: Rate,
        plan: Plan,
    ) -> None:
        """Raise ValueError or StoreError if the pool cannot be run with these settings."""
        self.lobby = lobby
        self.registry = registry = lobby.registry
        self.settings = settings
        self.keep = keep
        self.plan = plan
        self.offered = offered_settings(settings.games)
        self.anchors = _anchors(settings.anchors, self.offered)
        self.clock = clock_words(_clock(settings.clock))
        self.folder = registry.storage.folder / FOLDER
        self.logs = self.folder / LOGS
        self.terms = Terms(self.clock, max_faults, list(self.offered), self.anchors)
        self._open = ExitStack()
        self._open.enter_context(locked(self.folder))
        self.entrants = Entrants(
            registry.storage.folder / ENTRANTS,
            self.anchors,
            most=settings.entrants,
            most_each=settings.entrants_each,
        )
        self._open.callback(self.entrants.close)
        for problem in self.entrants.problems:
            registry.report(f"{registry.storage.folder / ENTRANTS}: {problem}")
        self.ratings = PoolRatings(self.folder, next(iter(self.anchors), None), rate, registry.now, registry.wall)
        self.registering = Budgets(float(settings.registrations_each), HOUR_S)
        self.members: dict[Connection, Member] = {}
        self.offers: dict[str, Offer] = {}
        self.offers_ended: Counter[OfferEnd] = Counter(dict.fromkeys(get_args(OfferEnd), 0))
        """Ended offers by outcome since the server started."""
        self.playing: dict[str, dict[str, tuple[GameTable, ServerSeat]]] = {}
        """Running games by entrant, then by table."""
        self.history = History()
        self.games = 0
        """Number of rated games so far."""
        self.games_of: Counter[str] = Counter()
        self.last_played: dict[str, float] = {}
        self.today: dict[str, deque[float]] = {}
        """By entrant, the start times of its games in the last 24 hours."""
        self.answers: dict[str, deque[bool]] = {}
        """By entrant, whether it accepted each of its last offers."""
        self.misses: Counter[str] = Counter()
        """By entrant, consecutive missed offers."""
        self.choosy_until: dict[str, float] = {}
        self.left_at: dict[str, float] = {}
        """By entrant, the time at which it withdrew from an unfinished seed group."""
        self.unkept: dict[str, GameTable] = {}
        """Finished games that are not stored in the results yet."""
        self.known: set[str] = set()
        """Ids of groups already in the results when the server started."""
        self._planned: Final | None = None
        """The final whose games are computed or being computed."""
        self._to_play: dict[str, SeedGroup] | None = None
        """Unfinished games of that final, in order. None while they are being computed."""
        self.going_on: list[GoingOn] = []
        self.luck = seeded(new_seed())
        self._paired_at = self._looked_at = self._pinged_at = self._kept_at = registry.now()
        self._remember()
        registry.tell_lost = self._lost
        registry.tell_ended = self._ended
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
            (wire.SetSeason, self._season),
        ):
            lobby.handle(kind, self._polite(handler))

    def close(self) -> None:
        self._open.close()

    def _polite(self, handler: Callable[[Connection, str, Any], None]) -> Callable[[Connection, str, Any], None]:
        def handle(connection: Connection, address: str, message: Any) -> None:
            try:
                handler(connection, address, message)
            except EntryRefused as refused:
                raise Refused(refused.code, str(refused)) from None

        return handle

    # State from earlier runs

    def _remember(self) -> None:
        """Load from the results who played whom and how often."""
        results = PoolResults(self.folder, self.terms)
        since = self.registry.wall() - DAY_S
        try:
            for listed in results.store.games():
                played, ended_at = listed.played, listed.group.finished
                self.known.add(listed.group.id)
                self.history.add(played.setting, played.seating)
                for name in played.seating:
                    self._count(name, ended_at)
                    if ended_at > since:
                        self.today.setdefault(name, deque()).append(ended_at)
                self.games += 1
        finally:
            results.close()

    def bring_back(self) -> None:
        """Restore the tables of the pool from the server's files: running games, and results that were not stored."""
        for table in list(self.registry.tables.values()):
            if table.spec.pool is None:
                continue
            if table.state == "ended":
                self._keep_result(table)
            else:
                self._note_begun(table)

    def _note_begun(self, table: GameTable) -> None:
        pool = table.spec.pool
        assert pool is not None
        here = [self.entrants.entrants.get(name) for name in pool.seating]
        table.yields = not any(one is not None and one.is_person for one in here)
        for seat in table.seats:
            if seat.server_side is None:
                self.playing.setdefault(pool.seating[seat.index], {})[table.id] = (table, seat)
        if not pool.is_check:
            self.history.add(pool.group.setting, pool.seating)
            for name in pool.seating:
                self.today.setdefault(name, deque()).append(table.spec.made_at)

    def _count(self, name: str, ended_at: float) -> None:
        self.games_of[name] += 1
        self.last_played[name] = max(ended_at, self.last_played.get(name, 0.0))

    # Entrants

    def _register(self, connection: Connection, address: str, wish: wire.Register) -> None:
        if not self.allowed.registering:
            raise Refused("closed", f"nobody new may enter: {self.allowed.words}")
        if not self.registering.take(address, 1.0, self.registry.now()):
            raise Refused("too_many", "too many registrations from your address; try again in an hour")
        admitted = self.entrants.register(
            wish.name,
            entry=self.settings.entry,
            now=self.registry.wall(),
            owner=wish.owner,
            owner_token=wish.owner_token,
            invite=wish.invite,
            follows=wish.follows,
            is_person=wish.person,
            played=self.games_of,
        )
        entrant = admitted.entrant
        self._tell(
            connection,
            wire.Registered(entrant.name, admitted.token, entrant.owner, admitted.owner_token, wish.ref),
        )

    def _revoke(self, connection: Connection, _: str, wish: wire.Revoke) -> None:
        entrant = self.entrants.named(wish.entrant)
        by_admin = is_token(wish.token, self.registry.admin_seal)
        if not by_admin:
            owner = self.entrants.owner_of(wish.token)
            if owner is None or owner.name != entrant.owner:
                raise Refused(
                    "forbidden", f"this is neither the token of the owner of {entrant.name} nor the admin token"
                )
        if entrant.builtin is not None:
            raise Refused("bad_request", f"{entrant.name} is a built-in player and has no token")
        if wish.renew:
            token = self.entrants.renew(entrant.name, by_admin=by_admin, most_faults=self.settings.faults)
            self._turn_out(entrant.name, is_for_good=False)
            self._tell(connection, wire.Registered(entrant.name, token, entrant.owner, None, wish.ref))
        else:
            self.entrants.revoke(entrant.name, by_admin=by_admin)
            self._turn_out(entrant.name, is_for_good=True)
            self._tell(connection, wire.Entrants(self._infos([self.entrants.named(entrant.name)]), wish.ref))

    def _ban_owner(self, connection: Connection, _: str, wish: wire.BanOwner) -> None:
        self._check_admin(wish.token)
        theirs = self.entrants.ban(wish.owner, is_banned=not wish.lift)
        for entrant in () if wish.lift else theirs:
            self._turn_out(entrant.name, is_for_good=True)
        self._tell(connection, wire.Entrants(self._infos(theirs), wish.ref))

    def _turn_out(self, name: str, *, is_for_good: bool) -> None:
        """Disconnect all connections with the old token of an entrant. If `is_for_good`, forfeit its running games."""
        words = "the token of this entrant was revoked"
        for member in [one for one in self.members.values() if one.entrant == name]:
            self._forget(member, "an entrant was revoked")
            member.connection.drop("revoked", words)
        for table, seat in list(self.playing.get(name, {}).values()):
            line, seat.line = seat.line, None
            self.registry.void_token(seat)
            if line is not None:
                self.lobby.seated.pop(line, None)
                line.drop("revoked", words)
            if is_for_good:
                self.registry.save(table)
                if seat.player is None:
                    self._safely(table, lambda table=table, seat=seat: table.give_up(seat, words))  # type: ignore[misc]
            else:
                self.registry.hand_token(table, seat)  # nobody has this token, but the seat stays taken
                seat.absent_since = self.registry.now()
                self.registry.save(table)

    def _invite(self, connection: Connection, _: str, wish: wire.InviteEntrants) -> None:
        self._check_admin(wish.token)
        self._tell(connection, wire.EntrantsInvited(self.entrants.invite(wish.count), wish.ref))

    def _season(self, connection: Connection, _: str, wish: wire.SetSeason) -> None:
        self._check_admin(wish.token)
        before = self.entrants.season
        if wish.minutes is not None and wish.state != "open":
            raise Refused("bad_request", "only an open season ends after some minutes")
        if wish.finalists is not None and wish.state not in ("open", "closing"):
            raise Refused("bad_request", "a final is announced with open, or begins with closing")
        if wish.rounds is not None and not wish.finalists:
            raise Refused("bad_request", "rounds are for a final: also set the number of finalists")
        if wish.state is not None and not wish.state == before.state == "closing":
            rules = (
                before.final_rules if wish.finalists is None else self._final_rules(wish.finalists, wish.rounds or 1)
            )
            now = self.registry.wall()
            left_s = before.left_s if wish.minutes is None else 60 * wish.minutes
            season = Season(wish.state, None if wish.state != "open" or left_s is None else now + left_s, rules)
            if wish.state == "closing":
                season = closing(season, now, self.best(), self.offered, new_seed())
            elif wish.state == "paused" and before.state in ("open", "paused"):
                season = paused(before, now)
            self._change(season)
        self._tell(connection, self._season_told(wish.ref))

    def _final_rules(self, finalists: int, rounds: int) -> FinalRules | None:
        if finalists == 0:
            return None
        if finalists == 1:
            raise Refused("bad_request", "a final needs two or more; 0 is for none")
        rules = FinalRules(finalists, rounds)
        if (games := rules.longest(self.offered)) > MOST_GAMES:
            words = (
                f"a final of {finalists} in {rounds} rounds may have {games:,} games, and {MOST_GAMES:,} are allowed"
            )
            raise Refused("bad_request", f"{words}; choose fewer rounds, or fewer finalists")
        return rules

    def _change(self, season: Season) -> None:
        """Set the season. Cancel open offers if pairing stops, and inform waiting clients."""
        if season == self.entrants.season:
            return
        self.entrants.set_season(season)
        if season.state not in GROUPS_GO_ON:
            self.going_on.clear()
        if not self.allowed.pairing:
            for offer in list(self.offers.values()):
                self._call_off(offer, self.allowed.words, to_blame=())
        line = frame(self._season_told())
        for member in self.members.values():
            member.connection.post(line)

    def _season_told(self, ref: str | None = None) -> wire.Season:
        season = self.entrants.season
        left = 0
        if season.state == "closing" and season.final is not None:
            to_play = self._final_games(season.final)
            left = season.final.length() if to_play is None else len(to_play)
        return wire.Season(season.state, season.ends_at, left, ref)

    def _final_games(self, final: Final) -> dict[str, SeedGroup] | None:
        """Return the unfinished games of a final. None while they are being computed."""
        if final != self._planned:
            self._planned, self._to_play = final, None
            self.plan(final, lambda games: self._take_plan(final, games))
        return self._to_play

    def _take_plan(self, final: Final, games: dict[str, SeedGroup]) -> None:
        if final is self._planned:
            self._to_play = {id: game for id, game in games.items() if id not in self.known}

    @property
    def allowed(self) -> Allowed:
        return ALLOWED[self.entrants.season.state]

    def best(self) -> list[str]:
        """Return the ranked entrants in order."""
        return [row.entrant for row in self.standings() if row.place is not None]

    def _check_admin(self, token: str) -> None:
        if not is_token(token, self.registry.admin_seal):
            raise Refused("forbidden", "this is not the admin token")

    # Standings

    def _standing(self, connection: Connection, _: str, wish: wire.AskStanding) -> None:
        member = self.members.get(connection)
        name = wish.entrant if wish.entrant is not None else None if member is None else member.entrant
        if name is None:
            raise Refused("bad_request", "name an entrant, or enter first")
        self._tell(connection, wire.Standing(self.standing_of(self.entrants.named(name)), wish.ref))

    def _standings(self, connection: Connection, _: str, wish: wire.AskStandings) -> None:
        rows = self.standings()
        settings = [f"{setting.game}:{setting.players}" for setting in self.offered]
        self._tell(
            connection,
            wire.Standings(
                rows, self.entrants.season.state, self.settings.entry, self.games, settings, self.clock, wish.ref
            ),
        )

    def standings(self) -> list[wire.StandingInfo]:
        """Return the standings of all entrants that have played or may play, best first."""
        entrants = self.entrants.entrants.values()
        rows = [self.standing_of(one) for one in entrants if one.state != "revoked" or self.games_of[one.name]]
        return sorted(rows, key=lambda row: (row.place is None, row.place or 0, -(row.rating or 0.0), row.entrant))

    def standing_of(self, entrant: PoolEntrant) -> wire.StandingInfo:
        info = wire.StandingInfo(
            entrant.name,
            entrant.owner,
            self.games_of[entrant.name],
            anchor=entrant.builtin is not None,
            last_played=self.last_played.get(entrant.name),
        )
        rated = self.ratings.of(entrant.name)
        if rated is None:
            return info
        ends = {"low": rated.low, "high": rated.high}
        told = {"place": rated.place, "provisional": rated.is_provisional}
        return msgspec.structs.replace(info, rating=rated.rating, **ends, **told)

    def _members(self) -> list[RatedMember]:
        """Return the entrants to rate."""
        return [RatedMember(one.name, one.owner, one.builtin is not None) for one in self.entrants.entrants.values()]

    def rows(self, entrants: Sequence[PoolEntrant]) -> list[PoolRow]:
        return list(map(PoolRow, map(self.standing_of, entrants), self._infos(entrants)))

    def _list(self, connection: Connection, _: str, wish: wire.ListEntrants) -> None:
        chosen = [one for one in self.entrants.entrants.values() if wish.owner in (None, one.owner)]
        self._tell(connection, wire.Entrants(self._infos(chosen), wish.ref))

    def _infos(self, entrants: Sequence[PoolEntrant]) -> list[wire.EntrantInfo]:
        here: dict[str, list[Member]] = {}
        for member in self.members.values():
            here.setdefault(member.entrant, []).append(member)
        return [self._info(entrant, here.get(entrant.name, ())) for entrant in entrants]

    def _info(self, entrant: PoolEntrant, here: Sequence[Member]) -> wire.EntrantInfo:
        name = entrant.name
        return wire.EntrantInfo(
            name,
            entrant.owner,
            entrant.state,
            entrant.is_person,
            entrant.follows,
            sum(not one.is_playing for one in here),
            len(self.playing.get(name, ())),
            self._games_today(name),
            entrant.faults_in_a_row,
            max((int(1000 * one.connection.lag_s) for one in here), default=None),
        )

    def _games_today(self, name: str) -> int:
        times = self.today.get(name)
        if times is None:
            return 0
        since = self.registry.wall() - DAY_S
        while times and times[0] < since:
            times.popleft()
        return len(times)

    # Waiting

    def is_member(self, connection: Connection) -> bool:
        return connection in self.members

    def is_token(self, token: str) -> bool:
        """Return whether `token` belongs to an entrant."""
        try:
            self.entrants.holder(token)
        except EntryRefused:
            return False
        return True

    def _enter(self, connection: Connection, _: str, wish: wire.Enter) -> None:
        entrant = self.entrants.holder(wish.token)
        if not self.allowed.entering:
            raise Refused("closed", self.allowed.words)
        season = self.entrants.season.state
        settings = self._wanted(wish)
        place = self.lobby.seated.get(connection)
        if place is not None and place[0].state != "ended" and self._entrant_at(*place) != entrant.name:
            raise Refused("seated", f"you sit at table {place[0].id}; leave it first, or use another connection")
        before = self.members.get(connection)
        if before is not None and before.entrant != entrant.name:
            raise Refused("seated", f"this connection is waiting for {before.entrant}; withdraw first, or use another")
        if before is None:
            self._check_crowd(entrant, connection)
            if place is None or place[0].state == "ended":
                self.lobby.let_go_of(connection)
        member = Member(connection, entrant.name, wish, settings) if before is None else before
        member.settings, member.wish, member.is_leaving = settings, wish, False
        member.is_playing = connection in self.lobby.seated
        self.members[connection] = member
        connection.yield_to_people(yields=not entrant.is_person)
        self._tell(connection, wire.Entered(entrant.name, entrant.state, self.standing_of(entrant), season, wish.ref))
        if before is None and self.registry.now() - self.left_at.pop(entrant.name, -CHOOSY_S) < CHOOSY_S:
            self._note_miss(entrant.name)  # leaving a group early counts as missing an offer
        self._tell_choosy(member)
        if before is None:
            self._tell_why_waiting(member)
        connection.measure()
        if before is None and not member.is_playing:
            self._wait(member)

    def _wanted(self, wish: wire.Enter) -> tuple[Setting, ...]:
        found = tuple(
            setting
            for setting in self.offered
            if (not wish.games or setting.game in wish.games) and (not wish.players or setting.players in wish.players)
        )
        if not found:
            known = ", ".join(f"{setting.game} for {setting.players}" for setting in self.offered)
            raise Refused("bad_request", f"this pool offers none of these games; it has {known}")
        return found

    def _check_crowd(self, entrant: PoolEntrant, connection: Connection) -> None:
        """Raise Refused if an entrant has too many connections, counting those that play its games.

        A person waits on one connection only: an older one is withdrawn.
        """
        name = entrant.name
        if entrant.is_person:
            for other in [one for one in self.members.values() if one.entrant == name and not one.is_playing]:
                self._forget(other, f"{name} has gone")
                self._tell(other.connection, wire.Withdrawn(name, f"{name} is now waiting on another connection"))
        mine = {one.connection for one in self.members.values() if one.entrant == name}
        others = [seat for _, seat in self.playing.get(name, {}).values() if seat.line is not None]
        away = sum(seat.line not in mine and seat.line is not connection for seat in others)
        most = 1 if entrant.is_person else self.settings.games_each
        if len(mine) + away >= most:
            raise Refused(
                "too_many",
                f"{name} is here {most} time{'s' * (most > 1)} already, which is the most this pool allows",
            )

    def _entrant_at(self, table: GameTable, seat: ServerSeat) -> str | None:
        return None if table.spec.pool is None or seat.server_side else table.spec.pool.seating[seat.index]

    def _wait(self, member: Member, since: float | None = None) -> None:
        """Put a member into the queue, or back into a running game of its entrant that nobody plays."""
        member.is_playing, member.offer = False, None
        member.since = self.registry.now() if since is None else since
        for table, seat in self.playing.get(member.entrant, {}).values():
            if table.state == "playing" and seat.line is None and seat.player is None and not seat.is_forsaken:
                self._take_back(member, table, seat)
                return

    def _take_back(self, member: Member, table: GameTable, seat: ServerSeat) -> None:
        """Give a member a seat of its entrant and a new token for it. The entrant's token is sufficient for that."""
        registry, connection = self.registry, member.connection
        registry.void_token(seat)
        token = registry.hand_token(table, seat)
        self.lobby.take(connection, table, seat)
        registry.save(table)
        self._tell(connection, Seated(table.info(), seat.index, token))
        table.tell_changed()
        if table.match is not None:
            table.tell_start(seat, connection)
            table.again(seat, connection)

    def took(self, connection: Connection, table: GameTable) -> None:
        """Handle a connection that took a seat, at a table of the pool or elsewhere."""
        member = self.members.get(connection)
        if member is None:
            return
        if table.spec.pool is None:
            self._forget(member, f"{member.entrant} plays elsewhere")
        else:
            self._leave_offer(member, f"{member.entrant} is playing")
            member.is_playing = True

    def _withdraw(self, connection: Connection, _: str, wish: wire.Withdraw) -> None:
        member = self.members.get(connection)
        if member is None:
            raise Refused("bad_request", "you have not entered the pool")
        if member.is_playing:
            member.is_leaving = True
            why = "no more games after this one"
        else:
            self._forget(member, f"{member.entrant} has withdrawn")
            why = "as you asked"
        self._tell(connection, wire.Withdrawn(member.entrant, why, wish.ref))

    def goodbye(self, connection: Connection) -> None:
        """Remove a connection that closed or left the pool."""
        member = self.members.get(connection)
        if member is not None:
            self._forget(member, f"{member.entrant} has gone")

    def _forget(self, member: Member, why: str) -> None:
        self.members.pop(member.connection, None)
        self._leave_offer(member, why)

    def _leave_offer(self, member: Member, why: str) -> None:
        """Cancel the open offer of a member that leaves, and count it as missed."""
        if member.offer is not None:
            offer, member.offer = member.offer, None
            self.offers_ended["left"] += 1
            self._note_miss(member.entrant)
            self._call_off(offer, why, to_blame=())

    # Offers

    def tick(self, now: float) -> None:
        for offer in [offer for offer in self.offers.values() if now > offer.until]:
            self.offers_ended["unanswered"] += 1
            missing = [seat for seat in offer.members if seat not in offer.ready]
            names = ", ".join(offer.members[seat].entrant for seat in missing)
            self._call_off(offer, f"{names} did not answer", to_blame=missing)
        if now - self._paired_at >= PAIR_S:
            self._paired_at = now
            self._advance()
            if self.members and (self.allowed.pairing or self.allowed.final):
                self._pair(now)
        if now - self._pinged_at >= PING_S:
            self._pinged_at = now
            for member in self.members.values():
                member.connection.measure()
        if now - self._looked_at >= LOOK_S:
            self._looked_at = now
            self._look(now)

    def _look(self, now: float) -> None:
        """Repair inconsistencies: release members whose table has ended, and store results that are still missing."""
        for member in list(self.members.values()):
            place = self.lobby.seated.get(member.connection)
            if member.is_playing and (place is None or place[0].state == "ended"):
                self._release(member)
        for name, games in list(self.playing.items()):
            for table, _ in list(games.values()):
                if table.state == "ended":
                    del games[table.id]
            if not games:
                del self.playing[name]
        if now - self._kept_at >= KEEP_AGAIN_S:
            self._kept_at = now
            for table in list(self.unkept.values()):
                self._ask_to_keep(table)
        self.registering.tidy(now)
        self.ratings.look(self.games, self._members)

    def _pair(self, now: float) -> None:
        free: list[Member] = []
        for member in list(self.members.values()):
            if member.is_playing or member.offer is not None or member.is_leaving:
                continue
            entrant = self.entrants.entrants[member.entrant]
            if entrant.state == "quarantined":
                self._offer_check(entrant, member, now)
                continue
            if now < self.choosy_until.get(entrant.name, now) or not self._may_play_today(member):
                continue
            free.append(member)
        by_name: dict[str, list[Member]] = {}
        for member in free:
            by_name.setdefault(member.entrant, []).append(member)
        if self.allowed.final:
            self._offer_final(by_name, now)
            return
        held = self._offer_rest(by_name, now)
        free = [member for member in free if member.offer is None and member not in held]
        if not free:
            return
        waiting = list(map(self._waiting, free))
        for name in self.anchors:
            waiting.append(Waiting(name, "built-in", now, self.offered, self.rating_of(name), is_anchor=True))
        seed, self.luck = below(self.luck, 1 << 62)
        for pairing in pair(waiting, self.history, now=now, seed=seed, patience_s=self.settings.patience_s):
            members = {seat: free[place] for seat, place in enumerate(pairing.places) if place < len(free)}
            owners = [self.entrants.entrants[one.entrant].owner for one in members.values()]
            is_rated = len({*owners}) == len(owners)  # an owner with two entrants at a table could let one of them win
            self._offer(Offer(pairing, members, now + self.settings.offer_s, rated=is_rated))

    def _waiting(self, member: Member) -> Waiting:
        entrant = self.entrants.entrants[member.entrant]
        return Waiting(
            entrant.name,
            entrant.owner,
            member.since,
            member.settings,
            self.rating_of(entrant.name),
            meets_own=member.wish.meets_own,
            is_person=entrant.is_person,
        )

    def _offer_rest(self, free: dict[str, list[Member]], now: float) -> list[Member]:
        """Offer the next games of seed groups whose players are all there, and return the members that wait for a
        missing player.

        A group ends if a player left it and does not come back in time.
        """
        ended, self.going_on = self.going_on, []
        held: list[Member] = []
        for one in ended:
            group = one.game.next_group
            if group is None:
                continue
            members: dict[int, Member] = {}
            for seat, name in enumerate(group.seatings[0]):
                for member in free.get(name, ()):
                    stays = member.connection is one.lines.get(name)  # its new settings apply only to later groups
                    if member.offer is None and (stays or group.setting in member.settings):
                        members[seat] = member
            missing = [
                name for seat, name in enumerate(group.seatings[0]) if seat not in members and name not in self.anchors
            ]
            until = now + self.settings.offer_s
            if not missing:
                pairing = Pairing(group.setting, tuple(group.seatings[0]))
                self._offer(Offer(pairing, members, until, rated=True, group=group, rest=one.game.rest[1:]))
            elif any(one.lines.get(name) in self.members for name in missing):
                continue  # it plays elsewhere, or may not play now
            elif now < one.until:
                self.going_on.append(one)
                held += members.values()
            elif one.season is self.entrants.season:
                for name in missing:
                    self._note_left(name)
        return held

    def _note_left(self, name: str) -> None:
        """Count leaving a seed group as a missed offer: at once if the entrant plays on, otherwise if it comes back
        soon."""
        if any(member.entrant == name for member in self.members.values()):
            self._note_miss(name)
        else:
            self.left_at[name] = self.registry.now()

    def _rest(self, offer: Offer) -> list[list[str]]:
        """Return the seatings that follow an offered game in its seed group.

        These are all further rotations, if every player accepts groups and has enough games left today. Otherwise
        none.
        """
        if offer.rest is not None:
            return list(offer.rest)
        seating = offer.pairing.seating
        for member in offer.members.values():
            games_left = self.settings.games_a_day - self._games_today(member.entrant)
            is_person = self.entrants.entrants[member.entrant].is_person
            if member.wish.single or is_person or member.is_leaving or games_left < len(seating):
                return []
        return rotations(seating)[1:] if offer.rated and offer.group is None else []

    def _advance(self) -> None:
        """Advance the season: an arena ends at its time, a final with its last game."""
        season = self.entrants.season
        if season.ends_at is None and season.state != "closing":
            return
        is_played = False
        if season.state == "closing" and season.final is not None:
            to_play = self._final_games(season.final)
            is_played = to_play is not None and not to_play
        self._change(advanced(season, self.registry.wall(), self.best, self.offered, new_seed(), is_played=is_played))

    def _offer_final(self, free: dict[str, list[Member]], now: float) -> None:
        """Offer games of the final whose players are all there."""
        final = self.entrants.season.final
        to_play = None if final is None else self._final_games(final)
        if to_play is None:
            return
        running = [table for games in self.playing.values() for table, _ in games.values()]
        begun = {offer.group.id for offer in self.offers.values() if offer.group is not None}
        begun |= {table.spec.pool.group.id for table in (*running, *self.unkept.values()) if table.spec.pool}
        missing = [game for id, game in to_play.items() if id not in begun]
        for group in next_games(missing, [name for name, members in free.items() for _ in members]):
            members = {seat: free[name].pop() for seat, name in enumerate(group.seatings[0])}
            pairing = Pairing(group.setting, tuple(group.seatings[0]))
            self._offer(Offer(pairing, members, now + self.settings.offer_s, rated=True, group=group))

    def rating_of(self, name: str) -> float | None:
        standing = self.ratings.of(name)
        return None if standing is None else standing.rating

    def _may_play_today(self, member: Member) -> bool:
        most = self.settings.games_a_day
        if self._games_today(member.entrant) < most:
            member.is_told_of_limit = False
            return True
        if not member.is_told_of_limit:
            member.is_told_of_limit = True
            games = f"{most} game{'s' * (most > 1)}"
            words = f"{member.entrant} has played {games} in 24 hours; it is paired again later"
            self._tell(member.connection, Error("day_limit", words, fatal=False))
        return False

    def _offer_check(self, entrant: PoolEntrant, member: Member, now: float) -> None:
        """Offer a quarantined entrant the game that decides whether it may play again, if it is time for that."""
        name = entrant.name
        if self.registry.wall() < (self.next_check(entrant) or 0.0) or self._is_being_checked(name):
            return
        setting = min(member.settings, key=lambda one: one.players)
        others = [f"{SUBSTITUTE} {seat}" for seat in range(1, setting.players)]
        until = now + self.settings.offer_s
        self._offer(Offer(Pairing(setting, (name, *others)), {0: member}, until, rated=False))

    def _is_being_checked(self, name: str) -> bool:
        """Return whether a check is offered to an entrant on any of its connections, or is being played."""
        offered = any(one.is_check and one.pairing.seating[0] == name for one in self.offers.values())
        games = [table.spec.pool for table, _ in self.playing.get(name, {}).values()]
        return offered or any(pool is not None and pool.is_check for pool in games)

    def next_check(self, entrant: PoolEntrant) -> float | None:
        """Return the Unix timestamp from which a quarantined entrant may be checked. None for other entrants."""
        if entrant.state != "quarantined":
            return None
        check = entrant.check
        if check is None or not check.failed_in_a_row:
            return 0.0
        doubled = self.settings.check_again_s * 2.0 ** min(check.failed_in_a_row - 1, 30)
        return check.at + min(doubled, LONGEST_CHECK_AGAIN_S)

    def _offer(self, offer: Offer) -> None:
        self.offers[offer.id] = offer
        setting = offer.pairing.setting
        for seat, member in offer.members.items():
            member.offer = offer
            self._tell(
                member.connection,
                wire.Offered(
                    offer.id,
                    setting.game,
                    setting.players,
                    setting.options,
                    self.clock,
                    seat,
                    offer.rated,
                    self.settings.offer_s,
                    offer.is_check,
                ),
            )

    def _offer_of(self, connection: Connection, id: str) -> tuple[Member, Offer]:
        member = self.members.get(connection)
        if member is None or member.offer is None or member.offer.id != id:
            raise Refused("stale_offer", "this offer is over, or was made to somebody else")
        return member, member.offer

    def _ready(self, connection: Connection, _: str, wish: wire.Ready) -> None:
        member, offer = self._offer_of(connection, wish.offer)
        offer.ready.update(seat for seat, one in offer.members.items() if one is member)
        if len(offer.ready) == len(offer.members):
            self._begin(offer)

    def _decline(self, connection: Connection, _: str, wish: wire.Decline) -> None:
        member, offer = self._offer_of(connection, wish.offer)
        seat = next(seat for seat, one in offer.members.items() if one is member)
        self.offers_ended["declined"] += 1
        self._call_off(offer, f"{member.entrant} declined", to_blame=(seat,))

    def _call_off(self, offer: Offer, why: str, *, to_blame: Sequence[int]) -> None:
        if self.offers.pop(offer.id, None) is None:
            return
        for seat, member in offer.members.items():
            if member.offer is not offer:
                continue
            self._tell(member.connection, wire.OfferOver(offer.id, why))
            if seat not in to_blame:
                self._wait(member, member.since)
                continue
            self._note_miss(member.entrant)
            self._wait(member)
            if (misses := self.misses[member.entrant]) >= MISSES:
                self._forget(member, why)
                words = f"{misses} offers in a row were missed; enter again when you are ready"
                self._tell(member.connection, wire.Withdrawn(member.entrant, words))

    def _note_miss(self, name: str) -> None:
        """Record a missed offer. An entrant that misses too many gets no offers for CHOOSY_S seconds, on any
        connection.

        A rating must come from all games offered, not from chosen ones.
        """
        self.misses[name] += 1
        answers = self.answers.setdefault(name, deque(maxlen=OFFERS_KEPT))
        answers.append(False)
        if answers.count(False) > MOST_MISSED:
            answers.clear()
            self.choosy_until[name] = self.registry.now() + CHOOSY_S
            for member in self.members.values():
                if member.entrant == name:
                    self._tell_choosy(member)

    def _tell_choosy(self, member: Member) -> None:
        """Tell a member how long its entrant gets no offers, if it does not."""
        wait_s = self.choosy_until.get(member.entrant, 0.0) - self.registry.now()
        if wait_s > 0:
            missed = f"{member.entrant} has missed {MOST_MISSED + 1} of its last offers"
            words = f"{missed}; the next comes in {math.ceil(wait_s / 60)} minutes"
            self._tell(member.connection, Error("choosy", words, fatal=False))

    def _begin(self, offer: Offer) -> None:
        """Create the table of an offer that all players accepted."""
        del self.offers[offer.id]
        setting, seating = offer.pairing.setting, list(offer.pairing.seating)
        specs = [
            f"{BUILTIN}{SUBSTITUTE}"
            if offer.is_check and seat not in offer.members
            else self.entrants.entrants[name].spec
            for seat, name in enumerate(seating)
        ]
        group = offer.group or SeedGroup(setting, new_seed(), [seating], stage="pool")
        game = load_game(setting.game)
        options = read_options(game, setting.options)
        is_luckless = game.is_luckless(standard_board(game.name), setting.players, options)
        has_opening = self.terms.has_openings and is_luckless and load_openings(game.name) is not None
        pool = PoolGame(group, specs, deal_of(game, group.seed, group.id, 0), offer.rated, self._rest(offer))
        try:
            table = self.registry.create_for_pool(pool, self.clock, "drawn" if has_opening else "none")
        except Refused as refused:
            self.offers[offer.id] = offer
            self._call_off(offer, str(refused), to_blame=())
            return
        self._note_begun(table)
        self.offers_ended["taken"] += 1
        for index, member in offer.members.items():
            self.misses.pop(member.entrant, None)
            if offer.rated:
                self.answers.setdefault(member.entrant, deque(maxlen=OFFERS_KEPT)).append(True)
            seat = table.seats[index]
            token = self.registry.hand_token(table, seat)
            member.offer = None
            self.lobby.take(member.connection, table, seat)
            self._tell(member.connection, Seated(table.info(), index, token))
        self.registry.save(table)
        self.lobby.start_if_full(table)

    # Ends

    def _lost(self, table: GameTable, seat: ServerSeat) -> None:
        """Count a lost seat at once, because the game may continue for long."""
        pool, name = table.spec.pool, self._entrant_at(table, seat)
        if pool is None or name not in self.entrants.entrants:
            return
        if pool.is_check:
            self._note_failed_check(name, table)
        if not pool.rated:
            return
        try:
            is_out = self.entrants.note_lost(name, pool.group.id, most_faults=self.settings.faults)
        except OSError as error:
            self.registry.stop(error)
            return
        if is_out:
            self.registry.later(table, lambda: self._quarantined(name))  # after the substitute has taken the seat

    def _ended(self, table: GameTable) -> None:
        pool = table.spec.pool
        if pool is None:
            return
        for seat in table.seats:
            name = self._entrant_at(table, seat)
            if name is not None:
                self.playing.get(name, {}).pop(table.id, None)
        if pool.rated:
            self._keep_result(table)
        elif pool.is_check:
            self._note_whole_check(table)
        self.registry.later(table, lambda: self._release_all(table))

    def _release_all(self, table: GameTable) -> None:
        """Release all members of a finished table after the result has been sent."""
        pool, outcome = table.spec.pool, table.outcome
        is_whole = outcome is not None and outcome.reason == "normal"
        lines = {} if pool is None else {pool.seating[seat.index]: seat.line for seat in table.seats}
        for seat in table.seats:
            member = None if seat.line is None else self.members.get(seat.line)
            if member is not None and self.lobby.seated.get(member.connection, (None,))[0] is table:
                if member.is_leaving:
                    is_whole = False
                    if pool is not None and pool.rest:
                        self.left_at[member.entrant] = self.registry.now()
                self._release(member)
        has_more = pool is not None and pool.rest and self.entrants.season.state in GROUPS_GO_ON
        if has_more and is_whole and not any(seat.is_lost or seat.is_forsaken for seat in table.seats):
            assert pool is not None
            until = self.registry.now() + self.settings.offer_s
            self.going_on.append(GoingOn(pool, lines, until, self.entrants.season))

    def _release(self, member: Member) -> None:
        """Release a member from a finished game: it waits for the next one or leaves."""
        self.lobby.let_go_of(member.connection)
        if member.is_leaving:
            self._forget(member, "")
            self._tell(member.connection, wire.Withdrawn(member.entrant, "the game is over"))
        else:
            self._wait(member)

    def _note_failed_check(self, name: str, table: GameTable) -> None:
        """Record that an entrant failed its check by losing its seat. Each check counts once."""
        check = self.entrants.entrants[name].check or PoolCheck(0.0)
        if check.table == table.id:
            return
        if self._keep_check(name, PoolCheck(self.registry.wall(), table.id, check.failed_in_a_row + 1)):
            words = f"{name} has failed its check: it lost its seat in the game at table {table.id}"
            self._tell_all(name, Error("checked", f"{words}; {self._next_check_words(name)}. {ADVICE}", fatal=False))

    def _note_whole_check(self, table: GameTable) -> None:
        """End the quarantine of an entrant that kept its seat until the end of its check. An interrupted game has no
        effect."""
        name, outcome = self._entrant_at(table, table.seats[0]), table.outcome
        if name not in self.entrants.entrants or outcome is None or outcome.reason != "normal":
            return
        check = self.entrants.entrants[name].check
        if check is not None and check.table == table.id:
            return
        if self._keep_check(name, PoolCheck(self.registry.wall(), table.id)):
            words = f"{name} has passed its check, and is back in the pool"
            self._tell_all(name, Error("checked", words, fatal=False))

    def _keep_check(self, name: str, check: PoolCheck) -> bool:
        """Store a check. Return False if it could not be written, which stops the server."""
        try:
            self.entrants.note_check(name, check)
        except OSError as error:
            self.registry.stop(error)
            return False
        return True

    def _next_check_words(self, name: str) -> str:
        at = self.next_check(self.entrants.entrants[name]) or 0.0
        return f"the next check is in {max(0.0, at - self.registry.wall()):.0f} s"

    def _tell_why_waiting(self, member: Member) -> None:
        """Tell a quarantined entrant when its next check is and whether the last one failed."""
        entrant = self.entrants.entrants[member.entrant]
        at = self.next_check(entrant)
        if at is None:
            return
        wait_s = at - self.registry.wall()
        when = f"at {time.strftime('%H:%M:%S', time.gmtime(at))} UTC (in {wait_s:.0f} s)" if wait_s > 0 else "soon"
        words = f"{entrant.name} is quarantined; next check {when}"
        if entrant.check is not None and entrant.check.failed_in_a_row:
            words += f"; it lost its seat in the last one, at table {entrant.check.table}. {ADVICE}"
        self._tell(member.connection, Error("quarantined", words, fatal=False))

    def _tell_all(self, name: str, error: Error) -> None:
        """Send `error` to all connections of an entrant."""
        for member in self.members.values():
            if member.entrant == name:
                self._tell(member.connection, error)

    def _keep_result(self, table: GameTable) -> None:
        """Store the result of a game once. Until that is done its table is kept."""
        pool = table.spec.pool
        assert pool is not None
        if pool.rated and pool.group.id not in self.known:
            self.registry.not_forgotten.add(table.id)
            self.unkept[table.id] = table
            self._ask_to_keep(table)

    def _ask_to_keep(self, table: GameTable) -> None:
        pool, outcome = table.spec.pool, table.outcome
        assert pool is not None
        self.registry.storage.flush()
        ended_at = self.registry.wall() if outcome is None else outcome.at
        seconds = max(0.0, ended_at - table.spec.made_at)
        log = str(self.registry.storage.log_path(table.id))
        self.keep(
            KeepTask(str(self.folder), self.terms, pool, log, seconds), lambda work: self._kept(table, ended_at, work)
        )

    def _kept(self, table: GameTable, ended_at: float, work: Work) -> None:
        pool = table.spec.pool
        assert pool is not None
        if work.failure is not None or self.unkept.pop(table.id, None) is None:
            return
        self.registry.not_forgotten.discard(table.id)
        self.known.add(pool.group.id)
        if self._to_play is not None:
            self._to_play.pop(pool.group.id, None)
        self.games += 1
        for seat, name in enumerate(pool.seating):
            self._count(name, ended_at)
            if work.lost is not None and name in self.entrants.entrants:
                is_lost = seat in work.lost
                try:
                    is_out = self.entrants.note_game(
                        name, pool.group.id, is_lost=is_lost, most_faults=self.settings.faults
                    )
                except OSError as error:
                    self.registry.stop(error)
                    return
                if is_out:
                    self._quarantined(name)

    def _quarantined(self, name: str) -> None:
        """Inform a quarantined entrant and cancel its open offers."""
        games = "a game" if self.settings.faults == 1 else f"{self.settings.faults} games in a row"
        words = f"{name} lost its seat through faults in {games}; an unrated game decides whether it may play again"
        self._tell_all(name, Error("quarantined", words, fatal=False))
        for offer in list(self.offers.values()):
            if any(member.entrant == name for member in offer.members.values()):
                self._call_off(offer, f"{name} is quarantined", to_blame=())

    def let_go(self, logs: Sequence[Path]) -> None:
        """Delete the logs of stored games. Their results are kept."""
        names = [log.name for log in logs]
        self.keep(LetGoTask(str(self.folder), self.terms, names), lambda work: None)

    # Sending

    def _tell(self, connection: Connection, message: Any) -> None:
        connection.post(frame(message))

    def _safely(self, table: GameTable, do: Callable[[], None]) -> None:
        try:
            do()
        except Exception as error:
            self.registry.trouble(table, error)


def offered_settings(words: Sequence[str]) -> tuple[Setting, ...]:
    """Parse `GAME` or `GAME:PLAYERS,...` words into the settings played. All games if empty. Raise ValueError."""
    found: list[Setting] = []
    for word in words or whole_games():
        name, sizes = game_sizes(word)
        players = load_game(name).players
        usual = USUAL_PLAYERS if USUAL_PLAYERS in players else players[0]
        found += [Setting(name, size) for size in sizes or (usual,)]
    return tuple(setting for at, setting in enumerate(found) if setting not in found[:at])


def check_settings(settings: PoolSettings) -> None:
    """Raise ValueError, with valid values, if a pool cannot be run with `settings`."""
    _anchors(settings.anchors, offered_settings(settings.games))
    _clock(settings.clock)


def _clock(words: str) -> Clock | None:
    try:
        return checked_clock(words)
    except Refused as refused:
        raise ValueError(str(refused)) from None


def _anchors(words: str, offered: Sequence[Setting]) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in words.split(",") if name.strip()))
    for name in names:
        for setting in offered:
            check_player(name, setting.game, is_alone=False)
        if is_slow(name):
            raise ValueError(f"{name} thinks too long to be an anchor; choose easy, medium or hard")
    if not names:
        raise ValueError("a pool needs an anchor, such as medium")
    players = max(setting.players for setting in offered)
    if len(names) < players - 1:
        raise ValueError(
            f"a table of {players} needs {players - 1} anchors, so that nobody waits alone; add some to --pool-anchors"
        )
    return names
