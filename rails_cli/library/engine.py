"""The rules of one game on one board."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from math import isnan, nan
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex, overload

import msgspec

from rails_cli.games import (
    BUILT_IN_NAMES,
    board_from_wire,
    game_named,
    load_evaluation,
    load_game,
    standard_board,
    whole_games,
)
from rails_cli.games.evaluation import Evaluation
from rails_cli.games.game import Game, GameError
from rails_cli.games.moves import action_of, number_of
from rails_cli.games.openings import drawn_opening
from rails_cli.games.options import option_choices, read_options
from rails_cli.games.plain import tag_of, union_members
from rails_cli.library.errors import (
    NOT_CONVERTED,
    BadArgument,
    NoSuchAction,
    Unavailable,
    as_bad_argument,
    checked_players,
    checked_seed,
    number_in,
    shown,
    whole,
)
from rails_cli.library.position import Position
from rails_cli.library.typed import ActionT, AnySeed, EventT, StateT, Typed, ViewT
from rails_cli.players.search.imagining import chance_of
from rails_cli.players.search.look_ahead import IMPOSSIBLE, look_ahead
from rails_cli.players.search.outcome import Tried, best_first
from rails_cli.protocol.common import Bid
from rails_cli.protocol.lines import LOOKING_INTO_TYPES
from rails_cli.protocol.lobby import OpeningKind
from rails_cli.protocol.messages import Answer, Request, Start

if TYPE_CHECKING:
    from rails_cli.games.american_rails.state import State as AmericanRailsState
    from rails_cli.games.chicago_express.state import State as ChicagoExpressState
    from rails_cli.games.last_spike.state import State as LastSpikeState
    from rails_cli.library.batch import Batch
    from rails_cli.library.spaces import Space
    from rails_cli.protocol import american_rails, chicago_express, last_spike

KEPT_ENGINES = 32
"""Maximum number of engines in the cache that is used to restore pickled positions."""


MUCH_CASH = 1_000
"""Cash of a seat in dollars above which there may be too many possible bids to list.

