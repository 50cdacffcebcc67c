"""The lines of a log as they are written: a running hash goes along, and the result seals all that stands before it.

In a log that somebody signs each line tells the hash of all lines before it, and now and then one signs them.
"""

import re
from binascii import hexlify
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import msgspec

from protocol.log import Header, ResultLine

SIGNED_EVERY = 100
"""After so many lines they are signed; a signature costs as much as some moves."""
LINK_DIGITS = 16
SIGNATURE = re.compile(rb',"signature":"([0-9a-f]{128})"}$')
PREFIX = b"rails log "
"""What is signed begins with this, so that it cannot be taken for anything else that the same key signs."""

_ENCODER = msgspec.json.Encoder()
_LINK = re.compile(rb',"chain":"[0-9a-f]{16}"}$')


class _Start(msgspec.Struct, frozen=True):
    """As much of a header as tells whether each line has a chain."""

    key: str | None = None


class Signer(Protocol):
    """Whoever signs a log."""

    @property
    def key(self) -> str:
        """The public key, as 64 hex digits."""

    def sign(self, content: bytes) -> bytes: ...


class Beginning(NamedTuple):
    """The first lines of a log that are told by another one, without its chain."""

    header: Header
    lines: list[bytes]
    """All others, as JSON."""


class Chain:
    """Writes a log that starts, or goes on after the lines of which `update` tells."""

    __slots__ = ("_hash", "_key", "_signer", "_start", "_unsigned")

    def __init__(self, signer: Signer | None = None) -> None:
        """A log that goes on is signed if it was begun with the same key; one that has none stays without."""
        self._hash = sha256()
        self._signer = signer
        self._key = None if signer is None else signer.key
        self._start: bytes | None = b""
        """As much of a header as is known, until all of it is."""
        self._unsigned = 0
        """Lines since the last signature."""

    @property
    def head(self) -> str:
        """The SHA-256 of all that was written so far; of a whole log it is that of its file."""
        return self._hash.hexdigest()

    def update(self, content: bytes) -> None:
        """What stands in the log already."""
        self._hash.update(content)
        self._unsigned += 1
        if self._start is not None:
            self._start += content
            if b"\n" in self._start:
                self._go_on(self._start.partition(b"\n")[0])

    def _go_on(self, header: bytes) -> None:
        self._start = self._key = None
        with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self._key = msgspec.json.decode(header, type=_Start).key
        if self._signer is not None and self._signer.key != self._key:
            self._signer = None

    def line(self, message: Any) -> bytes:
        """A message as the next line."""
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
        """Many messages as the next lines; a result can only be the last."""
        if self._key is not None:
            return b"".join([self.line(message) for message in messages])
        content = _ENCODER.encode_lines(messages[:-1])
        self._hash.update(content)
        return content + self.line(messages[-1])

    def linked(self, content: bytes) -> bytes:
        """The next line, which is JSON already and has no chain yet."""
        if self._key is None:
            return self._plain(content)
        running = self._hash
        content = b'%b,"chain":"%b"}\n' % (content[:-1], hexlify(running.digest()[: LINK_DIGITS // 2]))
        running.update(content)
        self._unsigned += 1
        return content + self.sign() if self._unsigned >= SIGNED_EVERY else content

    def _plain(self, content: bytes) -> bytes:
        """A line without a chain."""
        content += b"\n"
        self._hash.update(content)
        return content

    def begun(self, beginning: Beginning) -> bytes:
        """The first lines of a log that starts from another one."""
        return self.line(beginning.header) + b"".join([self.linked(line) for line in beginning.lines])

    def sign(self) -> bytes:
        """A line that signs all before it; nothing if that is done, or nobody can."""
        if self._signer is None or not self._unsigned:
            return b""
        return self._signed(b'{"type":"signed","chain":"%b"}' % hexlify(self._hash.digest()[: LINK_DIGITS // 2]))

    def _signed(self, content: bytes) -> bytes:
        """A line with a signature as its last field, if somebody signs."""
        before, end = content[:-1], b"}\n"
        self._hash.update(before)
        self._unsigned = 0
        if self._signer is not None:
            end = b',"signature":"%b"}\n' % self._signer.sign(PREFIX + self._hash.digest()).hex().encode()
        self._hash.update(end)
        return before + end


def unlinked(lines: Sequence[bytes]) -> list[bytes]:
    """Lines of a log that was signed as they are without their chain, and without signatures."""
    return [_LINK.sub(b"}", line) for line in lines if not SIGNATURE.search(line)]


def signed(content: bytes, signer: Signer) -> bytes:
    """A whole log that nobody has signed, as it is if somebody does."""
    header, *lines, result = content.splitlines()
    chain = Chain(signer)
    begun = chain.begun(Beginning(msgspec.json.decode(header, type=Header), lines))
    return begun + chain.line(msgspec.json.decode(result, type=ResultLine))


def log_of(messages: Sequence[Any], signer: Signer | None = None) -> bytes:
    """A whole log."""
    return Chain(signer).lines(messages)
