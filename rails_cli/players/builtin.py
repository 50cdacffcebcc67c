"""The players that come with the program, by name: two that go by chance, and the greedy one that each game brings."""

from collections.abc import Callable
from typing import Any

from protocol.log import Seed
from rails_cli.core.luck import stream
from rails_cli.games import load_players
from rails_cli.match.match import Match
from rails_cli.players.chance import POLICIES, Choose

BUILTIN_PLAYERS = (*POLICIES, "greedy")
"""Those that every game has."""
SUBSTITUTE = "greedy"


class ChancePlayer:
    """Plays by a policy that looks at nothing but the legal list."""

    def __init__(self, choose: Choose, chance: Callable[[], float]) -> None:
        self._choose = choose
        self._chance = chance

    def choose(self, match: Match) -> Any:
        return self._choose(match.legal, self._chance)


class ThinkingPlayer:
    """Plays what a function makes of its view of the position and the legal list."""

    def __init__(self, think: Callable[[Any, list[Any], Any], Any]) -> None:
        self._think = think

    def choose(self, match: Match) -> Any:
        assert match.seat is not None
        return self._think(match.view_for(match.seat), match.legal, match.board)


def builtin_player(name: str, game: str, seed: Seed, seat: int) -> ChancePlayer | ThinkingPlayer:
    """A player for one seat of one game; the seed decides what it does by chance."""
    if name in POLICIES:
        return ChancePlayer(POLICIES[name], stream(f"{name}/{seed}/{seat}"))
    return ThinkingPlayer(load_players(game)[name])


def substitute(game: str, seat: int) -> ChancePlayer | ThinkingPlayer:
    """Who plays on for a player that is lost."""
    return builtin_player(SUBSTITUTE, game, 0, seat)
