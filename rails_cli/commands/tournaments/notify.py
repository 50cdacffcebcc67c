"""Messages about a running tournament to a web address, for `tournament run --notify`."""

import http.client
import urllib.request
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import click
import msgspec

from rails_cli.games.faces.phrases import count_phrase

NOTIFY_S = 5.0
"""Seconds after which an address that does not respond counts as unreachable."""
SENT = ("suspended", "decision", "tournament_end")


def read_url(words: str) -> str:
    """Return `words` if it is an address that starts with http:// or https://. Raise ValueError otherwise."""
    parts = urlsplit(words)
    if parts.scheme not in ("http", "https") or not parts.hostname or not words.isprintable() or " " in words:
        raise ValueError(f"{words!r} is not a web address; expected one such as https://example.org/hook")
    return words


class Notifier:
    """A listener that posts some events of a tournament as JSON to a web address.

    It posts the end, the decision of a stopping rule, and suspensions. The JSON object is the event with the name of
    the tournament and the folder of its results. A failure does not affect the tournament. It is reported on standard
    error when the listener is closed, because the live view uses the screen until then.
    """

    hears_games = False

    def __init__(self, url: str) -> None:
        self.url = url
        self.about: dict[str, Any] = {}
        self.failures: Counter[str] = Counter()

    def __call__(self, event: dict[str, Any]) -> None:
        if event["event"] == "tournament_start":
            self.about = {"tournament": event["name"], "folder": event["folder"]}
        elif event["event"] in SENT:
            content = msgspec.json.encode(self.about | event)
            request = urllib.request.Request(self.url, content, {"Content-Type": "application/json"})
            try:
                with urllib.request.urlopen(request, timeout=NOTIFY_S):
                    pass
            except (OSError, ValueError, http.client.HTTPException) as error:
                self.failures[str(getattr(error, "reason", "") or error)] += 1

    def close(self) -> None:
        for why, number in self.failures.items():
            lost = count_phrase(number, "message")
            click.echo(f"warning: --notify: {lost} could not be sent to {self.url}: {why}", err=True)
