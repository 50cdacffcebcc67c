"""Who is at the other end: whose connection it is, for limits that count by address, and which web pages may connect.

To limits a neighbour of IPv6 is one, and a proxy speaks for others. Pages may connect that this server itself has sent,
and those that its owner names: a browser says where a page comes from (`Origin`) and under which name it reaches the
server (`Host`). Programs send no `Origin`.
"""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from websockets.datastructures import Headers

IPV6_PREFIX = 64
SITE_PREFIX = 48
SITE_SHARE = 4
"""A site of IPv6 with many networks may use so many times what one address may."""
DEFAULT_PORTS = {"http": 80, "https": 443}


def exact(address: str) -> str:
    """The address itself, always written the same way: a proxy is known by it."""
    found = _read(address)
    return address if found is None else str(found)


def counted(address: str) -> str:
    """The address that limits count: IPv6 by network, for one client has as many addresses there as it likes."""
    found = _read(address)
    if found is not None and found.version == 6:
        return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))
    return exact(address)


@lru_cache(4096)
def shares(counted_address: str) -> tuple[tuple[str, int], ...]:
    """By which names an address is counted, and how many shares each has: itself, and its site for IPv6."""
    if not counted_address.endswith(f"/{IPV6_PREFIX}"):
        return ((counted_address, 1),)
    site = str(ipaddress.ip_network(counted_address).supernet(new_prefix=SITE_PREFIX))
    return ((counted_address, 1), (site, share_of(site)))


def share_of(name: str) -> int:
    """How many times what one address may use is allowed to an address, or to a site."""
    return SITE_SHARE if name.endswith(f"/{SITE_PREFIX}") else 1


def _read(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if found.version == 6 else found


def forwarded(headers: Sequence[str]) -> str | None:
    """The client that a proxy speaks for: the last one in `X-Forwarded-For`, which the proxy has put there itself."""
    last = ",".join(headers).rpartition(",")[2].strip().strip("[]")
    try:
        ipaddress.ip_address(last)
    except ValueError:
        return None
    return counted(last)


def bearer(headers: Headers) -> str | None:
    """The token of a seat that comes with a handshake."""
    kind, _, token = next(iter(headers.get_all("Authorization")), "").partition(" ")
    return token.strip() if kind.lower() == "bearer" and token else None


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
    return host == "localhost" or host.endswith(".localhost") or _read(host) is not None


def is_loopback(host: str) -> bool:
    """Whether a server that listens there can be reached from its own machine only."""
    found = _read(host)
    return host == "localhost" or (found is not None and found.is_loopback)
