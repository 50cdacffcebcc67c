"""Tokens of the pools that were registered for from here: one private file for all servers."""

import msgspec

from rails_cli.files import write_new
from rails_cli.terminal.saving import state_folder


class _Known(msgspec.Struct):
    """What is known of one server."""

    owner_token: str | None = None
    tokens: dict[str, str] = {}
    """By entrant."""


_FILE = msgspec.json.Decoder(dict[str, _Known])


class PoolTokens:
    """The tokens at one server."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self.file = state_folder() / "pool.json"
        self._known = self._read().get(self.url, _Known())

    def _read(self) -> dict[str, _Known]:
        try:
            return _FILE.decode(self.file.read_bytes())
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return {}

    @property
    def owner_token(self) -> str | None:
        return self._known.owner_token

    def token_of(self, name: str) -> str | None:
        """The token of an entrant, whatever the case of its name."""
        return {known.casefold(): token for known, token in self._known.tokens.items()}.get(name.casefold())

    def keep(self, name: str, token: str, owner_token: str | None) -> None:
        """Raises OSError."""
        everything = self._read()
        known = everything.setdefault(self.url, _Known())
        known.tokens[name] = token
        known.owner_token = owner_token or known.owner_token
        self._known = known
        self.file.parent.mkdir(parents=True, exist_ok=True)
        write_new(self.file, msgspec.json.encode(everything))
