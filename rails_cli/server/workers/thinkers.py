"""Worker processes that compute moves and hints one after another, so that the server does not block."""

import asyncio
import os
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from zlib import crc32

import msgspec

from rails_cli.match.match import Match
from rails_cli.players.builtin import substitute
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import ClockLeft
from rails_cli.server.workers.low_priority import low_priority_command
from rails_cli.server.workers.thinking import HintTask, MoveTask, Task, Thought, position_of

LOOKING_AHEAD = ("easy", "hard")
"""Levels of built-in players that run in shared workers, because they are too slow for the server process."""
MOST_FOR_MOVES = 2
"""Maximum number of processes that compute moves."""
TASK_S = 60.0
"""Seconds after which a task fails and its worker is killed. A task normally takes a tenth of a second."""
TRIES = 2
"""Number of attempts to compute a task, each in a new process."""
NICENESS = 5
"""Niceness of worker processes. Search processes have a higher niceness, so that they do not delay the workers.

A person waits for the result of a worker.
"""
LONGEST_THOUGHT = 1_048_576
"""Maximum number of bytes of a line from a process."""
_MAIN = "from rails_cli.server.workers.thinking import main; main()"
_decoder = msgspec.json.Decoder(Thought)

Then = Callable[[Thought], None]
Ask = Callable[[Task, Then], None]


class ThinkingProcess:
    """A worker process that runs tasks in order. It starts with the first task and is restarted if it dies."""

    def __init__(
        self,
        report: Callable[[str], None],
        main: str = _MAIN,
        decoder: msgspec.json.Decoder[Any] = _decoder,
        task_s: float = TASK_S,
    ) -> None:
        """`report` prints a message for the operator of the server. `main` is the Python code of the worker, and
        `decoder` decodes its results. A task may take `task_s` seconds."""
        self._report = report
        self._main = main
        self._decoder = decoder
        self._task_s = task_s
        self._waiting: deque[tuple[Any, Callable[[Any], None]]] = deque()
        self._working: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

    def ask(self, task: Any, then: Callable[[Any], None]) -> None:
        """Run `task` and pass its result to `then`. If the task fails, report its `title` and the reason."""
        self._waiting.append((task, then))
        if self._working is None:
            self._working = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._waiting:
            task, then = self._waiting.popleft()
            thought = await self._thought(msgspec.json.encode(task) + b"\n")
            if thought.failure is not None:
                self._report(f"{task.title} failed: {thought.failure}")
            try:
                then(thought)
            except Exception:
                self._report(traceback.format_exc())
        self._working = None

    async def _thought(self, line: bytes) -> Any:
        """Send the encoded task `line` to the worker and return the result. If the worker dies, retry once."""
        words = ""
        for _ in range(TRIES):
            try:
                process = await self._started()
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(line)
                answer = await asyncio.wait_for(process.stdout.readline(), self._task_s)
                if answer:
                    return self._decoder.decode(answer)
                words = "the process has ended"
            except TimeoutError:
                await self.end()
                return self._decoder.type(failure=f"no answer in {self._task_s:g} s")
            except (OSError, ValueError) as error:
                words = str(error)
            await self.end()
        return self._decoder.type(failure=words)

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *low_priority_command(self._main, by=NICENESS),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=LONGEST_THOUGHT,
            )
        return self._process

    async def end(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def close(self) -> None:
        """Discard pending tasks and end the worker."""
        if self._working is not None:
            self._working.cancel()
            with suppress(asyncio.CancelledError):
                await self._working
        await self.end()


class Thinkers:
    """The worker processes of a server that compute moves and hints."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._for_hints = ThinkingProcess(report)
        self._for_moves = [ThinkingProcess(report) for _ in range(min(MOST_FOR_MOVES, os.cpu_count() or 1))]

    def ask(self, task: Task, then: Then) -> None:
        """Run a task and pass its result to `then`. All moves of a player use the same worker.

        Hints use another worker.
        """
        if isinstance(task, HintTask):
            self._for_hints.ask(task, then)
        else:
            self._for_moves[crc32(f"{task.seed}".encode()) % len(self._for_moves)].ask(task, then)

    async def close(self) -> None:
        for process in (self._for_hints, *self._for_moves):
            await process.close()


class DistantPlayer:
    """A built-in player whose moves are computed in a worker process. If that fails, a substitute chooses the move."""

    is_timed = False

    def __init__(self, task: Callable[[Match], Task], ask: Ask) -> None:
        """Create a player. `task` returns the task of a worker for the position of a match. `ask` runs it."""
        self._task = task
        self._ask = ask
        self._number = -1
        """Number of actions before the position for which the last move was requested. -1 before the first request."""
        self._action: Any = None
        """The move chosen in the position for which the last move was requested. None until it is computed."""

    def chosen(self, match: Match) -> Any:
        """Return the computed move for the current position of `match`. None if it is not computed yet."""
        return self._action if self._number == match.number else None

    def has_begun(self, match: Match) -> bool:
        """Return whether `think` was called for the current position of `match`."""
        return self._number == match.number

    def think(self, match: Match, then: Callable[[], None]) -> None:
        """Start to compute the move for the current position of `match`, once per position.

        Call `then` when the move is computed, unless the position has changed.
        """
        if self._number != match.number:
            self._number, self._action = match.number, None
            number = match.number
            self._ask(self._task(match), lambda thought: self._finish(match, number, thought, then))

    def _finish(self, match: Match, number: int, thought: Thought, then: Callable[[], None]) -> None:
        if self._number != number or match.number != number:
            return  # the position has changed since the request
        if match.seat is not None:
            self._action = self._result(match, thought)
        then()

    def _result(self, match: Match, thought: Thought) -> Any:
        if thought.action is None:
            return self.choose(match)
        return msgspec.convert(thought.action, match.game.action_type)

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        """Return the move that a substitute chooses, without using a worker process. `left` is not used."""
        assert match.seat is not None
        return substitute(match.game.name, match.seat).choose(match)


def move_task(name: str, seed: Seed, match: Match) -> MoveTask:
    """Return the task to compute a move of the built-in player `name` in the position of `match`."""
    return MoveTask(position_of(match), name, seed)


class DistantAdviser(DistantPlayer):
    """The adviser of a lesson. Instead of one action, it chooses the list of actions that a hint suggests."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(lambda match: HintTask(position_of(match), []), ask)

    def _result(self, match: Match, thought: Thought) -> list[Any]:
        move = [msgspec.convert(step, match.game.action_type) for step in thought.steps]
        return move or [self.choose(match)]
