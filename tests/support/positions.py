"""Settings of the games for tests, and games played with them by policies, among them the policy `builder`."""

import os
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from rails_cli.conformance import settings
from rails_cli.conformance.settings import PlayedStep as PlayedStep
from rails_cli.conformance.settings import Setting as Setting
from rails_cli.conformance.settings import chosen_options as chosen_options
from rails_cli.conformance.settings import selection_number as selection_number
from rails_cli.conformance.suite import policies_of as usual_policies
from rails_cli.games import game_names, load_players
from tests.support.builders import BUILDERS


def all_settings() -> list[Setting]:
    """Return settings of every game: every number of players, and each of the options that `chosen_options` returns.

    `make soak` combines every number of players with each of the options.
    """
    return settings.settings_of(game_names(), is_short=len(some_seeds()) == 1)


def some_seeds(at_least: int = 1) -> range:
    """Return the seeds of games to play: `at_least` seeds in a normal run, more in `make soak`."""
    return range(max(at_least, int(os.environ.get("RAILS_CLI_TEST_SEEDS", "1"))))


def audit_of(name: str) -> ModuleType:
    return import_module(f"tests.games.audits.{name}")


def policies_of(name: str) -> tuple[str, ...]:
    """Return the names of the policies that play the game `name` in tests."""
    return usual_policies(name, BUILDERS.get(name, {}))


def walk(setting: Setting, seed: int, policy: str, state: Any = None) -> Iterator[PlayedStep]:
    """Play a game in which `policy` chooses all moves, from the position `state` or from the start.

    Yield a step for each action. The state in a step is not a copy, so it changes when the next step is requested.
    """
    return settings.walk(setting, seed, policy, _players(setting.name), state)


def choice(setting: Setting, policy: str, state: Any, legal: list[Any], chance: Callable[[], float]) -> Any:
    return settings.choice(setting, policy, _players(setting.name), state, legal, chance)


def _players(name: str) -> settings.Players:
    return {**load_players(name), **BUILDERS.get(name, {})}
