"""Messages of `rails-cli engine`, a service that applies the rules for bots.

A line is a JSON object with one request or answer, or a list of such objects.
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
"""Largest total size, in bytes, of the answers to one line. After that, the remaining requests in the line are refused.
"""
MOST_RUNS = 2_000
MOST_PLAYOUTS = 100_000
"""Largest number of playouts in one request. A playout is a game played to its end. All move sequences of the request
count together.
"""
MOST_MOVES = 10_000
USUAL_LOOKS = 400
"""Number of iterations of a `search` request that sets neither `looks` nor `budget_ms`."""
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
    """A `start` message that a bot forwards from its server. It sets the game, and all stored positions are deleted."""

    game: str
    """Name of the game."""
    board: Any = None
    """Board in the `start` message. Null means the standard board."""
    players: list[str] = []
    """Names of the players, by seat. Their number is the default number of players for `new`."""
    options: dict[str, Any] = {}
    """Options of the game, which `new` uses by default."""


class ForwardedRequest(msgspec.Struct, tag="request", tag_field="type", frozen=True):
    """A `request` message that a bot forwards from its server.

    A position with the same view is stored under number 0. `imagine` uses this view by default.
    """

    view: Any = None
    """The view in the request: the position as the seat that has to decide sees it."""


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
    """How the game begins. `none`: with the usual start. `drawn`: with first actions that are chosen at random with the
    seed.
    """
    at: Place = 0
    """Number under which the position is stored."""


class Imagine(msgspec.Struct, tag="imagine", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Fill in hidden information at random, and store the resulting positions. From the seat of `view`, all these
    positions look the same.
    """

    count: Count = 1
    """Number of positions to make."""
    seed: Luck = 0
    """Random seed of the first position. Each further position uses the next seed."""
    at: Place = 0
    """Number under which the first resulting position is stored. Each further position is stored under the next number.
    """
    view: Any = None
    """View of one seat. Each position made has this view for that seat. By default the view in the last forwarded
    request.
    """


