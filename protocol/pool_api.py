"""What a server tells of its pool to those who fetch it: `/api/pool` and `/api/pool/entrants/NAME`."""

import msgspec

from rails_cli.protocol.pool import EntrantInfo, PoolEntry, SeasonState, StandingInfo


class PoolRow(msgspec.Struct, frozen=True):
    """An entrant in the standings."""

    standing: StandingInfo
    """Where it stands."""
    entrant: EntrantInfo
    """What it is, and what it is doing."""


class PoolSetting(msgspec.Struct, frozen=True):
    """What is played."""

    game: str
    """Name of the game."""
    title: str
    """Its name for people."""
    players: int
    """Number of players."""


class PoolTable(msgspec.Struct, frozen=True):
    """A game of the pool that is being played. It can be watched."""

    table: str
    """The id of its table."""
    title: str
    """The name of the game for people."""
    names: list[str]
    """Who sits where."""
    actions: int
    """Actions played so far."""


class PoolOverview(msgspec.Struct, frozen=True):
    """Answers `/api/pool`."""

    season: SeasonState
    """What the pool does now."""
    ends_at: float | None
    """When an arena ends, as Unix time in seconds."""
    words: str
    """What the pool does now, in words."""
    entry: PoolEntry
    """Who may register."""
    clock: str
    """The time for each seat, such as `60+0.5`."""
    settings: list[PoolSetting]
    """What is played."""
    games: int
    """Rated games so far."""
    now: float
    """When this was sent, as Unix time in seconds."""
    rows: list[PoolRow]
    """The best first, then those without a place."""
    tables: list[PoolTable]
    """Some of the running games, the latest first."""
    playing: int
    """How many games are running."""


class RatingPoint(msgspec.Struct, frozen=True, array_like=True):
    """A rating at a time, as a list."""

    at: float
    """As Unix time, in seconds."""
    rating: float
    """In points; the first anchor has 0."""
    low: float | None
    """The lower end of its interval."""
    high: float | None
    """The upper end."""


class PoolGameTold(msgspec.Struct, frozen=True):
    """A rated game of an entrant."""

    id: str
    """Its replay is at `/replay/ID`, with an analysis at `/replay/ID/analysis`, if it `has_replay`."""
    at: float
    """When it ended, as Unix time in seconds."""
    title: str
    """The name of the game for people."""
    names: list[str]
    """Who sat where."""
    ranks: list[int]
    """By seat; 1 has won, ties share a rank."""
    scores: list[int]
    """By seat."""
    seat: int
    """The seat of the entrant."""
    faults: int
    """Its faults."""
    lost: bool
    """Whether it lost its seat because of them, and was ranked last."""
    reason: str
    """`normal`, or why the game ended early."""
    has_replay: bool = True
    """False if its log was deleted to save space; the result still counts."""


class PoolFaultTold(msgspec.Struct, frozen=True):
    """A fault of an entrant, as it was reported to it."""

    id: str
    """The game."""
    action: int
    """The number of actions before it."""
    code: str
    """What kind of fault."""
    message: str
    """What was wrong."""


class PoolCheck(msgspec.Struct, frozen=True):
    """The last check of an entrant that was quarantined: an unrated game against built-in players."""

    at: float
    """When it was decided, as Unix time in seconds."""
    table: str = ""
    """The table where the game was played."""
    failed_in_a_row: int = 0
    """Number of checks in a row in which it lost its seat; 0 if it passed this one."""


class EntrantPage(msgspec.Struct, frozen=True):
    """Answers `/api/pool/entrants/NAME`."""

    row: PoolRow
    """Where it stands, and what it is doing."""
    versions: list[StandingInfo]
    """Earlier and later versions of the same bot."""
    curve: list[RatingPoint]
    """The history of its rating."""
    games: list[PoolGameTold]
    """Its last games, the latest first."""
    faults: list[PoolFaultTold]
    """Its last faults, the latest first."""
    check: PoolCheck | None = None
    """Its last check, if it ever was quarantined."""
    next_check: float | None = None
    """While it is quarantined: when it may be checked again, as Unix time in seconds."""
