"""The games as OpenSpiel games. In The Last Spike, the deal and all random draws are chance nodes.

    >>> import pyspiel, rails_cli.adapters.openspiel
    >>> game = pyspiel.load_game("rails_cli_last_spike(players=3)")

The parameters of a game are `players` and the game's options. A game with auctions also has `max_bid`. A game without
chance nodes also has `seed`. Only games that define observations (see `learnable_games`) are registered.
"""

from typing import Any

import msgspec
import numpy as np

from rails_cli.adapters import learnable_games, needed
from rails_cli.adapters.tree import Tree
from rails_cli.games.game import IllegalAction, win_share
from rails_cli.games.options import option_choices
from rails_cli.library import Engine
from rails_cli.library.position import MOST_MOVES

with needed("OpenSpiel", "openspiel"):
    import pyspiel

RECALLED = 4
"""A tensor with perfect recall has room for RECALLED * `Space.size` past moves and draws.

This is enough for every game of The Last Spike.
"""


class RailsGame(pyspiel.Game):
    """A game as an OpenSpiel game. A subclass for each game sets `engine` and `game_type`.

    The utility is 1 for the winner, divided between tied winners, otherwise 0.
    """

    engine: Engine
    game_type: Any

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Set up the game. Raise BadArgument if the name or the value of a parameter is not allowed."""
        given = self.game_type.parameter_specification | (params or {})
        players = given.pop("players")
        self.space = self.engine.space(players, given.pop("max_bid", None))
        self.tree = Tree(self.engine, players, given.pop("seed", 0), given)
        found = pyspiel.GameInfo(self.space.size, len(self.tree.names), players, 0.0, 1.0, 1.0, MOST_MOVES)
        super().__init__(self.game_type, found, params or {})

    def new_initial_state(self) -> "RailsState":
        return RailsState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "Observer":
        return Observer(self, kind or pyspiel.IIGObservationType(perfect_recall=False))


class RailsState(pyspiel.State):
    """A node of the game tree as an OpenSpiel state: a position, or a chance node before a random draw."""

    def __init__(self, game: RailsGame) -> None:
        super().__init__(game)
        self.node = game.tree.root()

    def current_player(self) -> int:
        if self.node.possible:
            return int(pyspiel.PlayerId.CHANCE)
        seat = None if self.node.position is None else self.node.position.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        return self.current_player() == int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        node = self.node
        if node.possible or node.position is None:
            return [*node.possible]
        return sorted(self.get_game().space.legal(node.position.state))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(result, 1 / len(self.node.possible)) for result in self.node.possible]

    def _apply_action(self, action: int) -> None:
        legal = self._legal_actions(self.current_player())
        if action not in legal:
            raise IllegalAction(f"action {action} is not legal now; {len(legal)} other actions are")
        self.node = self.get_game().tree.after(self.node, action)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game()
        return str(game.tree.names[action] if player == pyspiel.PlayerId.CHANCE else game.space.action_name(action))

    def returns(self) -> list[float]:
        if self.node.position is None or not self.is_terminal():
            return [0.0] * self.num_players()
        ranks = self.node.position.ranks()
        return [win_share(ranks, seat) for seat in range(len(ranks))]

    def __str__(self) -> str:
        return f"{self.history_str()} {self.node.position!r}"


class Observer:
    """Observations of one player, as a tensor and as a string.

    The tensor has two further parts if recall is perfect and the game has random draws. These are all moves so far, and
    all results of draws that the player has seen. Each is a number: 1 for the first possible move and so on. The
    possible results of draws have the numbers after those of moves. The tensor has these numbers divided by the largest
    one.
    """

    def __init__(self, game: RailsGame, kind: Any) -> None:
        self.space, self.tree, self.has_perfect_recall = game.space, game.tree, kind.perfect_recall
        players, size = range(game.space.players), game.space.observation_size
        self.seen_first = game.space.observe_all([game.tree.first] * len(players), players)
        self.recalled = RECALLED * game.space.size if kind.perfect_recall and game.tree.names else 0
        self.tensor = np.zeros(size + self.recalled, np.float32)
        self.dict = {"observation": self.tensor[:size], "past": self.tensor[size:]}

    def set_from(self, state: RailsState, player: int) -> None:
        node, now, past = state.node, self.dict["observation"], self.dict["past"]
        if node.position is self.tree.first:  # for each tensor, OpenSpiel observes a first state, too, to get the size
            now[:] = self.seen_first[player]
        else:
            now[:] = 0 if node.position is None else self.space.observe(node.position, player)
        if self.recalled:
            numbers = self.tree.recalled(node, player, self.space.size)
            past[:] = 0
            past[: len(numbers)] = np.add(numbers, 1) / (self.space.size + len(self.tree.names))

    def string_from(self, state: RailsState, player: int) -> str:
        node = state.node
        if node.position is None:
            return ""
        if self.has_perfect_recall and not self.tree.engine.game.has_secrets:
            return str(state.history_str())
        seen = self.tree.seen(node, player) if self.has_perfect_recall else node.position.view(player)
        return msgspec.json.encode(seen).decode()


def _game_class(engine: Engine) -> Any:
    """Return a subclass of `RailsGame` for the game of `engine`, with the description of the game for OpenSpiel."""
    game, kinds = engine.game, pyspiel.GameType
    players = 3 if 3 in game.players else game.players[0]
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
        provides_information_state_tensor=game.draws is not None,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )
    make_class: Any = type(RailsGame)
    return make_class(f"RailsGame_{game.name}", (RailsGame,), {"engine": engine, "game_type": game_type})


for _name in learnable_games():
    _class = _game_class(Engine(_name))  # a function instead would crash the interpreter at its end
    globals()[_class.__name__] = _class  # pickles find the class by its name
    pyspiel.register_game(_class.game_type, _class)
