"""Tokens: whoever has one is who it was given to. What is kept of one is its seal."""

import hashlib
import hmac
import secrets

POOL_VARIABLE = "RAILS_POOL_TOKEN"
SECRET_VARIABLES = (POOL_VARIABLE, "RAILS_POOL_OWNER_TOKEN", "RAILS_ADMIN_TOKEN", "RAILS_SEAT_TOKEN")
"""Variables of the environment with tokens, which no bot sees."""


def new_token() -> str:
    return secrets.token_urlsafe(24)


def sealed(token: str) -> str:
    """What is kept of a token: enough to know it again."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token(token: str, seal: str | None) -> bool:
    """Whether a token fits its seal, compared in constant time."""
    return seal is not None and hmac.compare_digest(sealed(token), seal)
