"""Positions of games as immutable values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, SupportsIndex

from rails_cli.games.evaluation import Run
from rails_cli.games.game import PUBLIC, Game, IllegalAction, check, win_share
from rails_cli.games.moves import action_of, number_of
from rails_cli.games.payoff import payoffs_of
from rails_cli.games.shared.luck import stream
from rails_cli.library.errors import (
    BadArgument,
    Unavailable,
    as_bad_argument,
    checked_seed,
    number_in,
    shown,
    whole,
)
from rails_cli.library.results import Choice, Outlook
from rails_cli.library.typed import ActionT, AnySeed, EventT, StateT, Typed, ViewT
from rails_cli.players.builtin import check_player, is_slow, thinker
from rails_cli.players.chance import POLICIES
from rails_cli.players.search.imagining import chance_of
from rails_cli.players.search.outcome import Tried, outcomes
from rails_cli.protocol.common import BidRange

if TYPE_CHECKING:
    from rails_cli.library.engine import Engine

MOST_MOVES = 10_000
"""Default maximum number of moves in a playout."""
MOST_LISTED = 100_000
"""Maximum number of moves that are listed for a position. A seat with much cash has a move for each possible bid."""
FEW_MOVES = 8
"""Maximum number of moves that an error message lists."""


class Step(NamedTuple, Generic[ViewT, ActionT, EventT, StateT]):
    """The result of `Position.step`.

    - `position`: the position after the move.
    - `events`: everything that the move caused. Some seats do not see all of it. `Position.tell` describes an event in
      words, with only what one seat sees.
    """

    position: "Position[ViewT, ActionT, EventT, StateT]"
    events: list[EventT]


class Outcome(NamedTuple, Generic[ViewT, ActionT, EventT, StateT]):
    """One possible result of the next chance event. `Position.chance` returns all of them.

    - `name`: the result, such as the id of a piece that may be drawn.
    - `probability`: its probability. The sum over all outcomes is 1.
    - `position`: the current position, but the next chance event will have this result.
    """

    name: str
    probability: float
    position: "Position[ViewT, ActionT, EventT, StateT]"


class Position(Typed[ViewT, ActionT, EventT, StateT]):
    """A position of a game. It is immutable: playing a move returns a new position. Moves are integers.

    Positions are values. They can be compared, used as keys of a dict, copied and pickled. Two positions are equal if
    the game, the board and the whole state are equal, including hidden hands and all future random draws.

    The type parameters are the types of the game's views, actions, events and states. `Engine("chicago_express")`
    sets them. By default, all four are Any.
    """

    __slots__ = {
        "_legal": "The legal moves, once they are known.",
        "engine": "The rules and the board.",
        "state": "The position as the rules represent it. It must not be changed.",
    }

    engine: "Engine[ViewT, ActionT, EventT, StateT]"
    state: StateT

    def __init__(self, engine: "Engine[ViewT, ActionT, EventT, StateT]", state: StateT) -> None:
        """Create a position from a state of the rules. Programs call methods of `Engine` or `Position` instead.

        Raise BadArgument if `engine` is not an engine, or `state` is not a state of its game.
        """
        if type(state) is not getattr(engine, "_state_type", None):
            raise _not_a_position(engine, state)
        self.engine = engine
        self.state = state
        self._legal: list[int] | None = None

    # Values

    def __repr__(self) -> str:
        game = self.engine.game
        seat = self.seat
        asks = "" if seat is None else f", asks={game.view(self.state, self.engine.board, seat).question.asks!r}"
        board = "" if self.engine.is_standard else ", another board"
        return f"<Position {game.name}{board}: players={self.players}, seat={seat}{asks}, scores={self.scores()}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.engine == other.engine and self._dump() == other._dump()

    def __hash__(self) -> int:
        return hash((self.engine, self._dump()))

    def __copy__(self) -> "Position[ViewT, ActionT, EventT, StateT]":
        state: Any = self.state
        return Position(self.engine, state.copy())

    def __deepcopy__(self, memo: object) -> "Position[ViewT, ActionT, EventT, StateT]":
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.engine, self._dump())

    def _dump(self) -> bytes:
        return self.engine.game.dump(self.state)

    # Moves

    @property
    def seat(self) -> int | None:
        """The seat to move, counted from 0, or None when the game is over."""
        state: Any = self.state
        question = state.pending
        return None if question is None else question.seat

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.scores())

    def moves(self) -> list[int]:
        """Return all legal moves. A move is a number that stands for an action.

        Each bid amount is a separate move. The last move in the list commits the player least, such as a pass. The list
        is empty when the game is over. Raise Unavailable if there are more than 100,000 moves.
        """
        return self._moves()[:]

    def _moves(self) -> list[int]:
        legal = self._legal
        if legal is None:
            legal = self._legal = _legal(self.engine, self.state)
        return legal

    def runs(self) -> list[Run]:
        """Return the sequences of moves worth considering for the seat to move.

        The list is empty when the game is over.

        If the game has no evaluation function, each legal move is returned as a sequence of one move.
        """
        engine = self.engine
        if engine.evaluation is None:
            return [(move,) for move in self._moves()]
        return [] if self.seat is None else engine.evaluation.candidates(self.state, engine.board)

    def play(self, *moves: SupportsIndex) -> "Position[ViewT, ActionT, EventT, StateT]":
        """Return the position after playing `moves` in order. Raise IllegalAction if a move is not legal."""
        return self.after(moves)

    def after(
        self, moves: SupportsIndex | Iterable[SupportsIndex], *, check: bool = True
    ) -> "Position[ViewT, ActionT, EventT, StateT]":
        """Return the position after a move or a sequence of moves. Raise IllegalAction if a move is not legal.

        With `check=False` nothing is checked. This is faster for sequences from `runs`, but an illegal move may give
        an impossible position or any exception. Raise BadArgument if `check` is neither True nor False.
        """
        if check is not True and check is not False:
            raise BadArgument(f"check: expected True or False, got {shown(check)}")
        engine = self.engine
        state: Any = self.state
        if type(moves) is int:  # the most common case
            if check:
                legal = self._moves()
                if moves not in legal:
                    raise _not_legal(moves, legal)
            state = state.copy()
            engine._apply_move(state, engine.board, moves)
            return Position(engine, state)
        state = state.copy()
        for place, move in enumerate(_numbers(moves)):
            if check:
                legal = _legal(engine, state) if place else self._moves()
                if move not in legal:
                    raise _not_legal(move, legal)
            engine._apply_move(state, engine.board, move)
        return Position(engine, state)

    def step(self, move: SupportsIndex | ActionT | Mapping[str, Any]) -> Step[ViewT, ActionT, EventT, StateT]:
        """Play a move, and return the new position and the events of the move.

        `move` is the number of an action (see `moves`), or the action as a struct or as decoded JSON. Raise
        IllegalAction if the move is not legal, and BadArgument if `move` is not an action of the game.
        """
        engine = self.engine
        number = number_in(move)
        if number is None:
            action = self._legal_action(move)
        elif number in self._moves():
            action = action_of(engine.game.moves, engine.board, number)
        else:
            raise _not_legal(number, self._moves())
        state: Any = self.state
        after = state.copy()
        events: list[Any] = []
        engine.game.apply(after, engine.board, action, events)
        return Step(Position(engine, after), events)

    def play_action(self, action: ActionT | Mapping[str, Any]) -> "Position[ViewT, ActionT, EventT, StateT]":
        """Return the position after an action, given as a struct or as decoded JSON.

        Raise IllegalAction if the action is not legal, and BadArgument if it is not an action of the game.
        """
        typed = self._legal_action(action)
        state: Any = self.state
        after = state.copy()
        self.engine.game.apply(after, self.engine.board, typed, None)
        return Position(self.engine, after)

    def _legal_action(self, action: Any) -> Any:
        engine, seat = self.engine, self.seat
        typed = engine.typed_action(action)
        with as_bad_argument():  # Python does not write a very long bid in an error message
            check(engine.game, engine.board, self.state, -1 if seat is None else seat, typed)
        return typed

    # What seats see

    def view(self, seat: SupportsIndex | None) -> ViewT:
        """Return the position as a seat sees it.

        None means a spectator, who sees what is public. The view is a copy that programs may change. Raise BadArgument
        if there is no such seat.
        """
        return self.engine._copied_view(shared_view(self, seat))

    def _seer(self, seat: Any) -> int:
        if seat is None:
            return PUBLIC
        number = whole("seat", seat)
        if not 0 <= number < self.players:
            raise BadArgument(f"there is no seat {number}; expected 0 to {self.players - 1}, or None for a spectator")
        return number

    def choices(self, names: Sequence[str] | None = None) -> list[Choice[ActionT]]:
        """Return the legal moves with their actions, costs and wording, in the order of `moves`.

        `names` has the names of the players in the order of the seats. This method takes milliseconds. A search should
        use `moves`.
        """
        from rails_cli.library.texts import choices_in

        return choices_in(self, self._names(names))

    def text(
        self,
        seat: SupportsIndex | None = None,
        names: Sequence[str] | None = None,
        events: Iterable[EventT | Mapping[str, Any]] = (),
    ) -> str:
        """Return the position as the terminal shows it to a seat. None means a spectator.

        The text has the tables, the phase and the question. If the seat is to move, it also has the numbered choices.
        `names` has the names of the players in the order of the seats. `events` are the events of earlier moves, from
        which the bids of the running auction are taken.
        """
        from rails_cli.library.texts import position_text

        return position_text(self, self._seer(seat), self._names(names), events)

    def tell(
        self, event: EventT | Mapping[str, Any], seat: SupportsIndex | None = None, names: Sequence[str] | None = None
    ) -> str:
        """Return an event of `step` as a sentence, with only what a seat sees.

        None means a spectator. The sentence is empty for an event that changes nothing. `names` has the names of the
        players in the order of the seats.
        """
        from rails_cli.library.texts import event_text

        return event_text(self, event, self._seer(seat), self._names(names))

    def _names(self, names: Sequence[str] | None) -> list[str]:
        if names is None:
            return [f"Seat {seat + 1}" for seat in range(self.players)]
        is_list = isinstance(names, Sequence) and not isinstance(names, str)
        if not is_list or len(names) != self.players or not all(isinstance(name, str) for name in names):
            raise BadArgument(f"names: expected {self.players} names, got {shown(names)}")
        return list(names)

    # Results, estimates and searches

    def scores(self) -> list[int]:
        """Return the current score of each seat. In the three built-in games the score is the cash of the seat."""
        return self.engine.game.scores(self.state)

    def ranks(self) -> list[int]:
        """Return the rank of each seat. The winner has rank 1, and tied seats have the same rank.

        Raise Unavailable if the game is not over.
        """
        if self.seat is not None:
            raise Unavailable("the game is not over, so nobody has a rank; `outlook` estimates the result")
        return self.engine.game.ranks(self.state, self.engine.board)

    def outlook(self) -> Outlook:
        """Return the expected result of the game for each seat.

        Raise Unavailable if the game is not over and has no evaluation function.
        """
        engine, state = self.engine, self.state
        if engine.evaluation is not None:
            found = outcomes(engine.game, engine.board, engine.evaluation, [state])[0]
            seats = len(found) // 3
            return Outlook(found[:seats], found[seats : 2 * seats], found[2 * seats :])
        if self.seat is not None:
            raise Unavailable(f"{engine.game.title} has no evaluation; play to the end")
        scores, ranks = list(map(float, self.scores())), self.ranks()
        chances = [win_share(ranks, seat) for seat in range(len(ranks))]
        return Outlook(payoffs_of(scores, chances), chances, scores)

    def search(
        self,
        looks: SupportsIndex = 400,
        seconds: float | None = None,
        seed: AnySeed = 0,
        now: Callable[[], float] = monotonic,
    ) -> list[Tried]:
        """Run the built-in search for the seat to move. Return the sequences of moves that it tried, best first.

        The search uses only what this seat can see, so it does not know hidden hands and future random draws. It stops
        after `looks` iterations, or after `seconds` on the clock `now`. Raise Unavailable if the game is over or has no
        evaluation function.
        """
        return self.engine.search(shared_view(self, self._to_move("searched")), looks, seconds, seed, now)

    def best(self, player: str = "hard", seed: AnySeed = 0) -> int:
        """Return the move that a built-in player such as `medium`, `hard` or `search@400` chooses for the seat to move.

        The player uses only what this seat can see. Its random choices follow from `seed`. Raise BadArgument for an
        unknown player, and Unavailable if the game is over.
        """
        engine, seat = self.engine, self._to_move("played")
        game, board = engine.game, engine.board
        self._check_player(player)
        view, legal = game.view(self.state, board, seat), game.legal_actions(self.state, board)
        if player in POLICIES:
            action = POLICIES[player](legal, chance_of(f"{player}/{checked_seed(seed)}/{seat}", view))
        else:
            action = thinker(player, game.name, checked_seed(seed), seat)(view, legal, board)
        return number_of(game.moves, board, action)

    def _to_move(self, what: str) -> int:
        seat = self.seat
        if seat is None:
            raise Unavailable(f"the game is over, so no move can be {what}")
        return seat

    def _check_player(self, player: Any) -> None:
        if not isinstance(player, str):
            raise BadArgument(
                f"expected the name of a built-in player, such as 'random' or 'hard', got {shown(player)}"
            )
        with as_bad_argument():
            check_player(player, self.engine.game.name, is_alone=False)

    def playout(
        self, policy: str = "random", seed: AnySeed = 0, most_moves: SupportsIndex = MOST_MOVES
    ) -> "Position[ViewT, ActionT, EventT, StateT]":
        """Let the built-in player `policy` play all seats until the game ends, but at most `most_moves` moves.

        Return the position reached. The players `random` and `busy` are fast, because they use only the list of legal
        actions. Raise BadArgument if `policy` is unknown, `expert` or `search@…`.
        """
        return self.counted_playout(policy, seed, most_moves)[0]

    def counted_playout(
        self, policy: str, seed: AnySeed, most_moves: SupportsIndex
    ) -> tuple["Position[ViewT, ActionT, EventT, StateT]", int]:
        """Run a playout (see `playout`). Return the position reached and the number of moves played."""
        engine = self.engine
        start: Any = self.state
        state = start.copy()
        game, board = engine.game, engine.board
        legal_actions, apply = game.legal_actions, game.apply
        seed, most_moves = checked_seed(seed), whole("most_moves", most_moves)
        if most_moves < 0:
            raise BadArgument(f"most_moves: expected 0 or more, got {most_moves}")
        moves = 0
        if isinstance(policy, str) and policy in POLICIES:
            choose, chance = POLICIES[policy], stream(seed)
            while state.pending is not None and moves < most_moves:
                apply(state, board, choose(legal_actions(state, board), chance), None)
                moves += 1
            return Position(engine, state), moves
        self._check_player(policy)
        if is_slow(policy):
            raise BadArgument(f"{policy} thinks too long to play games to the end")
        players: dict[int, Callable[[Any, list[Any], Any], Any]] = {}
        while state.pending is not None and moves < most_moves:
            seat = state.pending.seat
            if seat not in players:
                players[seat] = thinker(policy, game.name, seed, seat)
            view = game.view(state, board, seat)
            apply(state, board, players[seat](view, legal_actions(state, board), board), None)
            moves += 1
        return Position(engine, state), moves

    # Hidden information and chance

    def guess(self, seat: SupportsIndex | None, seed: AnySeed = 0) -> "Position[ViewT, ActionT, EventT, StateT]":
        """Return a random position that looks the same to a seat. None means a spectator.

        `seed` decides everything that the seat cannot see: hidden hands, hidden cash and future random draws. If the
        game hides nothing, the result is equal to this position.
        """
        return self.engine.position(shared_view(self, seat), seed)

    def chance(self) -> list[Outcome[ViewT, ActionT, EventT, StateT]]:
        """Return all possible results of the next chance event, with their probabilities.

        The rest of the position stays as it is, such as the hands. The list is empty if no chance event can follow.
        Raise Unavailable if the game has random events but does not list their results.
        """
        engine = self.engine
        if engine.game.outcomes is None:
            if engine.game.has_secrets:
                raise Unavailable(f"{engine.game.title} does not list its chance events; `guess` draws from a seed")
            return []
        possible = engine.game.outcomes(self.state, engine.board)
        total = sum(weight for _, weight, _ in possible)
        return [Outcome(name, weight / total, Position(engine, state)) for name, weight, state in possible]

    def reseed(self, seed: AnySeed) -> "Position[ViewT, ActionT, EventT, StateT]":
        """Return the same position with other future random draws.

        `seed` decides these draws. The hands stay as they are. If the rest of the game has no random draws, the result
        is equal to this position. Raise Unavailable if the game has random draws but cannot change them.
        """
        engine, seed = self.engine, checked_seed(seed)
        if engine.game.reseed is None:
            if engine.game.has_secrets:
                raise Unavailable(f"{engine.game.title} cannot change its future draws; `guess` draws from a seed")
            return self
        return Position(engine, engine.game.reseed(self.state, engine.board, seed))


def _restored(engine: "Engine", dumped: bytes) -> Position:
    """Return the position that was pickled as `dumped`.

    Raise BadArgument for a position that no game can reach, because play from it could fail or never end. Not every
    such position is recognised.
    """
    game, board = engine.game, engine.board
    try:
        state = game.load(dumped, board)
        seen = game.imagine(game.view(state, board, 0), board, 0)
        is_whole = game.has_secrets or game.dump(seen) == dumped
    except Exception as error:  # the rules may fail in any way in an impossible position
        raise BadArgument(f"this is not a position of {game.title}: {type(error).__name__}: {error}") from None
    if not is_whole:
        raise BadArgument(f"this is not a position of {game.title}: parts of it contradict each other")
    return engine.position_of(state)


def _numbers(moves: Any) -> Sequence[int]:
    """Return one move, or several, as a sequence of `int`. Raise BadArgument for other values than whole numbers."""
    number = number_in(moves)
    if number is not None:
        return (number,)
    if isinstance(moves, str | bytes | Mapping) or not isinstance(moves, Iterable):
        raise BadArgument(f"expected a move (a whole number) or a sequence of moves, got {shown(moves)}")
    return [whole("move", move) for move in moves]


def _legal(engine: "Engine[Any, Any, Any, Any]", state: Any) -> list[int]:
    if state.pending is None:
        return []
    game, board = engine.game, engine.board
    if engine._is_rich and max(game.scores(state)) > MOST_LISTED:  # only cash makes long lists
        entries = game.legal_actions(state, board)
        count = sum(entry.max - entry.min + 1 if type(entry) is BidRange else 1 for entry in entries)
        if count > MOST_LISTED:
            raise Unavailable(f"{count:,} moves are possible here, mostly bids; at most {MOST_LISTED:,} are listed")
    return engine._list_moves(state, board)


def _not_a_position(engine: Any, state: Any) -> BadArgument:
    game = getattr(engine, "game", None)
    expected, given = (f"a state of {game.title}", state) if isinstance(game, Game) else ("an engine", engine)
    return BadArgument(f"expected {expected}, got {shown(given)}; `Engine.new` returns the first position of a game")


def _not_legal(move: int, legal: Sequence[int]) -> IllegalAction:
    if not legal:
        return IllegalAction("the game has ended; no move is possible")
    few = ", ".join(map(str, legal[:FEW_MOVES]))
    listed = few if len(legal) <= FEW_MOVES else f"{few} and {len(legal) - FEW_MOVES} more"
    return IllegalAction(f"move {shown(move)} is not possible now; {listed} are")


def shared_view(position: Position[ViewT, ActionT, EventT, StateT], seat: SupportsIndex | None) -> ViewT:
    """Return the view of a seat. It must not be changed, because views share parts with each other."""
    view: ViewT = position.engine.game.view(position.state, position.engine.board, position._seer(seat))
    return view
