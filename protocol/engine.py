"""What is said to `rails-cli engine`: requests and their answers, one JSON object or a list of them a line."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rails_cli.protocol.lobby import OpeningKind
from rails_cli.protocol.log import MAX_SEED

MOST_POSITIONS = 10_000
"""So many positions are kept, with those that `undo` goes back to."""
MOST_REQUESTS = 1_000
"""So many requests may stand in one line."""
MOST_ANSWERED = 16 * 1_048_576
"""When the answers to a line have so many bytes, what is left of it is refused."""
MOST_RUNS = 2_000
MOST_PLAYOUTS = 100_000
"""So many playouts may one request ask for, those of all its runs together."""
MOST_MOVES = 10_000

Place = Annotated[int, Meta(ge=0, lt=MOST_POSITIONS)]
Places = Annotated[list[Place], Meta(min_length=1, max_length=MOST_RUNS)]
Move = Annotated[int, Meta(ge=0, le=MAX_SEED)]
Moves = Annotated[list[Move], Meta(max_length=MOST_MOVES)]
SomeRuns = Annotated[list[Moves], Meta(max_length=MOST_RUNS)]
Luck = Annotated[int, Meta(ge=0, le=MAX_SEED)]
Count = Annotated[int, Meta(ge=1, le=MOST_REQUESTS)]
PlayoutCount = Annotated[int, Meta(ge=1, le=MOST_PLAYOUTS)]
Length = Annotated[int, Meta(ge=0, le=MOST_MOVES)]


class ForwardedStart(msgspec.Struct, tag="start", tag_field="type", frozen=True):
    """A `start` message as the bot received it: what is played from now on. All positions are forgotten."""

    game: str
    """Name of the game."""
    board: Any = None
    """The board as it was received; null means the standard one."""
    players: list[str] = []
    """Names by seat; their number is the number of players, unless `new` gives another."""
    options: dict[str, Any] = {}
    """The options of the game, for `new`."""


class ForwardedRequest(msgspec.Struct, tag="request", tag_field="type", frozen=True):
    """A `request` message as the bot received it: its position is kept at 0, and `imagine` draws others that look the
    same."""

    view: Any = None
    """What the seat sees."""


class ForwardedHello(msgspec.Struct, tag="hello", tag_field="type", frozen=True):
    """A `hello` message as the bot received it: ignored."""


class ForwardedUpdate(msgspec.Struct, tag="update", tag_field="type", frozen=True):
    """An `update` message as the bot received it: ignored."""


class ForwardedRejected(msgspec.Struct, tag="rejected", tag_field="type", frozen=True):
    """A `rejected` message as the bot received it: ignored."""


class ForwardedEnd(msgspec.Struct, tag="end", tag_field="type", frozen=True):
    """An `end` message as the bot received it: ignored."""


class ForwardedError(msgspec.Struct, tag="error", tag_field="type", frozen=True):
    """An `error` message as the bot received it: ignored."""


PASSED_OVER = (ForwardedHello, ForwardedUpdate, ForwardedRejected, ForwardedEnd, ForwardedError)
"""What a bot may forward, so that it can forward every line, though it tells nothing of a position."""


class New(msgspec.Struct, tag="new", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Sets up a new game."""

    players: int | None = None
    """The number of players; that of `start` if left out."""
    seed: Luck = 0
    """The random seed."""
    options: dict[str, Any] | None = None
    """The options of the game; those of `start` if left out."""
    openings: OpeningKind = "none"
    """`drawn`: the game has already started, with an opening that follows from the seed."""
    at: Place = 0
    """Where the position is kept."""


