"""JSON answers of a server's HTTP paths `/api/pool` and `/api/pool/entrants/NAME`."""

import msgspec

from rails_cli.protocol.pool import EntrantInfo, PoolEntry, SeasonState, StandingInfo


class PoolRow(msgspec.Struct, frozen=True):
    """An entrant in the standings."""

    standing: StandingInfo
    """Rating and place of the entrant."""
    entrant: EntrantInfo
    """Public data of the entrant."""


class PoolSetting(msgspec.Struct, frozen=True):
    """A game and number of players that the pool offers."""

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
    """Number of actions played so far."""


class PoolOverview(msgspec.Struct, frozen=True):
    """Answer to `/api/pool`."""

    season: SeasonState
    """State of the season."""
    ends_at: float | None
    """Unix time in seconds at which pairing ends automatically. Null if no time is set."""
    words: str
    """State of the season in plain words."""
    entry: PoolEntry
    """Whether anybody may register (`open`), only invited owners (`invitation`), or nobody (`closed`)."""
    clock: str
    """Time for each seat, such as `60+0.5`."""
    settings: list[PoolSetting]
    """Games and numbers of players that the pool offers."""
    games: int
    """Number of rated games so far."""
    now: float
    """Unix time in seconds of this answer."""
    rows: list[PoolRow]
    """Entrants by place, the best first, then those without a place."""
    tables: list[PoolTable]
    """Some of the running games, the latest first."""
    playing: int
    """Number of running games."""


class RatingPoint(msgspec.Struct, frozen=True, array_like=True):
    """A rating at one time, encoded as a list of its fields."""

    at: float
    """Unix time in seconds of the rating."""
    rating: float
    """Rating in points, on a scale where the first anchor has 0."""
    low: float | None
    """Lower end of the 95 % interval of the rating. Null if the games give no limit."""
    high: float | None
    """Upper end of the 95 % interval of the rating. Null if the games give no limit."""


class PoolGameInfo(msgspec.Struct, frozen=True):
    """A rated game of an entrant."""

    id: str
    """Id of the game. If `has_replay` is true, the replay is at `/replay/ID` and its analysis at
    `/replay/ID/analysis`."""
    at: float
    """Unix time in seconds at which the game ended."""
    title: str
    """Title of the game, for display."""
    names: list[str]
    """Names of the players, by seat."""
    ranks: list[int]
    """Rank by seat, where 1 has won and ties share a rank."""
    scores: list[int]
    """Scores by seat."""
    seat: int
    """Seat of the entrant."""
    faults: int
    """Number of faults of the entrant."""
    lost: bool
    """Whether the entrant lost its seat through faults and was ranked last."""
    reason: str
    """`normal`, or the reason why the game ended early."""
    has_replay: bool = True
    """Whether the game has a replay. False if the log was deleted to save space. The result still counts."""


class PoolFaultInfo(msgspec.Struct, frozen=True):
    """A fault of an entrant."""

    id: str
    """Id of the game in which the fault occurred."""
    action: int
    """Number of actions before the fault."""
    code: str
    """Code of the fault."""
    message: str
    """Description of the fault."""


class PoolCheck(msgspec.Struct, frozen=True):
    """The last check of an entrant: an unrated game against built-in players that may end its quarantine."""

    at: float
    """Unix time in seconds at which the check was decided."""
    table: str = ""
    """Id of the table where the game was played."""
    failed_in_a_row: int = 0
    """Number of failed checks in a row. 0 if the entrant passed the last check."""


class EntrantPage(msgspec.Struct, frozen=True):
    """Answer to `/api/pool/entrants/NAME`."""

    row: PoolRow
    """Rating, place and public data of the entrant."""
    versions: list[StandingInfo]
    """Ratings of earlier and later versions of the same bot."""
    curve: list[RatingPoint]
    """History of the entrant's rating."""
    games: list[PoolGameInfo]
    """Last games of the entrant, the latest first."""
    faults: list[PoolFaultInfo]
    """Last faults of the entrant, the latest first."""
    check: PoolCheck | None = None
    """Last check of the entrant. Null if the entrant was never checked."""
    next_check: float | None = None
    """For a quarantined entrant, the Unix time in seconds at which the next check may start."""
