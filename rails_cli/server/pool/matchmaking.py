"""Selection of the games that are offered to waiting members of the pool.

The offered games are checks (games that can end a quarantine), games of a final, further games of seed groups, and
newly paired games. A seed group consists of games with the same seed and players, in which each player has each seat
once.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from rails_cli.basics.seeds import new_seed
from rails_cli.games import load_game
from rails_cli.games.shared.luck import below, seeded
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.builtin import SUBSTITUTE
from rails_cli.protocol.messages import Error
from rails_cli.server.net.address import is_local
from rails_cli.server.pool.entrants import BUILTIN_OWNER, Entrants, PoolEntrant
from rails_cli.server.pool.games import PoolGames, game_at
from rails_cli.server.pool.membership import Membership
from rails_cli.server.pool.offers import Member, Offer, Offers
from rails_cli.server.pool.pairing import Pairing, Waiting, pair
from rails_cli.server.pool.rating_runs import LatestRatings
from rails_cli.server.pool.results import Terms
from rails_cli.server.pool.seasons import Season, next_games
from rails_cli.server.settings import PoolSettings
from rails_cli.server.store.records import PoolGame
from rails_cli.server.tables.seat import Connection
from rails_cli.server.tables.table import GameTable
from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.plan.game_setup import deal_of


class UnfinishedGroup(NamedTuple):
    """A seed group (games with one seed and the same players) whose next game starts when all its players wait."""

    last_game: PoolGame
    connections: dict[str, Connection | None]
    """Mapping from entrant name to the connection in the last game. None for an entrant that was not connected."""
    until: float
    """Time on the server's clock, in seconds, until which players who left may return."""
    season: Season
    """The season when the group was stored."""


