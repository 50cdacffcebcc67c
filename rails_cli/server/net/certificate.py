"""The TLS certificate of a server, which is loaded again when its files change."""

import os
import ssl
from pathlib import Path

from rails_cli.basics.files import open_regular


class Certificate:
    """A certificate chain and its private key. `context` is the TLS context for new connections."""

    def __init__(self, chain: Path, key: Path) -> None:
        """Load the certificate chain and the private key.

        Raise OSError, or its subclass SSLError, if they cannot be used.
        """
        self._files = (chain, key)
        self._loaded = self._seen = self._versions()
        self.context = self._new_context()

    def reload(self) -> None:
        """Load the files of the certificate again.

        If they cannot be used, raise OSError and keep the previous certificate.
        """
        self._loaded = self._seen = self._versions()
        self.context = self._new_context()

    def reload_if_changed(self) -> bool:
        """Load the certificate and its key again if their files have changed. Return whether they were loaded.

        The files are loaded only if they are the same at two successive calls. Otherwise the certificate could be new
        and the key still old. If the files cannot be used, raise OSError once, and keep the previous certificate.
        """
        before, self._seen = self._seen, self._versions()
        if self._seen == self._loaded or self._seen != before:
            return False
        self.reload()
        return True

    def _versions(self) -> list[tuple[int, int, int] | None]:
        """Return the inode, size and modification time of each file, or None for a file that does not exist."""
        return [_version(file) for file in self._files]

    def _new_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        for file in self._files:
            os.close(open_regular(file))  # reading a FIFO would block the server
        try:
            context.load_cert_chain(*self._files, password="")  # an encrypted key is an error instead of a question
        except ssl.SSLError as error:
            raise ssl.SSLError(error.errno, _problem(error, *self._files)) from None
        # Session tickets are disabled: a client that reads one in one thread while it writes in another can hang for
        # good. OpenSSL allows one thread per connection, and before 3.13 Python's blocking clients did not obey that.
        context.num_tickets = 0
        return context


def _problem(error: ssl.SSLError, chain: Path, key: Path) -> str:
    """Return the name of the file, `chain` or `key`, that caused `error`, and the reason."""
    if error.reason in ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"):
        return f"{key} does not belong to {chain}"
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(chain)
    except ssl.SSLError:
        return f"{chain} is not a certificate in PEM format"
    if error.reason:
        return f"{chain} or {key} is refused: {error.reason}"
    return f"{key} is not a private key in PEM format without a password"


def _version(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
