"""The log of a finished game, downloaded from a server over HTTP."""

import ssl
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

from rails_cli.client.connection import ANSWER_S, LONGEST_MESSAGE, is_loopback, tls_context

LATER = frozenset({202, 429, 503})
"""HTTP status codes of a server that is busy or still makes the copy of the log."""
WAIT_S = 2.0
"""Seconds between two requests, unless the server names another time. LONGEST_WAIT_S is the maximum of both."""
LONGEST_WAIT_S = 5.0


def fetch_log(url: str, table: str, certificate: Path | None) -> bytes | float | None:
    """Return the log of the finished game at `table` of the server `url`.

    Return the seconds to wait before the next request if the server is busy. Return None if the server does not give
    the log. `certificate` is a file with certificates to trust instead of those of the system.
    """
    parts = urlsplit(url)
    handlers = [ProxyHandler({})] if is_loopback(url) else []
    if parts.scheme == "wss":
        handlers.append(HTTPSHandler(context=tls_context(certificate)))  # type: ignore[arg-type]
    scheme = "https" if parts.scheme == "wss" else "http"
    address = f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/api/log/{quote(table, safe='')}"
    try:
        with build_opener(*handlers).open(address, timeout=ANSWER_S) as answer:
            if answer.status not in LATER:
                content: bytes = answer.read(LONGEST_MESSAGE + 1)
                return content if len(content) <= LONGEST_MESSAGE else None
            named = answer.headers.get("Retry-After")
    except HTTPError as error:
        if error.code not in LATER:
            return None
        named = error.headers.get("Retry-After")
    except (OSError, HTTPException, ValueError, ssl.SSLError):
        return None
    wait_s = WAIT_S
    with suppress(TypeError, ValueError):
        wait_s = float(named)
    return min(max(0.0, wait_s), LONGEST_WAIT_S)