If `position_of` has found a seat with more cash, `Position.moves` first counts the possible bids.
"""


class GameListing(NamedTuple):
    """An installed game, as returned by `games`.

    - `name`: the name of the game in commands, logs and messages.
    - `title`: the name of the game for people.
    - `players`: the possible numbers of players.
    - `aliases`: other names of the game. `Engine` and the command line accept the name, an alias, the title, or the
      beginning of one of these.
    - `options`: a mapping from the name of each option to its possible values. The first value is the default.
    - `has_secrets`: whether seats see different things, or random events occur after the set-up.
    """

    name: str
    title: str
    players: tuple[int, ...]
    aliases: tuple[str, ...]
    options: dict[str, list[str]]
    has_secrets: bool


def games() -> list[GameListing]:
    """Return all installed games, in alphabetical order of their names."""
    listed = map(load_game, whole_games())
    return [
        GameListing(game.name, game.title, game.players, game.aliases, option_choices(game), game.has_secrets)
        for game in listed
    ]


class Engine(Typed[ViewT, ActionT, EventT, StateT]):
    """The rules of one game on one board. Engines are values: engines of the same game with equal boards are equal.

    The type parameters are the types of the game's views, actions, events and states. For a built-in game, type
    checkers derive them from its name. For other games they are Any.
    """

    __slots__ = {
        "_apply_move": "The function of the rules that plays a move.",
        "_decode_view": "The function that decodes a view that was encoded as JSON.",
        "_has_bids": "Whether bids are actions of the game.",
        "_is_rich": "Whether some position has so much cash that the number of possible bids must be checked.",
        "_list_moves": "The function of the rules that lists the legal moves.",
        "_state_type": "The type of the states of the rules.",
        "_wire": "The value of `wire_board`, once it is known.",
        "board": "The board, as the rules represent it.",
        "evaluation": "The evaluation of positions, which `outlook` and `search` use. None if the game has none.",
        "game": "The rules, as `rails_cli.games` has them.",
    }

    game: Game[Any, Any]
    board: Any
    evaluation: Evaluation[Any, Any] | None

    @overload
    def __init__(
        self: "Engine[chicago_express.View, chicago_express.Action, chicago_express.Event, ChicagoExpressState]",
        game: Literal["chicago_express", "ce", "wabash cannonball"],
        board: Any = None,
    ) -> None: ...

    @overload
    def __init__(
        self: "Engine[american_rails.View, american_rails.Action, american_rails.Event, AmericanRailsState]",
        game: Literal["american_rails", "ar", "rails"],
        board: Any = None,
    ) -> None: ...

    @overload
    def __init__(
        self: "Engine[last_spike.View, last_spike.Action, last_spike.Event, LastSpikeState]",
        game: Literal["last_spike", "ls", "spike"],
        board: Any = None,
    ) -> None: ...

    @overload
    def __init__(self: "Engine[Any, Any, Any, Any]", game: str, board: Any = None) -> None: ...

    def __init__(self, game: str, board: Any = None) -> None:
        """Load the rules of a game by its name, its title or an alias, such as "ce".

        `board` is decoded JSON like the field `board` of a `start` message, or None for the standard board. Raise
        NoSuchGame or BoardError.
        """
        if not isinstance(game, str):
            raise BadArgument(f"expected the name of a game, such as {BUILT_IN_NAMES[0]!r}, got {shown(game)}")
        with LOOKING_INTO_TYPES:
            name = game_named(game)
            self.game = load_game(name)
            self.board = standard_board(name) if board is None else board_from_wire(name, board)
            self.evaluation = load_evaluation(name)
            _inspect_types(name)
            self._state_type = _state_type(name)
        self._apply_move: Callable[[Any, Any, int], None] = self.game.moves.apply
        self._list_moves: Callable[[Any, Any], list[int]] = self.game.moves.legal
        self._has_bids = Bid in union_members(self.game.action_type)
        self._decode_view: Callable[[bytes], Any] = msgspec.json.Decoder(self.game.view_type).decode
        self._is_rich = False
        self._wire: dict[str, Any] | None = None

    @classmethod
    def of(cls, start: Start | Mapping[str, Any]) -> "Engine":
        """Return an engine with the game and board of a match. `start` is the `start` message of the match.

        Raise NoSuchGame or BoardError, or BadArgument if `start` is not a `start` message.
        """
        try:
            message = start if isinstance(start, Start) else msgspec.convert(start, Start)
        except NOT_CONVERTED as error:
            raise BadArgument(f"expected a `start` message of the protocol, got {shown(start)}: {error}") from None
        load_game(message.game)  # a message does not use aliases
        return cls(message.game, message.board)

    # Values

    def __repr__(self) -> str:
        return f"Engine({self.game.name!r}{'' if self.is_standard else ', another board'})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Engine):
            return NotImplemented
        if self.game is not other.game:
            return False
        return self.board is other.board or self._board_json() == other._board_json()

    def __hash__(self) -> int:
        return hash((self.game.name, self.is_standard))

    def __copy__(self) -> "Engine[ViewT, ActionT, EventT, StateT]":
        return self

    def __deepcopy__(self, memo: object) -> "Engine[ViewT, ActionT, EventT, StateT]":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.game.name, self._board_json())

    @property
    def is_standard(self) -> bool:
        """Whether the board is the standard board of the game."""
        return self.board is standard_board(self.game.name)

    @property
    def wire_board(self) -> dict[str, Any]:
        """The board as decoded JSON, like the field `board` of a `start` message. It must not be changed."""
        if self._wire is None:
            self._wire = msgspec.json.decode(msgspec.json.encode(self.game.wire_board(self.board)))
        return self._wire

    def _board_json(self) -> bytes | None:
        """Return the board as JSON, or None for the standard board."""
        return None if self.is_standard else msgspec.json.encode(self.wire_board)

    # Positions

    def new(
        self,
        players: SupportsIndex,
        seed: AnySeed = 0,
        options: Mapping[str, Any] | None = None,
        openings: OpeningKind = "none",
    ) -> Position[ViewT, ActionT, EventT, StateT]:
        """Return the first position of a new game. `options` maps the names of the game's options to their values.

        If `openings` is `drawn`, some random first actions, which depend on the seed, are already played. Raise
        BadArgument if the game does not allow the number of players or an option, or has no openings.
        """
        game, board, seed = self.game, self.board, checked_seed(seed)
        players = checked_players(game, players)
        chosen = self._options(options)
        state = game.setup(board, players, chosen, seed, None)
        if not isinstance(openings, str) or openings not in ("none", "drawn"):
            raise BadArgument(f"openings are drawn or none, not {shown(openings)}")
        if openings == "drawn":
            opening = drawn_opening(game, board, players, chosen, seed)
            if opening is None:
                raise BadArgument(f"{game.title} has no openings to draw; the seed alone decides")
            for action in opening.actions:
                game.apply(state, board, action, None)
        return self.position_of(state)

    def position_of(self, state: StateT) -> Position[ViewT, ActionT, EventT, StateT]:
        """Return `state`, a state object of the game's rules, as a `Position`. Do not change `state` afterwards.

        Raise BadArgument if `state` is something else.
        """
        position = Position(self, state)
        if self._has_bids and max(self.game.scores(state)) > MUCH_CASH:
            self._is_rich = True
        return position

    def _options(self, options: Any) -> Any:
        given = {} if options is None else options
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise BadArgument(f"options: expected a mapping from names to values, got {shown(given)}")
        with as_bad_argument():
            return read_options(self.game, given)

    def position(
        self, message: Request[Any, Any, Any] | Mapping[str, Any] | msgspec.Struct | ViewT, seed: AnySeed = 0
    ) -> Position[ViewT, ActionT, EventT, StateT]:
        """Return the position in `message`, which is a `request` message or the view in a request.

        Hidden information is chosen at random, so that it agrees with the view. `seed` decides the choice. Raise
        BadArgument if the request has no view, or the view is invalid.
        """
        with as_bad_argument():
            return self.position_of(self.game.imagine(self.view_of(message), self.board, checked_seed(seed)))

    def view_of(self, message: Any) -> ViewT:
        """Return the view in `message` as a struct of the game. `message` is a request or the view itself.

        Raise BadArgument if the view is missing or invalid.
        """
        if isinstance(message, Request):
            message = message.view
        elif isinstance(message, Mapping) and "view" in message:
            message = message["view"]
        if message is None:
            raise BadArgument("this request has no view; a bot gets one unless its `join` says otherwise")
        if not isinstance(message, self.game.view_type):
            if isinstance(message, msgspec.Struct):
                for other in map(load_game, whole_games()):
                    if isinstance(message, other.view_type):
                        raise BadArgument(f"expected a view of {self.game.title}, got a view of {other.title}")
            try:
                message = msgspec.convert(message, self.game.view_type, str_keys=True)
            except NOT_CONVERTED as error:
                raise BadArgument(f"this is not a view of {self.game.title}: {error}") from None
        view: ViewT = message
        return view

    def _copied_view(self, view: ViewT) -> ViewT:
        """Return a copy of `view`. Encoding and decoding is several times as fast as the module `copy`."""
        copied: ViewT = self._decode_view(msgspec.json.encode(view))
        return copied

    # Actions

    def action(self, move: SupportsIndex) -> ActionT:
        """Return the action with the number `move`, as a struct that a `Bot` may return.

        Raise BadArgument if no action of the game has this number.
        """
        game, number = self.game, whole("move", move)
        count = len(game.moves.actions(self.board))
        if number < 0 or (number >= count and not self._has_bids):
            expected = "0 or more" if self._has_bids else f"0 to {count - 1}"
            raise BadArgument(f"{number} is not a move of {game.title} on this board; expected {expected}")
        action: ActionT = action_of(game.moves, self.board, number)
        return action

    def move(self, action: ActionT | Mapping[str, Any]) -> int:
        """Return the number that stands for an action, which is given as a struct or as decoded JSON.

        Raise BadArgument if `action` is not an action of the game. Raise NoSuchAction, a subclass of BadArgument, if
        the action does not exist on this board.
        """
        typed = self.typed_action(action)
        try:
            return number_of(self.game.moves, self.board, typed)
        except KeyError:
            raise NoSuchAction(f"there is no such action on this board: {typed}") from None

    def typed_action(self, action: ActionT | Mapping[str, Any]) -> ActionT:
        """Return `action`, a struct or decoded JSON, as a struct of the game.

        Raise BadArgument if `action` is not an action of the game.
        """
        try:
            typed: ActionT = msgspec.convert(action, self.game.action_type)
        except NOT_CONVERTED as error:
            expected = ", ".join(tag_of(kind) for kind in union_members(self.game.action_type))
            raise BadArgument(f"this is not an action of {self.game.title}: {error}; expected {expected}") from None
        return typed

    def answer(
        self, request: Request[Any, Any, Any] | Mapping[str, Any], move: SupportsIndex | ActionT | Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the message that answers a request, as a dict. `move` is an action, or the number that stands for it.

        Raise BadArgument if `request` has no number, or `move` is neither an action nor such a number.
        """
        given = request.number if isinstance(request, Request) else request
        number = number_in(given.get("number") if isinstance(given, Mapping) else given)
        if number is None:
            raise BadArgument(f"expected a `request` message with a `number`, got {shown(request)}")
        chosen: Any = move
        action = self.typed_action(chosen) if number_in(chosen) is None else self.action(chosen)
        answer: dict[str, Any] = msgspec.to_builtins(Answer(number, action))
        return answer

    # Search

    def search(
        self,
        message: Request[Any, Any, Any] | Mapping[str, Any] | msgspec.Struct | ViewT,
        looks: SupportsIndex = 400,
        seconds: float | None = None,
        seed: AnySeed = 0,
        now: Callable[[], float] = monotonic,
    ) -> list[Tried]:
        """Run the built-in search for the seat to move.

        Return the sequences of moves that it tried, best first. `message` is a `request` or a view. The search stops
        after `looks` iterations, or after `seconds` on the clock `now`. Raise Unavailable if the game is over or has no
        evaluation function. Raise BadArgument for an invalid view, and if `looks` is less than 1.
        """
        if self.evaluation is None:
            raise Unavailable(f"{self.game.title} has no evaluation, so it cannot be searched")
        view: Any = self.view_of(message)
        if view.question is None:
            raise Unavailable("the game is over, so no move can be searched")
        most, chance = whole("looks", looks), chance_of(f"{checked_seed(seed)}", view)
        if most < 1:
            raise BadArgument(f"looks: expected 1 or more, got {most}")
        try:
            limit = None if seconds is None else float(seconds)
        except (TypeError, ValueError, OverflowError):
            limit = nan
        if limit is not None and isnan(limit):
            raise BadArgument(f"seconds: expected a number, got {shown(seconds)}")
        until = None if limit is None else now() + limit
        may_go_on: Callable[[int], bool] = lambda done: done < most and (until is None or now() < until)  # noqa: E731
        try:
            found = look_ahead(self.game, self.board, self.evaluation, view, chance, may_go_on)
        except GameError:
            raise
        except IMPOSSIBLE as error:
            raise BadArgument(f"this view is impossible by the rules: {type(error).__name__}: {error}") from None
        return best_first(found, view.question.seat)

    def space(self, players: int, max_bid: int | None = None) -> "Space":
        """Return a `Space`: the actions and observations of games with `players` players as numbers.

        It is for programs that learn. `max_bid` is the largest bid in dollars that has a number, by default 100. Raise
        BadArgument if the game does not allow one of the arguments.
        """
        from rails_cli.library.spaces import MAX_BID, Space

        return Space(self, players, MAX_BID if max_bid is None else max_bid)

    def batch(
        self,
        n: int,
        players: int,
        seed: AnySeed = 0,
        *,
        max_bid: int | None = None,
        options: Mapping[str, Any] | None = None,
        openings: OpeningKind = "none",
    ) -> "Batch[ViewT, ActionT, EventT, StateT]":
        """Return `n` games that are played at the same time, with their positions in arrays of numbers.

        `max_bid` is the largest bid in dollars that has a number, by default 100. `options` maps the names of the
        game's options to their values. `openings` is `drawn` for random first actions. The seed of each game follows
        from `seed`. Raise BadArgument if the game does not allow one of the arguments.
        """
        from rails_cli.library.batch import Batch
        from rails_cli.library.spaces import MAX_BID

        most = MAX_BID if max_bid is None else max_bid
        return Batch(self, n, players, checked_seed(seed), max_bid=most, options=options, openings=openings)


@lru_cache(maxsize=KEPT_ENGINES)
def _restored(game: str, board: bytes | None) -> Engine:
    """Return the engine of a pickled position. `board` is the board as JSON, or None for the standard board."""
    return Engine(game, None if board is None else msgspec.json.decode(board))


@cache
def _state_type(game: str) -> type:
    """Return the type of the states of a game, even if `Game.state_type` is None."""
    rules = load_game(game)
    return type(rules.setup(standard_board(game), rules.players[0], rules.options_type(), 0, None))


@cache
def _inspect_types(game: str) -> None:
    """Let msgspec inspect the types of a game in advance.

    This avoids inspections by several threads at once, which are not safe.
    """
    rules = load_game(game)
    for kind in (rules.options_type, rules.view_type, rules.action_type, rules.event_type):
        msgspec.json.Decoder(kind)
