"""HTTP requests to the pages of a server."""

import json
import re
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any

from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import ServerProcess


def fetched(server: ServerProcess, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Send an HTTP request for `path`. Return status, headers and body of the response."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=HANG_S)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def replayed(server: ServerProcess, table: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the replay page of `table`.

    Repeat the request until the page has been generated.
    """
    return made(server, f"/replay/{table}", **headers)


def made(server: ServerProcess, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Request `path` until the server has generated the page and no longer answers 503.

    Return status, headers and body of the last response.
    """
    answers: list[tuple[int, dict[str, str], bytes]] = []

    def is_made() -> bool:
        answers.append(fetched(server, path, **headers))
        return answers[-1][0] != HTTPStatus.SERVICE_UNAVAILABLE

    wait_until(is_made, f"the page {path}")
    return answers[-1]


def story_in(page: str) -> dict[str, Any]:
    """Return the decoded JSON data that the replay page `page` contains."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    story: dict[str, Any] = json.loads(found[1])
    return story
