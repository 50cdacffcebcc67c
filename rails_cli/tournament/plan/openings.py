"""Openings of the games of a tournament. An opening is a sequence of first moves that the players do not choose."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from rails_cli.games import load_game, load_players, standard_board
from rails_cli.games.game import Game
from rails_cli.games.openings import drawn_opening
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.levels import LEVELS
from rails_cli.protocol.log import Opening
from rails_cli.tournament.model import SeedGroup, Setting
from rails_cli.tournament.plan.plan import TournamentPlan, in_words
from rails_cli.tournament.words import listed


class Table(NamedTuple):
    """The game, board, number of players and options of a setting, as loaded objects."""

    game: Game[Any, Any]
    board: Any
    players: int
    options: Any


def table_of(setting: Setting, boards: Mapping[str, str]) -> Table:
    """Load the game, board and options of `setting`. `boards` maps the digest of a board file to its contents."""
    game = load_game(setting.game)
    is_standard = setting.board == "standard"
    board = standard_board(setting.game) if is_standard else game.read_board(boards[setting.board].encode())
    options = msgspec.convert(setting.options, game.options_type, strict=False)
    return Table(game, board, setting.players, options)


def is_luckless(table: Table) -> bool:
    """Return whether games at `table` have no randomness. Then the seed does not affect them."""
    return table.game.is_luckless(table.board, table.players, table.options)


def opening_of(plan: TournamentPlan, group: SeedGroup, table: Table) -> Opening | None:
    """Return the opening of all games of a seed group (games with one seed).

    Return None if the plan has no openings or if the game has randomness.
    """
    if plan.openings == "none" or not is_luckless(table):
        return None
    return drawn_opening(table.game, table.board, table.players, table.options, group.seed)


def kind_of_openings(plan: TournamentPlan) -> str:
    """Return the value of `openings` in a plan, or a text that says why openings are not used."""
    tables = [table_of(setting, plan.boards) for setting in plan.settings]
    if not any(map(is_luckless, tables)):
        return "none: every game has its own luck"
    return plan.openings


def repetition_warning(plan: TournamentPlan) -> str | None:
    """Return a warning if built-in players without randomness would play the same game with every seed, else None."""
    if plan.openings != "none":
        return None
    for setting in plan.settings:
        names = [one.name for one in plan.entrants if _plays_by_rule(one.spec, setting.game)]
        if len(names) >= setting.players and is_luckless(table_of(setting, plan.boards)):
            words = f"{listed(names)} will play the same game with every seed at {in_words(setting)}"
            return f"{words}: there is no luck there, and copies count once. Use openings."
    return None


def _plays_by_rule(spec: str, game: str) -> bool:
    """Return whether `spec` is a built-in player without randomness, which always makes the same move in a position."""
    name = spec.removeprefix(BUILTIN)
    return spec.startswith(BUILTIN) and name in load_players(game) and name not in LEVELS
