"""Pages of a server, as any program fetches them."""

import json
import re
import time
from http.client import HTTPConnection
from typing import Any

from tests.support.ws_client import ServerProcess

PATIENCE_S = 300.0


def fetched(server: ServerProcess, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def replayed(server: ServerProcess, table: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """The answer to one who asks for a replay, and asks again while it is being made."""
    until = time.monotonic() + PATIENCE_S
    while (answer := fetched(server, f"/replay/{table}", **headers))[0] == 503 and time.monotonic() < until:
        time.sleep(int(answer[1]["retry-after"]))
    return answer


def story_in(page: str) -> dict[str, Any]:
    """What the page of a replay tells."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    story: dict[str, Any] = json.loads(found[1])
    return story
