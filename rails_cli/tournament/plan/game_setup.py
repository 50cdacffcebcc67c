"""Set-up of the games of a seed group (games with one seed): player names and random seeds.

Playing and auditing use the same functions.
"""

from collections.abc import Sequence
from typing import Any

from rails_cli.games.game import Game
from rails_cli.games.shared.luck import derived_seed
from rails_cli.match.clock import clock_line, read_clock
from rails_cli.match.match import unique_name
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.builtin import SUBSTITUTE
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import Clock
from rails_cli.tournament.model import Entrant

ATTEMPTS = 3
"""Maximum number of times that a game is played if faults of bots abort it and the plan says `void_and_replay`."""
STAND_IN = BUILTIN + SUBSTITUTE
"""Built-in player that takes the seat of a suspended entrant, in the form of `Entrant.spec`."""


def names_of(seating: Sequence[str]) -> list[str]:
    """Return the player names in the order of seats. If an entrant has several seats, numbers make its names unique."""
    names: list[str] = []
    for name in seating:
        names.append(unique_name(name, names))
    return names


def own_clock_line(entrant: Entrant) -> dict[str, Any] | None:
    """Return the time control of `entrant` as written to the header of a log.

    Return None if the entrant has the time control of the plan. Raise ValueError if `entrant.clock` is not valid.
    """
    return None if entrant.clock is None else clock_line(read_clock(entrant.clock) or Clock())


def deal_of(game: Game[Any, Any], seed: Seed, group: str, number: int) -> Seed:
    """Return the seed of the set-up of one game.

    The game has the given `number` in a seed group with the seed `seed` and the id `group`. If `game` has no hidden
    information, the result is `seed`. Otherwise each game gets a different seed. So a bot cannot remember hidden
    information from an earlier game.
    """
    return derived_seed(seed, group, number) if game.has_secrets else seed
