"""Validation of client requests: games, options, clocks and names."""

from functools import lru_cache
from typing import Any

import msgspec

from rails_cli.games import load_game, load_openings, problem_of
from rails_cli.games.game import Game
from rails_cli.games.options import read_options
from rails_cli.games.shared.text import is_visible
from rails_cli.match.clock import read_clock
from rails_cli.protocol.lobby import CreateTable
from rails_cli.protocol.log import Header
from rails_cli.protocol.messages import Clock
from rails_cli.server.refused import Refused
from rails_cli.server.tables.replaying import board_of

NAME_LIMIT = 60
"""Maximum number of characters of a name."""
SHORTEST_CLOCK_S = 0.01
"""Minimum of each time of a clock, in seconds."""
LONGEST_CLOCK_S = 30 * 24 * 3600.0
"""Maximum of each time of a clock, in seconds."""
CLOCK_BOUNDS = f"clock times must be from {SHORTEST_CLOCK_S} s to {LONGEST_CLOCK_S:.0f} s"


def clean(name: str | None) -> str:
    """Return `name` without unprintable characters, cut to NAME_LIMIT characters.

    None and names without a visible character become an empty string.
    """
    kept = "".join(letter for letter in (name or "")[:1000] if letter.isprintable()).strip()[:NAME_LIMIT]
    return kept if any(map(is_visible, kept)) else ""


def checked_game(request: CreateTable) -> tuple[Game[Any, Any], Any, Clock | None]:
    """Return the requested game, its options and its clock. Raise Refused if one of them is invalid."""
    problem = problem_of(request.game)
    if problem is not None:
        raise Refused("bad_request", problem)
    game = load_game(request.game)
    if mistake := game.players_mistake(request.players):
        raise Refused("bad_request", mistake)
    try:
        options = read_options(game, request.options)
    except ValueError as error:
        raise Refused("bad_request", f"options: {error}") from None
    return game, options, checked_clock(request.clock[:NAME_LIMIT])


def check_table(request: CreateTable, game: Game[Any, Any]) -> None:
    """Raise Refused if `request` has an invalid spectator delay or too many seats.

    Also raise Refused if `request` asks for openings (random first moves) and `game` has none.
    """
    if not 0 <= request.watch_delay_s <= 3600:
        raise Refused("bad_request", "watch_delay_s must be from 0 to 3600")
    if len(request.seats) > request.players:
        raise Refused("bad_request", f"{len(request.seats)} seats are given, but {request.players} play")
    if request.openings == "drawn" and load_openings(game.name) is None:
        raise Refused("bad_request", f"openings: {game.title} has none to draw; leave them out, or choose none")


def branch_options(header: Header, request: CreateTable) -> Any:
    """Return the options of the logged game with `header`, which a new game continues.

    Raise Refused if `request` names a different game, board, number of players or option, or asks for openings.
    """
    game = load_game(header.game)
    options = msgspec.convert(header.options, game.options_type)
    own = {"game": header.game, "players": len(header.players), "board": board_of(header), "openings": "none"}
    for name, value in own.items():
        if getattr(request, name) not in (value, "standard"):
            raise Refused("bad_request", f"{name}: the game that this one continues has {value!r}; use that")
    if request.options and read_options(game, request.options) != options:
        raise Refused("bad_request", "options: the game that this one continues has its own; leave them out")
    return options


@lru_cache(256)
def checked_clock(words: str) -> Clock | None:
    """Return the clock in `words`, such as `60+0.5`. Return None for the word `none`.

    Raise Refused for an invalid clock.
    """
    try:
        clock = read_clock(words)
    except ValueError as error:
        raise Refused("bad_request", f"{error}; {CLOCK_BOUNDS}") from None
    if clock is not None:
        times = [time for time in (clock.bank_s, clock.move_s, clock.increment_s or None) if time is not None]
        if max(times) > LONGEST_CLOCK_S or min(times) < SHORTEST_CLOCK_S:
            raise Refused("bad_request", CLOCK_BOUNDS)
    return clock


def clock_words(clock: Clock | None) -> str:
    """Return `clock` in the notation that `read_clock` parses, such as `60+0.5,10/move`. None becomes `none`."""
    if clock is None:
        return "none"
    parts = []
    if clock.bank_s is not None:
        parts.append(_seconds(clock.bank_s) + (f"+{_seconds(clock.increment_s)}" if clock.increment_s else ""))
    if clock.move_s is not None:
        parts.append(f"{_seconds(clock.move_s)}/move")
    return ",".join(parts)


def _seconds(time: float) -> str:
    return f"{time:.3f}".rstrip("0").rstrip(".")
