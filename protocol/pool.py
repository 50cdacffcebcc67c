"""The rated pool of a websocket server: who stays connected is paired, plays, and is rated, with these messages.

Requests may carry a `ref` of the client's choice; the answer, or the error, repeats it.
"""

from typing import Annotated, Any, Literal

import msgspec

PoolEntry = Literal["open", "invitation", "closed"]
EntrantState = Literal["active", "quarantined", "revoked"]
SeasonState = Literal["open", "paused", "closing", "frozen", "closed"]


class StandingInfo(msgspec.Struct, frozen=True):
    """Where an entrant stands."""

    entrant: str
    """Its name."""
    owner: str
    """Whose it is."""
    games: int
    """Rated games."""
    rating: float | None = None
    """In points; the first anchor has 0. Null before the first rating."""
    low: float | None = None
    """The lower end of the 95 % interval, relative to the field as a whole, not to the anchor. Null if the games set no
    limit."""
    high: float | None = None
    """The upper end."""
    place: int | None = None
    """The rank among those who are not provisional, from 1."""
    provisional: bool = True
    """Whether the rating is still too uncertain for a place."""
    anchor: bool = False
    """Whether it is a built-in player."""
    last_played: float | None = None
    """When its last rated game ended, as Unix time in seconds."""


class EntrantInfo(msgspec.Struct, frozen=True):
    """An entrant as everyone may see it."""

    entrant: str
    """Its name."""
    owner: str
    """Whose it is."""
    state: EntrantState
    """`quarantined`: it failed too often and has to pass a check first; `revoked`: it is out."""
    person: bool
    """Whether it is a person."""
    follows: str | None
    """The earlier version of the same bot, if it names one."""
    waiting: int
    """Its connections that are waiting for a game."""
    playing: int
    """Its running games."""
    games_today: int
    """Games that began in the last 24 hours, not counting checks."""
    faults_in_a_row: int
    """How many games in a row it has lost its seat through faults."""
    lag_ms: int | None = None
    """The round-trip time of messages, on its slowest connection; null if it is not connected."""


# Requests


