"""Judgement of one answer to a question, compared with the other answers that a search considers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rails_cli.games import load_evaluation
from rails_cli.games.decision import Decision
from rails_cli.games.evaluation import Evaluation
from rails_cli.games.faces.choices import described_command
from rails_cli.games.moves import action_of, number_of
from rails_cli.players.search.look_ahead import IMPOSSIBLE
from rails_cli.players.search.outcome import Tried, best_first
from rails_cli.study.analysis.bidding import compared, lot_in
from rails_cli.study.analysis.hints import searched_with
from rails_cli.study.analysis.judging import percents, searched
from rails_cli.study.analysis.telling import move_in_words

LEAST_UNCERTAINTY = 0.01
"""Smallest uncertainty of a chance of winning, from 0 to 1. The evaluation of a position is not more accurate."""


class AnswerJudgement(msgspec.Struct, frozen=True):
    """The judgement of an answer by a search. Chances of winning are those of the seat that answered."""

    chance: float
    """Chance of winning with the answer and the best moves after it."""
    rank: int
    """Rank of the answer among the compared answers. 1 is the best."""
    compared: int
    """Number of answers that the search compared, including this one. Answers that the search discards do not count."""
    best: list[Any]
    """Actions of the best move. If the answer is best, it is the first of these actions."""
    best_chance: float
    uncertainty: float
    """Uncertainty of the difference between `best_chance` and `chance`, at least 0.01.

    It is the change of this difference when the search is repeated with twice as many evaluations.
    """
    looks: int
    """Number of iterations of the last search."""


class _Verdict(NamedTuple):
    """The result of one search.

    `own` and `best` are the results of the answer and of the best move. `better` is the number of better answers, and
    `compared` the number of all compared answers.
    """

    own: Tried
    best: Tried
    better: int
    compared: int


def judge_answer(decision: Decision, action: Any, looks: int) -> AnswerJudgement | None:
    """Return the judgement of `action`, a legal answer to the question of `decision`.

    The first of two searches has `looks` iterations, and the second has twice as many. Both use only what the seat may
    see. Return None if the game has no evaluation, or if its positions cannot be searched.
    """
    evaluation = load_evaluation(decision.game.name)
    if evaluation is None or decision.board is None:
        return None
    try:
        found, moves = searched_with(decision, [action], evaluation, looks)
        own = max(moves, key=lambda tried: tried.payoffs[decision.seat])
        first = _verdict(decision, action, evaluation, found, own)
        found = searched(decision.game, decision.board, evaluation, decision.view, 2 * looks, own.run)
        own = next(tried for tried in found if tried.run == own.run)
        last = _verdict(decision, action, evaluation, found, own)
    except IMPOSSIBLE:
        return None
    seat = decision.seat
    gaps = [found.best.chances[seat] - found.own.chances[seat] for found in (first, last)]
    return AnswerJudgement(
        chance=round(last.own.chances[seat], 3),
        rank=1 + last.better,
        compared=last.compared,
        best=[action_of(decision.game.moves, decision.board, number) for number in last.best.run],
        best_chance=round(last.best.chances[seat], 3),
        uncertainty=round(max(abs(gaps[1] - gaps[0]), LEAST_UNCERTAINTY), 3),
        looks=2 * looks,
    )


def _verdict(
    decision: Decision, action: Any, evaluation: Evaluation[Any, Any], found: Sequence[Tried], own: Tried
) -> _Verdict:
    """Compare `own`, the best move that begins with `action`, with the best move of every other answer in `found`.

    `found` has the moves that the search tried. Return the result of the comparison.
    """
    game, board, seat = decision.game, decision.board, decision.seat
    others: dict[int, Tried] = {}
    for tried in best_first(found, seat):
        others.setdefault(tried.run[0], tried)
    others.pop(number_of(game.moves, board, action), None)
    pairs = [(own, tried) for tried in others.values()]
    lot = lot_in(evaluation, game.imagine(decision.view, board, 0), board, decision.legal)
    if lot is not None:
        answers = [(tried, action_of(game.moves, board, tried.run[0])) for _, tried in pairs]
        pairs = [compared(own, action, tried, answer, lot) or (own, own) for tried, answer in answers]
    better = [pair for pair in pairs if pair[1].payoffs[seat] > pair[0].payoffs[seat]]
    if not better:
        return _Verdict(own, own, 0, 1 + len(pairs))
    own, best = max(better, key=lambda pair: pair[1].payoffs[seat] - pair[0].payoffs[seat])
    return _Verdict(own, best, len(better), 1 + len(pairs))


def judgement_words(decision: Decision, judged: AnswerJudgement) -> str:
    """Return `judged`, the judgement of an answer to the question of `decision`, in words."""
    error = max(1, percents(judged.uncertainty))
    chance = f"chance of winning about {percents(judged.chance)}%"
    if judged.compared == 1:
        return f"The analysis: {chance}. No other answer was compared."
    if judged.rank == 1:
        return f"The analysis: {chance}, best of {judged.compared} compared answers (± {error} points)."
    best = described_command(decision, judged.best[0])
    if len(judged.best) > 1:
        best = move_in_words(decision, judged.best)
    gap = percents(judged.best_chance) - percents(judged.chance)
    return (
        f"The analysis: {chance}, rank {judged.rank} of {judged.compared} compared answers. "
        f"Best: {best}, about {percents(judged.best_chance)}%. Difference: {gap} ± {error} points."
    )
