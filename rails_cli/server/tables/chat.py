"""Chat at tables. Chat lines are sent to clients that asked for chat. They are not written to logs.

During a game, players do not receive the lines of spectators. Spectators receive the lines of players with the same
delay as the moves of the game.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from rails_cli.protocol.lines import frame
from rails_cli.protocol.lobby import Chat, ChatLine, ChatLines
from rails_cli.server.net.bucket import Bucket, Budgets
from rails_cli.server.refused import Refused
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.table import GameTable
from rails_cli.server.tables.validation import clean

LINES_KEPT = 50
"""Number of chat lines kept at a table."""
LONGEST = 300
"""Maximum number of characters of a chat line."""
MOST_EXAMINED = 20 * LONGEST
"""Maximum number of characters of a received text that are examined. Further characters are ignored.

Unprintable characters are removed from the examined part. If more than LONGEST characters remain, the chat line is
refused.
"""
EACH_AT_ONCE, EACH_PER_S = 5.0, 0.5
"""Rate limit of a connection: number of chat lines allowed at once, and number allowed per second after that."""
ADDRESS_AT_ONCE, ADDRESS_AGAIN_S = 20.0, 20.0
"""Rate limit of an address: number of chat lines allowed at once, and seconds until that number is allowed again."""
NO_CHAT = "there is no chat at this table"


class KeptLine(NamedTuple):
    """A chat line stored for clients that join the table later. Unless `is_for_players`, only spectators see it."""

    line: ChatLine
    at: float
    """Unix timestamp at which the line was received."""
    is_for_players: bool


class TableChat:
    """The chat of all tables: it receives chat lines and sends them to clients."""

    def __init__(
        self,
        registry: TableRegistry,
        table_of: Callable[[Connection], GameTable | None],
        seat_of: Callable[[Connection], ServerSeat | None],
    ) -> None:
        """`table_of` and `seat_of` return the table and the seat of a connection. None means no table or no seat."""
        self.registry = registry
        self.table_of = table_of
        self.seat_of = seat_of
        self.listeners: set[Connection] = set()
        self.kept: dict[str, deque[KeptLine]] = {}
        """Mapping from table id to the last chat lines of the table."""
        self._each: dict[Connection, Bucket] = {}
        self._addresses = Budgets(ADDRESS_AT_ONCE, ADDRESS_AGAIN_S)

    def receive(self, connection: Connection, address: str, request: Chat) -> None:
        """Process a `chat` message, which contains a chat line or turns the client's chat on or off."""
        table = self.table_of(connection)
        if request.text is not None:
            self._say(connection, address, table, request)
            return
        if not request.on:
            self.listeners.discard(connection)
            connection.post(frame(ChatLines("" if table is None else table.id, [], request.ref)))
            return
        self.listeners.add(connection)
        if table is None:
            connection.post(frame(ChatLines("", [], request.ref)))
        else:
            self._send_kept(connection, table, request.ref)

    def table_joined(self, connection: Connection, table: GameTable) -> None:
        """Schedule sending the earlier chat lines to a connection that joined a table."""
        if connection in self.listeners and self.kept.get(table.id):
            table.host.later(table, self._send_kept, connection, table)

    def forget_connection(self, connection: Connection) -> None:
        """Delete all data about `connection`, which is closed."""
        self.listeners.discard(connection)
        self._each.pop(connection, None)

    def tidy(self, now: float) -> None:
        """Delete the chat lines of tables that no longer exist, and full rate-limit buckets of addresses."""
        self.kept = {name: lines for name, lines in self.kept.items() if name in self.registry.tables}
        self._addresses.tidy(now)

    def _say(self, connection: Connection, address: str, table: GameTable | None, request: Chat) -> None:
        if table is None:
            raise Refused("bad_request", "you are not at a table")
        if not table.info().chat:
            raise Refused("forbidden", NO_CHAT)
        text = chat_text(request.text or "")
        if not text:
            raise Refused("bad_request", "nothing of this can be shown; say it in plain text")
        if len(text) > LONGEST:
            raise Refused("bad_request", f"{len(text)} characters are too many; at most {LONGEST}")
        now = self.registry.now()
        each = self._each.setdefault(connection, Bucket(EACH_AT_ONCE, now))
        if not each.take(1.0, EACH_PER_S, EACH_AT_ONCE, now) or not self._addresses.take(address, 1.0, now):
            raise Refused("too_fast", "you are writing too fast; wait a moment")
        seat = self.seat_of(connection)
        name = (seat.name if seat is not None else connection.join.name) or "spectator"
        lines = self.kept.setdefault(table.id, deque(maxlen=LINES_KEPT))
        number = lines[-1].line.number + 1 if lines else 1
        line = ChatLine(number, None if seat is None else seat.index, clean(name), text)
        is_for_players = seat is not None or table.state == "open" or table.is_result_public
        lines.append(KeptLine(line, self.registry.wall(), is_for_players))
        connection.post(frame(ChatLines(table.id, [line], request.ref)))
        self._send_line(connection, table, lines[-1])

    def _send_line(self, speaker: Connection, table: GameTable, said: KeptLine) -> None:
        content = frame(ChatLines(table.id, [said.line]))
        for seat in table.seats if said.is_for_players else ():
            if seat.channel in self.listeners and seat.channel is not speaker and seat.channel is not None:
                seat.channel.post(content)
        for connection in table.spectators:
            if connection not in self.listeners or connection is speaker:
                continue
            if said.line.seat is None:
                connection.post(content)
            else:
                table.spectators.post(connection, content)

    def _send_kept(self, connection: Connection, table: GameTable, ref: str | None = None) -> None:
        """Send the stored chat lines of `table` to a connection. `ref` is the id of the client's request, or None.

        A spectator receives recent lines of players later, when the spectator delay is over.
        """
        if self.table_of(connection) is not table:
            return
        kept = self.kept.get(table.id, ())
        if self.seat_of(connection) is not None:
            connection.post(frame(ChatLines(table.id, [said.line for said in kept if said.is_for_players], ref)))
            return
        late = self.registry.wall() - table.spec.watch_delay_s
        young = [said.line for said in kept if said.line.seat is not None and said.at > late]
        connection.post(frame(ChatLines(table.id, [said.line for said in kept if said.line not in young], ref)))
        if young and connection in table.spectators:
            table.spectators.post(connection, frame(ChatLines(table.id, young)))


def chat_text(text: str) -> str:
    """Return `text` as one line without control characters and without characters that change the writing direction."""
    words = "".join(sign if sign.isprintable() else " " if sign.isspace() else "" for sign in text[:MOST_EXAMINED])
    return " ".join(words.split())
