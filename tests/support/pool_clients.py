"""Clients that play in the rated pool of a server."""

from tests.support.ws_client import Client, Json

POOL = (
    *("--requests-per-second", "1000", "--pool", "--pool-game", "last_spike:2", "--pool-anchors", "greedy,random"),
    *("--pool-registrations-each", "99"),
)
"""Options of a server with a pool in which games are short and clients may send many requests."""


def entrant_info(client: Client, name: str) -> Json:
    """Return the data about the entrant `name` in the server's list of entrants."""
    [found] = [one for one in client.asked(type="entrants")["entrants"] if one["entrant"] == name]
    return dict(found)


def sit_down(client: Client) -> Json:
    """Accept offered games until the entrant is seated. Return the `seated` message."""
    while (message := client.until("offered", "seated"))["type"] == "offered":
        assert {"seat", "players", "game", "clock"} < message.keys()
        assert "names" not in message  # offers do not name the opponents
        client.send(type="ready", offer=message["offer"])
    return message
