"""Run `rails-cli serve` with a clock that a test moves.

`ClockedServer` and `HastenedServer` in ws_client.py start this program. The clock moves only if the test moves it. With
`running` as first argument, the clock also follows the real time. To move the clock, the test writes a number of
seconds as a line to standard input. The server moves the clock and does everything that is due. Then it writes an empty
line to standard output.
"""

import asyncio
import os
import sys
import time
from collections.abc import Callable

from rails_cli.commands.options import settings_of
from rails_cli.commands.serve import checked, command, run
from rails_cli.server.reporting import OperatorLog
from rails_cli.server.server import Server
from rails_cli.server.settings import Settings


class MovedServer(Server):
    """A server whose clock is moved by lines on standard input."""

    def __init__(self, settings: Settings, report: OperatorLog) -> None:
        began, began_at = time.monotonic(), time.time()
        runs = sys.argv[1] == "running"
        self._moved_s = 0.0
        self._unread = b""
        super().__init__(
            settings,
            report,
            now=lambda: (time.monotonic() if runs else began) + self._moved_s,
            wall=lambda: (time.time() if runs else began_at) + self._moved_s,
        )

    async def run(self, started: Callable[[str, int, int], None]) -> None:
        asyncio.get_running_loop().add_reader(0, self._move)
        await super().run(started)

    def _move(self) -> None:
        """Read numbers of seconds from standard input.

        For each, move the clock, do everything that is due, and confirm it.
        """
        content = os.read(0, 4096)
        if not content:
            asyncio.get_running_loop().remove_reader(0)
        *lines, self._unread = (self._unread + content).split(b"\n")
        for line in lines:
            self._moved_s += float(line)
            self.tick()
            self.turn.process_queues()
            os.write(1, b"\n")


if __name__ == "__main__":
    with command.make_context("serve", sys.argv[2:]) as context:
        run(checked(settings_of(Settings, context.params)), MovedServer)
