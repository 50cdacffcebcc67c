"""Setup of the games of a seed group: player names and seeds of deals. Playing and auditing use the same functions."""

from collections.abc import Sequence
from typing import Any

from rails_cli.games.game import Game
from rails_cli.games.shared.luck import derived_seed
from rails_cli.match.match import unique_name
from rails_cli.players.builtin import SUBSTITUTE
from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import BUILTIN

ATTEMPTS = 3
"""Most times that a game is played if the plan replays games that faults made void."""
STAND_IN = BUILTIN + SUBSTITUTE
"""Spec of the built-in player that plays for a suspended entrant."""


def names_of(seating: Sequence[str]) -> list[str]:
    """Return the player names by seat. If an entrant has several seats, a number follows its name."""
    names: list[str] = []
    for name in seating:
        names.append(unique_name(name, names))
    return names


def deal_of(game: Game[Any, Any], seed: Seed, group: str, number: int) -> Seed:
    """Return the seed of the deal of game `number` in the seed group with the id `group`.

    In a game with hidden information, each game has a seed of its own, because a bot might remember a deal. Otherwise
    all games have the `seed` of the seed group.
    """
    return derived_seed(seed, group, number) if game.has_secrets else seed
