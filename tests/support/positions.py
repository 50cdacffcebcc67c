"""Games for the suites: every game, player count and choice of options, and positions met on the way through them."""

from collections.abc import Iterator
from importlib import import_module
from itertools import product
from types import ModuleType
from typing import Any, NamedTuple, get_args

import msgspec

from rails_cli.core.luck import stream
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.games.game import Game
from rails_cli.players.chance import POLICIES


class Setting(NamedTuple):
    """A game with its number of players and options."""

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
        chosen = "-".join(str(value) for value in msgspec.structs.astuple(self.options))
        return f"{self.name}-{self.players}p{'-' + chosen if chosen else ''}"

    def start(self, seed: int, events: list[Any] | None = None) -> Any:
        return self.game.setup(self.board, self.players, self.options, seed, events)


class Step(NamedTuple):
    """A position, what could be played in it, and what was."""

    state: Any
    legal: list[Any]
    seat: int
    action: Any


def all_settings() -> list[Setting]:
    """Every game with every number of players and every combination of options."""
    settings = []
    for name in GAME_NAMES:
        game = load_game(name)
        fields = msgspec.structs.fields(game.options_type)
        for players, *values in product(game.players, *(get_args(field.type) for field in fields)):
            chosen = dict(zip((field.name for field in fields), values, strict=True))
            settings.append(Setting(name, players, msgspec.convert(chosen, game.options_type)))
    return settings


def audit_of(name: str) -> ModuleType:
    return import_module(f"tests.games.audits.{name}")


def walk(setting: Setting, seed: int, policy: str, state: Any = None) -> Iterator[Step]:
    """Plays a game, yielding each position before its action is applied; the state is changed by going on."""
    game, board = setting.game, setting.board
    state = setting.start(seed) if state is None else state
    choose = POLICIES[policy]
    chance = stream(seed)
    while state.pending is not None:
        legal = game.legal_actions(state, board)
        action = choose(legal, chance)
        yield Step(state, legal, state.pending.seat, action)
        game.apply(state, board, action, None)
