"""The games as OpenSpiel games, with chance nodes for the deal and all draws of The Last Spike.

>>> import pyspiel, rails_cli.adapters.openspiel
>>> game = pyspiel.load_game("rails_cli_last_spike(players=3)")

The parameters of a game are `players`, `max_bid` if it has auctions, `seed` if nothing is drawn after the set-up, and
its options. Installed games without a module `numbers` are not registered.
"""

from typing import Any, NamedTuple

import msgspec
import numpy as np

from rails_cli.adapters import game_names, needed
from rails_cli.games.draws import Drawn
from rails_cli.games.game import win_share
from rails_cli.games.options import option_choices
from rails_cli.library import Engine, Position
from rails_cli.library.position import MOST_MOVES

with needed("OpenSpiel", "openspiel"):
    import pyspiel

USUAL_PLAYERS = 3


class Node(NamedTuple):
    """A node of the game tree. It is immutable, so clones share it.

    `position` is the last position, or None during the deal. At a chance node, `possible` has the results of the next
    draw, which are equally likely, `results` those of earlier draws of the same deal or move, and `move` the move.
    `events` has all events so far, including secrets.
    """

    position: Position | None = None
    move: int | None = None
    results: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()
    events: tuple[Any, ...] = ()

    def __deepcopy__(self, memo: object) -> "Node":
        return self


class RailsGame(pyspiel.Game):
    """One game with parameters. A subclass for each game sets `engine` and `game_type`.

    The utility is 1 for the winner, divided between tied winners, otherwise 0.
    """

    engine: Engine
    game_type: Any

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Set up the game. Raises BadArgument if the name or the value of a parameter is not allowed."""
        given = dict(params or {})
        players = given.pop("players", _default_players(self.engine))
        self.space = self.engine.space(players, given.pop("max_bid", None))
        self.first = self.engine.new(players, given.pop("seed", 0), given)
        draws = self.engine.game.draws
        self.names = [] if draws is None else draws.names(self.engine.board, players)
        found = pyspiel.GameInfo(self.space.size, len(self.names), players, 0.0, 1.0, 1.0, MOST_MOVES)
        super().__init__(self.game_type, found, params or {})

    def new_initial_state(self) -> "RailsState":
        return RailsState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "Observer":
        return Observer(self, kind or pyspiel.IIGObservationType(perfect_recall=False))

    def node_after(self, node: Node, move: int | None, results: tuple[int, ...]) -> Node:
        """Return the node after a move, or after the deal if `move` is None. `results` has the draws so far."""
        draws, board, position = self.engine.game.draws, self.engine.board, node.position
        if draws is None:
            return Node(self.first if move is None or position is None else position.after(move, check=False))
        if move is None or position is None:
            drawn = draws.setup(board, self.space.players, self.first.state.options, results)
        else:
            drawn = draws.play(position.state, board, move, results)
        if isinstance(drawn, Drawn):
            return Node(self.engine.position_of(drawn.state), events=(*node.events, *drawn.events))
        return node._replace(move=move, results=results, possible=tuple(drawn))


class RailsState(pyspiel.State):
    """A state of a `RailsGame`."""

    def __init__(self, game: RailsGame) -> None:
        super().__init__(game)
        self.node = game.node_after(Node(), None, ())

    def current_player(self) -> int:
        if self.node.possible:
            return int(pyspiel.PlayerId.CHANCE)
        seat = None if self.node.position is None else self.node.position.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        return self.current_player() == int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        position = self.node.position
        return [] if position is None else sorted(self.get_game().space.legal(position.state))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(result, 1 / len(self.node.possible)) for result in self.node.possible]

    def _apply_action(self, action: int) -> None:
        node = self.node
        move, results = (node.move, (*node.results, action)) if node.possible else (action, ())
        self.node = self.get_game().node_after(node, move, results)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game()
        return str(game.names[action] if player == pyspiel.PlayerId.CHANCE else game.space.action_name(action))

    def returns(self) -> list[float]:
        if self.node.position is None or not self.is_terminal():
            return [0.0] * self.num_players()
        ranks = self.node.position.ranks()
        return [win_share(ranks, seat) for seat in range(len(ranks))]

    def __str__(self) -> str:
        return f"{self.history_str()} {self.node.position!r}"


class Observer:
    """Observations of one player. The tensor is that of `Space.observe`, the string is `Position.view` as JSON.

    With perfect recall, the string instead has all actions of the game, or the events that the player may see if the
    game has secrets.
    """

    def __init__(self, game: RailsGame, kind: Any) -> None:
        self.space, self.first = game.space, game.first
        players = range(game.space.players)
        self.seen_first = game.space.observe_all([game.first] * len(players), players)
        self.has_perfect_recall = kind.perfect_recall
        self.tensor = np.zeros(game.space.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: RailsState, player: int) -> None:
        position = state.node.position
        if position is self.first:  # for each tensor, OpenSpiel observes a first state, too, to get the size
            self.tensor[:] = self.seen_first[player]
        else:
            self.tensor[:] = 0 if position is None else self.space.observe(position, player)

    def string_from(self, state: RailsState, player: int) -> str:
        position, game = state.node.position, self.space.engine.game
        if position is None:
            return ""
        if not self.has_perfect_recall:
            return msgspec.json.encode(position.view(player)).decode()
        if not game.has_secrets:
            return str(state.history_str())
        seen = game.redacted([*state.node.events], player, position.state.options)
        return msgspec.json.encode(seen).decode()


def _default_players(engine: Engine) -> int:
    players = engine.game.players
    return USUAL_PLAYERS if USUAL_PLAYERS in players else players[0]


def _game_class(engine: Engine) -> Any:
    """Return the subclass of `RailsGame` for a game, with its description for OpenSpiel."""
    game, kinds, players = engine.game, pyspiel.GameType, _default_players(engine)
    space = engine.space(players)
    parameters: dict[str, Any] = {"players": players} | ({"max_bid": space.max_bid} if space.has_bids else {})
    parameters |= {"seed": 0} if game.draws is None else {}
    parameters |= {option: values[0] for option, values in option_choices(game).items()}
    game_type = kinds(
        short_name=f"rails_cli_{game.name}",
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if game.draws else kinds.ChanceMode.DETERMINISTIC,
        information=getattr(kinds.Information, f"{'IM' if game.has_secrets else ''}PERFECT_INFORMATION"),
        utility=kinds.Utility.CONSTANT_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(game.players),
        min_num_players=min(game.players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )
    make_class: Any = type(RailsGame)
    return make_class(f"RailsGame_{game.name}", (RailsGame,), {"engine": engine, "game_type": game_type})


for _name in game_names():
    _class = _game_class(Engine(_name))  # a function instead would crash the interpreter at its end
    pyspiel.register_game(_class.game_type, _class)
