"""Access tokens for the server and the pool. The server stores only the hash of a token."""

import hashlib
import hmac
import secrets

POOL_VARIABLE = "RAILS_POOL_TOKEN"
SECRET_VARIABLES = (POOL_VARIABLE, "RAILS_POOL_OWNER_TOKEN", "RAILS_ADMIN_TOKEN", "RAILS_SEAT_TOKEN")
"""Names of the environment variables that contain access tokens. Bots do not receive these variables."""


def new_token() -> str:
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def matches_hash(token: str, stored_hash: str | None) -> bool:
    """Return whether `stored_hash` is the hash of `token`. Return False if `stored_hash` is None.

    Hashes are compared in constant time, so that the time does not reveal how many characters are equal.
    """
    return stored_hash is not None and hmac.compare_digest(token_hash(token), stored_hash)
