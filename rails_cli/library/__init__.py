"""The rules of the games as a Python library for bots that search.

A bot turns its messages into positions, lists and plays moves, and evaluates positions. The manual is docs/LIBRARY.md.
Only the names in `__all__` are public. Everything else in the package may change.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import msgspec

from rails_cli.games import NoSuchGame, board_from_wire, load_evaluation, load_game, standard_board
from rails_cli.games.evaluation import Run
from rails_cli.games.game import BoardError, IllegalAction, check, win_share
from rails_cli.games.moves import action_of, number_of
from rails_cli.games.openings import drawn_opening
from rails_cli.games.options import read_options
from rails_cli.games.payoff import payoffs_of
from rails_cli.games.shared.luck import stream
from rails_cli.players.builtin import check_player, is_slow, thinker
from rails_cli.players.chance import POLICIES
from rails_cli.players.search.imagining import chance_of
from rails_cli.players.search.look_ahead import look_ahead
from rails_cli.players.search.one_ply import played
from rails_cli.players.search.outcome import Tried, best_first, outcome
from rails_cli.protocol.common import Bid, BidRange
from rails_cli.protocol.lines import LOOKING_INTO_TYPES
from rails_cli.protocol.lobby import OpeningKind
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import Answer, Request, Start

if TYPE_CHECKING:
    from rails_cli.library.batch import Batch
    from rails_cli.library.spaces import Space

__all__ = ["BoardError", "Engine", "IllegalAction", "NoSuchGame", "Outlook", "Position", "Run", "Tried"]

MOST_MOVES = 10_000
"""Default maximum number of moves in a playout."""
MOST_LISTED = 100_000
"""Maximum number of moves that are listed for a position. If a seat has much cash, each possible bid is a move."""
SHOWN = 8
"""Maximum number of moves listed in an error message, and of digits of a move shown in an error message."""


class Outlook(NamedTuple):
    """The expected result of a game from a position. Each list has one number per seat."""

    payoffs: list[float]
    """Value that built-in players maximise, from 0 to 1: mostly the chance of winning, plus a small part for money."""
    chances: list[float]
    """Chance of winning, from 0 to 1. In a finished game, 1 for the winner, divided equally between tied winners."""
    money: list[float]
    """Value of everything that a seat owns, in current dollars. In a finished game, the score."""


class Engine:
    """The rules of one game on one board."""

    __slots__ = ("board", "evaluation", "game")

    def __init__(self, game: str, board: Any = None) -> None:
        """Load the rules of a game by its name. `board` is a board as decoded JSON, or None for the standard board.

        Raises NoSuchGame or BoardError.
        """
        with LOOKING_INTO_TYPES:
            self.game = load_game(game)
            self.board = standard_board(game) if board is None else board_from_wire(game, board)
            self.evaluation = load_evaluation(game)
            _look_into_types(game)

    @classmethod
    def of(cls, start: Start | Mapping[str, Any]) -> "Engine":
        """Return an engine with the game and board of a match. `start` is the `start` message of the match."""
        message = start if isinstance(start, Start) else msgspec.convert(start, Start)
        return cls(message.game, message.board)

    def new(
        self, players: int, seed: Seed = 0, options: Mapping[str, Any] | None = None, openings: OpeningKind = "none"
    ) -> "Position":
        """Return the first position of a new game. `options` maps the names of the game's options to their values.

        If `openings` is `drawn`, the first actions are drawn at random from the seed and already played. Raises
        ValueError if the game does not allow the number of players or an option, or has no openings.
        """
        if players not in self.game.players:
            few, most = self.game.players[0], self.game.players[-1]
            raise ValueError(f"{self.game.title} is for {few} to {most} players, not {players}")
        chosen = read_options(self.game, options or {})
        state = self.game.setup(self.board, players, chosen, seed, None)
        if openings == "drawn":
            opening = drawn_opening(self.game, self.board, players, chosen, seed)
            if opening is None:
                raise ValueError(f"{self.game.title} has no openings to draw; the seed alone decides")
            for action in opening.actions:
                self.game.apply(state, self.board, action, None)
        elif openings != "none":
            raise ValueError(f"openings are drawn or none, not {openings!r}")
        return Position(self, state)

    def position(
        self, message: Request[Any, Any, Any] | Mapping[str, Any] | msgspec.Struct, seed: Seed = 0
    ) -> "Position":
        """Return the position in `message`, which is a `request` message or the view in a request.

        Hidden information is drawn at random from `seed`, consistent with the view. Raises ValueError if the request
        has no view, or the view is invalid.
        """
        return Position(self, self.game.imagine(self.view_of(message), self.board, seed))

    def view_of(self, message: Any) -> Any:
        """Return the view in `message` as a struct of the game. `message` is a request or the view itself.

        Raises ValueError if the view is missing or invalid.
        """
        if isinstance(message, Request):
            message = message.view
        elif isinstance(message, Mapping) and "view" in message:
            message = message["view"]
        if message is None:
            raise ValueError("this request has no view; a bot gets one unless its `join` says otherwise")
        if isinstance(message, self.game.view_type):
            return message
        try:
            return msgspec.convert(message, self.game.view_type, str_keys=True)
        except msgspec.ValidationError as error:
            raise ValueError(f"this is not a view of {self.game.title}: {error}") from None

    def action(self, move: int) -> Any:
        """Return the action with the number `move`, as a struct that a `Bot` may return.

        Raises ValueError if no action of the game has this number.
        """
        game = self.game
        has_bids = Bid in (get_args(game.action_type) or (game.action_type,))
        count = len(game.moves.actions(self.board))
        if move < 0 or (move >= count and not has_bids):
            raise ValueError(f"{move} is not a move of {game.title}; moves go from 0 to {count - 1}, on this board")
        return action_of(game.moves, self.board, move)

    def move(self, action: Any) -> int:
        """Return the move number of an action, given as a struct or as decoded JSON.

        Raises ValueError if `action` is not an action of the game, and LookupError if the action does not exist on this
        board.
        """
        typed = self.typed_action(action)
        try:
            return number_of(self.game.moves, self.board, typed)
        except KeyError:
            raise LookupError(f"there is no such action on this board: {typed}") from None

    def answer(self, request: Request[Any, Any, Any] | Mapping[str, Any], move: Any) -> dict[str, Any]:
        """Return the message that answers a request, as a dict. `move` is a move number or an action."""
        number = request.number if isinstance(request, Request) else request["number"]
        action = self.action(move) if isinstance(move, int) else self.typed_action(move)
        answer: dict[str, Any] = msgspec.to_builtins(Answer(number, action))
        return answer

    def typed_action(self, action: Any) -> Any:
        """Return an action, given as decoded JSON, as a struct of the game. Raises ValueError if that is impossible."""
        try:
            return msgspec.convert(action, self.game.action_type)
        except msgspec.ValidationError as error:
            raise ValueError(f"this is not an action of {self.game.title}: {error}") from None

    def search(
        self,
        message: Request[Any, Any, Any] | Mapping[str, Any] | msgspec.Struct,
        looks: int = 400,
        seconds: float | None = None,
        seed: Seed = 0,
        now: Callable[[], float] = monotonic,
    ) -> list[Tried]:
        """Run the built-in search for the seat to move. Return the sequences of moves that it tried, best first.

        `message` is a `request` or a view. The search stops after `looks` iterations or `seconds` on the clock `now`.
        Raises ValueError if the game has no evaluation.
        """
        if self.evaluation is None:
            raise ValueError(f"{self.game.title} has no evaluation, so it cannot be searched")
        view = self.view_of(message)
        until = None if seconds is None else now() + seconds
        may_go_on: Callable[[int], bool] = lambda done: done < looks and (until is None or now() < until)  # noqa: E731
        found = look_ahead(self.game, self.board, self.evaluation, view, chance_of(f"{seed}", view), may_go_on)
        return best_first(found, view.question.seat)

    def space(self, players: int, max_bid: int | None = None) -> "Space":
        """Return the actions and observations of games with `players` players as numbers, for programs that learn.

        `max_bid` is the largest bid in dollars that is an action, by default 100. Raises ValueError if the game does
        not allow one of them.
        """
        from rails_cli.library.spaces import MAX_BID, Space

        return Space(self, players, MAX_BID if max_bid is None else max_bid)

    def batch(
        self,
        n: int,
        players: int,
        seed: Seed = 0,
        *,
        max_bid: int | None = None,
        options: Mapping[str, Any] | None = None,
        openings: OpeningKind = "none",
    ) -> "Batch":
        """Return `n` games that are played at the same time, with their positions in arrays of numbers.

        `max_bid` is as in `space`, `options` and `openings` are as in `new`. Raises ValueError if the game does not
        allow one of them.
        """
        from rails_cli.library.batch import Batch
        from rails_cli.library.spaces import MAX_BID

        most = MAX_BID if max_bid is None else max_bid
        return Batch(self, n, players, seed, max_bid=most, options=options, openings=openings)


class Position:
    """A position of a game. It is immutable, so playing a move returns a new position. Moves are integers."""

    __slots__ = ("engine", "state")

    def __init__(self, engine: Engine, state: Any) -> None:
        self.engine = engine
        self.state = state

    @property
    def seat(self) -> int | None:
        """The seat to move, or None when the game is over."""
        question = self.state.pending
        return None if question is None else question.seat

    def moves(self) -> list[int]:
        """Return the numbers of all legal moves, the most passive move last. Each bid amount is a separate move.

        The list is empty when the game is over. Raises ValueError if there are more than MOST_LISTED moves.
        """
        return [] if self.state.pending is None else _legal(self.engine, self.state)

    def runs(self) -> list[Run]:
        """Return the sequences of moves worth considering for the seat to move. Empty when the game is over.

        If the game has no evaluation function, each legal move is returned as a sequence of one move.
        """
        engine = self.engine
        if engine.evaluation is None:
            return [(move,) for move in self.moves()]
        return [] if self.state.pending is None else engine.evaluation.candidates(self.state, engine.board)

    def play(self, *moves: int) -> "Position":
        """Return the position after playing `moves` in order. Raises IllegalAction if a move is not legal."""
        engine, state = self.engine, self.state.copy()
        apply, board = engine.game.moves.apply, engine.board
        for move in moves:
            if state.pending is None:
                raise IllegalAction("the game has ended; no move is possible")
            possible = _legal(engine, state)
            if move not in possible:
                raise IllegalAction(f"move {str(move)[:SHOWN]} is not possible now; {_few(possible)} are")
            apply(state, board, move)
        return Position(engine, state)

    def after(self, moves: int | Sequence[int]) -> "Position":
        """Return the position after a legal move or sequence of moves, without checking that it is legal."""
        engine = self.engine
        run = (moves,) if isinstance(moves, int) else tuple(moves)
        return Position(engine, played(engine.game, engine.board, self.state, run))

    def play_action(self, action: Any) -> "Position":
        """Return the position after an action, given as a struct or as decoded JSON.

        Raises IllegalAction if the action is not legal, and ValueError if it is not an action of the game.
        """
        engine, state = self.engine, self.state.copy()
        typed, seat = engine.typed_action(action), self.seat
        check(engine.game, engine.board, state, -1 if seat is None else seat, typed)
        engine.game.apply(state, engine.board, typed, None)
        return Position(engine, state)

    def outlook(self) -> Outlook:
        """Return the expected result of the game for each seat.

        Raises ValueError if the game is not over and has no evaluation function.
        """
        engine, state = self.engine, self.state
        if engine.evaluation is not None:
            found = outcome(engine.game, engine.board, engine.evaluation, state)
            seats = len(found) // 3
            return Outlook(found[:seats], found[seats : 2 * seats], found[2 * seats :])
        if state.pending is not None:
            raise ValueError(f"{engine.game.title} has no evaluation; play to the end")
        scores, ranks = list(map(float, self.scores())), self.ranks()
        chances = [win_share(ranks, seat) for seat in range(len(ranks))]
        return Outlook(payoffs_of(scores, chances), chances, scores)

    def playout(self, policy: str = "random", seed: Seed = 0, most_moves: int = MOST_MOVES) -> "Position":
        """Let the built-in player named `policy` play all seats. Return the position reached.

        The playout ends with the game or after `most_moves` moves. The players `random` and `busy` are fast, because
        they use only the list of legal actions. Raises ValueError for an unknown or slow player.
        """
        return self.counted_playout(policy, seed, most_moves)[0]

    def counted_playout(self, policy: str, seed: Seed, most_moves: int) -> tuple["Position", int]:
        """Run a playout (see `playout`). Return the position reached and the number of moves played."""
        engine, state = self.engine, self.state.copy()
        game, board = engine.game, engine.board
        legal_actions, apply = game.legal_actions, game.apply
        moves = 0
        if policy in POLICIES:
            choose, chance = POLICIES[policy], stream(seed)
            while state.pending is not None and moves < most_moves:
                apply(state, board, choose(legal_actions(state, board), chance), None)
                moves += 1
            return Position(engine, state), moves
        check_player(policy, game.name)
        if is_slow(policy):
            raise ValueError(f"{policy} thinks too long to play games to the end")
        players: dict[int, Callable[[Any, list[Any], Any], Any]] = {}
        while state.pending is not None and moves < most_moves:
            seat = state.pending.seat
            if seat not in players:
                players[seat] = thinker(policy, game.name, seed, seat)
            view = game.view(state, board, seat)
            apply(state, board, players[seat](view, legal_actions(state, board), board), None)
            moves += 1
        return Position(engine, state), moves

    def view(self, seat: int) -> Any:
        """Return the part of the position that a seat may see. Raises ValueError if there is no such seat."""
        if not 0 <= seat < len(self.scores()):
            raise ValueError(f"there is no seat {seat}")
        return self.engine.game.view(self.state, self.engine.board, seat)

    def scores(self) -> list[int]:
        """Return the cash of each seat."""
        return self.engine.game.scores(self.state)

    def ranks(self) -> list[int]:
        """Return the rank of each seat. The winner has rank 1, and tied seats have the same rank.

        Raises ValueError if the game is not over.
        """
        if self.state.pending is not None:
            raise ValueError("the game is not over, so nobody has a rank; `outlook` estimates the result")
        return self.engine.game.ranks(self.state, self.engine.board)


@cache
def _look_into_types(game: str) -> None:
    """Let msgspec inspect the types of a game now, because msgspec is not safe if several threads do so at once."""
    rules = load_game(game)
    for kind in (rules.options_type, rules.view_type, rules.action_type):
        msgspec.json.Decoder(kind)


def _legal(engine: Engine, state: Any) -> list[int]:
    game, board = engine.game, engine.board
    if max(game.scores(state)) > MOST_LISTED:  # only cash makes long lists
        entries = game.legal_actions(state, board)
        count = sum(entry.max - entry.min + 1 if type(entry) is BidRange else 1 for entry in entries)
        if count > MOST_LISTED:
            raise ValueError(f"{count:,} moves are possible here, mostly bids; at most {MOST_LISTED:,} are listed")
    return game.moves.legal(state, board)


def _few(moves: Sequence[int]) -> str:
    shown = ", ".join(map(str, moves[:SHOWN]))
    return shown if len(moves) <= SHOWN else f"{shown} and {len(moves) - SHOWN} more"
