"""Settings of games, and games that policies play with them. A setting is a game, a player count and options.

A policy chooses the moves of all seats. The policy `random` moves at random, and `busy` does too but seldom passes. Any
other policy is the name of a built-in player that plays all seats. Some moves are then random, so that games differ.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, get_args

import msgspec

from rails_cli.games import load_game, standard_board
from rails_cli.games.game import Game, changed_options
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import POLICIES, choose_busy

MAX_ACTIONS = 5_000
"""Maximum number of actions in a game. A game with more actions is regarded as endless."""
BY_CHANCE = 0.2
"""Fraction of moves, from 0 to 1, that are random in games of policies other than `random` and `busy`."""
Players = Mapping[str, Callable[[Any, list[Any], Any], Any]]
"""Mapping from names to players: functions that take a view, the list of legal actions and the board.

A player returns the action that it chooses.
"""


class Setting(NamedTuple):
    """A setting of a game: the game's name, the number of players, and the options."""

    name: str
    players: int
    options: Any

    @property
    def game(self) -> Game[Any, Any]:
        return load_game(self.name)

    @property
    def board(self) -> Any:
        return standard_board(self.name)

    def __str__(self) -> str:
        return "-".join([self.name, f"{self.players}p", *map(str, changed_options(self.options).values())])

    def start(self, seed: int, events: list[Any] | None = None) -> Any:
        return self.game.setup(self.board, self.players, self.options, seed, events)


class PlayedStep(NamedTuple):
    """One step of a game: a position, its legal actions, the seat to move, and the action that this seat then plays."""

    state: Any
    legal: list[Any]
    seat: int
    action: Any


def settings_of(names: Iterable[str], *, is_short: bool = False) -> list[Setting]:
    """Return all settings of the games in `names`: every number of players with every option object of
    `chosen_options`.

    With `is_short`, each option object but the first is combined with one number of players only.
    """
    return [
        Setting(name, players, options)
        for name in names
        for place, players in enumerate(load_game(name).players)
        for number, options in enumerate(chosen_options(load_game(name).options_type))
        if not is_short or number == 0 or (place + number) % len(load_game(name).players) == 0
    ]


def selection_number(setting: Setting) -> int:
    """Return a number with which every second or third setting is selected: the number of players plus the number of
    changed options.
    """
    return setting.players + len(changed_options(setting.options))


def chosen_options(kind: type[msgspec.Struct]) -> list[Any]:
    """Return the option objects to test, of the type `kind`.

    The first has only defaults. Each of the next has one option with another value. In the last, all options have
    another value.
    """
    others = [
        {field.name: value}
        for field in msgspec.structs.fields(kind)
        for value in get_args(field.type)
        if value != field.default
    ]
    everything = {name: value for other in others for name, value in other.items()}
    chosen = [{}, *others, *([everything] if len(others) > 1 else [])]
    return [msgspec.convert(values, kind) for values in chosen]


def walk(setting: Setting, seed: int, policy: str, players: Players, state: Any = None) -> Iterator[PlayedStep]:
    """Play a game in which `policy` chooses all moves. Yield a step for each action.

    The game starts from the position `state`, or from the set-up if `state` is None. `policy` is a name in POLICIES or
    in `players`. The state in a step is not a copy, so it changes when the next step is requested. Raise ValueError if
    no action is legal before the end, if a question is for a seat that does not exist, or after MAX_ACTIONS actions.
    """
    game, board = setting.game, setting.board
    state = setting.start(seed) if state is None else state
    chance = stream(seed)
    played = 0
    while state.pending is not None:
        if played == MAX_ACTIONS:
            raise ValueError(f"the game has not ended after {MAX_ACTIONS} actions")
        played += 1
        legal = game.legal_actions(state, board)
        if not legal:
            raise ValueError(f"the legal list is empty, but there is a question: {state.pending}")
        if state.pending.seat not in range(setting.players):
            raise ValueError(f"the question is for seat {state.pending.seat}, expected 0 to {setting.players - 1}")
        action = choice(setting, policy, players, state, legal, chance)
        yield PlayedStep(state, legal, state.pending.seat, action)
        game.apply(state, board, action, None)


def choice(
    setting: Setting, policy: str, players: Players, state: Any, legal: list[Any], chance: Callable[[], float]
) -> Any:
    """Return the action that `policy` chooses in a position. `chance` returns random numbers in [0, 1)."""
    if policy in POLICIES:
        return POLICIES[policy](legal, chance)
    if chance() < BY_CHANCE:
        return choose_busy(legal, chance)
    view = setting.game.view(state, setting.board, state.pending.seat)
    return players[policy](view, legal, setting.board)
