"""Searches in the tables and logged games of a server."""

from rails_cli.protocol.lobby import ListTables, TableInfo
from rails_cli.server.replaying import LoggedGames
from rails_cli.server.table import GameTable

LIST_LIMIT = 200
"""Tables in one answer to `list`."""


def listed(
    tables: dict[str, GameTable], logged_games: LoggedGames | None, wish: ListTables
) -> tuple[list[TableInfo], int]:
    """Return the public tables that match `wish` and the total number of matches.

    Ended tables are listed newest first, then logged games. Ended pool games are listed only if they are searched for.
    """
    words = wish.search.casefold()
    found: list[GameTable] = []
    for table in reversed(tables.values()):
        spec = table.spec
        if spec.private or (wish.game and spec.game != wish.game) or (wish.state and table.state != wish.state):
            continue
        if spec.pool is not None and table.state == "ended" and wish.state is None and not words:
            continue
        names = " ".join(seat.name or "" for seat in table.seats)
        if words in f"{spec.name} {spec.game} {spec.table} {names}".casefold():
            found.append(table)
    found.sort(key=lambda table: table.state == "ended")
    logged: list[TableInfo] = []
    if logged_games is not None and wish.state in (None, "ended"):
        for info in logged_games.games():
            names = " ".join(seat.name or "" for seat in info.seats)
            is_wanted = not wish.game or info.game == wish.game
            if is_wanted and words in f"{info.name} {info.game} {names}".casefold():
                logged.append(info)
    last = wish.skip + LIST_LIMIT
    shown = [table.info() for table in found[wish.skip : last]]
    shown += logged[max(wish.skip - len(found), 0) : max(last - len(found), 0)]
    return shown, len(found) + len(logged)
