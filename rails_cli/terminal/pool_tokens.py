"""Secret tokens of the entrants that this user has registered, in one private file for all servers.

An entrant is a player with a rating in the pool of a server. The server accepts an entrant only with its token.
"""

import fcntl
from pathlib import Path

import msgspec

from rails_cli.basics.files import read_file, replace_file
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.terminal.saving import state_folder


class _Known(msgspec.Struct):
    """The tokens for one server, as the file stores them: those of the entrants, and one for their owner."""

    owner_token: str | None = None
    tokens: dict[str, str] = {}
    """Dictionary from the name of an entrant (rated player) to the token of the entrant."""


_FILE = msgspec.json.Decoder(dict[str, _Known])


def tokens_file() -> Path:
    return state_folder() / "pool.json"


class PoolTokens:
    """The stored tokens of entrants (rated players) in the pool of one server."""

    def __init__(self, url: str) -> None:
        """Read the tokens for the server `url`. Raise OSError if the file exists but is unreadable."""
        self.url = url.rstrip("/")
        self.file = tokens_file()
        self._known = self._read().get(self.url, _Known())

    def _read(self) -> dict[str, _Known]:
        try:
            return _FILE.decode(read_file(self.file))
        except FileNotFoundError:
            return {}
        except UNDECODABLE:
            raise OSError(None, "this is not a file of tokens") from None

    @property
    def owner_token(self) -> str | None:
        return self._known.owner_token

    def token_of(self, name: str) -> str | None:
        """Return the token of the entrant called `name`, without regard to case. None if no token is stored."""
        return {known.casefold(): token for known, token in self._known.tokens.items()}.get(name.casefold())

    def keep(self, name: str, token: str, owner_token: str | None) -> None:
        """Store the token of the entrant called `name`. Also store `owner_token`, the token of the entrant's owner.

        If `owner_token` is None, keep the stored owner token. Raise OSError if the file cannot be written.
        """
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            everything = self._read()
            known = everything.setdefault(self.url, _Known())
            known.tokens[name] = token
            known.owner_token = owner_token or known.owner_token
            replace_file(self.file, msgspec.json.encode(everything))
        self._known = known
