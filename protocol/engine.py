"""Messages of `rails-cli engine`: requests and answers. Each line is one JSON object or a list of them."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rails_cli.protocol.lobby import OpeningKind
from rails_cli.protocol.log import MAX_SEED

MOST_POSITIONS = 10_000
"""Largest number of stored positions, including those that `undo` can restore."""
MOST_REQUESTS = 1_000
"""Largest number of requests in one line."""
MOST_ANSWERED = 16 * 1_048_576
"""Bytes of answers to one line after which its remaining requests are refused."""
MOST_RUNS = 2_000
MOST_PLAYOUTS = 100_000
"""Largest number of playouts in one request, over all its runs."""
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
    """A forwarded `start` message, which sets the game. All stored positions are deleted."""

    game: str
    """Name of the game."""
    board: Any = None
    """Board as the bot received it. Null means the standard board."""
    players: list[str] = []
    """Names of the players, by seat. `new` uses as many players unless it gives another number."""
    options: dict[str, Any] = {}
    """Options of the game, which `new` uses by default."""


class ForwardedRequest(msgspec.Struct, tag="request", tag_field="type", frozen=True):
    """A forwarded `request` message. Its position is stored under number 0. `imagine` draws positions that look the
    same to its seat.
    """

    view: Any = None
    """View of the seat that has to decide."""


class ForwardedHello(msgspec.Struct, tag="hello", tag_field="type", frozen=True):
    """A forwarded `hello` message, which is ignored."""


class ForwardedUpdate(msgspec.Struct, tag="update", tag_field="type", frozen=True):
    """A forwarded `update` message, which is ignored."""


class ForwardedRejected(msgspec.Struct, tag="rejected", tag_field="type", frozen=True):
    """A forwarded `rejected` message, which is ignored."""


class ForwardedEnd(msgspec.Struct, tag="end", tag_field="type", frozen=True):
    """A forwarded `end` message, which is ignored."""


class ForwardedError(msgspec.Struct, tag="error", tag_field="type", frozen=True):
    """A forwarded `error` message, which is ignored."""


PASSED_OVER = (ForwardedHello, ForwardedUpdate, ForwardedRejected, ForwardedEnd, ForwardedError)
"""Forwarded messages that are ignored. They are accepted so that a bot can forward every line it receives."""


class New(msgspec.Struct, tag="new", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Set up a new game."""

    players: int | None = None
    """Number of players. By default that of `start`."""
    seed: Luck = 0
    """The random seed."""
    options: dict[str, Any] | None = None
    """Options of the game. By default those of `start`."""
    openings: OpeningKind = "none"
    """`drawn` first plays an opening drawn from the seed."""
    at: Place = 0
    """Number under which the position is stored."""


