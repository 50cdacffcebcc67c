"""The rated pool of a websocket server: who stays connected is paired, plays, and is rated, with these messages.

Requests may carry a `ref` of the client's choice; the answer, or the error, repeats it.
"""

from typing import Annotated, Any, Literal

import msgspec

from protocol.messages import Join

PoolEntry = Literal["open", "invitation", "closed"]
EntrantState = Literal["active", "quarantined", "revoked"]
SeasonState = Literal["open", "paused", "closing", "frozen", "closed"]
LoanState = Literal["free", "offered", "busy", "absent", "gone"]


class StandingInfo(msgspec.Struct, frozen=True):
    """Where an entrant stands."""

    entrant: str
    """Its name."""
    owner: str
    """Whose it is."""
    games: int
    """Rated games."""
    rating: float | None = None
    """In points, where the first anchor has 0; null before the first rating."""
    low: float | None = None
    """The lower end of an interval of 95 %: how far it may be from the field as a whole, not from the anchor. Null
    where the games set no limit."""
    high: float | None = None
    """The upper end."""
    place: int | None = None
    """Among those who are not provisional, the first is 1."""
    provisional: bool = True
    """Whether the rating is still too uncertain for a place."""
    anchor: bool = False
    """Whether it is a built-in player."""
    last_played: float | None = None
    """When its last rated game ended, in seconds of the epoch."""


class EntrantInfo(msgspec.Struct, frozen=True):
    """An entrant as everybody may see it."""

    entrant: str
    """Its name."""
    owner: str
    """Whose it is."""
    state: EntrantState
    """`quarantined`: failed too often, and has to pass a check first; `revoked`: is out."""
    person: bool
    """Whether it is a person."""
    follows: str | None
    """The earlier version of the same bot, if it names one."""
    waiting: int
    """Its connections that wait for a game."""
    playing: int
    """Its running games, those of tournaments included."""
    games_today: int
    """Games that began in the last 24 hours, without checks."""
    faults_in_a_row: int
    """Games in a row in which it lost its seat by faults."""
    lag_ms: int | None = None
    """How long messages are on their way to it and back, on its slowest connection; null if it is not here."""


# Requests


