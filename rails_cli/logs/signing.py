"""Ed25519 keys that sign logs: key files, and verification of signatures. The cryptography library is optional."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rails_cli.basics.extras import install_command
from rails_cli.basics.files import create_file, open_regular
from rails_cli.games.faces.phrases import count_phrase

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_NAME = "signing-key"
"""Name of the key file in the data folder of a server or a tournament."""
INSTALL = install_command("sign")
SHOWN_DIGITS = 16
"""Number of hex digits of a key that are shown to users. Programs compare the whole key."""
LONGEST = 65_536
"""Maximum number of bytes that are read from a file or an answer with a key."""
FETCH_S = 20.0
"""Maximum number of seconds to wait for the server when a key is fetched from a URL."""
_KEY = re.compile(r"[0-9a-f]{64}")

SignatureCheck = Callable[[str, bytes, bytes], bool]
"""Function that returns whether a signature is valid. Arguments: public key (hex digits), signature, signed content."""


class Signing(NamedTuple):
    """The key of a signed log, the number of lines of the log, and the number of signed lines."""

    key: str
    lines: int
    signed: int
    """Number of lines, counted from the header, that are covered by a valid or unchecked signature."""
    is_checked: bool
    """Whether all signatures were checked and are valid. False if the cryptography library is not installed."""


class NoSigning(Exception):
    """Raised if the cryptography library, which is needed for signatures, is not installed."""

    def __init__(self) -> None:
        super().__init__(f"signing needs the package cryptography; install it with: {INSTALL}")


class BadKey(Exception):
    """Raised for content that is not a valid public or private key."""


class SigningKey:
    """A private key that signs logs."""

    def __init__(self, private: "Ed25519PrivateKey", file: Path) -> None:
        self.file = file
        self.key = private.public_key().public_bytes_raw().hex()
        self.sign = private.sign


def can_sign() -> bool:
    return checker() is not None


@lru_cache(1)
def checker() -> SignatureCheck | None:
    """Return a function that verifies signatures. None if the cryptography library is not installed."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return None

    def holds(key: str, signature: bytes, content: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(signature, content)
        except (InvalidSignature, ValueError):
            return False
        return True

    return holds


def new_key(path: Path) -> SigningKey:
    """Return a new private key, stored in a new file that only its owner can read. Raise NoSigning or OSError."""
    if not can_sign():
        raise NoSigning
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    private = Ed25519PrivateKey.generate()
    create_file(path, private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return SigningKey(private, path)


def read_key(path: Path) -> SigningKey:
    """Return the private key in a file. Raise NoSigning, BadKey or OSError."""
    if not can_sign():
        raise NoSigning
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    with open(path, "rb", opener=open_regular) as file:
        content = file.read(LONGEST)
    try:
        private = load_pem_private_key(content, None)
    except (ValueError, TypeError):
        private = None
    except Exception as error:  # an algorithm unknown to the library
        raise BadKey(f"not a key that can sign logs: {error}") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise BadKey("not a private key (Ed25519, PEM, without a password); make one with: rails-cli key new FILE")
    return SigningKey(private, path)


def public_key_in(content: bytes) -> str:
    """Return the public key in `content`, which must consist of 64 hex digits. Raise BadKey otherwise."""
    key = content.decode("ascii", "replace").strip().lower()
    if not _KEY.fullmatch(key):
        raise BadKey("not a public key: expected 64 hexadecimal digits")
    return key


def public_key_at(where: str) -> str:
    """Return a public key. `where` is the key itself as hex digits, the path of a key file, or a URL.

    Raise BadKey, NoSigning or OSError.
    """
    if _KEY.fullmatch(where):
        return where
    if re.match("https?://", where):
        from http.client import HTTPException
        from urllib.request import urlopen

        try:
            with urlopen(where, timeout=FETCH_S) as answer:
                return public_key_in(answer.read(LONGEST))
        except (HTTPException, ValueError) as error:
            raise BadKey(str(error) or type(error).__name__) from None
    with open(where, "rb", opener=open_regular) as file:
        content = file.read(LONGEST)
    return read_key(Path(where)).key if b"PRIVATE KEY" in content else public_key_in(content)


def short(key: str) -> str:
    """Return the first digits of a key, which are shown to users instead of the whole key."""
    return key[:SHOWN_DIGITS]


def signed_words(signing: Signing) -> str:
    """Return a phrase about the signatures of a log, such as "signed by 0123456789abcdef up to line 9 of 12"."""
    said = f"signed by {short(signing.key)}"
    if not signing.signed:
        said = f"to be signed by {short(signing.key)}, but no line is"
    elif signing.signed < signing.lines:
        said += f" up to line {signing.signed} of {signing.lines}; the rest is not signed"
    return said if signing.is_checked or not signing.signed else f"{said}; not checked: {INSTALL}"


def unsigned_words(signing: Signing | None, key: str | None) -> str | None:
    """Return why a log is not completely signed with the key `key`. None if every line is signed.

    If `key` is None, any key is accepted.
    """
    if signing is None:
        return "not signed"
    if key is not None and signing.key != key:
        return f"signed by {short(signing.key)}, not by {short(key)}"
    return signed_words(signing) if signing.signed < signing.lines else None


class SignedBy(msgspec.Struct, frozen=True):
    key: str
    logs: int


class Signatures(msgspec.Struct, frozen=True):
    """Numbers of signed and unsigned logs."""

    signers: list[SignedBy]
    """For each key, the number of logs that the key has signed."""
    unsigned: int
    unchecked: int
    """Number of signed logs whose signatures could not be verified."""

    def words(self) -> list[str]:
        """Return lines of text for users: one for each key, and one for unsigned logs. Empty if no log is signed."""
        held = f"; not checked: {INSTALL}" if self.unchecked else ", and the signature holds"
        said = [f"signed by {short(one.key)}: {count_phrase(one.logs, 'log')}{held}" for one in self.signers]
        return [*said, f"unsigned: {count_phrase(self.unsigned, 'log')}"] if said and self.unsigned else said


def signatures_of(signings: Iterable[Signing | None]) -> Signatures:
    """Return the numbers of signed and unsigned logs. `signings` has an item for each log, None for an unsigned log."""
    every = list(signings)
    signed = [one for one in every if one is not None and one.signed]
    signers = [SignedBy(key, logs) for key, logs in sorted(Counter(one.key for one in signed).items())]
    return Signatures(signers, len(every) - len(signed), sum(not one.is_checked for one in signed))
