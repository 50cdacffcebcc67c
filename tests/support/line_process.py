"""`rails-cli engine` and `rails-cli host` as processes that exchange lines of JSON with a test."""

import json
import subprocess
from typing import Any, Self

from tests.support.tools import start_rails
from tests.support.waiting import HANG_S


class LineProcess:
    """A rails-cli command that exchanges lines of JSON over standard input and output.

    `module` is the module to run instead of rails-cli.
    """

    def __init__(self, *words: str, env: dict[str, str] | None = None, module: str = "rails_cli") -> None:
        pipe = subprocess.PIPE
        self.process = start_rails(*words, module=module, stdin=pipe, stdout=pipe, stderr=pipe, env=env)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, message: Any) -> None:
        """Write `message` to the process as a line of JSON. If `message` is bytes, write it unchanged."""
        assert self.process.stdin is not None
        self.process.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self.process.stdin.flush()

    def say(self, **message: Any) -> None:
        self.send(message)

    def read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, message: Any) -> Any:
        self.send(message)
        return self.read()

    def end(self) -> tuple[int, str]:
        """Close standard input. Return the exit code and the content of standard error."""
        _, errors = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, errors.decode()
