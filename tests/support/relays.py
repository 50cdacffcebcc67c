"""Programs between clients and servers in tests: relays that break connections, and reverse proxies."""

import asyncio
import itertools
import os
import random
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tests.support.waiting import HANG_S, wait_until

FRAME = """
pid nginx.pid;
error_log stderr;
events {{ }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxied;
    {lines}
}}
"""


_ports = itertools.count(random.Random(os.getpid()).randrange(20_000, 30_000))


def free_port() -> int:
    """Return a free TCP port of this machine.

    The operating system assigns ports to other programs from a range of higher numbers. So this port stays free until
    the test uses it, and while the test restarts a server.
    """
    while True:
        port = next(_ports)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Relay:
    """A TCP relay on a port of this machine, run in a thread."""

    def __init__(self, port: int = 0) -> None:
        self._open: dict[asyncio.StreamWriter, asyncio.Event] = {}
        """For each connection of a client, an event that is set while the relay copies its data."""
        self._loop = asyncio.new_event_loop()
        self._listener = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", port))
        self.port = int(self._listener.sockets[0].getsockname()[1])
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        flows = self._open[writer] = asyncio.Event()
        flows.set()
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self.answer(reader, writer)
        self._open.pop(writer, None)
        with suppress(OSError, asyncio.CancelledError):
            writer.close()
            await writer.wait_closed()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError

    async def pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, first: bytes = b""
    ) -> None:
        """Connect to the server at `port` and send `first`. Copy data in both directions until one end closes."""
        flows = self._open[writer]
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
        server_writer.write(first)
        ways = [
            asyncio.ensure_future(_copy(reader, server_writer, flows)),
            asyncio.ensure_future(_copy(server_reader, writer, flows)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            server_writer.transport.abort()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._listener.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for writer in self._open:
            writer.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flows: asyncio.Event) -> None:
    with suppress(OSError):
        while content := await reader.read(65_536):
            await flows.wait()
            writer.write(content)
            await writer.drain()


class CuttingRelay(Relay):
    """A relay that can break connections to a server, at once or after a period without data."""

    def __init__(self, to: int) -> None:
        self._to = to
        super().__init__()
        self.url = f"ws://127.0.0.1:{self.port}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.pass_on(reader, writer, self._to)

    def cut(self, chance: random.Random) -> None:
        self._loop.call_soon_threadsafe(self._cut, chance.random(), chance.choice((0.0, 3.0, 30.0)))

    def _cut(self, which: float, silence_s: float) -> None:
        """Stop passing data on one open connection, and close this connection after `silence_s` seconds.

        `which` selects the connection: 0 is the first open connection, and values just below 1 are the last.
        """
        if self._open:
            writer = list(self._open)[int(which * len(self._open))]
            self._open[writer].clear()
            self._loop.call_later(silence_s, writer.transport.abort)


class PathRelay(Relay):
    """A reverse proxy that passes each connection on to one of several servers.

    The path of the first request selects the server, by the `location` lines of the nginx configuration `lines`.
    """

    def __init__(self, lines: str, port: int) -> None:
        ways = re.findall(r"location (/\w+/) \{ proxy_pass http://\S+:(\d+)/", lines)
        self._ways = {path: int(to) for path, to in ways}
        [self._denied] = re.findall(r"location ~ (\S+) \{ deny all; \}", lines)
        super().__init__(port)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method, path, rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split(" ", 2)
        way = next((way for way in self._ways if path.startswith(way)), None)
        if way is not None and not re.match(self._denied, path):
            version, _, headers = rest.partition("\r\n")
            head = f"{method} /{path.removeprefix(way)} {version}\r\nX-Forwarded-For: 127.0.0.1\r\n{headers}"
            await self.pass_on(reader, writer, self._ways[way], head.encode("latin-1"))
            return
        status = f"302 Found\r\nLocation: {next(iter(self._ways))}" if way is None else "403 Forbidden"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        writer.write_eof()
        await reader.read()


@contextmanager
def reverse_proxy(lines: str, port: int, folder: Path) -> Iterator[None]:
    """Run nginx on `port` with the configuration `lines`. If nginx is not installed, run a `PathRelay` instead."""
    folder.mkdir()
    (folder / "nginx.conf").write_text(FRAME.format(lines=lines))
    words = ["nginx", "-p", str(folder), "-c", "nginx.conf"]
    if shutil.which("nginx") and subprocess.run([*words, "-t"], capture_output=True, check=False).returncode == 0:
        with subprocess.Popen([*words, "-g", "daemon off;"], stderr=subprocess.DEVNULL) as nginx:
            try:
                _wait_for(port)
                yield
            finally:
                nginx.terminate()
    else:
        with closing(PathRelay(lines, port)):
            yield


def _wait_for(port: int) -> None:
    def is_open() -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), HANG_S):
            return True
        return False

    wait_until(is_open, "the proxy to listen")
