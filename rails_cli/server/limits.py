"""What a server bears."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """What the lobby bears."""

    tables: int = 1000
    """Open and running tables in all."""
    tables_each: int = 20
    """Open and running tables made from one address."""
    ended_kept: int = 500
    """Ended tables that are still listed."""
    bots: int = 100
    """Processes of the owner's bots at once."""
    requests_per_s: float = 50.0
    """What one address may ask of the lobby: a list or a seat costs one or two, a new table more."""
    burst: float = 500.0


class ConnectionLimits(msgspec.Struct, frozen=True):
    """What one connection, one address and all together may use."""

    connections: int = 2000
    connections_each: int = 64
    messages_per_s: float = 100.0
    burst: float = 400.0
    unread_bytes: int = 2_097_152
    handshake_s: float = 10.0
    farewell_s: float = 3.0
    silence_s: float = 60.0
    idle_s: float = 900.0
