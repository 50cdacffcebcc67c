"""Messages about a running tournament to a web address, for `tournament run --notify`."""

import threading
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import click
import msgspec

from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.shared.text import printable

NOTIFY_S = 5.0
"""Seconds after which a message that is not sent completely counts as lost."""
SENT = ("suspended", "decision", "tournament_end")


def read_url(words: str) -> str:
    """Return `words` if it is an address that starts with http:// or https://. Raise ValueError otherwise."""
    parts = urlsplit(words)
    if "@" in parts.netloc:
        raise ValueError("a web address with a user name or password is not accepted; leave out what is before the @")
    is_web = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    if not is_web or not words.isprintable() or " " in words:
        raise ValueError(f"{words!r} is not a web address; expected one such as https://example.org/hook")
    return words


def _post_in_time(url: str, content: bytes, limit_s: float) -> str | None:
    """Call `post`, but do not wait longer than `limit_s` seconds.

    Return None on success, or the reason of the failure.
    """
    from rails_cli.commands.tournaments.posting import post  # imports http.client, which takes about 20 ms

    results: list[str | None] = []
    thread = threading.Thread(target=lambda: results.append(post(url, content)), daemon=True)
    thread.start()
    thread.join(limit_s)
    return results[0] if results else f"no complete response within {limit_s:g} seconds"


class Notifier:
    """A listener that posts some events of a tournament as JSON to a web address.

    It posts the end, the decision of a stopping rule, and suspensions. The JSON object is the event with the name of
    the tournament and the folder of its results. A failure does not affect the tournament. Failures are reported on
    standard error when the listener is closed, because the live view uses the screen until then.
    """

    hears_games = False

    def __init__(self, url: str, limit_s: float = NOTIFY_S) -> None:
        self.url = url
        self.limit_s = limit_s
        self.about: dict[str, Any] = {}
        self.failures: Counter[str] = Counter()

    def __call__(self, event: dict[str, Any]) -> None:
        if event["event"] == "tournament_start":
            self.about = {"tournament": event["name"], "folder": event["folder"]}
        elif event["event"] in SENT:
            content = msgspec.json.encode(self.about | event)
            why = _post_in_time(self.url, content, self.limit_s)
            if why is not None:
                self.failures[printable(why)] += 1

    def close(self) -> None:
        parts = urlsplit(self.url)  # path and query may be secret
        for why, number in self.failures.items():
            lost = count_phrase(number, "message")
            click.echo(
                f"warning: --notify: {lost} could not be sent to {parts.scheme}://{parts.netloc}: {why}", err=True
            )
