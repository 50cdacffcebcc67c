"""Whose connection it is, for limits that count by address: a neighbour of IPv6 is one, a proxy speaks for others."""

import ipaddress
from collections.abc import Sequence

IPV6_PREFIX = 64


def exact(address: str) -> str:
    """The address itself, always written the same way: a proxy is known by it."""
    found = _read(address)
    return address if found is None else str(found)


def counted(address: str) -> str:
    """The address that limits count: IPv6 by network, for one client has as many addresses there as it likes."""
    found = _read(address)
    if found is None:
        return address
    if found.version == 6:
        return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))
    return str(found)


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
