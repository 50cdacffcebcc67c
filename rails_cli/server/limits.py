"""What a server bears; those with a description are settings of its owner."""

from typing import Annotated

import msgspec

from rails_cli.settings import setting


class Limits(msgspec.Struct, frozen=True):
    """What the lobby and its tables bear."""

    tables: Annotated[int, setting("Open and running tables in all.", "--max-tables", least=1)] = 1000
    tables_each: Annotated[int, setting("Tables made from one address.", "--max-tables-each", least=1)] = 20
    ended_kept: int = 500
    """Ended tables that are still listed."""
    bots: Annotated[int, setting("Processes of bots at once.", "--max-bots", least=0)] = 100
    requests_per_s: Annotated[
        float, setting("Requests of the lobby, from one address.", "--requests-per-second", least=0.1)
    ] = 50
    """A list or a seat costs one or two, a new table more."""
    burst: float = 500


class ConnectionLimits(msgspec.Struct, frozen=True):
    """What one connection, one address and all together may use."""

    connections: Annotated[int, setting("Connections in all.", "--max-connections", least=1)] = 2000
    connections_each: Annotated[int, setting("Connections from one address.", "--max-connections-each", least=1)] = 64
    messages_per_s: Annotated[float, setting("Messages from one client.", "--messages-per-second", least=0.1)] = 100
    burst: float = 400
    unread_bytes: int = 2_097_152
    handshake_s: float = 10
    farewell_s: float = 3
    silence_s: Annotated[float, setting("Seconds without a sign of life.", least=1)] = 60
    idle_s: Annotated[float, setting("Idle timeout outside tables, in seconds.", least=1)] = 900
