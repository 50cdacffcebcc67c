"""Analysis of logged games on all cores. The result is the same for any number of processes."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from rails_cli.basics.cores import map_in_order
from rails_cli.players.search.look_ahead import IMPOSSIBLE
from rails_cli.study.analysis.analysis import Analysis, analysis_of
from rails_cli.study.analysis.judging import Judgement, Move, evaluation_of, judge, moves_of
from rails_cli.study.playback.recorded import Recorded, read_recorded

MOVES_A_TASK = 6

Task = tuple[bytes, list[Move], int]
Progress = Callable[[float], None]


class CannotJudge(Exception):
    """Raised if a move cannot be judged. The message names the action and the reason."""


class Study(NamedTuple):
    """A log to analyse, the game read from it, and the moves to judge."""

    file: str
    log: bytes
    recorded: Recorded
    moves: list[Move]
    you: int | None = None
    """The seat of the reader. Sentences call this player "you". None if all players are called by name."""


def study_of(file: str, log: bytes, recorded: Recorded, you: int | None = None) -> Study:
    """Return the study of a log, up to its first wrong line. Raise NoEvaluation if moves of the game cannot be judged.

    `file` is the name of the log, `log` its content, and `recorded` the game read from it. `you` is the seat of the
    reader, if the reader has played the game.
    """
    evaluation_of(recorded.game)
    return Study(file, log, recorded, moves_of(recorded), you)


def analyse(
    studies: Iterable[Study], looks: int, workers: int, progress: Progress = lambda part: None
) -> Iterator[tuple[Study, Analysis | CannotJudge]]:
    """Yield each study with its analysis, or with the error if a move cannot be judged. Keep the order of the studies.

    Studies are taken from the iterable only when workers need them, so that few are in memory. `progress` is called
    with the fraction of a study that was completed since the last call.
    """
    begun: deque[Study] = deque()

    def tasks() -> Iterator[Task]:
        for study in studies:
            begun.append(study)
            yield from _tasks(study, looks)

    results = map_in_order(_judge_task, tasks(), workers)
    for first in results:
        study = begun.popleft()
        parts = len(list(_tasks(study, looks)))
        found = []
        for part in chain([first], islice(results, parts - 1)):
            found.append(part)
            progress(1 / parts)
        mistake = next((part for part in found if isinstance(part, CannotJudge)), None)
        judged = [judgement for part in found if not isinstance(part, CannotJudge) for judgement in part]
        yield study, mistake or analysis_of(study.recorded, judged, looks, study.you)


def _tasks(study: Study, looks: int) -> Iterator[Task]:
    """Yield the tasks of a study, each with a few moves to judge. A study without moves has one task without moves."""
    for first in range(0, max(1, len(study.moves)), MOVES_A_TASK):
        yield study.log, study.moves[first : first + MOVES_A_TASK], looks


def _judge_task(task: Task) -> list[Judgement] | CannotJudge:
    log, moves, looks = task
    judged = []
    for move in moves:
        recorded = _read(log)
        try:
            judged.append(judge(recorded, move, looks))
        except IMPOSSIBLE as error:
            how = f"{type(error).__name__}: {error}"
            return CannotJudge(f"the evaluation of {recorded.game.title} fails at action {move.first} ({how})")
    return judged


@lru_cache(maxsize=4)
def _read(log: bytes) -> Recorded:
    return read_recorded(log)
