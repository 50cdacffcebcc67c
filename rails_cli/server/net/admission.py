"""Acceptance of connections: limits, connections reserved for players, bans, host names and origins."""

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING

from websockets.http11 import Request

from rails_cli.server.net.address import (
    bearer,
    client_key,
    exact,
    has_safe_host,
    may_open_websocket,
    quota_multiple,
    quotas,
)
from rails_cli.server.net.http import METHODS, NO_METHOD, HttpPage, text_page
from rails_cli.server.settings import ConnectionLimits

if TYPE_CHECKING:
    from rails_cli.server.net.websocket import WebSocket

SPARE = 20
"""Number of connections above a limit that receive an error message.

Further connections are closed without a message.
"""
BANNED = text_page(HTTPStatus.FORBIDDEN, b"the owner of this server has banned your address\n")
OTHER_NAME = text_page(HTTPStatus.FORBIDDEN, b"not the name of this server; its owner can allow one with --origin\n")
OTHER_ORIGIN = text_page(
    HTTPStatus.FORBIDDEN,
    b"pages from other sites may not connect; the server's owner can allow one with --origin\n",
)
STARTING = text_page(
    HTTPStatus.SERVICE_UNAVAILABLE, b"this server is starting\n", ("Retry-After", "1"), ("Refresh", "1")
)
PROBES = ("/healthz", "/readyz")
"""Paths of the pages that are available even while the server starts."""
TOO_MANY_EACH = text_page(HTTPStatus.TOO_MANY_REQUESTS, b"too many connections from your address\n")
TOO_MANY = text_page(HTTPStatus.SERVICE_UNAVAILABLE, b"too many connections\n")


