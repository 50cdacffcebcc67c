"""A logged game told through the messages of a live one."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from protocol.lines import frame
from protocol.lobby import SeatInfo, TableInfo
from protocol.log import Header, ResultLine
from protocol.messages import Clock, End, Update
from rails_cli.games import load_game
from rails_cli.games.game import ALL_SEATS
from rails_cli.replay import BadLog, SetupRead, log_board, read_log, replay
from rails_cli.server.desk import Connection
from rails_cli.server.table import start_frame

SHOWN_LOGS = 200


class Replay:
    """One watcher of one log: everything is shown, at the pace that was asked for."""

    def __init__(self, connection: Connection, name: str, content: bytes, pace_s: float, now: float) -> None:
        self.id = name
        self.connection = connection
        self.pace_s = pace_s
        self.due = now
        log = read_log(content)
        steps = list(replay(log))
        self.info = info_of(name, log.header, len(steps))
        game = load_game(log.header.game)
        clock = None if log.header.clock is None else msgspec.convert(log.header.clock, Clock)
        first = start_frame(
            name, game, log_board(log.header), log.header, None, clock, with_board=connection.join.board
        )
        self.frames = self._frames(first, content)

    def tick(self, now: float) -> bool:
        """Tells what is due; True when all is told."""
        while now >= self.due:
            content = next(self.frames, None)
            if content is None:
                return True
            self.connection.post(content)
            self.due += self.pace_s
        return False

    def _frames(self, first: bytes, content: bytes) -> Iterator[bytes]:
        yield first
        for step in replay(read_log(content)):
            if type(step.message) is ResultLine:
                result = step.message
                yield frame(
                    End(self.id, result.scores, result.ranks, result.reason, [0] * len(result.scores))  # type: ignore[arg-type]
                )
            elif type(step.message) is SetupRead:
                yield frame(Update(self.id, step.events, step.match.view_for(ALL_SEATS)))
            elif step.events:
                yield frame(Update(self.id, step.events))


def info_of(name: str, header: Header, actions: int) -> TableInfo:
    return TableInfo(
        table=name,
        name=name,
        game=header.game,
        players=len(header.players),
        options=header.options,
        clock="none",
        state="ended",
        private=False,
        seats=[SeatInfo(seat, "player", player.name, connected=False) for seat, player in enumerate(header.players)],
        actions=actions,
        scores=None,
    )


def logged_games(folder: Path) -> Iterator[TableInfo]:
    """The logs in a folder, as far as they can be read."""
    for file in sorted(folder.glob("*.jsonl"))[:SHOWN_LOGS]:
        try:
            with file.open("rb") as opened:
                yield info_of(file.stem, read_log(opened.readline()).header, 0)
        except (BadLog, OSError):
            continue
