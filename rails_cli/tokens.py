"""Tokens: whoever has one is who it was given to. What is kept of one is its seal."""

import hashlib
import hmac
import re
import secrets

ORGANISER_VARIABLE, POOL_VARIABLE = "RAILS_ORGANISER_TOKEN", "RAILS_POOL_TOKEN"
SECRET_VARIABLES = (
    *(ORGANISER_VARIABLE, POOL_VARIABLE),
    *("RAILS_POOL_OWNER_TOKEN", "RAILS_ADMIN_TOKEN", "RAILS_SEAT_TOKEN"),
)
"""Variables of the environment with tokens, which no bot sees."""
_FORM = re.compile(r"[A-Za-z0-9_-]{32}")


def new_token() -> str:
    return secrets.token_urlsafe(24)


def has_token_form(words: str) -> bool:
    """Whether something could be a token at all."""
    return _FORM.fullmatch(words) is not None


def sealed(token: str) -> str:
    """What is kept of a token: enough to know it again."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token(token: str, seal: str | None) -> bool:
    """Whether a token fits its seal, compared in constant time."""
    return seal is not None and hmac.compare_digest(sealed(token), seal)
