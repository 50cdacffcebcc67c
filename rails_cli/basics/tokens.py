"""Access tokens. Only the hash of a token is stored."""

import hashlib
import hmac
import secrets

POOL_VARIABLE = "RAILS_POOL_TOKEN"
SECRET_VARIABLES = (POOL_VARIABLE, "RAILS_POOL_OWNER_TOKEN", "RAILS_ADMIN_TOKEN", "RAILS_SEAT_TOKEN")
"""Environment variables that contain tokens. They are hidden from bots."""


def new_token() -> str:
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def matches_hash(token: str, stored_hash: str | None) -> bool:
    """Return whether a token matches its hash, compared in constant time."""
    return stored_hash is not None and hmac.compare_digest(token_hash(token), stored_hash)
