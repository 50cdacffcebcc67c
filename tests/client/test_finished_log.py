"""Tests of downloading the log of a finished game from a server that misbehaves."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

from rails_cli.client.finished_log import DOWNLOAD_S, fetch_log


@contextmanager
def http_server() -> Iterator[tuple[str, list[str]]]:
    """Run a web server that misbehaves. Yield its address and the list of the requested paths.

    Requests for the table `moved` are redirected. The answer to any other request is a text that never ends.
    """
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(302 if self.path.endswith("moved") else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            try:
                while self.path != "/api/log/moved":
                    self.wfile.write(b"a")
            except OSError:
                pass  # the client has given up

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"ws://127.0.0.1:{server.server_port}", paths
        server.shutdown()


def test_redirects_are_not_followed_and_an_endless_log_is_given_up() -> None:
    with http_server() as (url, paths):
        assert fetch_log(url, "moved", None) is None
        seconds = count()
        assert fetch_log(url, "endless", None, lambda: float(next(seconds))) is None
    assert paths == ["/api/log/moved", "/api/log/endless"]
    assert next(seconds) > DOWNLOAD_S
