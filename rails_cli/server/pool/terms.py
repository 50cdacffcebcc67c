"""The rules of a pool: games, clock, faults and built-in opponents, as read from the settings of a server."""

from collections.abc import Sequence

from rails_cli.games import game_sizes, load_game, whole_games
from rails_cli.players.builtin import check_player, is_slow
from rails_cli.protocol.pool import Enter
from rails_cli.server.pool.results import Terms
from rails_cli.server.refused import Refused
from rails_cli.server.settings import PoolSettings
from rails_cli.server.tables.validation import checked_clock, clock_words
from rails_cli.tournament.model import Setting

USUAL_PLAYERS = 3
"""Default number of players of a game."""


def pool_terms(settings: PoolSettings, max_faults: int) -> Terms:
    """Return the rules of the pool. `max_faults` is the number of default actions after which a player loses its seat.

    Raise ValueError, which names valid values, if no pool can be run with `settings`.
    """
    offered = _offered(settings.games)
    try:
        clock = clock_words(checked_clock(settings.clock))
    except Refused as refused:
        raise ValueError(str(refused)) from None
    return Terms(clock, max_faults, offered, _anchors(settings.anchors, offered))


def _offered(words: Sequence[str]) -> tuple[Setting, ...]:
    """Return the games and numbers of players that `words` name.

    Each word has the form `GAME:PLAYERS,...` or `GAME`, which stands for the usual number of players. If `words` is
    empty, return all games with their usual numbers. Raise ValueError if a word is invalid.
    """
    found: list[Setting] = []
    for word in words or whole_games():
        name, sizes = game_sizes(word)
        players = load_game(name).players
        usual = USUAL_PLAYERS if USUAL_PLAYERS in players else players[0]
        found += [Setting(name, size) for size in sizes or (usual,)]
    return tuple(setting for at, setting in enumerate(found) if setting not in found[:at])


def _anchors(words: str, offered: Sequence[Setting]) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in words.split(",") if name.strip()))
    for name in names:
        for setting in offered:
            check_player(name, setting.game, is_alone=False)
        if is_slow(name):
            raise ValueError(f"{name} thinks too long to be an anchor; choose easy, medium or hard")
    if not names:
        raise ValueError("a pool needs an anchor, such as medium")
    players = max(setting.players for setting in offered)
    if len(names) < players - 1:
        raise ValueError(
            f"a table of {players} needs {players - 1} anchors, so that nobody waits alone; add some to --pool-anchors"
        )
    return names


def wanted_settings(terms: Terms, request: Enter) -> tuple[Setting, ...]:
    """Return the games and numbers of players of the pool that match `request`. Raise Refused if there are none."""
    found = tuple(
        setting
        for setting in terms.settings
        if (not request.games or setting.game in request.games)
        and (not request.players or setting.players in request.players)
    )
    if not found:
        known = ", ".join(f"{setting.game} for {setting.players}" for setting in terms.settings)
        raise Refused("bad_request", f"this pool offers none of these games; it has {known}")
    return found
