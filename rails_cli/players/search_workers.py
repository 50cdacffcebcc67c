"""Worker processes that do parts of one player's searches. They end when the process that started them ends."""

import os
import pickle
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple

from rails_cli.games import load_evaluation, load_game
from rails_cli.games.evaluation import Evaluation
from rails_cli.players.search.imagining import Chance, chance_of
from rails_cli.players.search.look_ahead import look_ahead
from rails_cli.players.search.outcome import WHOLE, Share, Tried, merged

_MAIN = "from rails_cli.players.search_workers import main; main()"
UNLIMITED = 1e9
"""Number that stands for "no limit" in a limit of looks (search iterations) or of seconds."""
LEAST_S = 1e-6
"""Lowest divisor, in seconds, where the speed of a search is computed."""
_LOST = (OSError, EOFError, pickle.UnpicklingError)

Process = subprocess.Popen[bytes]


class Task(NamedTuple):
    """The arguments of a search from the view of one seat. One process does the part `share` of the search.

    `board` is a board object of the rules. `seconds` is the maximum duration of the search.
    """

    game: str
    board: Any
    view: Any
    word: str
    """Text for the random seed of a process. The seed is made from this text, `view` and the number in `share`."""
    looks: float
    """Maximum number of looks (search iterations) of all processes together."""
    seconds: float
    share: Share = WHOLE

    def chance(self) -> Chance:
        return chance_of(f"{self.word}/{self.share.number}", self.view)


class SearchWorkers:
    """The worker processes of one player. The constructor returns when the processes are ready."""

    def __init__(self, count: int, now: Callable[[], float] = monotonic) -> None:
        self.now = now
        self.processes = [_start_worker() for _ in range(count)]
        for process in self.processes:
            _receive_result(process)
        weakref.finalize(self, _end, self.processes)

    def search(self, task: Task, evaluation: Evaluation[Any, Any], chance: Chance) -> list[Tried]:
        """Search in all worker processes and in this process, and merge the results. Replace workers that have died."""
        until = self.now() + task.seconds
        if not self.processes:
            return search_share(task, evaluation, chance, until, now=self.now)
        count = 1 + len(self.processes)
        own, *others = (task._replace(share=Share(number, count)) for number in range(count))
        asked = [_send_task(process, share) for process, share in zip(self.processes, others, strict=True)]
        found = [search_share(own, evaluation, chance, until, now=self.now)]
        for number, (share, is_asked) in enumerate(zip(others, asked, strict=True)):
            answer = _receive_result(self.processes[number]) if is_asked else None
            if answer is None:
                is_time_left = self.now() < until
                answer = search_share(share, evaluation, share.chance(), until, now=self.now) if is_time_left else []
                self._replace(number)
            found.append(answer)
        return merged(found)

    def _replace(self, number: int) -> None:
        _end([self.processes[number]])
        self.processes[number] = _start_worker()
        _receive_result(self.processes[number])


def search_share(
    task: Task,
    evaluation: Evaluation[Any, Any],
    chance: Chance,
    until: float,
    is_wanted: Callable[[], bool] = lambda: True,
    now: Callable[[], float] = monotonic,
) -> list[Tried]:
    """Do one process's part of a search, and return the runs of moves that it tried.

    The search ends when its looks are used up, when the clock `now` reaches `until`, or when `is_wanted` returns false.
    If one process does the whole search, it also ends when the remaining looks are unlikely to change the result.
    """
    most = task.share.part_of(task.looks)
    game = load_game(task.game)
    began = now()

    def left(looks: int) -> float:
        if task.looks < UNLIMITED:
            return most - looks
        at = now()
        return looks * max(0.0, until - at) / max(at - began, LEAST_S)

    return look_ahead(
        *(game, task.board, evaluation, task.view, chance),
        lambda looks: looks < most and now() < until and is_wanted(),
        share=task.share,
        left=left if task.share.of == 1 else None,
    )


def _start_worker() -> Process:
    # Without -P, a file called msgspec.py in the working directory would be imported.
    return subprocess.Popen([sys.executable, "-P", "-c", _MAIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _send_task(process: Process, task: Task) -> bool:
    assert process.stdin is not None
    try:
        pickle.dump(task, process.stdin)
        process.stdin.flush()
    except _LOST:
        return False
    return True


def _receive_result(process: Process) -> list[Tried] | None:
    assert process.stdout is not None
    try:
        answer: list[Tried] = pickle.load(process.stdout)
    except _LOST:
        return None
    return answer


def _end(processes: list[Process]) -> None:
    for process in processes:
        process.kill()
        process.communicate()


# In the worker process


def main() -> None:
    """Run a worker process: report that it is ready, then process tasks until the parent process has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles SIGINT, and this process ends with the parent
    parent = os.getppid()
    _send_result([])
    while True:
        try:
            task: Task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        evaluation = load_evaluation(task.game)
        assert evaluation is not None
        until = monotonic() + task.seconds
        _send_result(search_share(task, evaluation, task.chance(), until, lambda: os.getppid() == parent))


def _send_result(found: list[Tried]) -> None:
    pickle.dump(found, sys.stdout.buffer)
    sys.stdout.buffer.flush()
