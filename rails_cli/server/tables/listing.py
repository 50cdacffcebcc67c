"""Search for tables and logged games of a server."""

from rails_cli.protocol.lobby import ListTables, TableInfo
from rails_cli.server.tables.replaying import LoggedGames
from rails_cli.server.tables.table import GameTable

LIST_LIMIT = 200
"""Maximum number of tables and logged games in one reply to a `list` request."""


def listed(
    tables: dict[str, GameTable], logged_games: LoggedGames | None, request: ListTables
) -> tuple[list[TableInfo], int]:
    """Return the public tables and logged games that match `request`, and how many there are in total.

    At most LIST_LIMIT are returned. Unfinished tables come first. Ended tables follow, newest first, then logged games.
    Ended games of the rated pool are left out, unless `request` has a search text or a state.
    """
    words = request.search.casefold()
    found: list[GameTable] = []
    for table in reversed(tables.values()):
        spec = table.spec
        if (
            spec.private
            or (request.game and spec.game != request.game)
            or (request.state and table.state != request.state)
        ):
            continue
        if spec.pool is not None and table.state == "ended" and request.state is None and not words:
            continue
        names = " ".join(seat.name or "" for seat in table.seats)
        if words in f"{spec.name} {spec.game} {spec.table} {names}".casefold():
            found.append(table)
    found.sort(key=lambda table: table.state == "ended")
    logged: list[TableInfo] = []
    if logged_games is not None and request.state in (None, "ended"):
        for info in logged_games.games():
            names = " ".join(seat.name or "" for seat in info.seats)
            is_wanted = not request.game or info.game == request.game
            if is_wanted and words in f"{info.name} {info.game} {names}".casefold():
                logged.append(info)
    last = request.skip + LIST_LIMIT
    shown = [table.info() for table in found[request.skip : last]]
    shown += logged[max(request.skip - len(found), 0) : max(last - len(found), 0)]
    return shown, len(found) + len(logged)
