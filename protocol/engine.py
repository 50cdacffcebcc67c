"""Messages of `rails-cli engine`, a service that applies the rules for bots. A line is one request or answer as a JSON
object, or a list of such objects.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rails_cli.protocol.lobby import OpeningKind
from rails_cli.protocol.log import MAX_SEED

MOST_POSITIONS = 10_000
"""Largest number of stored positions, including earlier positions that `undo` can restore."""
MOST_REQUESTS = 1_000
"""Largest number of requests in one line."""
MOST_ANSWERED = 16 * 1_048_576
"""Total size in bytes of the answers to one line after which the remaining requests in the line are refused."""
MOST_RUNS = 2_000
MOST_PLAYOUTS = 100_000
"""Largest number of playouts (games played to the end) in one request, for all its move sequences together."""
MOST_MOVES = 10_000
USUAL_LOOKS = 400
"""Number of iterations of a `search` request with neither `looks` nor `budget_ms`."""
MOST_LOOKS = 100_000
MOST_MS = 600_000
"""Largest time budget of a request in milliseconds."""

Place = Annotated[int, Meta(ge=0, lt=MOST_POSITIONS)]
Places = Annotated[list[Place], Meta(min_length=1, max_length=MOST_RUNS)]
Move = Annotated[int, Meta(ge=0, le=MAX_SEED)]
Moves = Annotated[list[Move], Meta(max_length=MOST_MOVES)]
SomeRuns = Annotated[list[Moves], Meta(max_length=MOST_RUNS)]
Luck = Annotated[int, Meta(ge=0, le=MAX_SEED)]
Count = Annotated[int, Meta(ge=1, le=MOST_REQUESTS)]
PlayoutCount = Annotated[int, Meta(ge=1, le=MOST_PLAYOUTS)]
Length = Annotated[int, Meta(ge=0, le=MOST_MOVES)]
LookCount = Annotated[int, Meta(ge=1, le=MOST_LOOKS)]
Milliseconds = Annotated[int, Meta(ge=1, le=MOST_MS)]


class ForwardedStart(msgspec.Struct, tag="start", tag_field="type", frozen=True):
    """A `start` message that a bot forwards from its server, to set the game. All stored positions are deleted."""

    game: str
    """Name of the game."""
    board: Any = None
    """Board in the `start` message. Null means the standard board."""
    players: list[str] = []
    """Names of the players, by seat. Their number is the default number of players for `new`."""
    options: dict[str, Any] = {}
    """Options of the game, which `new` uses by default."""


class ForwardedRequest(msgspec.Struct, tag="request", tag_field="type", frozen=True):
    """A `request` message that a bot forwards from its server. A position that matches its view is stored under number
    0, and `imagine` uses this view by default.
    """

    view: Any = None
    """The position as the seat that has to decide may see it."""


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
"""Types of forwarded messages that are ignored. They are accepted so that a bot can forward every line it receives."""


class New(msgspec.Struct, tag="new", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Set up a new game and store its position."""

    players: int | None = None
    """Number of players. By default the number of players in the forwarded `start`."""
    seed: Luck = 0
    """Random seed of the game."""
    options: dict[str, Any] | None = None
    """Options of the game. By default the options in the forwarded `start`."""
    openings: OpeningKind = "none"
    """Start of the game: `none` for the usual start, `drawn` for first actions that are drawn from the seed."""
    at: Place = 0
    """Number under which the position is stored."""


