"""Matches and random choices for tests, and pairs of positions that look the same to a seat."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.games import load_game, standard_board
from rails_cli.games.game import without_info_fields
from rails_cli.games.shared.luck import stream
from rails_cli.match.match import Match, header_of
from rails_cli.protocol.common import Bid, BidRange
from rails_cli.protocol.log import PlayerLine
from tests.support.short_boards import short_board


class Chance:
    """Reproducible random choices."""

    def __init__(self, seed: int) -> None:
        self._random = stream(seed)

    def below(self, limit: int) -> int:
        return int(self._random() * limit)

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[int]) -> list[int]:
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in items]


def new_match(name: str, players: int, seed: int, **options: str) -> Match:
    game = load_game(name)
    chosen = msgspec.convert(options, game.options_type)
    header = header_of(game, chosen, seed, [PlayerLine(letter) for letter in "abcde"[:players]])
    return Match(game, standard_board(name), header)


def short_match(name: str, players: int, seed: int, folder: Path) -> Match:
    """Return a new match on the short board, which is written to `folder`."""
    game, board = load_game(name), short_board(name, folder).read_bytes()
    seats = [PlayerLine(letter) for letter in "abcde"[:players]]
    header = header_of(game, game.options_type(), seed, seats, board=json.loads(board))
    return Match(game, game.read_board(board), header)


def action_of(entry: Any) -> Any:
    """Return the action that corresponds to `entry`, an entry of a list of legal actions.

    If the entry is a range of bids, the action is the lowest bid.
    """
    return without_info_fields(Bid(entry.min) if type(entry) is BidRange else entry)


def with_points(value: Any) -> Any:
    """Return the JSON value with floats instead of integers, as clients in languages without integers send it."""
    if isinstance(value, dict):
        return {name: with_points(part) for name, part in value.items()}
    if isinstance(value, list):
        return [with_points(part) for part in value]
    return float(value) if type(value) is int else value


def differing_in_secrets(match: Match, chance: Chance, *, hides_cash: bool) -> tuple[Any, Any]:
    """Return two positions of The Last Spike that the seat to move cannot tell apart.

    The positions differ only in what this seat cannot see, such as the pieces of other seats. With `hides_cash`, the
    cash of other seats differs as well. In some pairs other players are poor, or the supply of pieces is empty.
    """
    observer, state = match.seat, match.state.copy()
    others = [seat for seat in range(len(state.hands)) if seat != observer]
    if chance.below(3) == 0:
        state.mix = []
    for seat in others:
        if chance.below(4) == 0 and not state.mix:
            state.hands[seat] = []
        if chance.below(2):
            state.money[seat] = 1000 * chance.below(6)
    twin = state.copy()
    hidden = [piece for seat in others for piece in state.hands[seat]] + state.mix + [state.aside] * (state.aside >= 0)
    hidden = chance.shuffled(hidden)
    for seat in others:
        twin.hands[seat] = sorted(hidden.pop() for _ in state.hands[seat])
        if hides_cash:
            twin.money[seat] = 1000 * chance.below(40)
    if state.aside >= 0:
        twin.aside = hidden.pop()
    twin.mix, twin.luck = hidden, chance.below(2**62)
    return state, twin