class Admission:
    """The open connections, and the rules by which new connections are accepted."""

    def __init__(
        self,
        limits: ConnectionLimits,
        *,
        is_at_table: Callable[["WebSocket"], bool],
        is_holder: Callable[[str], bool],
        is_banned: Callable[[str], bool],
        origins: Sequence[str] = (),
        any_name: bool = False,
        proxies: Sequence[str] = (),
    ) -> None:
        """`is_at_table` returns whether a client plays or watches, `is_holder` whether a token belongs to a seat, and
        `is_banned` whether an address is banned. `origins` are the web sites whose pages may connect. `any_name` allows
        pages of this server under any host name. `proxies` are the addresses of trusted proxies, which send the address
        of the client in a header."""
        self.limits = limits
        self.is_at_table = is_at_table
        self._is_holder = is_holder
        self._is_banned = is_banned
        self._origins = list(origins)
        self._any_name = any_name
        self._proxies = frozenset(proxies)
        self.is_starting = False
        """Whether the server is still restoring tables. If so, it answers only requests for the pages PROBES."""
        self.open: set[WebSocket] = set()
        self._on_reserved: set[WebSocket] = set()
        """Open connections that use a place reserved for clients with the token of a seat."""
        self._by_address: dict[str, set[WebSocket]] = {}
        """Mapping from a client address or an IPv6 site (/48 network) to its open connections."""

    # Addresses

    def is_proxy(self, address: str) -> bool:
        return exact(address) in self._proxies

    def address_of(self, transport: asyncio.BaseTransport) -> tuple[str, bool]:
        """Return the client address of a connection, and whether it is the address of a proxy.

        The address has the form that `client_key` returns: an IPv4 address or an IPv6 /64 network.
        """
        peer = transport.get_extra_info("peername")
        return (client_key(str(peer[0])), self.is_proxy(str(peer[0]))) if isinstance(peer, tuple) else ("local", False)

    def count(self, connection: "WebSocket") -> None:
        """Count a connection towards the limits of its address and of its IPv6 site (/48 network)."""
        for name, _ in quotas(connection.address):
            self._by_address.setdefault(name, set()).add(connection)

    def crowd(self, address: str) -> int:
        """Return the number of open connections from `address`, for comparison with the limit of one address.

        For IPv6, return the number of connections from the site (/48 network) divided by SITE_MULTIPLE, if this is
        larger. The limit of a site is SITE_MULTIPLE times the limit of one address.
        """
        return max(-(-len(self._by_address.get(name, ())) // share) for name, share in quotas(address))

    # New connections

    def add(self, connection: "WebSocket") -> bool:
        """Add a new connection. Return False if it must be aborted, because too many connections are open."""
        self.open.add(connection)
        if not connection.is_from_proxy:
            self.count(connection)
        is_overrun = self.is_overrun_from(connection.address) or (self.is_overrun() and not self._make_room(connection))
        return not is_overrun

    def remove(self, connection: "WebSocket") -> None:
        """Remove a closed connection."""
        self.open.discard(connection)
        self._on_reserved.discard(connection)
        for name, _ in quotas(connection.address):
            there = self._by_address.get(name, set())
            there.discard(connection)
            if not there:
                self._by_address.pop(name, None)

    def is_overrun(self, more: int = 0) -> bool:
        """Return whether so many connections are open that new ones are closed without an error message.

        `more` is the number of connections whose TLS handshake is in progress. They count as open.
        """
        return len(self.open) + more > self.limits.connections + SPARE

    def is_overrun_from(self, address: str, more: int = 0) -> bool:
        """Return whether `address` has so many connections that new ones are closed without an error message.

        `more` is the number of its connections whose TLS handshake is in progress. They count as open.
        """
        return self.crowd(address) + more > self.limits.connections_each + SPARE

    def refusal(self, connection: "WebSocket", request: Request) -> HttpPage | None:
        """Return the HTTP response that refuses `request`. None if the request is accepted."""
        headers = request.headers
        any_name = self._any_name or connection.is_from_proxy
        if self._is_banned(connection.address):
            return BANNED
        if request.method not in METHODS:
            return NO_METHOD
        if self.is_starting and request.path.partition("?")[0] not in PROBES:
            return STARTING
        if "Upgrade" not in headers:
            return None if has_safe_host(headers, self._origins, any_name=any_name) else OTHER_NAME
        if request.method == "HEAD":
            return NO_METHOD
        if self.crowd(connection.address) > self.limits.connections_each:
            return TOO_MANY_EACH
        if not may_open_websocket(headers, self._origins, any_name=any_name):
            return OTHER_ORIGIN
        return None if self._has_place(connection, bearer(headers)) else TOO_MANY

    def _has_place(self, newcomer: "WebSocket", token: str | None) -> bool:
        """Return whether there is a place for the websocket `newcomer` within the limit on connections.

        Some places are reserved for clients with the token of a seat. `token` is the token in the request, or None. A
        client without a valid `token` may get a reserved place, but must then send a valid token as one of its first
        messages.
        """
        is_full = len(self.open) > self.limits.connections
        if not is_full and len(self.open) - len(self._on_reserved) <= self.limits.for_anybody:
            return True
        if self._make_room(newcomer):
            return True
        if is_full:
            return False
        self._on_reserved.add(newcomer)
        newcomer.needs_token = token is None or not self._is_holder(token)
        return True

    def _make_room(self, newcomer: "WebSocket") -> bool:
        """Close a connection to make room for `newcomer`. Return False if no connection may be closed.

        Players and spectators are not disconnected. A connection may be closed only if its address, or its IPv6 site,
        has more than twice as many connections as the address of `newcomer`.
        """
        most = 2 * max(1, self.crowd(newcomer.address))
        crowds = [
            (len(there) / quota_multiple(name), name) for name, there in self._by_address.items() if len(there) > most
        ]
        for crowd, name in sorted(crowds, reverse=True):
            if crowd <= most:
                break
            idle = [one for one in self._by_address[name] if not one.closing_since and not self.is_at_table(one)]
            if idle:
                min(idle, key=lambda one: one.message_at).make_room()
                return True
        return False
