"""Which web pages may connect: those that this server itself has sent, and those that its owner names.

A browser says where a page comes from (`Origin`) and under which name it reaches the server (`Host`). Programs send no
`Origin`.
"""

import ipaddress
from urllib.parse import urlsplit

from websockets.datastructures import Headers

DEFAULT_PORTS = {"http": 80, "https": 443}


def is_let_in(headers: Headers, allowed: list[str], *, any_name: bool) -> bool:
    """Whether what asks for a websocket is a program, or a page that may; `any_name`: under whatever name it comes.

    A stranger's page can make a name of its own point at this machine and so look like ours. Only an address, or
    `localhost`, cannot be made to do that.
    """
    origins = headers.get_all("Origin")
    if not origins:
        return True
    if len(origins) > 1:
        return False
    if origins[0] in allowed:
        return True
    hosts = headers.get_all("Host")
    if len(hosts) != 1:
        return False
    place = _place(origins[0])
    if place is None or place != _place(f"{urlsplit(origins[0]).scheme}://{hosts[0]}"):
        return False
    return any_name or is_unmistakable(place[0])


def is_named_rightly(headers: Headers, allowed: list[str], *, any_name: bool) -> bool:
    """Whether a page is asked for under a name that no stranger can have made."""
    hosts = headers.get_all("Host")
    if any_name or not hosts:
        return True
    place = _place(f"http://{hosts[0]}")
    if place is None:
        return False
    return is_unmistakable(place[0]) or place[0] in [named[0] for named in map(_place, allowed) if named is not None]


def _place(address: str) -> tuple[str, int] | None:
    """The host and the port of an address."""
    try:
        parts = urlsplit(address)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path or parts.query or parts.username:
            return None
        return parts.hostname.lower().rstrip("."), parts.port or DEFAULT_PORTS[parts.scheme]
    except ValueError:
        return None


def is_unmistakable(host: str) -> bool:
    """Whether a name means the same machine to everybody who uses it: an address, or the machine itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a server that listens there can be reached from its own machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
