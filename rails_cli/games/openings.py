"""Openings: beginnings drawn from the seed, for games in which nothing else comes from it.

A package may have a module `openings` with `OPENINGS`. What is drawn is the same for ever: a change that draws anything
else raises the version, so that a log tells which draw it is of.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from protocol.log import Opening, Seed
from rails_cli.core.luck import stream
from rails_cli.games import load_openings
from rails_cli.games.game import Action, BoardT, Game, Options, StateT, bare

T = TypeVar("T")
Chance = Callable[[], float]
"""Numbers from 0 up to 1."""

ATTEMPTS = 20
"""So often an opening is drawn anew that leaves somebody decided ahead; then the most even one is taken."""


@dataclass(frozen=True, slots=True)
class Openings(Generic[StateT, BoardT]):
    """How a game is begun by chance as sensible people would begin it.

    A beginning is made of units, opening auctions and then turns; `units` is how many of them it has at most. `is_rest`
    says whether a unit has just ended. `choose` draws what the seat to move does. `prospects` is what each seat may
    expect to have at the end, and `lead`, by the number of seats, how far above the mean of the others one may be
    without being decided ahead: of two, who is a little ahead mostly wins; of many, often somebody else does.
    """

    version: int
    units: Callable[[BoardT], int]
    is_rest: Callable[[StateT], bool]
    choose: Callable[[StateT, BoardT, Chance], Action]
    prospects: Callable[[StateT, BoardT], list[float]]
    lead: Callable[[int], float]


def opening_actions(game: Game[Any, Any], opening: Opening | None) -> list[Action]:
    """The actions of an opening as a header tells them. Raises msgspec.ValidationError."""
    return [] if opening is None else msgspec.convert(opening.actions, list[game.action_type])  # type: ignore[name-defined]


def drawn_opening(game: Game[Any, Any], board: Any, players: int, options: Options, seed: Seed) -> Opening | None:
    """The opening that a seed means for a game; None if the game brings none."""
    openings = load_openings(game.name)
    if openings is None:
        return None
    return Opening("drawn", draw_actions(game, openings, board, players, options, seed), version=openings.version)


def draw_actions(
    game: Game[Any, Any], openings: Openings[Any, Any], board: Any, players: int, options: Options, seed: Seed
) -> list[Action]:
    """The actions of the opening, drawn anew until nobody is decided ahead."""
    start = game.setup(board, players, options, seed, None)
    best: list[Action] = []
    least = float("inf")
    for attempt in range(ATTEMPTS):
        chance = stream(f"opening/{seed}/{attempt}")
        state = start.copy()
        units = drawn_units(openings, board, chance)
        actions = play_units(game, openings, board, state, units, by_chance(openings, board, chance))
        lead = lead_of(openings.prospects(state, board))
        if lead < least:
            best, least = actions, lead
        if lead <= openings.lead(players):
            break
    return best


def drawn_units(openings: Openings[Any, Any], board: Any, chance: Chance) -> int:
    """How long an opening is; short ones are rarer, as there are fewer of them."""
    return 1 + int(max(chance(), chance()) * openings.units(board))


def by_chance(openings: Openings[Any, Any], board: Any, chance: Chance) -> Callable[[Any], Action]:
    """What the seat to move does, drawn."""
    return lambda state: openings.choose(state, board, chance)


def play_units(
    game: Game[Any, Any], openings: Openings[Any, Any], board: Any, state: Any, units: int, choose: Callable[[Any], Any]
) -> list[Action]:
    """Plays so many units, or to the end of the game, and changes the state; the actions."""
    actions: list[Action] = []
    while units and state.pending is not None:
        action = bare(choose(state))
        game.apply(state, board, action, None)
        actions.append(action)
        units -= openings.is_rest(state)
    return actions


def lead_of(prospects: Sequence[float]) -> float:
    """How far the first is above the mean of the others, as a part of it."""
    first = max(prospects)
    others = (sum(prospects) - first) / (len(prospects) - 1)
    return first / others - 1 if others > 0 else 0.0


def likely(choices: Sequence[tuple[float, T]], chance: Chance) -> T:
    """One of the choices that promise something, each as likely as the square of what it promises; or else the best."""
    weights = [worth * worth if worth > 0 else 0.0 for worth, _ in choices]
    left = chance() * sum(weights)
    for weight, (_, choice) in zip(weights, choices, strict=True):
        left -= weight
        if left < 0:
            return choice
    return max(choices, key=lambda pair: pair[0])[1]
