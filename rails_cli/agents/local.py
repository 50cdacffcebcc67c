"""Games of an agent (a language model) against built-in players in this process, logged like other saved games."""

import asyncio
import queue
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rails_cli.agents.seat import JOIN, AgentError, AgentSeat
from rails_cli.basics.seeds import new_seed
from rails_cli.games import NoSuchGame, game_named, load_face, load_game, standard_board
from rails_cli.games.decision import LocalLookahead, decision_at
from rails_cli.games.faces.choices import choices_of
from rails_cli.games.options import read_options
from rails_cli.games.request_text import seat_names
from rails_cli.match.match import Match, ResumePoint, header_of, unique_name
from rails_cli.match.seat_specs import BUILTIN, PERSON
from rails_cli.match.session import MatchPolicy
from rails_cli.players.builtin import builtin_player, check_player, player_name, restore_plan, usual_level
from rails_cli.protocol.log import MAX_SEED, PlayerLine
from rails_cli.referee.seats import UntimedSeat
from rails_cli.referee.single import Referee
from rails_cli.study.analysis.hints import hint
from rails_cli.study.asking import UNREACHABLE_FAULTS
from rails_cli.terminal.kept_games import kept_games
from rails_cli.terminal.saving import NotSaved, SavedGame, begin, resume

NAME = "agent"
"""Name of the agent in logs.

The log lists the agent as a person, so that a person can continue the game in its seat.
"""


class _Left(Exception):
    """Raised in the thread that runs a game, after the agent has left the game."""


class _AgentConnection(UntimedSeat):
    """The connection between the referee and the agent's seat.

    The referee runs in its own thread, the seat in the event loop.
    """

    def __init__(self, seat: AgentSeat, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(JOIN)
        self.answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        """Lines that the agent has sent. None after the last line if the agent has left the game."""
        self._seat, self._loop = seat, loop

    def post(self, line: bytes) -> None:
        self.call(self._seat.receive, line)

    def receive(self, deadline: float | None) -> bytes:
        line = self.answers.get()
        if line is None:
            raise _Left
        return line.rstrip(b"\n")

    def call(self, function: Any, *arguments: Any) -> None:
        """Call a function in the event loop. Do nothing if the program is about to exit."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)


class LocalGame:
    """A game of an agent (a language model) against built-in players. The referee runs in its own thread."""

    def __init__(
        self,
        seat: AgentSeat,
        match: Match,
        specs: Sequence[str | None],
        saved: SavedGame,
        *,
        hints: bool,
        left: ResumePoint | None = None,
    ) -> None:
        """Start the game in its own thread. `specs` has a text for each seat: PERSON for the agent, or `builtin:NAME`.

        `saved` writes the log. `hints` says whether the agent may ask for hints. `left` is the state of a game that
        continues from its log.
        """
        index = specs.index(PERSON)
        self._match, self._index, self._saved, self._hints = match, index, saved, hints
        self._connection = _AgentConnection(seat, asyncio.get_running_loop())
        self._seat = seat
        game, seed = match.game.name, match.header.seed or 0
        sitting = [
            self._connection if other == index else builtin_player(str(spec).removeprefix(BUILTIN), game, seed, other)
            for other, spec in enumerate(specs)
        ]
        policy = MatchPolicy(max_faults=UNREACHABLE_FAULTS)
        after = 0
        if left is not None:
            restore_plan(sitting, left)
            after = left.request_offset
        self._referee = Referee(match, sitting, policy, write=saved.write, left=left, numbers_after=after)
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _play(self) -> None:
        try:
            self._referee.play()
        except _Left:
            pass
        except NotSaved as error:
            self._connection.call(self._seat.fail, str(error))
        except Exception as error:
            self._connection.call(self._seat.fail, f"{type(error).__name__} in the game; its log is kept up to here")
        finally:
            self._saved.close()

    def send(self, line: bytes) -> None:
        self._connection.answers.put(line)

    async def hint(self, number: int) -> list[str]:
        if not self._hints:
            raise AgentError("Hints are not allowed. The user can allow them with `rails-cli mcp --hints`.")
        return await asyncio.to_thread(self._hint)

    def _hint(self) -> list[str]:
        match, game = self._match, self._match.game
        names = seat_names(len(match.header.players))
        lookahead = LocalLookahead(game, match.board, match.state, self._index)
        wire_board = game.wire_board(match.board)
        decision = decision_at(lookahead, game, load_face(game.name), wire_board, match.board, names)
        return hint(decision, choices_of(decision))

    async def leave(self) -> None:
        self._connection.answers.put(None)
        await asyncio.to_thread(self._thread.join)

    @property
    def record(self) -> str:
        return f"The game is kept as {self._saved.path.stem}."


def start_local(
    seat: AgentSeat,
    game_name: str,
    players: int | None,
    level: str | None,
    own_seat: int,
    seed: int | None,
    options: Mapping[str, str],
    *,
    folder: Path,
    hints: bool,
) -> LocalGame:
    """Start a game of an agent against built-in players of `level`, and return the game.

    `own_seat` is the number of the agent's seat, counted from 1. `players` is None for the smallest number of players,
    and `level` is None for the usual level. The log is written to `folder`. Raise AgentError if an argument is invalid,
    or if the log cannot be written.
    """
    try:
        game = load_game(game_named(game_name))
        number = game.players[0] if players is None else players
        if number not in game.players:
            raise AgentError(f"players is {number}; expected {' or '.join(map(str, game.players))} for {game.name}")
        if not 1 <= own_seat <= number:
            raise AgentError(f"seat is {own_seat}; expected 1 to {number}")
        if seed is not None and not 0 <= seed <= MAX_SEED:
            raise AgentError(f"seed is {seed}; expected a whole number from 0 to {MAX_SEED}")
        kind = usual_level(game.name) if level is None else player_name(level)
        check_player(kind, game.name)
        lines: list[PlayerLine] = []
        for index in range(number):
            name, spec = (NAME, PERSON) if index == own_seat - 1 else (kind, f"{BUILTIN}{kind}")
            lines.append(PlayerLine(unique_name(name, [line.name for line in lines]), spec))
        header = header_of(game, read_options(game, options), new_seed() if seed is None else seed, lines)
        match = Match(game, standard_board(game.name), header)
        return LocalGame(seat, match, [line.seat for line in lines], begin(match, folder), hints=hints)
    except (NoSuchGame, ValueError, NotSaved) as error:
        raise AgentError(str(error)) from None


def resume_local(seat: AgentSeat, *, folder: Path, hints: bool) -> LocalGame:
    """Continue the agent's last unfinished game against built-in players. The logs of games are in `folder`.

    Raise AgentError if there is no such game, or if the game cannot be continued.
    """
    for kept in kept_games(folder).unfinished:
        specs = [player.seat for player in kept.players]
        others = [spec or "" for spec in specs if spec != PERSON]
        is_own = len(others) == len(specs) - 1 and kept.players[specs.index(PERSON)].name == NAME
        if is_own and all(spec.startswith(BUILTIN) for spec in others):
            try:
                left, saved, seats = resume(Path(kept.file))
            except NotSaved as error:
                raise AgentError(str(error)) from None
            if not left.has_setup:
                saved.write(left.match.setup_line)
            return LocalGame(seat, left.match, seats, saved, hints=hints, left=left)
    raise AgentError("There is no unfinished game. Use `start_game`.")
