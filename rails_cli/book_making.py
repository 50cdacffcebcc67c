"""Makes books of openings: begun by chance, played on by good players, and measured by games between them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from protocol.openings import BOOK_FORMAT, BookEntry, BookHeader, SeatShare
from rails_cli.core.luck import stream
from rails_cli.games import load_openings, load_players
from rails_cli.games.game import digest
from rails_cli.games.openings import Chance, Openings, by_chance, drawn_units, play_units
from rails_cli.match.match import SERVER
from rails_cli.match.opening_book import Book, Table
from rails_cli.summary import wilson

MOST_SHARE = 0.6
"""An opening after which one seat wins more than this part of the games is left out."""
CANDIDATES = 40
"""So many openings are tried for each that is wanted."""
VARIED = 2
"""Units, at most, that chance plays on, so that the games that measure an opening differ."""


class NotEnough(Exception):
    """There are not as many different, balanced openings as are wanted."""


class Maker(NamedTuple):
    """What all openings of a book are made with."""

    table: Table
    openings: Openings[Any, Any]
    by: Sequence[str]
    seed: int
    games: int

    def think(self, seat: int, state: Any) -> Any:
        """What a player does; `seat` is where the first of them sits."""
        game, board = self.table.game, self.table.board
        asked = state.pending.seat
        player = load_players(game.name)[self.by[(asked - seat) % len(self.by)]]
        return player(game.view(state, board, asked), game.legal_actions(state, board), board)

    def begin(self, chance: Chance) -> tuple[list[Any], Any]:
        """An opening: its actions and the position after them."""
        game, board, players, options, _ = self.table
        state = game.setup(board, players, options, 0, None)
        units = drawn_units(self.openings, board, chance)
        drawn = 1 + int(chance() * units)
        first = int(chance() * players)
        actions = self._play(state, drawn, by_chance(self.openings, board, chance))
        return actions + self._play(state, units - drawn, lambda now: self.think(first, now)), state

    def measure(self, state: Any, chance: Chance) -> list[SeatShare]:
        """How often each seat wins from a position."""
        game, board, players = self.table.game, self.table.board, self.table.players
        wins: list[list[float]] = [[] for _ in range(players)]
        for number in range(self.games):
            played = state.copy()
            self._play(played, 1 + int(chance() * VARIED), by_chance(self.openings, board, chance))
            while played.pending is not None:
                game.apply(played, board, self.think(number % players, played), None)
            ranks = game.ranks(played, board)
            for seat, rank in enumerate(ranks):
                wins[seat].append((rank == 1) / ranks.count(1))
        return [SeatShare(*(round(part, 4) for part in (sum(won) / len(won), *wilson(won)))) for won in wins]

    def _play(self, state: Any, units: int, choose: Callable[[Any], Any]) -> list[Any]:
        return play_units(self.table.game, self.openings, self.table.board, state, units, choose)


def make_book(
    table: Table, by: Sequence[str], count: int, seed: int, games: int, progress: Callable[[int], None]
) -> Book:
    """So many openings that differ and leave nobody far ahead; `progress` is told of each. Raises NotEnough."""
    openings = load_openings(table.game.name)
    assert openings is not None
    maker = Maker(table, openings, by, seed, games)
    entries: list[BookEntry[Any]] = []
    seen: set[str] = set()
    for candidate in range(CANDIDATES * count):
        chance = stream(f"make/{seed}/{candidate}")
        actions, state = maker.begin(chance)
        position = digest(table.game, state)
        if position in seen or state.pending is None:
            continue
        seen.add(position)
        balance = maker.measure(state, chance)
        if max(seat.share for seat in balance) <= MOST_SHARE:
            entries.append(BookEntry(len(entries) + 1, actions, position, games, balance))
            progress(1)
            if len(entries) == count:
                break
    if len(entries) < count:
        raise NotEnough(f"{CANDIDATES * count} tries brought {len(entries)} openings that differ and are balanced")
    header = BookHeader(
        book_format=BOOK_FORMAT,
        game=table.game.name,
        rules_version=table.game.rules_version,
        players=table.players,
        options=msgspec.to_builtins(table.options),
        board=table.board_id,
        by=list(by),
        seed=seed,
        server=SERVER,
    )
    return Book("", header, entries)
