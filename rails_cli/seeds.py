"""Random seeds: drawn from the system where nobody names one, and read as people write them."""

import re
import secrets

from protocol.log import MAX_SEED, Seed

WHAT_WOULD_DO = f"a whole number from 0 to {MAX_SEED}, or 32 hexadecimal digits"


def new_seed() -> str:
    """128 bits that nobody can guess; JSON numbers of many languages have 53, so it is text."""
    return secrets.token_hex(16)


def read_seed(words: str) -> Seed:
    """A whole number, or the 32 hexadecimal digits of a drawn seed. Raises ValueError."""
    if re.fullmatch("[0-9a-fA-F]{32}", words):
        return words.lower()
    if re.fullmatch("[0-9]{1,16}", words) and int(words) <= MAX_SEED:
        return int(words)
    raise ValueError(f"{words!r} is not a seed: {WHAT_WOULD_DO}")
