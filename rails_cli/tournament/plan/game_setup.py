"""How the games of a seed group are set up. Playing and auditing share this."""

from collections.abc import Sequence
from typing import Any

from rails_cli.games.game import Game
from rails_cli.games.shared.luck import derived_seed
from rails_cli.match.match import unique_name
from rails_cli.players.builtin import SUBSTITUTE
from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import BUILTIN

ATTEMPTS = 3
"""How often a game is tried if faults make it void and such games are replayed."""
STAND_IN = BUILTIN + SUBSTITUTE
"""Spec of the substitute for a suspended entrant."""


def names_of(seating: Sequence[str]) -> list[str]:
    """Return the player names of a game. An entrant with several seats gets a number after its name."""
    names: list[str] = []
    for name in seating:
        names.append(unique_name(name, names))
    return names


def deal_of(game: Game[Any, Any], seed: Seed, group: str, number: int) -> Seed:
    """Return the seed for the deal of a game.

    If seats have hidden information, no deal is used twice, because a bot might remember it.
    """
    return derived_seed(seed, group, number) if game.has_secrets else seed