class Imagine(msgspec.Struct, tag="imagine", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Draws what is hidden from the seat of the last request: positions that look the same to it."""

    count: Count = 1
    """How many; they are kept one after the other."""
    seed: Luck = 0
    """The random seed of the first position; each one after it has the next."""
    at: Place = 0
    """Where the first is kept."""
    view: Any = None
    """Another view to start from, instead of the one in the last request."""


class Legal(msgspec.Struct, tag="legal", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for the legal moves."""

    at: Place = 0
    """The position."""


class Actions(msgspec.Struct, tag="actions", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks what moves mean, in any position."""

    moves: Moves
    """The moves."""


class Play(msgspec.Struct, tag="play", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Plays moves one after the other, or an action. If one of them is illegal, nothing is played."""

    moves: Moves = []
    """The moves."""
    action: Any = None
    """An action instead, as in an answer to a request."""
    at: Place = 0
    """The position."""
    to: Place | None = None
    """Where the new position is kept; if left out, it replaces the old one, and `undo` goes back."""


class Undo(msgspec.Struct, tag="undo", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Takes back what was played in place."""

    at: Place = 0
    """The position."""
    count: Annotated[int, Meta(ge=1, le=MOST_POSITIONS)] = 1
    """How many `play` requests to take back."""


class Free(msgspec.Struct, tag="free", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Forgets positions."""

    at: Place | Places | None = None
    """The position, or several; all if left out."""


class Look(msgspec.Struct, tag="view", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for the view of a position."""

    at: Place = 0
    """The position."""
    seat: int | None = None
    """Whose view; if left out, that of the seat to move, or of seat 0 when the game is over."""


class Evaluate(msgspec.Struct, tag="evaluate", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks what positions are worth."""

    at: Place | Places = 0
    """The position, or several."""


class Children(msgspec.Struct, tag="children", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks what positions are worth after each of many runs of moves; nothing is kept."""

    at: Place | Places = 0
    """The position. If there are several that look the same to a seat, the answer is the mean over them."""
    of: Literal["candidates", "legal"] = "candidates"
    """`candidates`: runs of one or more moves that are worth considering; `legal`: every legal move on its own."""
    runs: SomeRuns | None = None
    """These runs instead."""


class Playouts(msgspec.Struct, tag="playouts", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Plays many games to the end and adds up their results."""

    at: Place | Places = 0
    """The position; if there are several, the playouts of a run use them in turn."""
    runs: SomeRuns | None = None
    """Moves to play first. Each run has its own playouts, with the same seeds, so that they can be compared."""
    count: PlayoutCount = 1
    """Playouts for each run."""
    seed: Luck = 0
    """The random seed of the first playout; each one after it has the next."""
    policy: str = "random"
    """How everybody continues: a built-in player such as `random`, `busy`, `greedy` or `medium`."""
    most_moves: Length = MOST_MOVES
    """After this many moves a playout is cut off, and its position is evaluated."""


EngineRequest = (
    ForwardedStart
    | ForwardedRequest
    | ForwardedHello
    | ForwardedUpdate
    | ForwardedRejected
    | ForwardedEnd
    | ForwardedError
    | New
    | Imagine
    | Legal
    | Actions
    | Play
    | Undo
    | Free
    | Look
    | Evaluate
    | Children
    | Playouts
)


class Ready(msgspec.Struct, frozen=True):
    """Answer to `start`."""

    game: str
    """Name of the game."""
    rules_version: int
    """Version of its rules in this program."""
    has_secrets: bool
    """True if something is hidden from seats, or chance still plays a part: then `imagine` draws several positions."""
    has_evaluation: bool
    """True if `evaluate` and `children` work; playouts to the end always do."""


class Where(msgspec.Struct, frozen=True, omit_defaults=True):
    """Answer to `request`, `new`, `imagine`, `play` and `undo`: the position, or the first of several."""

    seat: int | None
    """Who is to move; null when the game is over."""
    scores: list[int] | None = None
    """Final cash by seat, when the game is over."""
    ranks: list[int] | None = None
    """Rank by seat, when the game is over: 1 has won, ties share a rank."""


class LegalMoves(msgspec.Struct, frozen=True):
    """Answer to `legal`."""

    moves: list[int]
    """Every legal move, the mildest last, with one for each amount of a bid; none when the game is over."""


class Meanings(msgspec.Struct, frozen=True):
    """Answer to `actions`."""

    actions: list[Any]
    """For each move, the action to send as `action` in the answer to a request."""


class Kept(msgspec.Struct, frozen=True):
    """Answer to `free`."""

    kept: int
    """How many positions are kept now, including those that `undo` goes back to."""


class Seen(msgspec.Struct, frozen=True):
    """Answer to `view`."""

    view: Any
    """The view, as in a request."""


class Outlooks(msgspec.Struct, frozen=True):
    """Answer to `evaluate`: lists by position, and in them by seat."""

    payoffs: list[list[float]]
    """What players play for, from 0 to 1: mostly the chance of winning, and to a small part the share of all money."""
    chances: list[list[float]]
    """The chances of winning; when the game is over, 1 for the winner."""
    money: list[list[float]]
    """What a seat has and can expect, in dollars of today; when the game is over, the scores."""


class RunOutlooks(msgspec.Struct, frozen=True):
    """Answer to `children`: lists by run, and in them by seat."""

    runs: list[list[int]]
    """The runs of moves. With several positions, a run has to be legal in at least half of them."""
    payoffs: list[list[float]]
    """As in the answer to `evaluate`, after the run."""
    chances: list[list[float]]
    """The same for the chances."""
    money: list[list[float]]
    """The same for the money."""


class PlayoutSums(msgspec.Struct, frozen=True):
    """Answer to `playouts`: sums over the playouts, in lists by run, and in them by seat."""

    count: int
    """Playouts for each run."""
    moves: int
    """The total number of moves in all of them."""
    payoffs: list[list[float]]
    """As in the answer to `evaluate`, added up."""
    chances: list[list[float]]
    """The same for the chances: how many games were won, ties counting in part."""
    money: list[list[float]]
    """The same for the money."""


class PassedOver(msgspec.Struct, frozen=True):
    """Answer to the other messages that a bot receives and may forward: nothing has changed."""

    passed_over: str
    """The type of the message."""


class Refusal(msgspec.Struct, frozen=True):
    """Answer to an invalid request. It changes nothing, and the other requests in its line are still answered."""

    error: str
    """What was received, and what was expected."""


ANSWERS = (Ready, Where, LegalMoves, Meanings, Kept, Seen, Outlooks, RunOutlooks, PlayoutSums, PassedOver, Refusal)
