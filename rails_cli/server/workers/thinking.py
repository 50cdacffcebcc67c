"""The program of a worker that computes moves and hints. It reads one task per line and writes one result per line."""

import traceback
from functools import lru_cache
from typing import Any, ClassVar

import msgspec

from rails_cli.games import load_face, load_game
from rails_cli.games.decision import LocalLookahead, decision_at
from rails_cli.games.game import IllegalAction, without_info_fields
from rails_cli.games.shared.text import printable
from rails_cli.logs.reading import log_board
from rails_cli.match.match import Match
from rails_cli.players.builtin import thinker
from rails_cli.players.levels import Think
from rails_cli.protocol.log import Header, Seed
from rails_cli.server.workers.low_priority import run_tasks
from rails_cli.web.questions import hint_words

PLAYERS_KEPT = 2000
"""Maximum number of functions in the cache of `_thinker`."""


class Position(msgspec.Struct, frozen=True):
    """The current position of a match, as sent to a worker."""

    header: Header
    state: msgspec.Raw
    seat: int
    """The seat to move."""


class MoveTask(msgspec.Struct, tag="move", tag_field="type", frozen=True):
    """Task of a worker: compute the next move of a built-in player."""

    title: ClassVar[str] = "computing a move"
    position: Position
    player: str
    seed: Seed


class HintTask(msgspec.Struct, tag="hint", tag_field="type", frozen=True):
    """Task of a worker: evaluate the position after the actions `steps`, and describe good next actions."""

    title: ClassVar[str] = "computing a hint"
    position: Position
    steps: list[Any]


class Thought(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of a task of a worker.

    `action` is set for a move. `words` (sentences), `command`, `steps` and `limit` are set for a hint. After an error,
    `illegal` or `failure` is set.
    """

    action: Any = None
    words: list[str] | None = None
    command: str | None = None
    """Command of the first action that a hint suggests. None if the hint suggests no action."""
    steps: list[Any] = []
    """All actions that a hint suggests."""
    limit: int | None = None
    """Highest bid in dollars, if a hint suggests to bid up to a limit."""
    illegal: str | None = None
    """Reason why the actions in a hint task are illegal."""
    failure: str | None = None
    """Description of an unexpected failure of the task, such as a traceback or a timeout."""


Task = MoveTask | HintTask
_decoder = msgspec.json.Decoder(Task)


def position_of(match: Match) -> Position:
    assert match.seat is not None
    return Position(match.header, msgspec.Raw(match.game.dump(match.state)), match.seat)


def thought_of(line: bytes) -> Thought:
    """Run the task encoded in `line` and return its result. If an exception occurs, the result has an error."""
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
    return Thought(action=without_info_fields(action))


@lru_cache(PLAYERS_KEPT)
def _thinker(player: str, game: str, seed: Seed, seat: int) -> Think:
    """Return the function that chooses moves for a seat. The function is cached, because it stores planned moves."""
    return thinker(player, game, seed, seat)


def _hint(task: HintTask) -> Thought:
    header, written, seat = msgspec.structs.astuple(task.position)
    game, board = load_game(header.game), log_board(header)
    state = game.load(written, board)
    names = [printable(player.name) for player in header.players]
    lookahead = LocalLookahead(game, board, state, seat)
    decision = decision_at(lookahead, game, load_face(game.name), game.wire_board(board), board, names)
    words, command, steps, limit = hint_words(decision, state.options, task.steps)
    return Thought(words=words, command=command, steps=steps, limit=limit)


def main() -> None:
    run_tasks(thought_of)