class Matchmaker:
    """Maker of game offers to waiting members of the pool."""

    def __init__(
        self,
        settings: PoolSettings,
        terms: Terms,
        entrants: Entrants,
        games: PoolGames,
        offers: Offers,
        membership: Membership,
        ratings: LatestRatings,
    ) -> None:
        self._settings = settings
        self._terms = terms
        self._entrants = entrants
        self._games = games
        self._offers = offers
        self._membership = membership
        self._ratings = ratings
        self._groups: list[UnfinishedGroup] = []
        self._random = seeded(new_seed())

    def make_offers(
        self,
        now: float,
        wall: float,
        final_games: Sequence[SeedGroup] | None,
        unstored: Sequence[GameTable],
    ) -> None:
        """Make all offers that are possible now.

        - `now` is the time on the server's clock, and `wall` is the same time as a Unix timestamp.
        - `final_games` are the games of a final that are not stored yet. During a final, only these are offered.
        - `unstored` are the tables of ended games whose results are not stored yet.
        """
        free = self._free_members(now, wall)
        if self._entrants.season.allowed.final:
            self._offer_final(free, final_games or (), unstored, now)
            return
        held = self._offer_groups(free, now)
        self._offer_pairings(
            [one for one in chain.from_iterable(free.values()) if one.offer is None and one not in held], now
        )

    def _free_members(self, now: float, wall: float) -> dict[str, list[Member]]:
        """Return the members to which games may be offered, by the name of their entrant.

        Quarantined entrants are not included. They get an offer of a check instead: a game that can end the quarantine.
        """
        free: dict[str, list[Member]] = {}
        for member in self._membership:
            if member.is_playing or member.offer is not None or member.is_leaving:
                continue
            entrant = self._entrants.by_name[member.entrant]
            if entrant.state == "quarantined":
                if wall >= (self._entrants.next_check(entrant) or 0.0):
                    self._offer_check(entrant, member, now)
            elif self._membership.missed.pause_s(entrant.name, now) <= 0 and self._may_play_today(member, wall):
                free.setdefault(entrant.name, []).append(member)
        return free

    def _may_play_today(self, member: Member, wall: float) -> bool:
        most = self._settings.games_a_day
        is_allowed = self._games.started_today(member.entrant, wall) < most
        if not is_allowed and not member.has_limit_notice:
            games = f"{most} game{'s' * (most > 1)}"
            words = f"{member.entrant} has played {games} in 24 hours; it is paired again later"
            member.send(Error("day_limit", words, fatal=False))
        member.has_limit_notice = not is_allowed
        return is_allowed

    def _offer_check(self, entrant: PoolEntrant, member: Member, now: float) -> None:
        """Offer a quarantined entrant a check, which is a game that can end the quarantine.

        Do nothing if the entrant is playing a check or already has an offer of a check.
        """
        name = entrant.name
        is_offered = any(one.is_check and one.pairing.seating[0] == name for one in self._offers.open())
        if is_offered or self._games.is_in_check(name):
            return
        setting = min(member.settings, key=lambda one: one.players)
        others = [f"{SUBSTITUTE} {seat}" for seat in range(1, setting.players)]
        self._offers.make(Offer(Pairing(setting, (name, *others)), {0: member}, rated=False), now)

    def _offer_final(
        self, free: Mapping[str, list[Member]], games: Sequence[SeedGroup], unstored: Sequence[GameTable], now: float
    ) -> None:
        """Offer those of `games` whose players all wait for a game. `free` maps each entrant to its waiting members.

        Games that are already offered or running are left out. So are games that were played at the tables `unstored`.
        """
        begun = {offer.group.id for offer in self._offers.open() if offer.group is not None}
        begun |= {game_at(table).group.id for table in (*self._games.tables(), *unstored)}
        missing = [game for game in games if game.id not in begun]
        for group in next_games(missing, [name for name, members in free.items() for _ in members]):
            self._offer_group(group, {seat: free[name].pop() for seat, name in enumerate(group.seatings[0])}, now)

    def _offer_group(
        self, group: SeedGroup, members: dict[int, Member], now: float, next_seatings: Sequence[list[str]] | None = None
    ) -> None:
        pairing = Pairing(group.setting, tuple(group.seatings[0]))
        self._offers.make(Offer(pairing, members, rated=True, group=group, next_seatings=next_seatings), now)

    def _offer_pairings(self, free: Sequence[Member], now: float) -> None:
        """Pair the waiting members `free` with each other and with anchors (built-in players). Offer them the games."""
        if not free:
            return
        settings, ratings = self._terms.settings, self._ratings
        waiting = [self._waiting(member) for member in free]
        waiting += [
            Waiting(name, BUILTIN_OWNER, now, settings, ratings.rating_of(name), is_anchor=True)
            for name in self._terms.anchors
        ]
        seed, self._random = below(self._random, 1 << 62)
        for pairing in pair(waiting, self._games.history, now=now, seed=seed, patience_s=self._settings.patience_s):
            members = {seat: free[place] for seat, place in enumerate(pairing.places) if place < len(free)}
            owners = [self._entrants.by_name[member.entrant].owner for member in members.values()]
            is_rated = len({*owners}) == len(owners)  # an owner with two entrants at a table could let one of them win
            self._offers.make(Offer(pairing, members, rated=is_rated), now)

    def _waiting(self, member: Member) -> Waiting:
        entrant = self._entrants.by_name[member.entrant]
        return Waiting(
            entrant.name,
            entrant.owner,
            member.since,
            member.settings,
            self._ratings.rating_of(entrant.name),
            meets_own=member.request.meets_own,
            is_person=entrant.is_person,
            address=self._address(member),
        )

    def _address(self, member: Member) -> str:
        """Return the client address of a member, for the rule that two entrants from one address do not meet.

        Return an empty string if the rule does not apply: the operator allows such games, or the client is on this
        machine.
        """
        address = member.connection.address
        return "" if self._settings.same_address or is_local(address) else address

    # Games and seed groups

    def game_of(self, offer: Offer, wall: float) -> PoolGame:
        """Return the game to play for an offer that all players accepted.

        `wall` is the current time as a Unix timestamp.
        """
        setting, seating = offer.pairing.setting, list(offer.pairing.seating)
        specs = [
            f"{BUILTIN}{SUBSTITUTE}"
            if offer.is_check and seat not in offer.members
            else self._entrants.by_name[name].spec
            for seat, name in enumerate(seating)
        ]
        group = offer.group or SeedGroup(setting, new_seed(), [seating], stage="pool")
        deal = deal_of(load_game(setting.game), group.seed, group.id, 0)
        return PoolGame(group, specs, deal, offer.rated, self._next_seatings(offer, wall))

    def _next_seatings(self, offer: Offer, wall: float) -> list[list[str]]:
        """Return the seatings of the games to play after an offered game, with the same seed and other seats.

        Return an empty list if no such game follows, for example because a player wants single games or has too few
        games left today. `wall` is the current time as a Unix timestamp.
        """
        if offer.next_seatings is not None:
            return list(offer.next_seatings)
        seating = offer.pairing.seating
        if not offer.rated or offer.group is not None:
            return []
        for member in offer.members.values():
            games_left = self._settings.games_a_day - self._games.started_today(member.entrant, wall)
            is_person = self._entrants.by_name[member.entrant].is_person
            if member.request.single or is_person or member.is_leaving or games_left < len(seating):
                return []
        return rotations(seating)[1:]

    def keep_group(self, last_game: PoolGame, connections: dict[str, Connection | None], now: float) -> None:
        """Store the seed group of `last_game`, so that its next game can be offered when all its players wait.

        A seed group has games with the same seed and players. `connections` maps the name of each player of `last_game`
        to its connection.
        """
        until = now + self._settings.offer_s
        self._groups.append(UnfinishedGroup(last_game, connections, until, self._entrants.season))

    def end_groups(self) -> None:
        self._groups.clear()

    def _offer_groups(self, free: Mapping[str, Sequence[Member]], now: float) -> list[Member]:
        """Offer the next game of each seed group (games with the same seed and players) whose players all wait.

        `free` maps entrants to waiting members. Return the members to which no other game may be offered now. They wait
        for another player of their seed group, who is missing but may return.
        """
        groups, self._groups = self._groups, []
        held: list[Member] = []
        for unfinished in groups:
            last_game, connections = unfinished.last_game, unfinished.connections
            group = last_game.next_group
            if group is None:
                continue
            members: dict[int, Member] = {}
            for seat, name in enumerate(group.seatings[0]):
                for member in free.get(name, ()):
                    stays = member.connection is connections.get(name)  # it finishes the group with its old settings
                    if member.offer is None and (stays or group.setting in member.settings):
                        members[seat] = member
            missing = [
                name
                for seat, name in enumerate(group.seatings[0])
                if seat not in members and name not in self._terms.anchors
            ]
            addresses = [address for member in members.values() if (address := self._address(member))]
            if len({*addresses}) < len(addresses):
                continue  # a player has returned from the address of another one, so the group ends
            if not missing:
                self._offer_group(group, members, now, last_game.next_seatings[1:])
            elif any(self._membership.get(connections.get(name)) is not None for name in missing):
                continue  # a missing player is here but cannot play, so the group ends
            elif now < unfinished.until:
                self._groups.append(unfinished)
                held += members.values()
            elif unfinished.season is self._entrants.season:
                for name in missing:
                    self._membership.note_left_group(name)
        return held


def rotations(seating: Sequence[str]) -> list[list[str]]:
    """Return all rotations of a seating, the seating itself first, so that each entrant has each seat once."""
    return [[*seating[turn:], *seating[:turn]] for turn in range(len(seating))]
