"""Tokens of pool registrations made on this machine, in one private file for all servers."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from rails_cli.basics.files import read_file, replace_file
from rails_cli.terminal.saving import state_folder


class _Known(msgspec.Struct):
    """The tokens for one server."""

    owner_token: str | None = None
    tokens: dict[str, str] = {}
    """Tokens by entrant."""


_FILE = msgspec.json.Decoder(dict[str, _Known])


def tokens_file() -> Path:
    return state_folder() / "pool.json"


class PoolTokens:
    """The tokens for one server."""

    def __init__(self, url: str) -> None:
        """Read the tokens for `url`. Raises OSError if the file is unreadable, because its content must not be lost."""
        self.url = url.rstrip("/")
        self.file = tokens_file()
        self._known = self._read().get(self.url, _Known())

    def _read(self) -> dict[str, _Known]:
        try:
            return _FILE.decode(read_file(self.file, must_be_regular=True))
        except FileNotFoundError:
            return {}
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise OSError(None, "this is not a file of tokens") from None

    @property
    def owner_token(self) -> str | None:
        return self._known.owner_token

    def token_of(self, name: str) -> str | None:
        """Return the token of an entrant, ignoring the case of its name."""
        return {known.casefold(): token for known, token in self._known.tokens.items()}.get(name.casefold())

    def keep(self, name: str, token: str, owner_token: str | None) -> None:
        """Store the tokens of an entrant. Raises OSError."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self._alone():
            everything = self._read()
            known = everything.setdefault(self.url, _Known())
            known.tokens[name] = token
            known.owner_token = owner_token or known.owner_token
            replace_file(self.file, msgspec.json.encode(everything))
        self._known = known

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold an exclusive lock on the file of tokens."""
        handle = os.open(self.file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