class Imagine(msgspec.Struct, tag="imagine", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Draw hidden information at random, and store the resulting positions. All these positions look the same to the
    seat whose view is given.
    """

    count: Count = 1
    """Number of positions to draw."""
    seed: Luck = 0
    """Random seed of the first position. Each further position uses the next seed."""
    at: Place = 0
    """Number under which the first drawn position is stored. Each further position is stored under the next number."""
    view: Any = None
    """The view that all drawn positions have to match. By default the view in the last forwarded request."""


class Legal(msgspec.Struct, tag="legal", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the legal moves of a stored position."""

    at: Place = 0
    """Number under which the position is stored."""


class Actions(msgspec.Struct, tag="actions", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the actions that move numbers stand for. A move number stands for the same action in every position."""

    moves: Moves
    """Numbers of the moves to translate."""


class Play(msgspec.Struct, tag="play", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Play either `moves`, one after the other, or one `action`, in a stored position. If a move is illegal, no move is
    played.
    """

    moves: Moves = []
    """Numbers of the moves to play, in order. Empty if `action` is given."""
    action: Any = None
    """Action to play, in the same form as the `action` of an answer to the server. Null if `moves` is given."""
    at: Place = 0
    """Number under which the position before the moves is stored."""
    to: Place | None = None
    """Number under which the new position is stored. By default the new position replaces the position before the
    moves, which `undo` can restore.
    """


class Undo(msgspec.Struct, tag="undo", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Restore an earlier position that `play` requests have replaced."""

    at: Place = 0
    """Number of the stored position that is replaced by the earlier position."""
    count: Annotated[int, Meta(ge=1, le=MOST_POSITIONS)] = 1
    """Number of `play` requests to take back."""


class Free(msgspec.Struct, tag="free", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Delete stored positions."""

    at: Place | Places | None = None
    """Number of the position to delete, or a list of such numbers. By default all positions are deleted."""


class Look(msgspec.Struct, tag="view", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for a stored position as a seat may see it."""

    at: Place = 0
    """Number under which the position is stored."""
    seat: int | None = None
    """Seat whose view to return. By default the seat to move, or seat 0 when the game is over."""


class Evaluate(msgspec.Struct, tag="evaluate", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the estimated results of stored positions."""

    at: Place | Places = 0
    """Number under which the position is stored, or a list of such numbers."""


class Children(msgspec.Struct, tag="children", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the estimated result after each of several runs from a stored position. A run is a sequence of moves by
    one seat. The positions after the runs are not stored.
    """

    at: Place | Places = 0
    """Number of the stored position in which the runs start, or a list of such numbers. The positions of a list should
    look the same to one seat. The answer then contains the mean results over these positions.
    """
    of: Literal["candidates", "legal"] = "candidates"
    """Which runs (sequences of moves) to evaluate if `runs` is null. `candidates`: the runs worth considering.
    `legal`: one run for each legal move.
    """
    runs: SomeRuns | None = None
    """Runs to evaluate, each as a list of move numbers. Null for the runs that `of` selects."""


class Playouts(msgspec.Struct, tag="playouts", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Play many games from stored positions to the end, and add up their results. Each of these games is called a
    playout.
    """

    at: Place | Places = 0
    """Number of the stored position in which the playouts start, or a list of such numbers. With a list, successive
    playouts start in successive positions. After the last position, the first is used again.
    """
    runs: SomeRuns | None = None
    """Sequences of move numbers to play first, each with its own playouts. The playouts of all sequences use the same
    random seeds, for comparison. Null to play no moves first.
    """
    count: PlayoutCount | None = None
    """Number of playouts for each sequence in `runs`. By default 1, or as many as fit in `budget_ms`."""
    budget_ms: Milliseconds | None = None
    """Milliseconds after which no further playouts start. All sequences have the same number of playouts, at least 1.
    The number depends on the speed of the machine. Null for no limit.
    """
    seed: Luck = 0
    """The random seed of the first playout. Each further playout uses the next seed."""
    policy: str = "random"
    """Name of the built-in player that makes the moves of all seats, such as `random`, `greedy` or `medium`."""
    most_moves: Length = MOST_MOVES
    """Number of moves after which a playout stops and its position is evaluated."""


class Search(msgspec.Struct, tag="search", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Search with the method of the built-in player `expert`. The search uses only what the seat to move can see in the
    stored position.
    """

    at: Place = 0
    """Number under which the position is stored."""
    looks: LookCount | None = None
    """Number of iterations after which the search stops. By default 400, or as many as fit in `budget_ms`."""
    budget_ms: Milliseconds | None = None
    """Milliseconds after which the search stops. The answer then depends on the speed of the machine. Null for no
    limit.
    """
    seed: Luck = 0
    """Random seed of the search."""


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
    | Search
)


class Ready(msgspec.Struct, frozen=True):
    """Answer to `start`: the game, and which requests work for it."""

    game: str
    """Name of the game."""
    rules_version: int
    """Version of the rules of the game in this program."""
    has_secrets: bool
    """True if the game has hidden information or random events, so that `imagine` draws different positions."""
    has_evaluation: bool
    """True if `evaluate`, `children` and `search` work for this game. `playouts` works for every game if the games are
    played to the end.
    """


class Where(msgspec.Struct, frozen=True, omit_defaults=True):
    """Answer to `request`, `new`, `imagine`, `play` and `undo`: the seat to move in the new position, or the final
    result. If `imagine` drew several positions, the answer describes the first.
    """

    seat: int | None
    """The seat to move. Null when the game is over."""
    scores: list[int] | None = None
    """Final cash in dollars, by seat. Null until the game is over."""
    ranks: list[int] | None = None
    """Rank of each seat, by seat. The winner has rank 1, and tied players share a rank. Null until the game is over."""


class LegalMoves(msgspec.Struct, frozen=True):
    """Answer to `legal`: the legal moves of a position."""

    moves: list[int]
    """Numbers of all legal moves. The last one is the least committing move, such as a pass. Each amount of a bid is a
    separate move. Empty when the game is over.
    """


class Meanings(msgspec.Struct, frozen=True):
    """Answer to `actions`: the actions that the move numbers stand for."""

    actions: list[Any]
    """Actions in the order of the move numbers. Each can be the `action` of an answer to the server."""


class Kept(msgspec.Struct, frozen=True):
    """Answer to `free`: the number of positions that are still stored."""

    kept: int
    """Number of stored positions, including earlier positions that `undo` can restore."""


class Seen(msgspec.Struct, frozen=True):
    """Answer to `view`: a position as a seat may see it."""

    view: Any
    """View of the position, in the same form as the `view` in a request of a server."""


class Outlooks(msgspec.Struct, frozen=True):
    """Answer to `evaluate`: the estimated results. Each list is indexed by position and then by seat."""

    payoffs: list[list[float]]
    """Payoffs from 0 to 1. A payoff combines the chance of winning, with a large weight, and the seat's share of all
    money, with a small weight.
    """
    chances: list[list[float]]
    """Chances of winning, from 0 to 1. When the game is over, 1 for the winner."""
    money: list[list[float]]
    """Estimated value in dollars of everything that the seat has. When the game is over, the score of the seat."""


class RunOutlooks(msgspec.Struct, frozen=True):
    """Answer to `children`: the estimated results after each run, a sequence of moves by one seat. The lists of results
    are indexed by run and then by seat.
    """

    runs: list[list[int]]
    """The evaluated runs, each as a list of move numbers. With several positions, a run is evaluated only if it is
    legal in at least half of them.
    """
    payoffs: list[list[float]]
    """Payoffs after each run, as defined in the answer to `evaluate`."""
    chances: list[list[float]]
    """Chances of winning after each run, as defined in the answer to `evaluate`."""
    money: list[list[float]]
    """Estimated values in dollars after each run, as defined in the answer to `evaluate`."""


class PlayoutSums(msgspec.Struct, frozen=True):
    """Answer to `playouts`: sums over the results of the playouts. Each list is indexed by the sequence in `runs` and
    then by seat.
    """

    count: int
    """Number of playouts for each sequence in `runs`."""
    moves: int
    """Total number of moves in all playouts."""
    payoffs: list[list[float]]
    """Sums of the payoffs at the ends of the playouts, as defined in the answer to `evaluate`."""
    chances: list[list[float]]
    """Sums of the chances of winning at the ends of the playouts. For completed games, the number of wins, where a tie
    counts in part.
    """
    money: list[list[float]]
    """Sums of the values in dollars at the ends of the playouts, as defined in the answer to `evaluate`."""


class SearchResults(msgspec.Struct, frozen=True):
    """Answer to `search`: the runs of moves that were tried, best first. The lists of results are indexed by run and
    then by seat.
    """

    runs: list[list[int]]
    """The runs, each as a list of move numbers of the seat to move, best first."""
    visits: list[int]
    """Number of iterations in which each run was tried."""
    payoffs: list[list[float]]
    """Expected payoffs after each run, as defined in the answer to `evaluate`."""
    chances: list[list[float]]
    """Chances of winning after each run, as defined in the answer to `evaluate`."""
    money: list[list[float]]
    """Estimated values in dollars after each run, as defined in the answer to `evaluate`."""
    doubts: list[float]
    """For each run, the standard error of a difference between two payoffs of the seat to move: after this run, and
    after the run that seemed best at first. 0 if the search does not estimate errors.
    """


class PassedOver(msgspec.Struct, frozen=True):
    """Answer to a forwarded message that is ignored."""

    passed_over: str
    """Type of the ignored message."""


class Refusal(msgspec.Struct, frozen=True):
    """Answer to an invalid request, which changes nothing. Other requests in the same line are still answered."""

    error: str
    """Description of what was received and what was expected."""


ANSWERS = (
    Ready, Where, LegalMoves, Meanings, Kept, Seen, Outlooks, RunOutlooks, PlayoutSums, SearchResults, PassedOver,
    Refusal,
)  # fmt: skip
