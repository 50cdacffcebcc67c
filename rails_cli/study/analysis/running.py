"""Analysis of logged games on all cores. The result is the same for any number of processes."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice, takewhile
from typing import NamedTuple

from rails_cli.basics.cores import map_in_order
from rails_cli.players.search.look_ahead import IMPOSSIBLE
from rails_cli.study.analysis.analysis import Analysis, analysis_of
from rails_cli.study.analysis.judging import Judgement, Move, evaluation_of, judge, moves_of
from rails_cli.study.playback.recorded import Recorded, read_recorded

MOVES_A_TASK = 6
"""Number of moves that one task analyses."""

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
    known: Sequence[Judgement] = ()
    """Judgements of the moves that are not in `moves`, because they have been judged before."""


def study_of(
    file: str, log: bytes, recorded: Recorded, you: int | None = None, known: Iterable[Judgement] = ()
) -> Study:
    """Return the study of a log, up to its first wrong line. Raise NoEvaluation if moves of the game cannot be judged.

    `file` is the name of the log, `log` its content, and `recorded` the game read from it. `you` is the seat of the
    reader, if the reader has played the game. `known` has judgements of moves that need not be judged again.
    """
    evaluation_of(recorded.game)
    moves = moves_of(recorded)
    judged = {Move(one.first, one.last): one for one in known}
    again = [judged[move] for move in moves if move in judged]
    return Study(file, log, recorded, [move for move in moves if move not in judged], you, again)


def shared_judgements(analysis: Analysis, recorded: Recorded, branch: Recorded) -> list[Judgement]:
    """Return the judgements in `analysis`, the analysis of the game `recorded`, that are also valid in its `branch`.

    These are the judgements of moves before the first action that differs.
    """
    moments = zip(recorded.moments, branch.moments, strict=False)
    same = takewhile(lambda pair: (pair[0].action, pair[0].digest) == (pair[1].action, pair[1].digest), moments)
    last = sum(1 for _ in same) - 1
    return [one.judgement for one in analysis.decisions if one.judgement.last <= last]


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
        new = [judgement for part in found if not isinstance(part, CannotJudge) for judgement in part]
        judged = sorted([*study.known, *new], key=lambda judgement: judgement.first)
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
