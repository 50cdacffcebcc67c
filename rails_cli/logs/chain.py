"""Encoding of log lines with a running hash. The result line contains the hash of all lines before it.

In a signed log, every line contains the first digits of the hash of all lines before it. A signature is added every
`SIGNED_EVERY` lines.
"""

import re
from binascii import hexlify
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import msgspec

from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.protocol.log import Header, ResultLine

SIGNED_EVERY = 100
"""Number of lines between two signatures. Making a signature takes as much time as several moves."""
LINK_DIGITS = 16
"""Number of hex digits of the hash that the `chain` field of a log line contains."""
SIGNATURE = re.compile(rb',"signature":"([0-9a-f]{128})"}$')
PREFIX = b"rails log "
"""Bytes prepended to the content before signing, so that a signature of a log is not valid for anything else."""

_ENCODER = msgspec.json.Encoder()
_LINK = re.compile(rb',"chain":"[0-9a-f]{16}"}$')


class _Start(msgspec.Struct, frozen=True):
    """The part of a log header that tells whether the log is signed: the public key, or None if the log is unsigned."""

    key: str | None = None


class Signer(Protocol):
    """A private key that signs logs."""

    @property
    def key(self) -> str:
        """The public key, as 64 hex digits."""

    def sign(self, content: bytes) -> bytes: ...


class Beginning(NamedTuple):
    """The first lines of a log that continues another log. Most of them are copied from the other log."""

    header: Header
    lines: list[bytes]
    """The log lines after the header, each encoded as JSON and without its `chain` field."""


class Chain:
    """Encoder of the lines of one log. To continue an existing log, pass its content to `update` first."""

    __slots__ = ("_hash", "_key", "_signer", "_start", "_unsigned")

    def __init__(self, signer: Signer | None = None) -> None:
        """Create the encoder. `signer` is the key that signs the log, or None for an unsigned log."""
        self._hash = sha256()
        self._signer = signer
        self._key = None if signer is None else signer.key
        self._start: bytes | None = b""
        """The part of the header passed to `update` so far. None once the whole header has been passed."""
        self._unsigned = 0
        """Number of lines since the last signature."""

    @property
    def head(self) -> str:
        """SHA-256 of all lines encoded so far, as hex digits. For a complete log this is the hash of its file."""
        return self._hash.hexdigest()

    def update(self, content: bytes) -> None:
        """Add the next part of an existing log to the hash."""
        self._hash.update(content)
        self._unsigned += 1
        if self._start is not None:
            self._start += content
            header, newline, _ = self._start.partition(b"\n")
            if not newline:
                return
            self._start = self._key = None
            with suppress(*UNDECODABLE):
                self._key = msgspec.json.decode(header, type=_Start).key
            if self._signer is not None and self._signer.key != self._key:
                self._signer = None

    def line(self, message: Any) -> bytes:
        kind = type(message)
        if kind is ResultLine:
            content = _ENCODER.encode(msgspec.structs.replace(message, chain=self.head))
            return self._plain(content) if self._key is None else self._signed(content)
        if kind is Header:
            self._start = None
            if message.key != self._key:
                message = msgspec.structs.replace(message, key=self._key)
            return self._plain(_ENCODER.encode(message))
        return self.linked(_ENCODER.encode(message))

    def lines(self, messages: Sequence[Any]) -> bytes:
        """Return `messages` encoded as the next lines of the log. Only the last message may be a result."""
        content, running = b"", self._hash
        if self._key is None and len(messages) > 1:
            content = _ENCODER.encode_lines(messages[:-1])
            running.update(content)
            messages = messages[-1:]
        for message in messages:
            is_usual = type(message) is not ResultLine and type(message) is not Header
            if not is_usual or self._unsigned + 1 >= SIGNED_EVERY:
                content += self.line(message)
                continue
            line = _ENCODER.encode(message)
            if self._key is None:
                line += b"\n"
            else:
                line = b'%b,"chain":"%b"}\n' % (line[:-1], hexlify(running.digest()[: LINK_DIGITS // 2]))
                self._unsigned += 1
            running.update(line)
            content += line
        return content

    def linked(self, content: bytes) -> bytes:
        """Return the next line of the log, and a signature line if one is due.

        `content` is the line as JSON without a `chain` field. In a signed log the field is added.
        """
        if self._key is None:
            return self._plain(content)
        running = self._hash
        content = b'%b,"chain":"%b"}\n' % (content[:-1], hexlify(running.digest()[: LINK_DIGITS // 2]))
        running.update(content)
        self._unsigned += 1
        return content + self.sign() if self._unsigned >= SIGNED_EVERY else content

    def _plain(self, content: bytes) -> bytes:
        """Add `content` to the hash as a log line without a `chain` field, and return the line."""
        content += b"\n"
        self._hash.update(content)
        return content

    def beginning_lines(self, beginning: Beginning) -> bytes:
        """Return the encoded first lines of a log that continues another log."""
        return self.line(beginning.header) + b"".join([self.linked(line) for line in beginning.lines])

    def sign(self) -> bytes:
        """Return a line that signs all lines before it, or empty bytes if all lines are signed or there is no key."""
        if self._signer is None or not self._unsigned:
            return b""
        return self._signed(b'{"type":"signed","chain":"%b"}' % hexlify(self._hash.digest()[: LINK_DIGITS // 2]))

    def _signed(self, content: bytes) -> bytes:
        """Add `content` to the hash and return it as a log line. With a key, a signature is added as the last field."""
        before, end = content[:-1], b"}\n"
        self._hash.update(before)
        self._unsigned = 0
        if self._signer is not None:
            end = b',"signature":"%b"}\n' % self._signer.sign(PREFIX + self._hash.digest()).hex().encode()
        self._hash.update(end)
        return before + end


def unlinked(lines: Sequence[bytes]) -> list[bytes]:
    """Return the lines of a signed log without their `chain` fields. Lines with signatures are left out."""
    return [_LINK.sub(b"}", line) for line in lines if not SIGNATURE.search(line)]


def signed(content: bytes, signer: Signer) -> bytes:
    header, *lines, result = content.splitlines()
    chain = Chain(signer)
    begun = chain.beginning_lines(Beginning(msgspec.json.decode(header, type=Header), lines))
    return begun + chain.line(msgspec.json.decode(result, type=ResultLine))


def log_of(messages: Sequence[Any], signer: Signer | None = None) -> bytes:
    return Chain(signer).lines(messages)