class Register(msgspec.Struct, tag="register", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Adds an entrant to the pool: a bot, a new version of one, or a person."""

    name: str
    """What to call it: 1 to 40 letters of one script, digits, spaces and `.-_+`, unlike all names in the pool and
    those of built-in players, whatever the case."""
    owner: str | None = None
    """What a new owner is to be called; else like the entrant."""
    owner_token: str | None = None
    """The token of an owner who has registered before; null for a new owner."""
    invite: str | None = None
    """An invitation, where the pool asks for one."""
    follows: str | None = None
    """The earlier version of the same bot, of the same owner."""
    person: bool = False
    """Whether it is a person, as you say: it is paired first, and plays one game at a time."""
    ref: str | None = None
    """Repeated in the answer."""


class Enter(msgspec.Struct, tag="enter", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Waits for games with this connection, one after another. A connection plays one game at a time: for more at once,
    open more."""

    token: str
    """The entrant's token."""
    games: list[str] = []
    """Only these games; empty for all that the pool offers."""
    players: list[int] = []
    """Only tables of these sizes; empty for all."""
    meets_own: bool = False
    """Whether others of the same owner may sit at the table, if they say so too; such games are not rated."""
    single: bool = False
    """Whether it plays single games only. Those who do not, and stay, play the same beginning once in each seat: a seed
    group, as in tournaments."""
    lends: bool = False
    """Whether tournaments may borrow this connection, if the operator of the pool allows their organisers. Such
    games are not rated here."""
    ref: str | None = None
    """Repeated in the answer."""


class Ready(msgspec.Struct, tag="ready", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Takes an offer. The game begins when all have done so."""

    offer: str
    """Its id."""
    ref: str | None = None
    """Repeated in an error."""


class Decline(msgspec.Struct, tag="decline", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Turns an offer down, and goes to the end of the queue."""

    offer: str
    """Its id."""
    ref: str | None = None
    """Repeated in an error."""


class Withdraw(msgspec.Struct, tag="withdraw", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Waits for no further game; a running one is played to its end."""

    ref: str | None = None
    """Repeated in the answer."""


class AskStanding(msgspec.Struct, tag="standing", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks where an entrant stands."""

    entrant: str | None = None
    """Its name; null for the one that has entered with this connection."""
    ref: str | None = None
    """Repeated in the answer."""


class AskStandings(msgspec.Struct, tag="standings", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for the whole table, and how the pool is run."""

    ref: str | None = None
    """Repeated in the answer."""


class ListEntrants(msgspec.Struct, tag="entrants", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks who is in the pool."""

    owner: str | None = None
    """Only those of this owner."""
    ref: str | None = None
    """Repeated in the answer."""


class Revoke(msgspec.Struct, tag="revoke", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Makes the token of an entrant invalid, at once. Its seats in running games are forfeited: substitutes play on,
    and it is ranked last there."""

    entrant: str
    """Its name."""
    token: str
    """That of its owner, or the admin token."""
    renew: bool = False
    """Whether it gets a new token, and stays in the pool."""
    ref: str | None = None
    """Repeated in the answer."""


class BanOwner(msgspec.Struct, tag="ban_owner", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Bans an owner: all its entrants are revoked, and it can register no more. For the owner of the server."""

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
    """`open`: those who wait are paired; `paused`: none for now; `closing`: the final is played, or there is
    none; `frozen`: the standings stay as they are; `closed`: it is over. Null changes nothing."""
    minutes: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """For `open`: pairing ends by itself after this many minutes, as in an arena."""
    finalists: Annotated[int, msgspec.Meta(ge=0, le=1000)] | None = None
    """For `open` and `closing`: this many, the best, play a final, in which everybody meets everybody; 0: there is
    none. Null: as it was announced before."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None
    """Of that final; 1 if nothing is said."""
    ref: str | None = None
    """Repeated in the answer."""


class NameOrganiser(msgspec.Struct, tag="organiser", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Lets somebody borrow entrants for tournaments. For the owner of the server."""

    token: str
    """The admin token."""
    name: str
    """What entrants are told of who borrows them; who is called so already gets a new token, and the old one is
    invalid."""
    revoke: bool = False
    """Whether this organiser may borrow nobody from now on."""
    ref: str | None = None
    """Repeated in the answer."""


class Borrow(msgspec.Struct, tag="borrow", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Borrows an entrant for one game of a tournament, which the sender referees. The entrant is offered the game; from
    `lent` to `end` this connection and that of the entrant are joined. It waits until the entrant is free."""

    token: str
    """That of an organiser."""
    entrant: str
    """Its name."""
    game: str
    """Name of the game."""
    players: Annotated[int, msgspec.Meta(ge=2, le=100)]
    """Number of players."""
    seat: int = 0
    """The seat that the entrant is to have."""
    options: dict[str, Any] = {}
    """Options that are not at their default."""
    clock: str = "none"
    """The time for each seat."""
    check: bool = False
    """Whether nothing is borrowed: `borrowing` tells how it stands."""
    ref: str | None = None
    """Repeated in the answers."""


# Answers


class Registered(msgspec.Struct, tag="registered", tag_field="type", frozen=True):
    """Answers `register`, and `revoke` with `renew`."""

    entrant: str
    """Its name."""
    token: str
    """The entrant's token: whoever has it plays under this name, so keep it secret."""
    owner: str
    """Whose it is."""
    owner_token: str | None
    """For a new owner: with it further entrants are registered, and their tokens revoked. Keep it secret."""
    ref: str | None = None
    """That of the request."""


class Entered(msgspec.Struct, tag="entered", tag_field="type", frozen=True):
    """Answers `enter`. If a game of the entrant is running that nobody plays, `seated` follows at once."""

    entrant: str
    """Its name."""
    state: EntrantState
    """`quarantined`: it is checked before its next game."""
    standing: StandingInfo
    """Where it stands."""
    season: SeasonState
    """Whether games are made now."""
    ref: str | None = None
    """That of the request."""


class Offered(msgspec.Struct, tag="offered", tag_field="type", frozen=True):
    """A game is offered; against whom is told when it begins. Say `ready` or `decline`; whoever does neither goes to
    the end of the queue, and out of it after three times in a row."""

    offer: str
    """Its id."""
    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, Any]
    """Options that are not at their default."""
    clock: str
    """The time for each seat, such as `60+0.5`."""
    seat: int
    """Your seat."""
    rated: bool
    """False for a check, for a tournament, and if two of one owner sit at the table."""
    answer_within_s: float
    """Seconds to answer."""
    organiser: str | None = None
    """Who borrows you for a tournament; null for games of the pool."""
    check: bool = False
    """Whether you are quarantined, and this is the check: several matches follow, most of them short, each with `start`
    and `end` and without `seated`; an error with the code `checked` tells what came of them."""


class OfferOver(msgspec.Struct, tag="offer_over", tag_field="type", frozen=True):
    """An offer has come to nothing, as somebody was not there. Unless that was you, you keep your place in the
    queue."""

    offer: str
    """Its id."""
    why: str
    """In words."""


class Withdrawn(msgspec.Struct, tag="withdrawn", tag_field="type", frozen=True):
    """Answers `withdraw`, and tells one who is put out of the queue."""

    entrant: str
    """Its name."""
    why: str
    """In words."""
    ref: str | None = None
    """That of the request."""


class Standing(msgspec.Struct, tag="standing", tag_field="type", frozen=True):
    """Answers `standing`."""

    standing: StandingInfo
    """Where the entrant stands."""
    ref: str | None = None
    """That of the request."""


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
    """That of the request."""


class Entrants(msgspec.Struct, tag="entrants", tag_field="type", frozen=True):
    """Answers `entrants`, `revoke` and `ban_owner`."""

    entrants: list[EntrantInfo]
    """In the order in which they registered."""
    ref: str | None = None
    """That of the request."""


class EntrantsInvited(msgspec.Struct, tag="entrants_invited", tag_field="type", frozen=True):
    """Answers `invite_entrants`."""

    invites: list[str]
    """Each is good for one new owner."""
    ref: str | None = None
    """That of the request."""


class Season(msgspec.Struct, tag="season", tag_field="type", frozen=True):
    """Answers `season`, and tells all who wait when it changes."""

    state: SeasonState
    """What the pool does now."""
    ends_at: float | None = None
    """When pairing ends by itself, in seconds of the epoch."""
    final_games: int = 0
    """Games of the final that are still to be played."""
    ref: str | None = None
    """That of the request."""


class Organiser(msgspec.Struct, tag="organiser", tag_field="type", frozen=True):
    """Answers `organiser`."""

    name: str
    """Who may borrow entrants, or may not any more."""
    token: str | None
    """With it entrants are borrowed, so keep it secret; null for one who was revoked."""
    ref: str | None = None
    """That of the request."""


class Borrowing(msgspec.Struct, tag="borrowing", tag_field="type", frozen=True):
    """Answers `borrow`, and tells again whenever that changes: how it stands with the entrant."""

    entrant: str
    """Its name."""
    state: LoanState
    """`free`: it could be lent now; `offered`: the game was offered to it; `busy`: all its connections that may be lent
    are playing, and the next that is free is lent; `absent`: none of them is here; `gone`: it was revoked."""
    why: str
    """In words."""
    ref: str | None = None
    """That of the request."""


class Lent(msgspec.Struct, tag="lent", tag_field="type", frozen=True):
    """The entrant has taken the game. From now on `start`, `request`, `update`, `rejected`, `error` and `end` come to
    it; what it says comes back, with a space before it, so that it is not taken for words of the server. It
    is free again after `end`, and when this connection is closed."""

    entrant: str
    """Its name."""
    lag_ms: int
    """How long messages are on their way between the server and the entrant, there and back; told again whenever
    that was measured."""
    join: Join
    """How it likes its messages."""
    ref: str | None = None
    """That of the request."""


class LoanOver(msgspec.Struct, tag="loan_over", tag_field="type", frozen=True):
    """The entrant has left in the middle of the game. It may be borrowed again on this connection, and told the game
    again."""

    entrant: str
    """Its name."""
    why: str
    """In words."""
    ref: str | None = None
    """That of the request."""


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
    | NameOrganiser
    | Borrow
)
PoolAnswer = (
    Registered
    | Entered
    | Offered
    | OfferOver
    | Withdrawn
    | Standing
    | Standings
    | Entrants
    | EntrantsInvited
    | Season
    | Organiser
    | Borrowing
    | Lent
    | LoanOver
)
