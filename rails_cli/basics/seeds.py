"""Random seeds: drawn from the system by default, or parsed from text."""

import ctypes
import re
import secrets
from contextlib import suppress
from pathlib import Path

from rails_cli.protocol.log import MAX_SEED, Seed

SEED_ARGUMENT = rb"(?<![^\0])(?:--seed[=\0]|--set[=\0]seed *= *)([^\0]+)"
"""Pattern of a seed in the command line, whose words are separated by NUL bytes."""
VALID_SEEDS = f"a whole number from 0 to {MAX_SEED}, or 32 hexadecimal digits"


def new_seed() -> str:
    """Return 128 unpredictable bits as hexadecimal text, because JSON numbers have only 53 bits in many languages."""
    return secrets.token_hex(16)


def parse_seed(text: str) -> Seed:
    """Parse an integer, or the 32 hexadecimal digits of a drawn seed. Raises ValueError."""
    if re.fullmatch("[0-9a-fA-F]{32}", text):
        return text.lower()
    if re.fullmatch("[0-9]{1,16}", text) and int(text) <= MAX_SEED:
        return int(text)
    raise ValueError(f"{text!r} is not a seed: {VALID_SEEDS}")


def hide_seed() -> None:
    """Overwrite the seed in our own command line, which bots could read. Do nothing without /proc."""
    with suppress(FileNotFoundError, IndexError):
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        start, end = int(fields[45]), int(fields[46])
        for found in re.finditer(SEED_ARGUMENT, ctypes.string_at(start, end - start) if 0 < start < end else b""):
            ctypes.memset(start + found.start(1), ord("*"), found.end(1) - found.start(1))
