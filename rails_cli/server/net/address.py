"""Client addresses used for rate limiting, and the web pages that may open a websocket.

Limits count an IPv6 network as one client, and the forwarded address behind a trusted proxy. Pages served by this
server and pages named by its owner may connect. A browser sends the origin of a page (`Origin`) and the name under
which it reached the server (`Host`). Programs send no `Origin`.
"""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from websockets.datastructures import Headers

IPV6_PREFIX = 64
SITE_PREFIX = 48
SITE_MULTIPLE = 4
"""Limit of an IPv6 site (/48), which has many networks, as a multiple of the limit of one address."""
DEFAULT_PORTS = {"http": 80, "https": 443}


def exact(address: str) -> str:
    """Return `address` in canonical notation, which is used to compare addresses of proxies."""
    found = _read(address)
    return address if found is None else str(found)


def counted(address: str) -> str:
    """Return the form of `address` that limits count: for IPv6 the /64 network, which belongs to one client."""
    found = _read(address)
    if found is not None and found.version == 6:
        return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))
    return exact(address)


@lru_cache(4096)
def quotas(counted_address: str) -> tuple[tuple[str, int], ...]:
    """Return the keys that limits count for an address: the address and its IPv6 site.

    Each key comes with its limit as a multiple of the limit of one address.
    """
    if not counted_address.endswith(f"/{IPV6_PREFIX}"):
        return ((counted_address, 1),)
    site = str(ipaddress.ip_network(counted_address).supernet(new_prefix=SITE_PREFIX))
    return ((counted_address, 1), (site, quota_multiple(site)))


def quota_multiple(key: str) -> int:
    """Return the limit of `key`, an address or an IPv6 site, as a multiple of the limit of one address."""
    return SITE_MULTIPLE if key.endswith(f"/{SITE_PREFIX}") else 1


def _read(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if found.version == 6 else found


def forwarded(headers: Sequence[str]) -> str | None:
    """Return the client address that a proxy added at the end of `X-Forwarded-For`. None if it is invalid."""
    last = ",".join(headers).rpartition(",")[2].strip().strip("[]")
    try:
        ipaddress.ip_address(last)
    except ValueError:
        return None
    return counted(last)


def bearer(headers: Headers) -> str | None:
    """Return the seat token in the `Authorization` header of a handshake. None if there is none."""
    kind, _, token = next(iter(headers.get_all("Authorization")), "").partition(" ")
    return token.strip() if kind.lower() == "bearer" and token else None


def may_open_websocket(headers: Headers, allowed: list[str], *, any_name: bool) -> bool:
    """Return whether a websocket may be opened: by a program, by a page of this server, or by a page from `allowed`.

    `any_name` accepts pages of this server under any host name. Otherwise the host must be an IP address or
    `localhost`: a hostile page could make its own DNS name resolve to this machine (DNS rebinding).
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
    return any_name or is_address_or_localhost(place[0])


def has_safe_host(headers: Headers, allowed: list[str], *, any_name: bool) -> bool:
    """Return whether the `Host` of a page request, an address or an `allowed` name, is safe from DNS rebinding."""
    hosts = headers.get_all("Host")
    if any_name or not hosts:
        return True
    place = _place(f"http://{hosts[0]}")
    if place is None:
        return False
    return is_address_or_localhost(place[0]) or place[0] in [
        named[0] for named in map(_place, allowed) if named is not None
    ]


def _place(address: str) -> tuple[str, int] | None:
    """Return the host and port of a URL. None if it is not a plain HTTP origin."""
    try:
        parts = urlsplit(address)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path or parts.query or parts.username:
            return None
        return parts.hostname.lower().rstrip("."), parts.port or DEFAULT_PORTS[parts.scheme]
    except ValueError:
        return None


def is_address_or_localhost(host: str) -> bool:
    """Return whether `host` is an IP address or localhost, which DNS cannot redirect to another machine."""
    return host == "localhost" or host.endswith(".localhost") or _read(host) is not None


def is_loopback(host: str) -> bool:
    """Return whether a server listening on `host` is reachable from its own machine only."""
    found = _read(host)
    return host == "localhost" or (found is not None and found.is_loopback)
