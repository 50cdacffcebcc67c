"""Players that the server runs: built-in players and bots, limits on their number, and the seats that they get."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import takewhile

from rails_cli.basics.seeds import new_seed
from rails_cli.games.shared.text import printable
from rails_cli.match.match import unique_name
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.builtin import (
    BUILTIN_PLAYERS,
    SUBSTITUTE,
    baron_name,
    builtin_player,
    check_player,
    is_slow,
    substitute,
)
from rails_cli.players.levels import Budget, read_budget
from rails_cli.server.refused import Refused
from rails_cli.server.reporting import ReportFunction
from rails_cli.server.settings import Limits
from rails_cli.server.tables.lessons import lesson_seed
from rails_cli.server.tables.seat import ServerSeat
from rails_cli.server.tables.table import GameTable
from rails_cli.server.tables.validation import NAME_LIMIT, clean
from rails_cli.server.workers.thinkers import LOOKING_AHEAD, Ask, DistantPlayer, move_task

MOST_SERVER_LOOKS = 10_000
"""Maximum number of looks of one move of a built-in player."""
LONGEST_SERVER_MOVE_S = 10.0
"""Maximum number of seconds of one move of a built-in player."""
BUDGET_BOUNDS = f"a move may take {MOST_SERVER_LOOKS:,} looks or {LONGEST_SERVER_MOVE_S:g} s"
"""Description of the limits of search players on the server, for error messages."""
BOTS_ARE = "Bots are bot:NAME, builtin:expert and builtin:search@BUDGET; builtin:hard does not count"


class ServerPlayers:
    """The built-in players and bots that a server offers."""

    def __init__(self, bots: Mapping[str, list[str]], think: Ask, report: ReportFunction) -> None:
        """`bots` maps the names of the server's bots to their command lines. `think` runs a task in a worker."""
        self.bots = bots
        self.think = think
        self._report = report

    def check(self, kind: str, game: str, board: str) -> None:
        """Raise Refused if the server has no player `kind`, such as `builtin:easy`, for this game and board."""
        known = [*(f"{BUILTIN}{name}" for name in BUILTIN_PLAYERS), *(f"bot:{name}" for name in self.bots)]
        side, _, name = kind.partition(":")
        if kind not in known and not (side == "builtin" and "@" in name and len(kind) <= NAME_LIMIT):
            raise Refused(
                "bad_request", f"{kind[:NAME_LIMIT]!r} is not available here; this server has {', '.join(known)}"
            )
        if side == "builtin":
            try:
                check_player(name, game, is_alone=False)
                budget = read_budget(name.partition("@")[2]) if "@" in name else Budget()
            except ValueError as error:
                raise Refused("bad_request", printable(str(error))) from None
            if (budget.looks or 0) > MOST_SERVER_LOOKS or (budget.seconds or 0.0) > LONGEST_SERVER_MOVE_S:
                raise Refused("bad_request", f"{kind[:NAME_LIMIT]!r} thinks too long for a server; {BUDGET_BOUNDS}")
            if is_slow(name) and board != "standard":
                raise Refused("bad_request", "expert and search play only on standard boards; choose another level")

    def start(self, table: GameTable) -> None:
        """Create the built-in players of a table, and mark the seats of bot processes, which start with the game."""
        for seat in table.seats:
            if seat.server_side is None:
                continue
            kind, _, name = seat.server_side.partition(":")
            if kind == "builtin" and not is_slow(name):
                # a random seed, so that nobody can predict its choices; lessons are the same for everybody
                seed = lesson_seed(table.spec.game) if table.spec.lesson else new_seed()
                if name in LOOKING_AHEAD:
                    seat.player = DistantPlayer(partial(move_task, name, seed), self.think)
                else:
                    seat.player = builtin_player(name, table.spec.game, seed, seat.index)
            elif kind == "builtin" or name in self.bots:
                seat.is_process = True
            else:
                words = f"there is no bot {name} any more; builtin:{SUBSTITUTE} plays for it"
                self._report(f"table {table.id}: {words}", table.id)
                seat.player = substitute(table.spec.game, seat.index)


def fill(table: GameTable, seat: ServerSeat, kind: str) -> None:
    """Let the player `kind`, such as `builtin:easy` or `bot:NAME`, play a seat, and set the name of the seat."""
    seat.kind = "bot" if is_process(kind) else "builtin"
    seat.server_side = kind
    side, _, name = kind.partition(":")
    name_for = baron_name if side == "builtin" else unique_name
    seat.name = name_for(clean(name), [other.name for other in table.seats])
    seat.invite_seal = None


def is_process(kind: str) -> bool:
    """Return whether the player `kind`, such as `builtin:easy` or `bot:NAME`, runs in its own process."""
    side, _, name = kind.partition(":")
    return side == "bot" or (side == "builtin" and is_slow(name))


def bots_at(table: GameTable) -> int:
    """Return the number of seats of a table that are played by separate processes."""
    return sum(seat.kind == "bot" for seat in table.seats)


def bots_running(tables: Iterable[GameTable]) -> int:
    return sum(bots_at(table) for table in tables if table.state == "playing")


def may_start_bots(table: GameTable, tables: Iterable[GameTable], limits: Limits) -> bool:
    """Return whether there is room for all bots of a full table now.

    Tables start their bots in the order of `tables`. So the result is False if an earlier table still waits for its
    bots.
    """
    wanted = bots_at(table)
    if not wanted:
        return True
    older = takewhile(lambda other: other is not table, tables)
    is_next = not any(other.state == "open" and other.is_full and bots_at(other) for other in older)
    return is_next and bots_running(tables) + wanted <= limits.bots
