"""Makes books of openings: begun by chance, played on by good players, and measured by games between them."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import msgspec

from protocol.openings import BOOK_FORMAT, BookEntry, BookHeader, SeatShare
from rails_cli.core.luck import stream
from rails_cli.cores import in_turn
from rails_cli.games import load_game, load_openings, standard_board
from rails_cli.games.game import digest, win_share
from rails_cli.games.openings import Chance, Openings, by_chance, drawn_units, play_units
from rails_cli.match.match import SERVER
from rails_cli.match.opening_book import Book, Table, board_digest
from rails_cli.players.builtin import thinker
from rails_cli.summary import wilson

MOST_SHARE = 0.6
"""An opening after which one seat wins more than this part of the games is left out."""
CANDIDATES = 40
"""So many openings are tried for each that is wanted."""
VARIED = 2
"""Units, at most, that chance plays on, so that the games that measure an opening differ."""


class NotEnough(Exception):
    """There are not as many different, balanced openings as are wanted."""


class Wish(msgspec.Struct, frozen=True):
    """What a book is made of: enough for another process to make any of its openings."""

    game: str
    players: int
    options: dict[str, Any]
    board: bytes | None
    """The file of a board that is not standard."""
    by: tuple[str, ...]
    """Who plays, in turn."""
    seed: int
    games: int
    """That measure an opening."""


class Candidate(NamedTuple):
    """An opening that may come into the book."""

    actions: list[Any]
    position: str
    is_over: bool
    balance: list[SeatShare]


class Maker(NamedTuple):
    """What all openings of a book are made with."""

    table: Table
    openings: Openings[Any, Any]
    wish: Wish

    def candidate(self, number: int) -> Candidate:
        chance = stream(f"make/{self.wish.seed}/{number}")
        actions, state = self.begin(number, chance)
        is_over = state.pending is None
        balance = [] if is_over else self.measure(number, state, chance)
        return Candidate(actions, digest(self.table.game, state), is_over, balance)

    def players(self, first: int, which: str) -> Callable[[Any], Any]:
        """Players for the seats of one game, the first of them at seat `first`: what the seat to move does."""
        game, board, by = self.table.game, self.table.board, self.wish.by
        minds = [
            thinker(by[(seat - first) % len(by)], game.name, f"{self.wish.seed}/{which}", seat)
            for seat in range(self.table.players)
        ]

        def think(state: Any) -> Any:
            asked = state.pending.seat
            return minds[asked](game.view(state, board, asked), game.legal_actions(state, board), board)

        return think

    def begin(self, number: int, chance: Chance) -> tuple[list[Any], Any]:
        """An opening: its actions and the position after them."""
        game, board, players, options, _ = self.table
        state = game.setup(board, players, options, 0, None)
        units = drawn_units(self.openings, board, chance)
        drawn = 1 + int(chance() * units)
        first = int(chance() * players)
        actions = self._play(state, drawn, by_chance(self.openings, board, chance))
        return actions + self._play(state, units - drawn, self.players(first, f"{number}")), state

    def measure(self, number: int, state: Any, chance: Chance) -> list[SeatShare]:
        """How often each seat wins from a position."""
        game, board, players = self.table.game, self.table.board, self.table.players
        wins: list[list[float]] = [[] for _ in range(players)]
        for turn in range(self.wish.games):
            played = state.copy()
            self._play(played, 1 + int(chance() * VARIED), by_chance(self.openings, board, chance))
            think = self.players(turn % players, f"{number}/{turn}")
            while played.pending is not None:
                game.apply(played, board, think(played), None)
            ranks = game.ranks(played, board)
            for seat, won in enumerate(wins):
                won.append(win_share(ranks, seat))
        return [SeatShare(*(round(part, 4) for part in (sum(won) / len(won), *wilson(won)))) for won in wins]

    def _play(self, state: Any, units: int, choose: Callable[[Any], Any]) -> list[Any]:
        return play_units(self.table.game, self.openings, self.table.board, state, units, choose)


def make_book(wish: Wish, count: int, workers: int, progress: Callable[[int], None]) -> Book:
    """So many openings that differ and leave nobody far ahead; `progress` is told of each. Raises NotEnough."""
    entries: list[BookEntry[Any]] = []
    seen: set[str] = set()
    for found in in_turn(partial(make_candidate, wish), range(CANDIDATES * count), workers):
        if found.position in seen or found.is_over:
            continue
        seen.add(found.position)
        if max(seat.share for seat in found.balance) <= MOST_SHARE:
            entries.append(BookEntry(len(entries) + 1, found.actions, found.position, wish.games, found.balance))
            progress(1)
            if len(entries) == count:
                break
    if len(entries) < count:
        raise NotEnough(f"{CANDIDATES * count} attempts found only {len(entries)} different, balanced openings")
    header = BookHeader(
        book_format=BOOK_FORMAT,
        game=wish.game,
        rules_version=load_game(wish.game).rules_version,
        players=wish.players,
        options=wish.options,
        board=board_digest(wish.board),
        by=list(wish.by),
        seed=wish.seed,
        server=SERVER,
    )
    return Book("", header, entries)


def make_candidate(wish: Wish, number: int) -> Candidate:
    """The task: one opening, and how even it is."""
    return maker_of(msgspec.json.encode(wish)).candidate(number)


@lru_cache(maxsize=4)
def maker_of(wish: bytes) -> Maker:
    wanted = msgspec.json.decode(wish, type=Wish)
    game, openings = load_game(wanted.game), load_openings(wanted.game)
    assert openings is not None
    board = standard_board(wanted.game) if wanted.board is None else game.read_board(wanted.board)
    options = msgspec.convert(wanted.options, game.options_type)
    return Maker(Table(game, board, wanted.players, options, board_digest(wanted.board)), openings, wanted)
