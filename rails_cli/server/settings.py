"""Settings and limits of a server. Fields with a description become options of `rails-cli serve`."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from rails_cli.basics.settings import setting
from rails_cli.programs.limits import BotLimits

CallLater = Callable[[float, Callable[[], None]], object]
"""A function that schedules a call after a number of seconds."""


class OfferedBoard(NamedTuple):
    """A board that the server offers in addition to the standard board of a game."""

    game: str
    board: Any
    content: Any
    """Content of the board file, as written to logs."""


class Limits(msgspec.Struct, frozen=True):
    """Limits of tables, bots, requests, notes and disk space."""

    tables: Annotated[int, setting("Most open and running tables in total.", "--max-tables", least=1)] = 1000
    tables_each: Annotated[int, setting("Most tables created from one address.", "--max-tables-each", least=1)] = 20
    ended_kept: int = 500
    """Maximum number of ended tables in the list of tables."""
    bots: Annotated[int, setting("Most bot processes at once, including expert and search.", "--max-bots", least=0)] = (
        100
    )
    bots_each: Annotated[int, setting("Most bots at tables created from one address.", "--max-bots-each", least=0)] = 10
    requests_per_s: Annotated[
        float, setting("Most lobby requests from one address.", "--requests-per-second", least=0.1)
    ] = 50
    """Units of cost that the requests of an address may use per second.

    Taking a seat costs one unit, listing tables two.
    """
    burst: float = 500
    """Units of cost that the requests of an address may use at once."""
    table_notes_bytes: Annotated[int, setting("Notes (`info`) kept in the log of one table.", metavar="SIZE")] = 2**20
    notes_each_bytes: Annotated[
        int, setting("Notes kept in a minute, from one address.", "--max-notes-each", "SIZE")
    ] = 2**20
    min_free_space_bytes: Annotated[
        int, setting("Free disk space below which no table is created; running games continue.", metavar="SIZE")
    ] = 200 * 2**20


class ConnectionLimits(msgspec.Struct, frozen=True):
    """Limits of connections: for each connection, for each address, and in total."""

    connections: Annotated[int, setting("Most connections in total.", "--max-connections", least=1)] = 2000
    connections_each: Annotated[
        int, setting("Most connections from one address.", "--max-connections-each", least=1)
    ] = 64
    reserved: Annotated[
        int | None, setting("Connections kept for players who return with a token; default: a tenth.", least=0)
    ] = None
    messages_per_s: Annotated[float, setting("Most messages from one client.", "--messages-per-second", least=0.1)] = (
        100
    )
    burst: float = 400
    """Number of messages that a client may send at once."""
    unread_bytes: int = 2_097_152
    """Number of bytes waiting to be sent to a client above which the client is disconnected."""
    handshake_s: float = 10
    """Timeout in seconds for the handshake of a connection."""
    close_s: float = 3
    """Timeout in seconds for closing a connection."""
    silence_s: Annotated[float, setting("Timeout for a silent connection, in seconds.", least=1)] = 60
    idle_s: Annotated[float, setting("Idle timeout outside tables, in seconds.", least=1)] = 900

    @property
    def for_anybody(self) -> int:
        """Number of connections for clients without a token.

        All other connections are reserved for clients with a token.
        """
        kept = self.connections // 10 if self.reserved is None else self.reserved
        return max(0, self.connections - kept)


class PoolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the rated pool."""

    is_on: Annotated[bool, setting("Run a rated pool: bots and people are paired and rated.", "--pool")] = False
    entry: Annotated[
        Literal["open", "invitation", "closed"], setting("Who may register for the pool.", "--pool-entry")
    ] = "open"
    games: Annotated[
        list[str],
        setting("A game of the pool; default: every game, for 3 players.", "--pool-game", "GAME[:PLAYERS]"),
    ] = []
    clock: Annotated[str, setting("The time for each seat in the pool.", "--pool-clock")] = "60+0.5"
    anchors: Annotated[
        str, setting("Built-in players of the pool, always there; the first has rating 0.", "--pool-anchors")
    ] = "easy,medium,hard"
    games_each: Annotated[int, setting("Most games at once of one entrant.", "--pool-games-each", least=1)] = 8
    games_a_day: Annotated[int, setting("Most games of one entrant in 24 hours.", "--pool-games-a-day", least=1)] = 5000
    faults: Annotated[
        int, setting("Games in a row with a lost seat after which an entrant is checked.", "--pool-faults", least=1)
    ] = 3
    check_again_s: Annotated[
        float,
        setting(
            "Seconds from a failed check to the next; twice as long after each more.", "--pool-check-again", least=0
        ),
    ] = 60
    entrants: Annotated[int, setting("Most entrants in the pool.", "--pool-entrants", least=1)] = 1000
    entrants_each: Annotated[int, setting("Most entrants of one owner.", "--pool-entrants-each", least=1)] = 20
    registrations_each: Annotated[
        int, setting("Most registrations from one address in an hour.", "--pool-registrations-each", least=1)
    ] = 20
    same_address: Annotated[
        bool,
        setting(
            "Also pair entrants of different owners that connect from one address; default: only on this machine.",
            "--pool-same-address",
        ),
    ] = False
    offer_s: Annotated[float, setting("Seconds to answer an offer of the pool.", "--pool-offer", least=0.1)] = 10
    patience_s: Annotated[
        float, setting("Seconds after which any table of the pool will do.", "--pool-patience", least=0)
    ] = 4


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a server."""

    host: Annotated[str, setting("Address to listen on; 0.0.0.0 means all.")] = "127.0.0.1"
    port: Annotated[int, setting("Port; 0 picks a free one.", least=0, most=65535)] = 8765
    folder: Annotated[Path, setting("Folder for tables, logs and the admin token.", "--data", "DIRECTORY")] = Path(
        "rails-data"
    )
    bots: Annotated[
        dict[str, list[str]], setting("A bot that may be seated as bot:NAME.", "--bot", "NAME=COMMAND")
    ] = {}
    boards: Annotated[
        dict[str, OfferedBoard], setting("A board that tables may be played on.", "--board", "NAME=FILE")
    ] = {}
    logs: Annotated[Path | None, setting("Folder of logged games that may be watched.", metavar="DIRECTORY")] = None
    certificate: Annotated[Path | None, setting("Certificate chain (PEM).", "--tls-cert", "FILE")] = None
    key: Annotated[Path | None, setting("Its private key (PEM).", "--tls-key", "FILE")] = None
    origins: Annotated[
        list[str],
        setting(
            "Let web pages from this origin connect, such as https://example.org.", "--origin", "SCHEME://HOST[:PORT]"
        ),
    ] = []
    proxies: Annotated[list[str], setting("Trusted reverse proxy (X-Forwarded-For).", "--proxy", "ADDRESS")] = []
    absence_s: Annotated[
        float, setting("Seconds a player may be disconnected before a substitute takes over.", least=0)
    ] = 60
    on_faults: Annotated[Literal["substitute", "void"], setting("What to do when a player drops out.")] = "substitute"
    max_faults: Annotated[
        int, setting("Default actions (late, lost, out of strikes) after which a player loses the seat.", least=1)
    ] = 3
    no_chat: Annotated[bool, setting("No chat at any table.")] = False
    sign: Annotated[
        Literal["auto", "always", "never"],
        setting("Sign logs with the key in the data folder; auto: if rails-cli[sign] is installed."),
    ] = "auto"
    keep_days: Annotated[
        float | None, setting("Delete logs of games that ended this many days ago; default: never.", least=0)
    ] = None
    keep_bytes: Annotated[
        int | None,
        setting("Delete the oldest finished logs beyond this size in total; default: never.", "--keep-size", "SIZE"),
    ] = None
    open_table_s: Annotated[float, setting("Seconds an empty table is kept.", least=1)] = 3600
    idle_table_s: Annotated[
        float, setting("Seconds without a move or a newcomer after which a table without a clock is closed.", least=1)
    ] = 86_400
    log_format: Annotated[
        Literal["text", "json"], setting("Print messages as text, or messages and events as JSON lines.")
    ] = "text"
    limits: Limits = Limits()
    connections: ConnectionLimits = ConnectionLimits()
    bot_limits: BotLimits = BotLimits()
    pool: PoolSettings = PoolSettings()
