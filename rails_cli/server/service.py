"""Messages to the service manager that started the server, such as systemd, with the protocol of `sd_notify`."""

import os
import socket
from contextlib import suppress

MICROSECONDS = 1_000_000


class ServiceManager:
    """The service manager that started the server. If there is none, messages are not sent."""

    def __init__(self) -> None:
        """Read the address of the service manager's socket from the environment.

        Remove variables that bots must not inherit.
        """
        self._path = os.environ.pop("NOTIFY_SOCKET", "")
        watched_us, process = os.environ.pop("WATCHDOG_USEC", ""), os.environ.pop("WATCHDOG_PID", "")
        is_watched = watched_us.isdecimal() and process in ("", str(os.getpid()))
        self.watchdog_s = int(watched_us) / MICROSECONDS if is_watched else 0.0
        """Seconds without a message after which the service manager restarts the server. 0 for no such limit."""

    def send(self, *states: str) -> None:
        """Send states such as `READY=1` to the service manager.

        Ignore errors, because the server does not need the manager.
        """
        if self._path:
            address = f"\0{self._path[1:]}" if self._path.startswith("@") else self._path
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.setblocking(False)
                sender.sendto("\n".join(states).encode(), address)