class Register(msgspec.Struct, tag="register", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Adds an entrant to the pool: a bot, a new version of one, or a person."""

    name: str
    """Its name: 1 to 40 letters of one script, digits, spaces and `.-_+`. It must differ from every name in the pool
    and of built-in players by more than case."""
    owner: str | None = None
    """The name of a new owner; by default that of the entrant."""
    owner_token: str | None = None
    """The token of an owner who has registered before; null for a new owner."""
    invite: str | None = None
    """An invitation, where the pool asks for one."""
    follows: str | None = None
    """The earlier version of the same bot, of the same owner."""
    person: bool = False
    """Whether you say it is a person: people are paired first, and play one game at a time."""
    ref: str | None = None
    """Repeated in the answer."""


class Enter(msgspec.Struct, tag="enter", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Waits for games on this connection, one after another. A connection plays one game at a time; to play more at
    once, open more connections."""

    token: str
    """The entrant's token."""
    games: list[str] = []
    """Play only these games; empty for all that the pool offers."""
    players: list[int] = []
    """Play only with these numbers of players; empty for all."""
    meets_own: bool = False
    """Whether other entrants of the same owner may sit at the table, if they allow it too; such games are not rated."""
    single: bool = False
    """Whether to play single games only. Entrants that do not, and that stay, play the same beginning once in each
    seat: a seed group, as in tournaments."""
    ref: str | None = None
    """Repeated in the answer."""


class Ready(msgspec.Struct, tag="ready", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Accepts an offer. The game begins when everyone has done so."""

    offer: str
    """Its id."""
    ref: str | None = None
    """Repeated in an error."""


class Decline(msgspec.Struct, tag="decline", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Declines an offer, and moves to the end of the queue."""

    offer: str
    """Its id."""
    ref: str | None = None
    """Repeated in an error."""


class Withdraw(msgspec.Struct, tag="withdraw", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Stops waiting for games; a running one is played to its end."""

    ref: str | None = None
    """Repeated in the answer."""


class AskStanding(msgspec.Struct, tag="standing", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks where an entrant stands."""

    entrant: str | None = None
    """Its name; null for the one that entered on this connection."""
    ref: str | None = None
    """Repeated in the answer."""


class AskStandings(msgspec.Struct, tag="standings", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for the full standings, and how the pool is run."""

    ref: str | None = None
    """Repeated in the answer."""


class ListEntrants(msgspec.Struct, tag="entrants", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks who is in the pool."""

    owner: str | None = None
    """Only those of this owner."""
    ref: str | None = None
    """Repeated in the answer."""


class Revoke(msgspec.Struct, tag="revoke", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Makes the token of an entrant invalid at once. Its seats in running games are forfeited: substitutes take over,
    and it is ranked last there."""

    entrant: str
    """Its name."""
    token: str
    """The token of its owner, or the admin token."""
    renew: bool = False
    """Whether it gets a new token and stays in the pool."""
    ref: str | None = None
    """Repeated in the answer."""


class BanOwner(msgspec.Struct, tag="ban_owner", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Bans an owner: all its entrants are revoked, and it can no longer register any. For the owner of the server."""

    owner: str
    """Its name."""
    token: str
    """The admin token."""
    lift: bool = False
    """Whether it may register again; the entrants stay revoked."""
    ref: str | None = None
    """Repeated in the answer."""


class InviteEntrants(msgspec.Struct, tag="invite_entrants", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for invitations to the pool. For the owner of the server."""

    token: str
    """The admin token."""
    count: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1
    """How many."""
    ref: str | None = None
    """Repeated in the answer."""


class SetSeason(msgspec.Struct, tag="season", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Changes what the pool does. For the owner of the server."""

    token: str
    """The admin token."""
    state: SeasonState | None = None
    """`open`: waiting entrants are paired; `paused`: no pairing for now; `closing`: the final is played, if there is
    one; `frozen`: the standings stay as they are; `closed`: the season is over. Null changes nothing."""
    minutes: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """For `open`: pairing ends automatically after this many minutes, as in an arena."""
    finalists: Annotated[int, msgspec.Meta(ge=0, le=1000)] | None = None
    """For `open` and `closing`: this many of the best play a final, in which everyone meets everyone; 0 for no final.
    Null keeps what was announced before."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None
    """The number of rounds of that final; 1 by default."""
    ref: str | None = None
    """Repeated in the answer."""


# Answers


class Registered(msgspec.Struct, tag="registered", tag_field="type", frozen=True):
    """Answers `register`, and `revoke` with `renew`."""

    entrant: str
    """Its name."""
    token: str
    """The entrant's token: anyone who has it can play under this name, so keep it secret."""
    owner: str
    """Whose it is."""
    owner_token: str | None
    """For a new owner: the token to register further entrants with, and to revoke their tokens. Keep it secret."""
    ref: str | None = None
    """The `ref` of the request."""


class Entered(msgspec.Struct, tag="entered", tag_field="type", frozen=True):
    """Answers `enter`. If a running game of the entrant has nobody at its seat, `seated` follows at once."""

    entrant: str
    """Its name."""
    state: EntrantState
    """`quarantined`: an unrated game decides whether it may play again."""
    standing: StandingInfo
    """Where it stands."""
    season: SeasonState
    """Whether the pool is starting games now."""
    ref: str | None = None
    """The `ref` of the request."""


class Offered(msgspec.Struct, tag="offered", tag_field="type", frozen=True):
    """A game is offered; you learn who your opponents are when it begins. Answer `ready` or `decline`. If you do
    neither, you move to the end of the queue, and after three times in a row you leave it."""

    offer: str
    """Its id."""
    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, Any]
    """Options that differ from their default."""
    clock: str
    """The time for each seat, such as `60+0.5`."""
    seat: int
    """Your seat."""
    rated: bool
    """False for a check, and if two entrants of one owner sit at the table."""
    answer_within_s: float
    """Seconds to answer."""
    check: bool = False
    """Whether you are quarantined, and this game against built-in players decides whether you may play again: you must
    keep your seat to its end. An error with the code `checked` has the result."""


class OfferOver(msgspec.Struct, tag="offer_over", tag_field="type", frozen=True):
    """An offer has lapsed because somebody was not there. Unless that was you, you keep your place in the queue."""

    offer: str
    """Its id."""
    why: str
    """In words."""


class Withdrawn(msgspec.Struct, tag="withdrawn", tag_field="type", frozen=True):
    """Answers `withdraw`, and notifies an entrant that is removed from the queue."""

    entrant: str
    """Its name."""
    why: str
    """In words."""
    ref: str | None = None
    """The `ref` of the request."""


class Standing(msgspec.Struct, tag="standing", tag_field="type", frozen=True):
    """Answers `standing`."""

    standing: StandingInfo
    """Where the entrant stands."""
    ref: str | None = None
    """The `ref` of the request."""


class Standings(msgspec.Struct, tag="standings", tag_field="type", frozen=True):
    """Answers `standings`."""

    standings: list[StandingInfo]
    """The best first, then those without a place."""
    season: SeasonState
    """What the pool does now."""
    entry: PoolEntry
    """Who may register."""
    games: int
    """Rated games so far."""
    settings: list[str]
    """What is played, as `GAME:PLAYERS`."""
    clock: str
    """The time for each seat."""
    ref: str | None = None
    """The `ref` of the request."""


class Entrants(msgspec.Struct, tag="entrants", tag_field="type", frozen=True):
    """Answers `entrants`, `revoke` and `ban_owner`."""

    entrants: list[EntrantInfo]
    """In the order in which they registered."""
    ref: str | None = None
    """The `ref` of the request."""


class EntrantsInvited(msgspec.Struct, tag="entrants_invited", tag_field="type", frozen=True):
    """Answers `invite_entrants`."""

    invites: list[str]
    """Each works for one new owner."""
    ref: str | None = None
    """The `ref` of the request."""


class Season(msgspec.Struct, tag="season", tag_field="type", frozen=True):
    """Answers `season`, and notifies all waiting entrants when it changes."""

    state: SeasonState
    """What the pool does now."""
    ends_at: float | None = None
    """When pairing ends automatically, as Unix time in seconds."""
    final_games: int = 0
    """Games of the final that are still to be played."""
    ref: str | None = None
    """The `ref` of the request."""


PoolRequest = (
    Register
    | Enter
    | Ready
    | Decline
    | Withdraw
    | AskStanding
    | AskStandings
    | ListEntrants
    | Revoke
    | BanOwner
    | InviteEntrants
    | SetSeason
)
PoolAnswer = (
    Registered | Entered | Offered | OfferOver | Withdrawn | Standing | Standings | Entrants | EntrantsInvited | Season
)
