"""Client addresses used for rate limiting, and the web pages that may open a websocket.

- Limits count all addresses of an IPv6 /64 network as one client.
- If a client connects through a trusted proxy, limits count the client address that the proxy sends in a header.
- A websocket is accepted if the request has no `Origin` header, or if `Origin` names the same host as the `Host`
  header. It is also accepted if the owner of the server allows this origin. Browsers send the site of the page as
  `Origin`, so only pages of this server and of allowed sites are accepted. Programs do not send `Origin`.
"""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from websockets.datastructures import Headers

IPV6_PREFIX = 64
"""Number of bits of the prefix of an IPv6 network that counts as one client."""
SITE_PREFIX = 48
"""Number of bits of the prefix of an IPv6 site, a network with many clients."""
SITE_MULTIPLE = 4
"""Limit of an IPv6 site (a /48 network with many clients), as a multiple of the limit of one address."""
DEFAULT_PORTS = {"http": 80, "https": 443}


def exact(address: str) -> str:
    """Return `address` in canonical notation, so that it can be compared with the addresses of proxies."""
    found = _read(address)
    return address if found is None else str(found)


def client_key(address: str) -> str:
    """Return the key under which limits count a client: an IPv4 address, or the /64 network of an IPv6 address.

    All addresses of a /64 network usually belong to one client.
    """
    found = _read(address)
    if found is not None and found.version == 6:
        return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))
    return exact(address)


@lru_cache(4096)
def quotas(client: str) -> tuple[tuple[str, int], ...]:
    """Return the keys under which limits count a client, each with its limit as a multiple of the limit of one address.

    The first key is `client`, a result of `client_key`, with the multiple 1. For IPv6, the second key is the
    site, a /48 network with many clients.
    """
    if not client.endswith(f"/{IPV6_PREFIX}"):
        return ((client, 1),)
    site = str(ipaddress.ip_network(client).supernet(new_prefix=SITE_PREFIX))
    return ((client, 1), (site, quota_multiple(site)))


def quota_multiple(key: str) -> int:
    """Return the limit of `key` as a multiple of the limit of one address. `key` is an address or an IPv6 site."""
    return SITE_MULTIPLE if key.endswith(f"/{SITE_PREFIX}") else 1


def is_local(client: str) -> bool:
    """Return whether a client runs on the machine of the server. `client` is a result of `client_key`."""
    found = _read(client)
    return client == client_key("::1") or (found is not None and found.is_loopback)


def _read(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def forwarded(headers: Sequence[str]) -> str | None:
    """Return the client address that a proxy added at the end of `X-Forwarded-For`. None if it is missing or invalid.

    `headers` are all values of that header. The address has the form that `client_key` returns.
    """
    last = ",".join(headers).rpartition(",")[2].strip().strip("[]")
    try:
        ipaddress.ip_address(last)
    except ValueError:
        return None
    return client_key(last)


def bearer(headers: Headers) -> str | None:
    """Return the token in the `Authorization: Bearer` header of a handshake. None if there is no such header."""
    kind, _, token = next(iter(headers.get_all("Authorization")), "").partition(" ")
    return token.strip() if kind.lower() == "bearer" and token else None


def may_open_websocket(headers: Headers, allowed: list[str], *, any_name: bool) -> bool:
    """Return whether a websocket may be opened: by a program, by a page of this server, or from an origin in `allowed`.

    If `any_name`, the server may have any host name. Otherwise pages of this server are accepted only if its host is an
    IP address or `localhost`. The reason is that a hostile page could make its own DNS name resolve to this machine
    (DNS rebinding).
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
    place = _host_and_port(origins[0])
    if place is None or place != _host_and_port(f"{urlsplit(origins[0]).scheme}://{hosts[0]}"):
        return False
    return any_name or is_address_or_localhost(place[0])


def has_safe_host(headers: Headers, allowed: list[str], *, any_name: bool) -> bool:
    """Return whether the `Host` header of a page request is safe from DNS rebinding.

    IP addresses, `localhost` and the hosts of the origins in `allowed` are safe. If `any_name`, every host is accepted.
    """
    hosts = headers.get_all("Host")
    if any_name or not hosts:
        return True
    place = _host_and_port(f"http://{hosts[0]}")
    if place is None:
        return False
    return is_address_or_localhost(place[0]) or place[0] in [
        named[0] for named in map(_host_and_port, allowed) if named is not None
    ]


def _host_and_port(address: str) -> tuple[str, int] | None:
    """Return the host and port of an HTTP origin, such as `https://example.org`. None if `address` is not an origin."""
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
