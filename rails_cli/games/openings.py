"""Random openings.

An opening is a sequence of actions that is played automatically before the players choose their actions. Random
openings are for games in which nothing else depends on the seed.

The package of a game may have a module `openings` with `OPENINGS`. A seed always gives the same opening. A change that
gives a seed another opening must increase `version`, which is recorded in logs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from rails_cli.games import load_openings
from rails_cli.games.game import Action, BoardT, Game, Options, StateT, without_info_fields
from rails_cli.games.shared.luck import stream
from rails_cli.protocol.log import Opening, Seed

T = TypeVar("T")
Chance = Callable[[], float]
"""A function that returns random numbers in [0, 1)."""

ATTEMPTS = 20
"""Maximum number of random openings that are tried for a seed.

Openings in which a seat is too far ahead are rejected. If all are rejected, the one with the smallest lead is used.
"""


@dataclass(frozen=True, slots=True)
class Openings(Generic[StateT, BoardT]):
    """The functions that make random but sensible openings of a game.

    An opening consists of units: opening auctions, then turns. `version` is the version number of these functions,
    which logs contain.

    - `units` returns the maximum number of units.
    - `is_rest` returns whether a unit has just ended.
    - `choose` returns a random action for the seat to move.
    - `prospects` estimates the final result of each seat.
    - `lead` takes the number of seats, and returns the highest allowed lead. The lead is the fraction by which the best
      prospects exceed the mean of the others. With fewer seats the limit is lower, because with two seats a small lead
      usually wins.
    """

    version: int
    units: Callable[[BoardT], int]
    is_rest: Callable[[StateT], bool]
    choose: Callable[[StateT, BoardT, Chance], Action]
    prospects: Callable[[StateT, BoardT], list[float]]
    lead: Callable[[int], float]


def opening_actions(game: Game[Any, Any], opening: Opening | None) -> list[Action]:
    """Return the actions of an opening from a log header, or an empty list if `opening` is None.

    Raise msgspec.ValidationError if an action is invalid.
    """
    return [] if opening is None else msgspec.convert(opening.actions, list[game.action_type])  # type: ignore[name-defined]


def drawn_opening(game: Game[Any, Any], board: Any, players: int, options: Options, seed: Seed) -> Opening | None:
    """Return the random opening for `seed`, or None if random openings are not supported for the game."""
    openings = load_openings(game.name)
    if openings is None:
        return None
    return Opening("drawn", draw_actions(game, openings, board, players, options, seed), version=openings.version)


def draw_actions(
    game: Game[Any, Any], openings: Openings[Any, Any], board: Any, players: int, options: Options, seed: Seed
) -> list[Action]:
    """Return the actions of a random opening for `seed`. No seat is too far ahead afterwards, if this is possible."""
    start = game.setup(board, players, options, seed, None)
    best: list[Action] = []
    least = float("inf")
    for attempt in range(ATTEMPTS):
        chance = stream(f"opening/{seed}/{attempt}")
        state = start.copy()
        # The larger of two random numbers makes short openings rare, because there are few different short openings.
        units = 1 + int(max(chance(), chance()) * openings.units(board))
        actions = play_units(game, openings, board, state, units, chance)
        lead = lead_of(openings.prospects(state, board))
        if lead < least:
            best, least = actions, lead
        if lead <= openings.lead(players):
            break
    return best


def play_units(
    game: Game[Any, Any], openings: Openings[Any, Any], board: Any, state: Any, units: int, chance: Chance
) -> list[Action]:
    """Play random actions until `units` units of the opening are complete or the game ends.

    Change `state` and return the actions.
    """
    actions: list[Action] = []
    while units and state.pending is not None:
        action = without_info_fields(openings.choose(state, board, chance))
        game.apply(state, board, action, None)
        actions.append(action)
        units -= openings.is_rest(state)
    return actions


def lead_of(prospects: Sequence[float]) -> float:
    """Return the lead of the best prospects: their distance from the mean of the others, as a fraction of this mean."""
    first = max(prospects)
    others = (sum(prospects) - first) / (len(prospects) - 1)
    return first / others - 1 if others > 0 else 0.0


def likely(choices: Sequence[tuple[float, T]], chance: Chance) -> T:
    """Return a random choice.

    `choices` has pairs of a worth and a choice. The probability of a choice is proportional to the square of its worth.
    Choices without a positive worth have the probability 0. If no worth is positive, return the choice with the highest
    worth.
    """
    weights = [worth * worth if worth > 0 else 0.0 for worth, _ in choices]
    left = chance() * sum(weights)
    for weight, (_, choice) in zip(weights, choices, strict=True):
        left -= weight
        if left < 0:
            return choice
    return max(choices, key=lambda pair: pair[0])[1]
