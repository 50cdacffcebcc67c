"""What the pool reports about its entrants: standings, states and current activity."""

from collections.abc import Callable, Sequence

import msgspec

from rails_cli.protocol.pool import EntrantInfo, StandingInfo
from rails_cli.protocol.pool_api import PoolRow
from rails_cli.server.pool.entrants import Entrants, PoolEntrant
from rails_cli.server.pool.games import PoolGames
from rails_cli.server.pool.membership import Membership
from rails_cli.server.pool.offers import Member
from rails_cli.server.pool.rating_runs import LatestRatings


class PoolStandings:
    """The standings, and the current activity of each entrant."""

    def __init__(
        self,
        entrants: Entrants,
        games: PoolGames,
        membership: Membership,
        ratings: LatestRatings,
        wall: Callable[[], float],
    ) -> None:
        self._entrants = entrants
        self._games = games
        self._membership = membership
        self._ratings = ratings
        self._wall = wall

    def all(self) -> list[StandingInfo]:
        """Return the standings of all entrants that have played or may play, best first."""
        entrants = self._entrants.by_name.values()
        rows = [self.of(one) for one in entrants if one.state != "revoked" or self._games.stored_of[one.name]]
        return sorted(rows, key=lambda row: (row.place is None, row.place or 0, -(row.rating or 0.0), row.entrant))

    def best(self) -> list[str]:
        """Return the ranked entrants in order."""
        return [row.entrant for row in self.all() if row.place is not None]

    def of(self, entrant: PoolEntrant) -> StandingInfo:
        info = StandingInfo(
            entrant.name,
            entrant.owner,
            self._games.stored_of[entrant.name],
            anchor=entrant.builtin is not None,
            last_played=self._games.last_played.get(entrant.name),
        )
        rated = self._ratings.by_entrant.get(entrant.name)
        if rated is None:
            return info
        return msgspec.structs.replace(
            info,
            rating=rated.rating,
            low=rated.low,
            high=rated.high,
            place=rated.place,
            provisional=rated.is_provisional,
        )

    def rows(self, entrants: Sequence[PoolEntrant]) -> list[PoolRow]:
        """Return the standings and the activity of entrants."""
        return list(map(PoolRow, map(self.of, entrants), self.infos(entrants)))

    def infos(self, entrants: Sequence[PoolEntrant]) -> list[EntrantInfo]:
        """Return the activity of entrants."""
        members: dict[str, list[Member]] = {}
        for member in self._membership:
            members.setdefault(member.entrant, []).append(member)
        return [self._info(entrant, members.get(entrant.name, ())) for entrant in entrants]

    def _info(self, entrant: PoolEntrant, members: Sequence[Member]) -> EntrantInfo:
        name = entrant.name
        return EntrantInfo(
            name,
            entrant.owner,
            entrant.state,
            entrant.is_person,
            entrant.follows,
            sum(not member.is_playing for member in members),
            len(self._games.running(name)),
            self._games.started_today(name, self._wall()),
            entrant.faults_in_a_row,
            max((int(1000 * member.connection.lag_s) for member in members), default=None),
        )
