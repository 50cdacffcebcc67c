"""Reports about entrants, for clients and web pages: their standings, states and current activity."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from rails_cli.protocol.pool import EntrantInfo, StandingInfo
from rails_cli.protocol.pool_api import PoolRow
from rails_cli.server.pool.entrants import Entrants, PoolEntrant
from rails_cli.server.pool.games import PoolGames
from rails_cli.server.pool.membership import Membership
from rails_cli.server.pool.offers import Member
from rails_cli.server.pool.rating import PoolStanding
from rails_cli.server.pool.rating_runs import LatestRatings


class PoolStandings:
    """The standings of all entrants, and the current activity of each entrant."""

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
        """Return the standings of all entrants that have played or may play, best first.

        Entrants with provisional ratings come after all other rated entrants. Entrants without a rating come last.
        """
        entrants = self._entrants.by_name.values()
        rows = [self.of(one) for one in entrants if one.state != "revoked" or self._games.stored_of[one.name]]
        return sorted(
            rows,
            key=lambda row: (row.rating is None, row.provisional, -(row.rating or 0.0), row.place or 0, row.entrant),
        )

    def best(self) -> list[str]:
        """Return the names of all entrants that have a place in the standings, best first."""
        return [row.entrant for row in self.all() if row.place is not None]

    def of(self, entrant: PoolEntrant) -> StandingInfo:
        name = entrant.name
        rated = self._ratings.by_entrant.get(name) or PoolStanding(name, None, None, None, is_provisional=True)
        return StandingInfo(
            name,
            entrant.owner,
            self._games.stored_of[name],
            rated.rating,
            rated.low,
            rated.high,
            rated.place,
            rated.is_provisional,
            entrant.builtin is not None,
            self._games.last_played.get(name),
        )

    def rows(self, entrants: Sequence[PoolEntrant]) -> list[PoolRow]:
        """Return the standing, the state and the current activity of each of `entrants`."""
        return list(map(PoolRow, map(self.of, entrants), self.infos(entrants)))

    def infos(self, entrants: Sequence[PoolEntrant]) -> list[EntrantInfo]:
        """Return the state and the current activity of each of `entrants`, such as its number of running games."""
        members: dict[str, list[Member]] = defaultdict(list)
        for member in self._membership:
            members[member.entrant].append(member)
        return [
            EntrantInfo(
                one.name,
                one.owner,
                one.state,
                one.is_person,
                one.follows,
                sum(not member.is_playing for member in members[one.name]),
                len(self._games.running(one.name)),
                self._games.started_today(one.name, self._wall()),
                one.faults_in_a_row,
                max((int(1000 * member.connection.lag_s) for member in members[one.name]), default=None),
            )
            for one in entrants
        ]
