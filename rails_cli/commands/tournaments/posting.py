"""Posting of one message to a web address."""

import http.client
import urllib.error
import urllib.request
from typing import Any


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Handler that treats a redirect as a failure, so that messages are sent only to the address of --notify."""

    def redirect_request(self, *_: Any) -> None:
        return None


def post(url: str, content: bytes) -> str | None:
    """Post the JSON `content` to a web address. Return None on success, or the reason of the failure."""
    request = urllib.request.Request(url, content, {"Content-Type": "application/json"})
    try:
        with urllib.request.build_opener(_NoRedirects).open(request):
            return None
    except urllib.error.HTTPError as error:
        error.close()
        redirect = ", a redirect, which is not followed" if 300 <= error.code < 400 else ""
        return f"HTTP {error.code} {error.reason}{redirect}"
    except (OSError, ValueError, http.client.HTTPException) as error:
        return str(getattr(error, "reason", "") or error)