class Legal(msgspec.Struct, tag="legal", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the legal moves of a stored position."""

    at: Place = 0
    """Number under which the position is stored."""


class Actions(msgspec.Struct, tag="actions", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask which actions the given moves stand for. A move is a number. It stands for the same action in every
    position.
    """

    moves: Moves
    """The moves to translate."""


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
    moves. `undo` can then restore the replaced position.
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
    """Ask for the view of a stored position: what one seat may see of it."""

    at: Place = 0
    """Number under which the position is stored."""
    seat: int | None = None
    """Seat whose view to return. By default the seat to move, or seat 0 when the game is over."""


class Evaluate(msgspec.Struct, tag="evaluate", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the estimated results of games that continue from stored positions."""

    at: Place | Places = 0
    """Number under which the position is stored, or a list of such numbers."""


class Children(msgspec.Struct, tag="children", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the estimated results of several runs from a stored position. A run is a sequence of moves by one seat.
    The result is estimated for the position after each run. These positions are not stored.
    """

    at: Place | Places = 0
    """Number of the stored position in which the runs start, or a list of such numbers. The positions of a list should
    look the same to one seat. The answer then contains the mean results over these positions.
    """
    of: Literal["candidates", "legal"] = "candidates"
    """Which runs to evaluate if `runs` is null. `candidates`: the runs worth considering. `legal`: one run for each
    legal move. A run is a sequence of moves.
    """
    runs: SomeRuns | None = None
    """Runs to evaluate, each as a list of moves (numbers that stand for actions). Null to evaluate the runs that `of`
    selects.
    """


class Playouts(msgspec.Struct, tag="playouts", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Play many games from stored positions to the end, and add up their results. Each of these games is called a
    playout.
    """

    at: Place | Places = 0
    """Number of the stored position in which the playouts start, or a list of such numbers. With a list, each playout
    starts in the next position of the list. After the last position comes the first again.
    """
    runs: SomeRuns | None = None
    """Sequences of moves (numbers that stand for actions). Each playout first plays the moves of one sequence. For a
    fair comparison, the playouts of all sequences use the same random seeds. Null to play no moves first.
    """
    count: PlayoutCount | None = None
    """Number of playouts for each sequence in `runs`. By default 1 without `budget_ms`, and as many as fit in the time
    with `budget_ms`. If both fields are given, playing stops when the number or the time is reached.
    """
    budget_ms: Milliseconds | None = None
    """Milliseconds after which no further playouts start. Each sequence gets the same number of playouts, at least 1.
    This number depends on the speed of the machine. Null for no time limit.
    """
    seed: Luck = 0
    """The random seed of the first playout. Each further playout uses the next seed."""
    policy: str = "random"
    """Name of the built-in player that plays all seats, such as `random`, `greedy` or `medium`."""
    most_moves: Length = MOST_MOVES
    """Number of moves after which a playout stops and its position is evaluated."""


class Search(msgspec.Struct, tag="search", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Search with the method of the built-in player `expert`. The search uses only what the seat to move can see in the
    stored position.
    """

    at: Place = 0
    """Number under which the position is stored."""
    looks: LookCount | None = None
    """Number of iterations after which the search stops. By default 400 without `budget_ms`, and as many as fit in the
    time with `budget_ms`. If both fields are given, the search stops when the number or the time is reached.
    """
    budget_ms: Milliseconds | None = None
    """Milliseconds after which the search stops. The answer then depends on the speed of the machine. Null for no time
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
    """True if the game has hidden information or random events, so that the positions made by `imagine` differ."""
    has_evaluation: bool
    """True if `evaluate`, `children` and `search` work for this game. `playouts` also works without an evaluation, if
    every playout reaches the end of its game.
    """


class Where(msgspec.Struct, frozen=True, omit_defaults=True):
    """Answer to `request`, `new`, `imagine`, `play` and `undo`. It contains the seat to move in the new position, or
    the final result. If `imagine` made several positions, the answer describes the first.
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
    """All legal moves, as numbers that stand for actions. Each amount of a bid is a separate move. The last move in the
    list commits the player least, such as a pass. Empty when the game is over.
    """


class Meanings(msgspec.Struct, frozen=True):
    """Answer to `actions`: the actions that the given moves stand for."""

    actions: list[Any]
    """Actions in the order of the given moves. Each has the form of the `action` in an answer to the server."""


class Kept(msgspec.Struct, frozen=True):
    """Answer to `free`: the number of positions that are still stored."""

    kept: int
    """Number of stored positions, including earlier positions that `undo` can restore."""


class Seen(msgspec.Struct, frozen=True):
    """Answer to `view`: a position as one seat sees it."""

    view: Any
    """View of the position, in the same form as the `view` in a request of a server."""


class Outlooks(msgspec.Struct, frozen=True):
    """Answer to `evaluate`: the estimated results of games that continue from the positions."""

    payoffs: list[list[float]]
    """By position and seat: payoffs from 0 to 1. A payoff is mostly the seat's chance of winning. A small part of it is
    the seat's share of all money.
    """
    chances: list[list[float]]
    """By position and seat: chances of winning, from 0 to 1. When the game is over, 1 for the winner."""
    money: list[list[float]]
    """By position and seat: value in dollars of everything that the seat owns. When the game is over, the score of the
    seat.
    """


class RunOutlooks(msgspec.Struct, frozen=True):
    """Answer to `children`: the estimated results after each run. A run is a sequence of moves by one seat."""

    runs: list[list[int]]
    """The evaluated runs, each as a list of moves (numbers that stand for actions). With several positions, a run is
    evaluated only if it is legal in at least half of them.
    """
    payoffs: list[list[float]]
    """By run and seat: payoffs from 0 to 1 after the run. A payoff is mostly the seat's chance of winning. A small part
    of it is the seat's share of all money.
    """
    chances: list[list[float]]
    """By run and seat: chances of winning after the run, from 0 to 1."""
    money: list[list[float]]
    """By run and seat: value in dollars of everything that the seat owns after the run. If the game is over then, the
    score of the seat.
    """


class PlayoutSums(msgspec.Struct, frozen=True):
    """Answer to `playouts`: for each sequence in `runs`, the sums of the results of its playouts. If `runs` was null,
    the answer is as for one empty sequence.
    """

    count: int
    """Number of playouts for each sequence in `runs`."""
    moves: int
    """Total number of moves in all playouts."""
    payoffs: list[list[float]]
    """By sequence and seat: sum of the seat's payoffs at the ends of the playouts. Each payoff is a number from 0 to 1:
    mostly the seat's chance of winning, and a small part for its share of all money.
    """
    chances: list[list[float]]
    """By sequence and seat: sum of the seat's chances of winning at the ends of the playouts. For games played to the
    end, this is the number of wins. A tie counts as a part of a win.
    """
    money: list[list[float]]
    """By sequence and seat: sum of the values in dollars of what the seat owns at the ends of the playouts."""


class SearchResults(msgspec.Struct, frozen=True):
    """Answer to `search`: the runs that were tried, best first. A run is a sequence of moves by the seat to move."""

    runs: list[list[int]]
    """The runs, each as a list of moves (numbers that stand for actions), best first."""
    visits: list[int]
    """Number of iterations in which each run was tried."""
    payoffs: list[list[float]]
    """By run and seat: expected payoffs after the run, from 0 to 1. A payoff is mostly the seat's chance of winning. A
    small part of it is the seat's share of all money.
    """
    chances: list[list[float]]
    """By run and seat: expected chances of winning after the run, from 0 to 1."""
    money: list[list[float]]
    """By run and seat: expected value in dollars of everything that the seat owns after the run."""
    doubts: list[float]
    """For each run, the standard error of its advantage. The advantage is the payoff of the seat to move after this
    run, minus its payoff after the run that was best at the start of the search. 0 if the search does not estimate
    errors.
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
