"""Plain HTTP: replies to requests, compression of replies, and detection of stalled downloads."""

import asyncio
import gzip
import re
import socket
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

TEXT = "text/plain; charset=utf-8"
SAFE = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
)
METHODS = ("GET", "HEAD")
LEAST_COMPRESSED = 500
"""Minimum size in bytes of a page that is compressed."""
COMPRESSED_KEPT = 80
"""Maximum number of compressed pages in the cache, enough for all static files and all cached replays."""
SEND_BUFFER_BYTES = 65_536
"""Size of the socket send buffer for a page. With a larger buffer, a slow client and a stalled client look the same."""
STALLED_S = 30.0
"""Seconds without download progress after which the connection is closed."""


class HttpPage(NamedTuple):
    """An HTTP response. `kind` is the content type of `body`, and `more` has further headers as pairs (name, value)."""

    status: HTTPStatus
    kind: str
    body: bytes
    more: tuple[tuple[str, str], ...]

    def response(self, *, is_head: bool = False) -> Response:
        ours = (("Connection", "close"), ("Content-Length", str(len(self.body))), ("Content-Type", self.kind))
        headers = Headers([*ours, *SAFE, *self.more])
        return Response(self.status.value, self.status.phrase, headers, b"" if is_head else self.body)

    def compressed(self, headers: Headers) -> "HttpPage":
        """Return the page, compressed if the request `headers` accept gzip.

        Short pages, fonts, and pages that must not be cached are not compressed.
        """
        more = (*self.more, ("Vary", "Accept-Encoding"))
        is_temporary = ("Cache-Control", "no-store") in self.more
        is_dense = self.kind.startswith("font/")
        if is_temporary or is_dense or len(self.body) < LEAST_COMPRESSED or not _accepts_gzip(headers):
            return self._replace(more=more)
        return self._replace(body=gzipped(self.body), more=(*more, ("Content-Encoding", "gzip")))


Reply = Callable[[HttpPage], None]


@lru_cache(COMPRESSED_KEPT)
def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _accepts_gzip(headers: Headers) -> bool:
    for part in ",".join(headers.get_all("Accept-Encoding")).split(","):
        name, _, weight = part.replace(" ", "").partition(";")
        if name.lower() in ("gzip", "*"):
            return not re.fullmatch(r"q=0(\.0*)?", weight.lower())
    return False


def text_page(status: HTTPStatus, words: bytes, *more: tuple[str, str]) -> HttpPage:
    """Return a response with the plain text `words` that must not be cached. `more` are further headers."""
    return HttpPage(status, TEXT, words, (*more, ("Cache-Control", "no-store")))


NO_METHOD = text_page(HTTPStatus.METHOD_NOT_ALLOWED, b"only GET and HEAD\n", ("Allow", "GET, HEAD"))
BAD_REQUEST = text_page(HTTPStatus.BAD_REQUEST, b"expected a GET or HEAD request of HTTP/1.1 without a body\n")


class Download:
    """An HTTP response that the client is downloading."""

    def __init__(self, request: Request, transport: asyncio.Transport) -> None:
        self._request = request
        self._transport = transport
        self._unread = 0
        """Number of bytes of the page that were still in the write buffer at the last call of `is_over`."""
        self._progress_at = 0.0

    def response(self, page: HttpPage, now: float) -> Response:
        """Return the response that sends `page`, and prepare the socket for measuring the download progress."""
        self._progress_at = now
        self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        return page.compressed(self._request.headers).response(is_head=self._request.method == "HEAD")

    def is_over(self, now: float, close_s: float) -> bool:
        """Return whether to abort the connection, because the download stalled or the client did not close in time.

        After the download, a client has `close_s` seconds to close the connection.
        """
        unread = self._transport.get_write_buffer_size()
        if unread < self._unread:
            self._progress_at = now
        self._unread = unread
        return now - self._progress_at > (STALLED_S if unread else close_s)
