"""Verdict on a finished game for one seat: its place, its costliest move and its best move."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rails_cli.games.faces.phrases import DOLLARS, listed, ordinal, score_text
from rails_cli.players.search.look_ahead import IMPOSSIBLE
from rails_cli.study.analysis.analysis import best_move, costliest_moves
from rails_cli.study.analysis.judging import LOOKS, Judgement, NoEvaluation, evaluation_of, judge, moves_of
from rails_cli.study.analysis.telling import MoveDescriber
from rails_cli.study.playback.recorded import Recorded


class Verdict(NamedTuple):
    """Sentences about the moves of a seat, and its costliest move.

    `chance_lost` is the chance of winning that this move lost, from 0 to 1. `judged` has the judgements of all moves.
    """

    lines: list[str]
    costliest: int | None
    """Number of the first action of the costliest move. None if no move was a mistake."""
    chance_lost: float = 0.0
    judged: Sequence[Judgement] = ()


def place_sentence(
    names: Sequence[str],
    scores: Sequence[int],
    ranks: Sequence[int],
    seat: int,
    *,
    unit: str = DOLLARS,
    is_you: bool = True,
) -> str:
    """Return a sentence about the final place of a seat and the difference between its score and another score.

    The other score is that of the winner, or of the runner-up if the seat has won. `unit` is the unit of the
    scores. The sentence addresses the player as "you" if `is_you`, and otherwise names the player.
    """
    who = "You" if is_you else names[seat]
    others = [other for other in range(len(names)) if other != seat]
    ahead = [other for other in others if ranks[other] == 1]
    if ranks[seat] > 1:
        behind = score_text(scores[ahead[0]] - scores[seat], unit)
        return f"{who} came {ordinal(ranks[seat])}, {behind} behind {listed([names[other] for other in ahead])}."
    if ahead:
        share = "share" if is_you else "shares"
        return f"{who} {share} the win with {listed([names[other] for other in ahead])}."
    second = min(others, key=lambda other: ranks[other])
    return f"{who} won, {score_text(scores[seat] - scores[second], unit)} ahead of {names[second]}."


def verdict_of(
    recorded: Recorded,
    seat: int,
    progress: Callable[[float], None] = lambda done: None,
    looks: int = LOOKS,
    *,
    is_you: bool = True,
) -> Verdict:
    """Judge the moves of a seat in a game, with the search that `rails-cli analyse` uses by default.

    Return no sentences if the game has no evaluation, or if a move cannot be judged. `progress` is called with the
    fraction that is done, from 0 to 1. The search makes `looks` evaluations for each move. The sentences address the
    player as "you" if `is_you`. Otherwise there is only one sentence, which names the player.
    """
    try:
        evaluation_of(recorded.game)
    except NoEvaluation:
        return Verdict([], None)
    lost = recorded.taken_over().get(seat, ())
    moves = [one for one in moves_of(recorded) if recorded.moments[one.first].by == seat and one.first not in lost]
    judged: list[Judgement] = []
    for move in moves:
        progress(len(judged) / len(moves))
        try:
            judged.append(judge(recorded, move, looks))
        except IMPOSSIBLE:
            return Verdict([], None)
    return verdict_from(recorded, seat, judged, is_you=is_you)


def verdict_from(recorded: Recorded, seat: int, judged: Sequence[Judgement], *, is_you: bool = True) -> Verdict:
    """Return the verdict on the moves of a seat, given the judgements of these moves.

    The sentences address the player as "you" if `is_you`. Otherwise there is only one sentence, which names the player.
    """
    describer = MoveDescriber(recorded, you=seat if is_you else None)
    whose = "Your" if is_you else f"{recorded.names[seat]}'s"
    costliest = costliest_moves(describer, judged)
    if costliest:
        worst = costliest[0]
        words = f"{whose} costliest move was action {worst.first}. {describer.mistake(worst)}"
        verdict = Verdict([words], worst.first, worst.chance_lost, judged)
    else:
        whom = "yours" if is_you else whose
        verdict = Verdict([f"No single mistake of {whom} decided the game."], None, judged=judged)
    best = best_move(describer, judged)
    if is_you and best is not None:
        verdict.lines.append(f"Your best move was action {best.first}: {describer.played(best)}.")
    return verdict
