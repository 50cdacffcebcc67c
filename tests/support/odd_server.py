"""A server that sends arbitrary messages, and the error that a command prints about it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from click.testing import CliRunner
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from rails_cli.cli import main

HELLO = {"type": "hello", "protocol": 1, "server": "odd", "max_line": 1048576}


def fails(code: int, *words: str) -> str:
    """One clear line on standard error, and nothing else; usage comes before it where the words are wrong."""
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stdout) == (code, ""), done.stderr
    assert isinstance(done.exception, SystemExit), done.exception
    return clear_line(code, done.stderr)


def clear_line(code: int, told: str) -> str:
    """The error in what a command printed, without the usage before it."""
    *usage, last = told.splitlines()
    assert last.startswith("Error: ")
    assert bool(usage) == (code == 2)
    return last


@contextmanager
def odd_server(*greeting: Any, answer: Callable[[dict[str, Any]], Any] = lambda request: None) -> Iterator[str]:
    """A server that says what it likes."""

    def handle(connection: ServerConnection) -> None:
        try:
            for words in greeting:
                connection.send(json.dumps(words))
            for content in connection:
                said = answer(json.loads(content))
                for words in said if isinstance(said, tuple) else () if said is None else (said,):
                    connection.send(json.dumps(words))
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
