"""Whose connection it is, for limits that count by address: a neighbour of IPv6 is one, a proxy speaks for others."""

import ipaddress
from collections.abc import Sequence

IPV6_PREFIX = 64


def counted(address: str) -> str:
    """The address that limits count: IPv6 by network, for one client has as many addresses there as it likes."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 6:
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))
    return str(found)


def forwarded(headers: Sequence[str]) -> str | None:
    """The client that a proxy speaks for: the last one in `X-Forwarded-For`, which the proxy has put there itself."""
    last = ",".join(headers).rpartition(",")[2].strip().strip("[]")
    try:
        ipaddress.ip_address(last)
    except ValueError:
        return None
    return counted(last)
