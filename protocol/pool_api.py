"""JSON answers of a server's HTTP paths `/api/pool` and `/api/pool/entrants/NAME`."""

import msgspec

from rails_cli.protocol.pool import EntrantInfo, PoolEntry, SeasonState, StandingInfo


class PoolRow(msgspec.Struct, frozen=True):
    """An entrant as one row of the standings."""

    standing: StandingInfo
    """Rating and place of the entrant."""
    entrant: EntrantInfo
    """Public data of the entrant."""


class PoolSetting(msgspec.Struct, frozen=True):
    """A combination of a game and a number of players that the pool offers."""

    game: str
    """Name of the game."""
    title: str
    """Title of the game, for display."""
    players: int
    """Number of players."""


class PoolTable(msgspec.Struct, frozen=True):
    """A running game of the pool, which can be watched."""

    table: str
    """Id of the table."""
    title: str
    """Title of the game, for display."""
    names: list[str]
    """Names of the players, by seat."""
    actions: int
    """Number of actions played in the game so far."""


class PoolOverview(msgspec.Struct, frozen=True):
    """Answer to `/api/pool`: the season, the standings, and the running games of the pool."""

    season: SeasonState
    """State of the season."""
    ends_at: float | None
    """Unix time in seconds at which pairing ends automatically. Null if no time is set."""
    words: str
    """State of the season in plain words."""
    entry: PoolEntry
    """Right to register. `open`: anybody. `invitation`: only invited owners. `closed`: nobody."""
    clock: str
    """Time for each seat, such as `60+0.5` for 60 seconds in total and 0.5 more after each answer."""
    settings: list[PoolSetting]
    """Games and numbers of players that the pool offers."""
    games: int
    """Number of rated games in the pool so far."""
    now: float
    """Unix time in seconds at which this answer was made."""
    rows: list[PoolRow]
    """All entrants. First come the entrants with a place and the anchors, best rating first. Then come provisional
    entrants, and last the entrants without a rating.
    """
    tables: list[PoolTable]
    """Some of the running games, the latest first."""
    playing: int
    """Number of all running games of the pool."""


class RatingPoint(msgspec.Struct, frozen=True, array_like=True):
    """The rating of an entrant at one time, encoded as a list of its fields."""

    at: float
    """Unix time in seconds at which the rating was computed."""
    rating: float
    """Rating in points. The scale is fixed by the first anchor, a built-in player, whose rating is always 0."""
    low: float | None
    """Lower end of the 95% confidence interval of the rating, in points. Null if the games played so far set no lower
    limit.
    """
    high: float | None
    """Upper end of the 95% confidence interval of the rating, in points. Null if the games played so far set no upper
    limit.
    """


class PoolGameInfo(msgspec.Struct, frozen=True):
    """A rated game of an entrant."""

    id: str
    """Id of the game. If `has_replay` is true, its replay is at `/replay/ID`, and the analysis of the game at
    `/replay/ID/analysis`.
    """
    at: float
    """Unix time in seconds at which the game ended."""
    title: str
    """Title of the game, for display."""
    names: list[str]
    """Names of the players, by seat."""
    ranks: list[int]
    """Rank of each seat, by seat. The winner has rank 1, and tied players share a rank."""
    scores: list[int]
    """Final scores, by seat, in the unit `unit`."""
    seat: int
    """Seat of the entrant."""
    faults: int
    """Number of faults of the entrant in the game."""
    lost: bool
    """Whether the entrant lost its seat through faults and was ranked last."""
    reason: str
    """Reason for the end of the game. `normal` if the game was played to its end."""
    has_replay: bool = True
    """Whether the game can be replayed. False if its log was deleted to save space. The result still counts."""
    table: str = ""
    """Id of the table at which the game was played. Empty only if the server leaves out this field."""
    before: float | None = None
    """Rating of the entrant before the game. Null if the entrant had no rating then, or if the rating is not known."""
    after: float | None = None
    """Rating of the entrant after the game. Null if it is not computed yet or no longer stored. All games rated at the
    same time contribute to the change from `before` to `after`.
    """
    fault_codes: dict[str, int] = {}
    """Mapping from fault code to the number of faults of the entrant in the game."""
    unit: str = "$"
    """Unit of the scores. `$` stands before the number. A word such as `points` stands after it."""


class PoolFaultInfo(msgspec.Struct, frozen=True):
    """A fault of an entrant in a game, such as a late or illegal answer."""

    id: str
    """Id of the game in which the fault occurred."""
    action: int
    """Number of actions played in the game before the fault."""
    code: str
    """Code for the kind of fault."""
    message: str
    """Description of the fault."""


class PoolCheck(msgspec.Struct, frozen=True):
    """The last check of an entrant. A check is an unrated game against built-in players. An entrant that passes it is
    no longer quarantined.
    """

    at: float
    """Unix time in seconds at which the result of the check became known."""
    table: str = ""
    """Id of the table where the game of the check was played."""
    failed_in_a_row: int = 0
    """Number of consecutive checks that the entrant has failed until now. 0 if the entrant passed the last check."""


class EntrantPage(msgspec.Struct, frozen=True):
    """Answer to `/api/pool/entrants/NAME`: rating, games and faults of one entrant."""

    row: PoolRow
    """The entrant as a row of the standings: rating, place and public data."""
    versions: list[StandingInfo]
    """Ratings and places of earlier and later versions of the same bot."""
    curve: list[RatingPoint]
    """Ratings of the entrant at different times, in order of time."""
    games: list[PoolGameInfo]
    """Last games of the entrant, the latest first."""
    faults: list[PoolFaultInfo]
    """Last faults of the entrant, the latest first."""
    check: PoolCheck | None = None
    """Last check of the entrant, which was an unrated test game. Null if the entrant was never checked."""
    next_check: float | None = None
    """Earliest time at which the next check, an unrated test game, can start. It is a Unix time in seconds. Null for an
    entrant that is not quarantined.
    """
