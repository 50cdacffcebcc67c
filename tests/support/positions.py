"""Settings for the conformance suites, and games played with them.

There is a setting for every game, player count and option. A policy chooses the moves. It is `random`, `busy` (random,
but seldom a pass), `builder` or a built-in player of the game. `builder` and built-in players sometimes move at random,
so that games differ.
"""

import os
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, get_args

import msgspec

from rails_cli.games import GAME_NAMES, load_game, load_players, standard_board
from rails_cli.games.game import Game, changed_options
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import POLICIES, choose_busy
from rails_cli.players.levels import LEVELS
from tests.support.builders import BUILDERS

BY_CHANCE = 0.2


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


class Step(NamedTuple):
    """One step of a game: a position, its legal list, the seat to move, and the action that this seat plays."""

    state: Any
    legal: list[Any]
    seat: int
    action: Any


def all_settings() -> list[Setting]:
    """Return settings of every game, with every number of players and every result of `chosen_options`."""
    return [
        Setting(name, players, options)
        for name in GAME_NAMES
        for players in load_game(name).players
        for options in chosen_options(load_game(name).options_type)
    ]


def selection_number(setting: Setting) -> int:
    """Return the number of players plus the number of changed options, used to select every second or third setting."""
    return setting.players + len(changed_options(setting.options))


def chosen_options(kind: type[msgspec.Struct]) -> list[Any]:
    """Return the option objects to test, of the type `kind`.

    The first has only defaults. In each of the next, one option has another value. In the last, all options differ.
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


def some_seeds(at_least: int = 1) -> range:
    """Return the seeds of games to play: `at_least` seeds in a normal run, more in `make soak`."""
    return range(max(at_least, int(os.environ.get("RAILS_CLI_TEST_SEEDS", "1"))))


def audit_of(name: str) -> ModuleType:
    return import_module(f"tests.games.audits.{name}")


def walk(setting: Setting, seed: int, policy: str, state: Any = None) -> Iterator[Step]:
    """Play a game in which `policy` chooses all moves, from the position `state` or from the start.

    Yield a step for each action. The state in a step is not a copy, so it changes when the next step is requested.
    """
    game, board = setting.game, setting.board
    state = setting.start(seed) if state is None else state
    chance = stream(seed)
    while state.pending is not None:
        legal = game.legal_actions(state, board)
        action = choice(setting, policy, state, legal, chance)
        yield Step(state, legal, state.pending.seat, action)
        game.apply(state, board, action, None)


def policies_of(name: str) -> tuple[str, ...]:
    """Return the names of the policies that play the game `name` in tests.

    The player levels `easy` to `hard` are left out, because their play may still change.
    """
    return (*POLICIES, *BUILDERS.get(name, ()), *(player for player in load_players(name) if player not in LEVELS))


def choice(setting: Setting, policy: str, state: Any, legal: list[Any], chance: Callable[[], float]) -> Any:
    if policy in POLICIES:
        return POLICIES[policy](legal, chance)
    if chance() < BY_CHANCE:
        return choose_busy(legal, chance)
    view = setting.game.view(state, setting.board, state.pending.seat)
    think = {**load_players(setting.name), **BUILDERS.get(setting.name, {})}[policy]
    return think(view, legal, setting.board)
