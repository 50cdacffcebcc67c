"""A server that sends arbitrary messages, and functions that return the error message of a command connected to it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from click.testing import CliRunner
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from rails_cli.cli import main
from tests.support.tools import NO_SANDBOX

HELLO = {"type": "hello", "protocol": 1, "server": "odd", "max_line": 1048576}


def fails(code: int, *words: str) -> str:
    """Run the rails-cli command `words`, which must exit with `code`. Return its error line without usage lines."""
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stdout) == (code, ""), done.stderr
    assert isinstance(done.exception, SystemExit), done.exception
    return clear_line(code, done.stderr)


def clear_line(code: int, stderr: str) -> str:
    """Return the error line in `stderr`. With exit code 2, usage lines must precede it, otherwise there must be none.

    The warning that bots run without a sandbox is ignored.
    """
    *usage, last = stderr.removeprefix(NO_SANDBOX.format("--sandbox auto")).splitlines()
    assert last.startswith("Error: ")
    assert bool(usage) == (code == 2)
    return last


@contextmanager
def odd_server(*greeting: Any, answer: Callable[[dict[str, Any]], Any] = lambda request: None) -> Iterator[str]:
    """Run a server that sends `greeting` to each client and answers each request with `answer(request)`.

    Yield the address of the server.
    """

    def handle(connection: ServerConnection) -> None:
        try:
            for message in greeting:
                connection.send(json.dumps(message))
            for content in connection:
                replies = answer(json.loads(content))
                for message in replies if isinstance(replies, tuple) else () if replies is None else (replies,):
                    connection.send(json.dumps(message))
        except ConnectionClosed:
            pass

    with serve(handle, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()
