"""The lines of a book of openings: one JSON object a line, a header and then the entries."""

from typing import Any, Generic, TypeVar

import msgspec

BOOK_FORMAT = 1

ActionT = TypeVar("ActionT")


class BookHeader(
    msgspec.Struct,
    tag="openings",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    rename={"book_format": "format"},
):
    """The first line: what the openings are for, and how they were made."""

    book_format: int
    """Version of the format of books."""
    game: str
    """Name of the game."""
    rules_version: int
    """Version of the rules; a book of another version is refused."""
    players: int
    """Number of players."""
    options: dict[str, Any]
    """The game's options; those left out have their default."""
    board: str
    """`standard`, or the first 16 hex digits of sha256 over the board file."""
    by: list[str]
    """The players of the openings and of the games that measure them."""
    seed: int
    """The random seed."""
    server: str
    """Name and version of the program that made the book."""


class SeatShare(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """How often a seat won the games that measure an opening; ties count in part."""

    share: float
    """The share of games won."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""


class BookEntry(
    msgspec.Struct, Generic[ActionT], tag="opening", tag_field="type", frozen=True, forbid_unknown_fields=True, gc=False
):
    """One opening."""

    number: int
    """Counts the entries of a book from 1."""
    actions: list[ActionT]
    """The first actions of a game."""
    digest: str
    """Digest of the position after them, as in logs."""
    games: int
    """How many games were played from there to measure it."""
    balance: list[SeatShare]
    """By seat."""
