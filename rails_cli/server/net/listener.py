"""Listening sockets that accept connections, with or without TLS."""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import Coroutine, Sequence
from typing import Any

from rails_cli.server.net.address import client_key
from rails_cli.server.net.certificate import Certificate
from rails_cli.server.net.websocket import Endpoint, WebSocket

BACKLOG = 1024
"""Maximum number of new connections that wait to be accepted."""
FEW = 2
"""Number of open connections of an address above which it gets no new connections while the server is full.

TLS handshakes in progress count as connections.
"""
BREATH_S = 0.1
"""Seconds to wait after an error in accepting a connection, such as too many open files."""


def bind(host: str, port: int) -> list[socket.socket]:
    """Return sockets that are bound to the addresses of `host`, all with the same port.

    If `port` is 0, the system chooses the port. Raise OSError if the port cannot be used.
    """
    with contextlib.ExitStack() as opened:
        sockets: list[socket.socket] = []
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, address in dict.fromkeys((each[0], each[4][0]) for each in found):
            bound = opened.enter_context(socket.create_server((str(address), port), family=family, backlog=BACKLOG))
            bound.setblocking(False)
            sockets.append(bound)
            port = bound.getsockname()[1]
        opened.pop_all()
    return sockets


class PlainListener:
    """Listener for connections without TLS."""

    def __init__(self, endpoint: Endpoint, sockets: Sequence[socket.socket]) -> None:
        self._endpoint = endpoint
        self._sockets = sockets
        self._servers: list[asyncio.Server] = []

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        for bound in self._sockets:
            server = await loop.create_server(lambda: WebSocket(self._endpoint), sock=bound, backlog=BACKLOG)
            self._servers.append(server)

    def close(self) -> None:
        for server in self._servers:
            server.close()


class TlsListener:
    """Listener for TLS connections.

    Handshakes in progress count towards the limits, because a handshake may never end.
    """

    def __init__(self, endpoint: Endpoint, sockets: Sequence[socket.socket], certificate: Certificate) -> None:
        self._endpoint = endpoint
        self._certificate = certificate
        self._sockets = sockets
        self._tasks: set[asyncio.Task[None]] = set()
        self._by_address: Counter[str] = Counter()

    async def open(self) -> None:
        for bound in self._sockets:
            self._go(self._accept(bound))

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for bound in self._sockets:
            bound.close()

    def _go(self, todo: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(todo)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self, bound: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                made, peer = await loop.sock_accept(bound)
            except OSError:
                await asyncio.sleep(BREATH_S)
                continue
            address = client_key(str(peer[0]))
            admission = self._endpoint.admission
            there = 0 if admission.is_proxy(str(peer[0])) else self._by_address[address]
            is_crowd = admission.crowd(address) + there > FEW
            is_overrun = is_crowd and admission.is_overrun(self._by_address.total())
            if is_overrun or admission.is_overrun_from(address, there):
                made.close()
            else:
                self._by_address[address] += 1
                self._go(self._shake(made, address))

    async def _shake(self, made: socket.socket, address: str) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: WebSocket(self._endpoint),
                made,
                ssl=self._certificate.context,
                ssl_handshake_timeout=self._endpoint.limits.handshake_s,
            )
        except Exception:  # not TLS, or the handshake timed out
            with contextlib.suppress(OSError):
                made.close()
        finally:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
