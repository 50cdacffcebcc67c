"""The log of a finished game, downloaded from a server over HTTP."""

import ssl
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from time import monotonic
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import BaseHandler, HTTPRedirectHandler, HTTPSHandler, ProxyHandler, build_opener

from rails_cli.client.connection import ANSWER_S, LONGEST_MESSAGE, is_loopback, tls_context

LATER = frozenset({202, 429, 503})
"""HTTP status codes that mean that the server is busy, or that the log cannot be downloaded yet."""
WAIT_S = 2.0
"""Seconds between two requests if the server sends no `Retry-After` header.

The time in that header is limited to LONGEST_WAIT_S seconds.
"""
LONGEST_WAIT_S = 5.0
"""Maximum number of seconds before the next attempt to download a log."""
DOWNLOAD_S = 30.0
"""Seconds after which a download is aborted, even if the server is still sending."""
PIECE_BYTES = 1 << 16


class _NoRedirects(HTTPRedirectHandler):
    """Handler that follows no redirects. A server cannot make this program send requests to other servers."""

    def redirect_request(self, *_: object) -> None:
        """Return None, so that the redirect is raised as HTTPError."""


def fetch_log(
    url: str, table: str, certificate: Path | None, now: Callable[[], float] = monotonic
) -> bytes | float | None:
    """Return the log of the finished game at `table` of the server `url`.

    If the server is busy, return instead the seconds to wait before the next request. Return None if the server does
    not send the log, or is too slow. `certificate` is a file with certificates to trust instead of those of the system.
    `now` returns the time in seconds.
    """
    parts = urlsplit(url)
    handlers: list[BaseHandler] = [_NoRedirects()]
    if is_loopback(url):
        handlers.append(ProxyHandler({}))
    if parts.scheme == "wss":
        handlers.append(HTTPSHandler(context=tls_context(certificate)))
    scheme = "https" if parts.scheme == "wss" else "http"
    address = f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/api/log/{quote(table, safe='')}"
    try:
        with build_opener(*handlers).open(address, timeout=ANSWER_S) as answer:
            if answer.status not in LATER:
                return _content(answer, now)
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


def _content(answer: HTTPResponse, now: Callable[[], float]) -> bytes | None:
    """Return the content of an answer, or None if it is too long or the download takes over DOWNLOAD_S seconds."""
    content, until = bytearray(), now() + DOWNLOAD_S
    while piece := answer.read1(PIECE_BYTES):
        content += piece
        if len(content) > LONGEST_MESSAGE or now() > until:
            return None
    return bytes(content)
