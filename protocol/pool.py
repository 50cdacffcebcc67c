"""Messages of a server's rated pool. Entrants, which are bots or people, connect to the pool, are paired for games and
get ratings.

Requests may carry a `ref`, which is a text chosen by the client. The answer or error has the same `ref`.
"""

from typing import Annotated, Any, Literal

import msgspec

PoolEntry = Literal["open", "invitation", "closed"]
EntrantState = Literal["active", "quarantined", "revoked"]
SeasonState = Literal["open", "paused", "closing", "frozen", "closed"]


class StandingInfo(msgspec.Struct, frozen=True):
    """Rating of an entrant, and the entrant's place in the standings."""

    entrant: str
    """Name of the entrant."""
    owner: str
    """Name of the owner of the entrant."""
    games: int
    """Number of rated games of the entrant."""
    rating: float | None = None
    """Rating in points. The scale is fixed by the first anchor, a built-in player, whose rating is always 0. Null
    before the first rating.
    """
    low: float | None = None
    """Lower end of the 95% confidence interval of the rating, in points. The interval is for the difference between
    this rating and the mean rating of all entrants. Null if the games played so far set no lower limit.
    """
    high: float | None = None
    """Upper end of the 95% confidence interval of the rating, in points. The interval is for the difference between
    this rating and the mean rating of all entrants. Null if the games played so far set no upper limit.
    """
    place: int | None = None
    """Place in the standings, from 1. Null for a provisional entrant, and for an anchor (a built-in player)."""
    provisional: bool = True
    """Whether the rating is still too uncertain for a place in the standings."""
    anchor: bool = False
    """Whether the entrant is an anchor: a built-in player that takes part to make ratings comparable."""
    last_played: float | None = None
    """Unix time in seconds at which the last rated game of the entrant ended. Null before the first rated game."""


class EntrantInfo(msgspec.Struct, frozen=True):
    """Public data of an entrant."""

    entrant: str
    """Name of the entrant."""
    owner: str
    """Name of the owner of the entrant."""
    state: EntrantState
    """State of the entrant. `active`: it may play. `quarantined`: it lost its seat in too many games. It may play rated
    games again after it has passed a check, an unrated game in which it has to keep its seat. `revoked`: its token is
    invalid.
    """
    person: bool
    """Whether the entrant is a person."""
    follows: str | None
    """Name of the entrant that is the previous version of the same bot. Null if there is no previous version."""
    waiting: int
    """Number of connections of the entrant that wait for a game."""
    playing: int
    """Number of running games of the entrant."""
    games_today: int
    """Number of games that the entrant started in the last 24 hours. Unrated games that test a quarantined entrant are
    not counted.
    """
    faults_in_a_row: int
    """Number of latest games in a row in which the entrant lost its seat through faults."""
    lag_ms: int | None = None
    """Round-trip time in milliseconds on the slowest connection of the entrant. Null if the entrant is not connected.
    """


# Requests


