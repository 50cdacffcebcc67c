"""Banned addresses, temporary or permanent, stored in a file."""

import ipaddress
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import msgspec

from rails_cli.basics.files import replace_file
from rails_cli.server.net.address import client_key

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_BANS = msgspec.json.Decoder(dict[str, float | None])


class Bans:
    """Banned networks, each with the Unix timestamp at which its ban ends. None means a permanent ban."""

    def __init__(self, file: Path, wall: Callable[[], float]) -> None:
        """Load the bans from `file`. Raise ValueError if the file cannot be read. `wall` returns Unix timestamps."""
        self._file = file
        self._wall = wall
        self._until: dict[Network, float | None] = {}
        if file.exists():
            try:
                self._until = {read_network(name): until for name, until in _BANS.decode(file.read_bytes()).items()}
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{file} cannot be read ({error}); fix it, or delete it to let everybody in") from None

    def is_banned(self, address: str) -> bool:
        """Return whether `address`, an IPv4 address or an IPv6 /64 network as `client_key` returns it, is banned."""
        return bool(self._until) and any(is_inside(address, banned) for banned in self._lasting())

    def add(self, network: Network, minutes: float | None) -> None:
        self._until[network] = None if minutes is None else self._wall() + 60 * minutes
        self._save()

    def remove(self, network: Network) -> bool:
        """End the ban of `network`. Return False if the network was not banned."""
        was = network in self._lasting()
        self._until.pop(network, None)
        self._save()
        return was

    def left(self) -> dict[str, float | None]:
        """Return a mapping from each banned network to the remaining minutes of its ban. None means a permanent ban."""
        now = self._wall()
        return {
            name_of(banned): None if until is None else round((until - now) / 60, 1)
            for banned, until in self._lasting().items()
        }

    def _lasting(self) -> dict[Network, float | None]:
        now = self._wall()
        self._until = {banned: until for banned, until in self._until.items() if until is None or until > now}
        return self._until

    def _save(self) -> None:
        replace_file(self._file, msgspec.json.encode({name_of(banned): until for banned, until in self._until.items()}))


def read_network(words: str) -> Network:
    """Return the network in `words`. A single IPv6 address stands for its /64 network. Raise ValueError if invalid."""
    try:
        return ipaddress.ip_network(words if "/" in words else client_key(words), strict=False)
    except ValueError:
        raise ValueError(f"{words[:60]!r} is neither an address nor a network, such as 203.0.113.0/24") from None


def name_of(network: Network) -> str:
    """Return a network as text, such as `203.0.113.0/24`. The prefix length of a single address is left out."""
    return str(network.network_address) if network.prefixlen == network.max_prefixlen else str(network)


def is_inside(address: str, network: Network) -> bool:
    """Return whether `address`, an IPv4 address or an IPv6 /64 network of `client_key`, lies in `network`."""
    theirs = _network_of(address)
    return isinstance(theirs, type(network)) and theirs.subnet_of(network)  # type: ignore[arg-type]


@lru_cache(4096)
def _network_of(address: str) -> Network | None:
    try:
        return read_network(address)
    except ValueError:
        return None
