"""What is worked out beside the server: moves of players who look ahead, and hints. A line of JSON in, a line out."""

import signal
import sys
import traceback
from functools import lru_cache
from typing import Any

import msgspec

from protocol.log import Header, Seed
from rails_cli.games import load_face, load_game
from rails_cli.games.decision import LocalLookahead, decision_at
from rails_cli.games.game import IllegalAction, bare
from rails_cli.games.phrases import printable
from rails_cli.match.match import Match
from rails_cli.match.replay import log_board
from rails_cli.players.builtin import thinker
from rails_cli.players.levels import Think
from rails_cli.web.live import hint_words

PLAYERS_KEPT = 2000


class Position(msgspec.Struct, frozen=True):
    """A match as it stands."""

    header: Header
    state: msgspec.Raw
    seat: int
    """Who is asked."""


class MoveTask(msgspec.Struct, tag="move", tag_field="type", frozen=True):
    """What a built-in player would do."""

    position: Position
    player: str
    seed: Seed


class HintTask(msgspec.Struct, tag="hint", tag_field="type", frozen=True):
    """What some actions are worth, and what a strong player would do after them."""

    position: Position
    steps: list[Any]


class Thought(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of it: one of these."""

    action: Any = None
    words: list[str] | None = None
    illegal: str | None = None
    """Why the steps cannot be taken."""
    failure: str | None = None
    """A mistake of this program."""


Task = MoveTask | HintTask
_decoder = msgspec.json.Decoder(Task)


def position_of(match: Match) -> Position:
    assert match.seat is not None
    return Position(match.header, msgspec.Raw(match.game.dump(match.state)), match.seat)


def thought_of(line: bytes) -> Thought:
    """Does a task, whatever comes of it."""
    try:
        task = _decoder.decode(line)
        return _move(task) if isinstance(task, MoveTask) else _hint(task)
    except IllegalAction as error:
        return Thought(illegal=str(error))
    except Exception:
        return Thought(failure=traceback.format_exc())


def _move(task: MoveTask) -> Thought:
    header, written, seat = msgspec.structs.astuple(task.position)
    game, board = load_game(header.game), log_board(header)
    state = game.load(written, board)
    think = _thinker(task.player, header.game, task.seed, seat)
    action = think(game.view(state, board, seat), game.legal_actions(state, board), board)
    return Thought(action=bare(action))


@lru_cache(PLAYERS_KEPT)
def _thinker(player: str, game: str, seed: Seed, seat: int) -> Think:
    """One for the whole game: it remembers the rest of a move that it has begun."""
    return thinker(player, game, seed, seat)


def _hint(task: HintTask) -> Thought:
    header, written, seat = msgspec.structs.astuple(task.position)
    game, board = load_game(header.game), log_board(header)
    state = game.load(written, board)
    names = [printable(player.name) for player in header.players]
    lookahead = LocalLookahead(game, board, state, seat)
    decision = decision_at(lookahead, game, load_face(game.name), game.wire_board(board), board, names)
    return Thought(words=hint_words(decision, state.options, task.steps))


def main() -> None:
    """Does one task after another until there is no more input."""
    for number in (signal.SIGINT, signal.SIGTERM):  # these are for the server, which ends this in its own time
        signal.signal(number, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(thought_of(line)) + b"\n")
        sys.stdout.buffer.flush()
