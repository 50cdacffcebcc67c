"""The board of Branch Lines: its file format, its checks, and lookup tables by number of the railway line."""

from typing import Annotated, Any, Literal

import msgspec

from branch_lines.protocol import Build
from rails_cli.games.game import BoardError, BoardNotes, decode_board

PLAYERS = (2, 3, 4)

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Amount = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


class StationFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Name
    cost: Amount
    income: Amount


class LineFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Name
    colour: str
    stations: Annotated[list[StationFile], msgspec.Meta(min_length=1, max_length=12)]


class BoardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal[1]
    game: Literal["branch_lines"]
    name: Name
    title: Name
    junction: Name
    cash: dict[int, Positive]
    lowest_bid: Positive
    shares: Annotated[int, msgspec.Meta(ge=1, le=20)]
    bonus: Amount
    lines: Annotated[list[LineFile], msgspec.Meta(min_length=max(PLAYERS), max_length=12)]


class Board:
    """A board as lookup tables for the rules. Railway lines are numbered in the order of the board's file."""

    __slots__ = ("bonus", "build", "cash", "cost", "file", "income", "line_ids", "line_number", "lowest_bid", "shares")

    def __init__(self, file: BoardFile) -> None:
        self.file = file
        self.cash = file.cash
        self.lowest_bid = file.lowest_bid
        self.shares = file.shares
        self.bonus = file.bonus
        self.line_ids = [line.id for line in file.lines]
        self.line_number = {id: number for number, id in enumerate(self.line_ids)}
        self.cost = [[station.cost for station in line.stations] for line in file.lines]
        self.income = [[station.income for station in line.stations] for line in file.lines]
        self.build = [[Build(line.id, station.cost) for station in line.stations] for line in file.lines]
        """Action that builds each station. The first index is the line, the second the station."""


def read_board(written: bytes) -> Board:
    file = decode_board(written, "branch_lines", BoardFile)
    mistakes = [f"cash: none given for {players} players" for players in PLAYERS if players not in file.cash]
    ids = [file.junction, *(id for line in file.lines for id in (line.id, *(station.id for station in line.stations)))]
    mistakes += [f"the id {id!r} is given twice" for id in dict.fromkeys(ids) if ids.count(id) > 1]
    if mistakes:
        raise BoardError(mistakes)
    return Board(file)


def board_notes(board: Board) -> BoardNotes:
    values = 3 + len(board.cash) + 2 * sum(map(len, board.cost))
    return BoardNotes(board.file.name, board.file.title, "Made for this game.", {"printed": values}, [], [])


def wire_board(board: Board) -> dict[str, Any]:
    wire: dict[str, Any] = msgspec.to_builtins(board.file, str_keys=True)
    return wire
