"""`rails-cli engine` and `rails-cli host` as processes that exchange lines of JSON with a test."""

import json
import subprocess
from typing import Any, Self

from tests.support.tools import start_rails


class LineProcess:
    """A rails-cli command with JSON lines on standard input and output."""

    def __init__(self, *words: str, env: dict[str, str] | None = None) -> None:
        pipe = subprocess.PIPE
        self.process = start_rails(*words, stdin=pipe, stdout=pipe, stderr=pipe, env=env)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, message: Any) -> None:
        """Write `message` as a line of JSON, or bytes unchanged."""
        assert self.process.stdin is not None
        self.process.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, message: Any) -> Any:
        """Send `message` and return the next message received."""
        self.send(message)
        return self.read()

    def end(self) -> tuple[int, bytes]:
        """Close standard input. Return the exit code and the content of standard error."""
        _, errors = self.process.communicate()
        return self.process.returncode, errors
