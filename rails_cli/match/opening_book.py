"""Books of openings: read, checked, and asked for the opening of a game."""

from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from protocol.log import Opening, Seed
from protocol.openings import BOOK_FORMAT, BookEntry, BookHeader
from rails_cli.core.luck import stream
from rails_cli.games import NoSuchGame, load_game
from rails_cli.games.game import Game, IllegalAction, bare, check, digest
from rails_cli.games.openings import opening_actions
from rails_cli.games.phrases import printable

MOST_MISTAKES = 20
ROUNDED = 0.001
"""By so much a share in a balance may differ from the exact one."""

_HEADERS = msgspec.json.Decoder(BookHeader)


class BadBook(Exception):
    """A book that cannot be used: one printable line for each mistake."""

    def __init__(self, mistakes: list[str]) -> None:
        self.mistakes = [printable(mistake) for mistake in mistakes[:MOST_MISTAKES]]
        if len(mistakes) > MOST_MISTAKES:
            self.mistakes.append(f"and {len(mistakes) - MOST_MISTAKES} more")
        super().__init__("; ".join(self.mistakes))


class Book(NamedTuple):
    """Openings for one game with its number of players, options and board."""

    name: str
    header: BookHeader
    entries: list[BookEntry[Any]]


class Table(NamedTuple):
    """What a game is played with; `board_id` tells its board from others."""

    game: Game[Any, Any]
    board: Any
    players: int
    options: Any
    board_id: str = "standard"


def board_digest(content: bytes | None) -> str:
    """What a board goes by: `standard`, or the digest of its file."""
    return "standard" if content is None else sha256(content).hexdigest()[:16]


def read_book(content: bytes, name: str) -> Book:
    """The book in a file. Raises BadBook; what the entries mean is not looked at."""
    lines = content.splitlines()
    if not lines:
        raise BadBook(["the file is empty"])
    try:
        header = _HEADERS.decode(lines[0])
        game = load_game(header.game)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadBook([f"line 1: not the header of an opening book: {error}"]) from None
    except NoSuchGame as error:
        raise BadBook([f"line 1: {error}"]) from None
    if header.book_format != BOOK_FORMAT:
        raise BadBook([f"line 1: book format {header.book_format}; this program reads format {BOOK_FORMAT}"])
    if header.rules_version != game.rules_version:
        made = f"made under rules version {header.rules_version} of {game.name}"
        raise BadBook([f"line 1: {made}; this program plays version {game.rules_version}"])
    if header.players not in game.players:
        words = f"{game.title} is for {game.players[0]} to {game.players[-1]} players, not {header.players}"
        raise BadBook([f"line 1: {words}"])
    try:
        msgspec.convert(header.options, game.options_type)
    except msgspec.ValidationError as error:
        raise BadBook([f"line 1: options: {error}"]) from None
    entries, mistakes = [], []
    decode = _entry_decoder(game.name).decode
    for number, line in enumerate(lines[1:], 2):
        try:
            entries.append(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            mistakes.append(f"line {number}: not an opening of {game.name}: {error}")
    if not entries and not mistakes:
        mistakes.append("the book has no openings")
    if mistakes:
        raise BadBook(mistakes)
    return Book(name, header, entries)


@cache
def _entry_decoder(game: str) -> msgspec.json.Decoder[BookEntry[Any]]:
    return msgspec.json.Decoder(BookEntry[load_game(game).action_type])  # type: ignore[misc]


def misfit(book: Book, table: Table) -> str | None:
    """Why a book is for another game than this; None if it is for this one."""
    header, game = book.header, table.game
    if header.game != game.name:
        return f"a book of {header.game}, not of {game.name}"
    if header.players != table.players:
        return f"a book for {header.players} players, not for {table.players}"
    meant, wanted = msgspec.convert(header.options, game.options_type), table.options
    for name in game.options_type.__struct_fields__:
        if getattr(meant, name) != getattr(wanted, name):
            return f"a book for {name}={getattr(meant, name)}, not for {name}={getattr(wanted, name)}"
    if not game.is_luckless(table.board, table.players, table.options):
        return f"a book, but {game.title} for {table.players} is dealt by the seed, and needs none"
    if header.board != table.board_id:
        return f"a book for the board {header.board}, not for {table.board_id}"
    return None


def check_entries(book: Book, table: Table) -> None:
    """Plays every opening; raises BadBook with all that is wrong, openings that are there twice included."""
    mistakes, seen = [], dict[str, int]()
    for place, entry in enumerate(book.entries, 1):
        mistake = _mistake(entry, place, table)
        if mistake is None and entry.digest in seen:
            mistake = f"the same position as entry {seen[entry.digest]}"
        if mistake is not None:
            mistakes.append(f"entry {place}: {mistake}")
        seen.setdefault(entry.digest, place)
    if mistakes:
        raise BadBook(mistakes)


def _mistake(entry: BookEntry[Any], place: int, table: Table) -> str | None:
    game, board = table.game, table.board
    if entry.number != place:
        return f"its number is {entry.number}"
    if not entry.actions:
        return "it has no actions"
    if len(entry.balance) != table.players:
        return f"{len(entry.balance)} seats in its balance instead of {table.players}"
    if entry.games < 1:
        return f"measured by {entry.games} games; at least 1 is needed"
    for seat, won in enumerate(entry.balance):
        if not 0 <= won.low <= won.share <= won.high <= 1 or won.low == won.high:
            told = f"seat {seat} wins {won.share}, from {won.low} to {won.high}"
            return f"{told}; 0 <= low <= share <= high <= 1 and low < high is needed"
    total = sum(won.share for won in entry.balance)
    if abs(total - 1) > ROUNDED * table.players:
        return f"its seats win {total:.4g} of the games together instead of all"
    state = game.setup(board, table.players, table.options, 0, None)
    for number, action in enumerate(entry.actions, 1):
        try:
            check(game, board, state, -1 if state.pending is None else state.pending.seat, action)
        except IllegalAction as illegal:
            return f"action {number}: {illegal}"
        game.apply(state, board, bare(action), None)
    if state.pending is None:
        return "the game is over after it"
    found = digest(game, state)
    return None if found == entry.digest else f"digest {entry.digest}; the position has {found}"


def shuffled_entries(book: Book, seed: Seed) -> list[int]:
    """The entries, counted from 0, in the order in which they are dealt out."""
    chance = stream(f"book/{seed}")
    return sorted(range(len(book.entries)), key=lambda _: chance())


def opening_from(book: Book, index: int) -> Opening:
    """An entry, counted from 0, as the log tells of it."""
    opening = Opening("book", book.entries[index].actions, book=book.name, entry=index + 1)
    actions = opening_actions(load_game(book.header.game), opening)  # a book that was sent has plain objects
    return msgspec.structs.replace(opening, actions=actions)