class Register(msgspec.Struct, tag="register", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Add an entrant to the pool: a bot, a new version of a bot, or a person."""

    name: str
    """Name of the entrant: 1 to 40 letters of one script, digits, spaces and `.-_+`. No other entrant or built-in
    player may have the same name. Case does not count as a difference.
    """
    owner: str | None = None
    """Name of the owner. If it is null, the owner of `owner_token` is used. If `owner_token` is also null, a new owner
    is created with the name of the entrant.
    """
    owner_token: str | None = None
    """Token of an owner who has registered before. Null for a new owner."""
    invite: str | None = None
    """Invitation code, if the pool requires one. Null if you have no code."""
    follows: str | None = None
    """Name of the entrant that is the previous version of the same bot. It must have the same owner. Null for a new
    bot.
    """
    person: bool = False
    """Whether the entrant is a person. People are paired first and play one game at a time."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class Enter(msgspec.Struct, tag="enter", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Wait for games on this connection, one after another. Open more connections to play several games at once."""

    token: str
    """Token of the entrant."""
    games: list[str] = []
    """Names of the games to play. Empty for all games of the pool."""
    players: list[int] = []
    """Accepted numbers of players in a game, such as `[3, 4]`. Empty for all numbers."""
    meets_own: bool = False
    """Whether you also play against other entrants of your owner. These entrants must allow it, too. Such games are not
    rated.
    """
    single: bool = False
    """Whether to play single games only. By default, the same opponents play a series of games with the same seed: one
    game for each order of seats.
    """
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class Ready(msgspec.Struct, tag="ready", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Accept an offer. The game begins when all players have accepted."""

    offer: str
    """Id of the offer."""
    ref: str | None = None
    """A text chosen by the client. An error message about this request has the same `ref`."""


class Decline(msgspec.Struct, tag="decline", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Decline an offer and move to the end of the queue."""

    offer: str
    """Id of the offer."""
    ref: str | None = None
    """A text chosen by the client. An error message about this request has the same `ref`."""


class Withdraw(msgspec.Struct, tag="withdraw", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Stop waiting for games. A running game is played to its end."""

    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class AskStanding(msgspec.Struct, tag="standing", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the rating and place of an entrant."""

    entrant: str | None = None
    """Name of the entrant. Null for the entrant on this connection."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class AskStandings(msgspec.Struct, tag="standings", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the full standings and the settings of the pool."""

    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class ListEntrants(msgspec.Struct, tag="entrants", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the list of entrants."""

    owner: str | None = None
    """Name of the owner whose entrants to list. Null for all entrants."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class Revoke(msgspec.Struct, tag="revoke", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Make the token of an entrant invalid at once. In running games of the entrant, substitutes take over, and the
    entrant is ranked last.
    """

    entrant: str
    """Name of the entrant."""
    token: str
    """Token of the owner of the entrant, or the admin token."""
    renew: bool = False
    """Whether the entrant gets a new token and stays in the pool."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class BanOwner(msgspec.Struct, tag="ban_owner", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ban an owner. All entrants of the owner are revoked, and the owner cannot register entrants any more. The admin
    token is needed.
    """

    owner: str
    """Name of the owner."""
    token: str
    """The admin token."""
    lift: bool = False
    """Whether to lift the ban, so that the owner may register again. The entrants stay revoked."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class InviteEntrants(msgspec.Struct, tag="invite_entrants", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for invitation codes to the pool. The admin token is needed."""

    token: str
    """The admin token."""
    count: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1
    """Number of invitation codes."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class SetSeason(msgspec.Struct, tag="season", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Change the state of the season, or ask for it. The state decides whether entrants are paired for games. The admin
    token is needed.
    """

    token: str
    """The admin token."""
    state: SeasonState | None = None
    """New state of the season. `open`: waiting entrants are paired for games. `paused`: no pairing for now. `closing`:
    the final is played, if one is planned. `frozen`: the standings no longer change. `closed`: the season is over. Null
    to leave the state unchanged.
    """
    minutes: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Minutes until pairing ends automatically. Allowed if `state` is `open`. If null, a paused season continues with
    the time that it had left. Any other season then has no end time.
    """
    finalists: Annotated[int, msgspec.Meta(ge=0, le=1000)] | None = None
    """Number of the best entrants who play a final against each other. Allowed if `state` is `open` or `closing`. In a
    large final, each of them meets only some of the others. 0 for no final. Null to keep the earlier number.
    """
    rounds: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None
    """Number of rounds of the final. Use it only together with `finalists`. Null for 1 round."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


# Answers


class Registered(msgspec.Struct, tag="registered", tag_field="type", frozen=True):
    """Answer to `register`, and to `revoke` with `renew`: the entrant and its new token."""

    entrant: str
    """Name of the entrant."""
    token: str
    """Token of the entrant. Anyone who has the token can play under the name of the entrant, so keep it secret."""
    owner: str
    """Name of the owner of the entrant."""
    owner_token: str | None
    """Token of a new owner. It is needed to register further entrants and to revoke entrants. Keep it secret. Null for
    an owner who registered before.
    """
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Entered(msgspec.Struct, tag="entered", tag_field="type", frozen=True):
    """Answer to `enter`: the entrant now waits for games. An entrant may still have a running game that it lost the
    connection to. Then `seated` follows at once, and the entrant continues that game.
    """

    entrant: str
    """Name of the entrant."""
    state: EntrantState
    """State of the entrant. `quarantined`: the entrant may play rated games again after it has passed a check, which is
    an unrated game.
    """
    standing: StandingInfo
    """Rating and place of the entrant."""
    season: SeasonState
    """State of the season."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Offered(msgspec.Struct, tag="offered", tag_field="type", frozen=True):
    """Offer of a game, without the names of the opponents. Answer `ready` or `decline`. If you do not answer, you move
    to the end of the queue. After three unanswered offers in a row, you leave the queue.
    """

    offer: str
    """Id of the offer."""
    game: str
    """Name of the game."""
    players: int
    """Number of players in the game."""
    options: dict[str, Any]
    """Mapping from option name to value, for each option that does not have its default."""
    clock: str
    """Time for each seat, such as `60+0.5` for 60 seconds in total and 0.5 more after each answer."""
    seat: int
    """The seat that you would play."""
    rated: bool
    """Whether the game is rated. False for a game that tests a quarantined entrant, and if entrants of the same owner
    play each other.
    """
    answer_within_s: float
    """Seconds within which you must answer the offer."""
    check: bool = False
    """Whether the game tests a quarantined entrant. If you keep your seat to the end, your quarantine is over. The
    result is sent as an error message with the code `checked`.
    """


class OfferOver(msgspec.Struct, tag="offer_over", tag_field="type", frozen=True):
    """Notice that no game follows from an offer, because an entrant did not accept it. The other entrants keep their
    places in the queue.
    """

    offer: str
    """Id of the offer."""
    why: str
    """Reason for the end of the offer, in plain words."""


class Withdrawn(msgspec.Struct, tag="withdrawn", tag_field="type", frozen=True):
    """Notice that an entrant no longer waits for games. It is the answer to `withdraw`, and also sent if the server
    removes the entrant from the queue.
    """

    entrant: str
    """Name of the entrant."""
    why: str
    """Reason why the entrant left the queue, in plain words."""
    ref: str | None = None
    """The `ref` of the `withdraw` request that this message answers. Null if the message is not an answer."""


class Standing(msgspec.Struct, tag="standing", tag_field="type", frozen=True):
    """Answer to `standing`: the rating and place of an entrant."""

    standing: StandingInfo
    """Rating and place of the entrant."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Standings(msgspec.Struct, tag="standings", tag_field="type", frozen=True):
    """Answer to `standings`: the ratings and places of all entrants, and the settings of the pool."""

    standings: list[StandingInfo]
    """All entrants. First come the entrants with a place and the anchors, best rating first. Then come provisional
    entrants, and last the entrants without a rating.
    """
    season: SeasonState
    """State of the season."""
    entry: PoolEntry
    """Right to register. `open`: anybody. `invitation`: only invited owners. `closed`: nobody."""
    games: int
    """Number of rated games in the pool so far."""
    settings: list[str]
    """Games of the pool with their number of players, as `GAME:PLAYERS`."""
    clock: str
    """Time for each seat, such as `60+0.5` for 60 seconds in total and 0.5 more after each answer."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Entrants(msgspec.Struct, tag="entrants", tag_field="type", frozen=True):
    """Answer to `entrants`, `revoke` and `ban_owner`: public data of the listed, revoked or banned entrants."""

    entrants: list[EntrantInfo]
    """Entrants in the order of registration."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class EntrantsInvited(msgspec.Struct, tag="entrants_invited", tag_field="type", frozen=True):
    """Answer to `invite_entrants`: the new invitation codes."""

    invites: list[str]
    """Invitation codes. Each code works for one new owner."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Season(msgspec.Struct, tag="season", tag_field="type", frozen=True):
    """State of the season. It is the answer to `season`, and is also sent to all waiting entrants when the season
    changes.
    """

    state: SeasonState
    """State of the season."""
    ends_at: float | None = None
    """Unix time in seconds at which pairing ends automatically. Null if no time is set."""
    final_games: int = 0
    """Number of games of the final that are still to be played."""
    ref: str | None = None
    """The `ref` of the `season` request that this message answers. Null if the message is not an answer."""


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
