"""A `rails-cli host` process for tests."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from tests.support.tools import start_rails
from tests.support.waiting import HANG_S


class Host:
    """A running `rails-cli host`. A test sends and receives its messages."""

    def __init__(self, *words: str, before: Sequence[str] = ()) -> None:
        """Start it with the arguments `words`. `before` is a command line that starts it."""
        pipe = subprocess.PIPE
        self.process = start_rails("host", *words, before=before, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def hear(self) -> dict[str, Any]:
        """Return the next message of the host."""
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def say(self, **message: Any) -> None:
        """Send a message to the host."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def end(self) -> tuple[int, str]:
        """Wait until the process ends. Return its exit code and the content of standard error."""
        _, errors = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, errors
