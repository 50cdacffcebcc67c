"""Commands of the server's owner: status, bans, ending a table, and shutdown."""

from typing import TYPE_CHECKING

from rails_cli.basics.tokens import matches_hash
from rails_cli.protocol.lines import frame
from rails_cli.protocol.lobby import AdminCommand
from rails_cli.server.net.bans import is_inside, name_of, read_network
from rails_cli.server.refused import Refused
from rails_cli.server.tables.seat import Connection

if TYPE_CHECKING:
    from rails_cli.server.lobby import Lobby

BANNED = "the owner of this server has banned your address"


def receive_admin_command(lobby: "Lobby", connection: Connection, _: str, request: AdminCommand) -> None:
    """Carry out the admin command `request` and send the server's status. Raise Refused if the admin token is wrong."""
    registry = lobby.registry
    if not matches_hash(request.token, registry.admin_seal):
        raise Refused("forbidden", "this is not the admin token")
    lobby.note("admin", connection, command=request.command)
    if request.command in ("ban", "unban"):
        _ban(lobby, connection, request)
    if request.command == "end_table":
        table = registry.find(request.table or "")
        if table.state == "playing":
            table.finish("interrupted")
        elif table.state == "open":
            lobby.close(table, "the owner of the server closed this table")
    connection.post(frame(registry.status(len(lobby.connections), request.ref)))
    if request.command == "shutdown":
        registry.soon(lobby.shutdown)


def _ban(lobby: "Lobby", connection: Connection, request: AdminCommand) -> None:
    """Ban the network in `request` and close its connections, or end its ban if `request` says so.

    Raise Refused in these cases:
    - The network is invalid.
    - The network includes the sender's own address.
    - There is no ban to end.
    """
    bans = lobby.registry.bans
    try:
        network = read_network(request.address or "")
    except ValueError as error:
        raise Refused("bad_request", f"address: {error}") from None
    if request.command == "unban":
        if not bans.remove(network):
            raise Refused("bad_request", f"{name_of(network)} is not banned; `bans` lists who is")
        return
    if is_inside(connection.address, network):
        raise Refused("bad_request", f"{name_of(network)} includes your own address")
    bans.add(network, request.minutes)
    for other in list(lobby.connections):
        if is_inside(other.address, network):
            other.drop("banned", BANNED)