class Imagine(msgspec.Struct, tag="imagine", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Draw hidden information at random: positions that look the same to the seat of the last request."""

    count: Count = 1
    """Number of positions. They are stored under consecutive numbers."""
    seed: Luck = 0
    """Random seed of the first position. Each further position uses the next seed."""
    at: Place = 0
    """Number under which the first position is stored."""
    view: Any = None
    """View to start from. By default the view of the last forwarded request."""


class Legal(msgspec.Struct, tag="legal", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the legal moves of a position."""

    at: Place = 0
    """Number of the stored position."""


class Actions(msgspec.Struct, tag="actions", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the actions that move numbers stand for, in any position."""

    moves: Moves
    """Move numbers."""


class Play(msgspec.Struct, tag="play", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Play moves one after the other, or one action. If one move is illegal, nothing is played."""

    moves: Moves = []
    """Move numbers."""
    action: Any = None
    """An action instead of moves, as in an answer to a request."""
    at: Place = 0
    """Number of the stored position."""
    to: Place | None = None
    """Number under which the new position is stored. By default it replaces the old position, which `undo` restores."""


class Undo(msgspec.Struct, tag="undo", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Take back `play` requests that replaced their position."""

    at: Place = 0
    """Number of the stored position."""
    count: Annotated[int, Meta(ge=1, le=MOST_POSITIONS)] = 1
    """Number of `play` requests to take back."""


class Free(msgspec.Struct, tag="free", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Delete stored positions."""

    at: Place | Places | None = None
    """Number of the position, or a list of numbers. By default all positions."""


class Look(msgspec.Struct, tag="view", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the view of a position."""

    at: Place = 0
    """Number of the stored position."""
    seat: int | None = None
    """Seat whose view to return. By default the seat to move, or seat 0 when the game is over."""


class Evaluate(msgspec.Struct, tag="evaluate", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the evaluation of positions."""

    at: Place | Places = 0
    """Number of the position, or a list of numbers."""


class Children(msgspec.Struct, tag="children", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the evaluation after each of many runs. A run is a sequence of moves. No position is stored."""

    at: Place | Places = 0
    """Number of the position, or a list of numbers of positions that look the same to a seat. The answer is the mean
    over the list.
    """
    of: Literal["candidates", "legal"] = "candidates"
    """`candidates` for runs that are worth considering, `legal` for one run for each legal move."""
    runs: SomeRuns | None = None
    """Runs to evaluate instead of those that `of` selects."""


class Playouts(msgspec.Struct, tag="playouts", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Play many games to the end and add up their results."""

    at: Place | Places = 0
    """Number of the position, or a list of numbers. The playouts of a run use the positions of the list in turn."""
    runs: SomeRuns | None = None
    """Runs of moves to play first, each with its own playouts. All runs use the same seeds, for comparison."""
    count: PlayoutCount = 1
    """Number of playouts for each run."""
    seed: Luck = 0
    """The random seed of the first playout. Each further playout uses the next seed."""
    policy: str = "random"
    """Built-in player that makes the moves of all seats, such as `random`, `busy`, `greedy` or `medium`."""
    most_moves: Length = MOST_MOVES
    """Number of moves after which a playout stops and its position is evaluated."""


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
    """Version of the rules of the game in this program."""
    has_secrets: bool
    """True if the game has hidden information or random events, so that `imagine` draws different positions."""
    has_evaluation: bool
    """True if `evaluate` and `children` work for this game. Playouts to the end always work."""


class Where(msgspec.Struct, frozen=True, omit_defaults=True):
    """Answer to `request`, `new`, `imagine`, `play` and `undo`: the new position, or the first of several."""

    seat: int | None
    """The seat to move. Null when the game is over."""
    scores: list[int] | None = None
    """Final cash in dollars, by seat. Null until the game is over."""
    ranks: list[int] | None = None
    """Rank by seat, where 1 has won and ties share a rank. Null until the game is over."""


class LegalMoves(msgspec.Struct, frozen=True):
    """Answer to `legal`."""

    moves: list[int]
    """Numbers of all legal moves, with one number for each amount of a bid. The least committing move is last. Empty
    when the game is over.
    """


class Meanings(msgspec.Struct, frozen=True):
    """Answer to `actions`."""

    actions: list[Any]
    """For each move, the action to send as `action` in the answer to a request."""


class Kept(msgspec.Struct, frozen=True):
    """Answer to `free`."""

    kept: int
    """Number of stored positions, including those that `undo` can restore."""


class Seen(msgspec.Struct, frozen=True):
    """Answer to `view`."""

    view: Any
    """The view, as in a request."""


class Outlooks(msgspec.Struct, frozen=True):
    """Answer to `evaluate`. Each list is indexed by position and then by seat."""

    payoffs: list[list[float]]
    """Payoff from 0 to 1: mostly the chance of winning, and to a small part the share of all money."""
    chances: list[list[float]]
    """Chance of winning, from 0 to 1. When the game is over, 1 for the winner."""
    money: list[list[float]]
    """Dollars that the seat has and can expect. When the game is over, the score."""


class RunOutlooks(msgspec.Struct, frozen=True):
    """Answer to `children`. Each list is indexed by run and then by seat."""

    runs: list[list[int]]
    """Evaluated runs of moves. With several positions, a run has to be legal in at least half of them."""
    payoffs: list[list[float]]
    """Payoffs after the run, as in the answer to `evaluate`."""
    chances: list[list[float]]
    """Chances of winning after the run, as in the answer to `evaluate`."""
    money: list[list[float]]
    """Money after the run, as in the answer to `evaluate`."""


class PlayoutSums(msgspec.Struct, frozen=True):
    """Answer to `playouts`: sums over the playouts. Each list is indexed by run and then by seat."""

    count: int
    """Number of playouts for each run."""
    moves: int
    """Total number of moves in all playouts."""
    payoffs: list[list[float]]
    """Sums of the payoffs, as in the answer to `evaluate`."""
    chances: list[list[float]]
    """Sums of the chances of winning: the number of games won, where ties count in part."""
    money: list[list[float]]
    """Sums of the money, as in the answer to `evaluate`."""


class PassedOver(msgspec.Struct, frozen=True):
    """Answer to a forwarded message that is ignored."""

    passed_over: str
    """Type of the ignored message."""


class Refusal(msgspec.Struct, frozen=True):
    """Answer to an invalid request. It changes nothing. Other requests in the same line are still answered."""

    error: str
    """Description of what was received and what was expected."""


ANSWERS = (Ready, Where, LegalMoves, Meanings, Kept, Seen, Outlooks, RunOutlooks, PlayoutSums, PassedOver, Refusal)
