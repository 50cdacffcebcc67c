"""Judgement of the moves of a logged game, based only on what the moving seat could see.

A move is a sequence of actions of one seat that belong together, such as a whole expansion of track. A bid is a move of
its own.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rails_cli.games import load_evaluation
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.games.moves import action_of, number_of
from rails_cli.players.search.imagining import chance_of, imagined
from rails_cli.players.search.look_ahead import look_ahead
from rails_cli.players.search.one_ply import played
from rails_cli.players.search.outcome import Tried, outcomes
from rails_cli.players.search.playouts import PROMISING
from rails_cli.protocol.common import BidRange
from rails_cli.study.analysis.bidding import compared, is_auction, lot_in
from rails_cli.study.playback.recorded import Recorded

LOOKS = 30
"""Default number of evaluations per decision: iterations of the search, or playouts of each promising move.

Hints use this number, too.
"""
FEWEST = 0.01
"""Smallest difference between the chances of winning (from 0 to 1) of two moves that are not called equally good."""


CHANCE = "analysis"
"""Part of the random seed of a search. The seed is derived from this text and the view of the seat."""


class NoEvaluation(Exception):
    """Raised if a game has no evaluation, so that its moves cannot be judged."""


class Expectation(msgspec.Struct, frozen=True):
    """The expected result of a game for each seat."""

    money: list[float]
    """Value of all assets of each seat in current dollars, not the expected final score."""
    chances: list[float]


class Judgement(msgspec.Struct, frozen=True):
    """A move, its best alternative, and the expected results of both."""

    first: int
    """Number of the first action of the move. The first action of the game is 1."""
    last: int
    seat: int
    played: list[Any]
    other: list[Any]
    """The actions of the best alternative. Empty if there was no alternative."""
    before: Expectation
    """Expected result before the move, if the seat plays the best move. The best move is the played move or the
    alternative.
    """
    after: Expectation
    instead: Expectation
    loss: float
    """Dollars that the played move lost for its seat, compared with the best move."""
    chance_lost: float
    """Chance of winning (from 0 to 1) that the played move lost, compared with the best move. Rounded to 0.01."""
    edge: float
    """Chance of winning (from 0 to 1) that the played move gains over the alternative. 0 if the alternative is as good
    or better. Rounded to 0.01.
    """
    worths: list[int | None] | None
    """Worth of the auctioned share to each seat, in dollars, or None for a seat that has passed.

    None if the move is not a bid or pass in an auction.
    """
    outlook: list[float]
    """Chance of winning of each seat before the move, computed with all hidden information."""


class Move(NamedTuple):
    """A move, given by the numbers of its first and last action."""

    first: int
    last: int


def evaluation_of(game: Game[Any, Any]) -> Evaluation[Any, Any]:
    """Return the functions that estimate the value of positions of a game. Raise NoEvaluation if there are none."""
    evaluation = load_evaluation(game.name)
    if evaluation is None:
        raise NoEvaluation(f"{game.title} has no evaluation, so its games cannot be analysed")
    return evaluation


# Moves


def moves_of(recorded: Recorded) -> list[Move]:
    """Return the moves in which the moving seat had a choice.

    Actions of openings, and actions that the referee played for a seat after faults, are left out.
    """
    moves: list[Move] = []
    first = 1
    lost_at = {(seat, numbers.start) for seat, numbers in recorded.taken_over().items()}
    while first <= recorded.last:
        last, start = first, recorded.moments[first]
        while last < recorded.last and (start.by, last + 1) not in lost_at and _goes_on(recorded, first, last):
            last += 1
        if not (start.is_opening or start.is_default) and any(
            _is_choice(recorded.moments[number - 1].legal) for number in range(first, last + 1)
        ):
            moves.append(Move(first, last))
        first = last + 1
    return moves


def _goes_on(recorded: Recorded, first: int, last: int) -> bool:
    """Return whether the action after `last` belongs to the move that began with action `first`."""
    game, moments = recorded.game, recorded.moments
    before, after = moments[last - 1], moments[last]
    start, then = moments[first], moments[last + 1]
    if (after.to_move, then.is_opening, then.is_default) != (start.by, start.is_opening, start.is_default):
        return False
    if is_auction(before.legal) or is_auction(after.legal):
        return False
    if not game.unforeseeable.isdisjoint(map(type, after.events)):
        return False
    assert after.to_move is not None
    question = game.view(after.state, recorded.board, after.to_move).question
    return question is not None and question.asks not in recorded.face.new_turn


def _is_choice(legal: Sequence[Any]) -> bool:
    return len(legal) > 1 or any(type(entry) is BidRange and entry.min < entry.max for entry in legal)


# Judgements


def percents(chance: float) -> int:
    """Return a chance in per cent, rounded to a whole number as displayed."""
    return round(100 * chance)


def judge(recorded: Recorded, move: Move, looks: int) -> Judgement:
    """Judge a move with a search of `looks` iterations.

    The random numbers are derived from the view of the moving seat, so hidden information has no influence. A search
    for a hint makes `LOOKS` iterations. If `looks` is smaller and another move seems better, the move is judged again
    with `LOOKS` iterations. So an analysis agrees with the hints.
    """
    judged = _judge(recorded, move, looks)
    return judged if looks >= LOOKS or judged.chance_lost < FEWEST else _judge(recorded, move, LOOKS)


def _judge(recorded: Recorded, move: Move, looks: int) -> Judgement:
    game, board = recorded.game, recorded.board
    evaluation = evaluation_of(game)
    moment = recorded.moments[move.first - 1]
    seat = moment.state.pending.seat
    view = game.view(moment.state, board, seat)
    actions = [one.action for one in recorded.moments[move.first : move.last + 1]]
    position = next(imagined(game, board, view, chance_of(CHANCE, view)))
    run = _candidate_for(game, board, evaluation, position, [number_of(game.moves, board, one) for one in actions])
    found = searched(game, board, evaluation, view, looks, run)
    reached = _reached(game, board, position, run)
    is_same = [tried.run == run or _reached(game, board, position, tried.run) == reached for tried in found]
    own = max((tried for tried, same in zip(found, is_same, strict=True) if same), key=lambda tried: tried.visits)
    pairs = [(own, tried) for tried, same in zip(found, is_same, strict=True) if not same]
    lot = lot_in(evaluation, moment.state, board, moment.legal)
    if lot is not None:
        answers = [(tried, action_of(game.moves, board, tried.run[0])) for _, tried in pairs]
        told_apart = [compared(own, actions[0], tried, answer, lot) for tried, answer in answers]
        pairs = [pair for pair in told_apart if pair is not None]
    own, other = _best(pairs, seat) or (own, None)
    is_better = other is not None and other.payoffs[seat] > own.payoffs[seat]
    best = other if other is not None and is_better else own
    after = _expectation(own)
    instead = after if other is None else _expectation(other)
    return Judgement(
        first=move.first,
        last=move.last,
        seat=seat,
        played=actions,
        other=[] if other is None else [action_of(game.moves, board, number) for number in other.run],
        before=_expectation(best),
        after=after,
        instead=instead,
        loss=round(max(0.0, best.money[seat] - own.money[seat]), 1),
        chance_lost=_more(_expectation(best).chances[seat], after.chances[seat]),
        edge=_more(after.chances[seat], instead.chances[seat]),
        worths=None if lot is None else lot.worths,
        outlook=spectator_chances(game, board, evaluation, moment.state)
        if game.has_secrets
        else _expectation(best).chances,
    )


def searched(
    game: Game[Any, Any],
    board: Any,
    evaluation: Evaluation[Any, Any],
    view: Any,
    looks: int = LOOKS,
    also: Run | None = None,
) -> list[Tried]:
    """Return the moves of the seat to move that a search with `looks` iterations tried, with their results.

    Hints and judgements use this search, so that they agree about the same position. The move `also` is tried as often
    as the others, and does not change their results.
    """
    most = looks if evaluation.policy is None else looks * PROMISING
    return look_ahead(game, board, evaluation, view, chance_of(CHANCE, view), lambda looked: looked < most, also)


def _candidate_for(
    game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], state: Any, run: Sequence[int]
) -> Run:
    """Return the candidate move of the search that leads to the same position as the actions `run`.

    Return `run` itself if there is no such candidate. Actions are given as numbers (see `number_of`).
    """
    reached = _reached(game, board, state, tuple(run))
    for candidate in evaluation.candidates(state, board):
        if candidate == tuple(run) or _reached(game, board, state, candidate) == reached:
            return candidate
    return tuple(run)


def _reached(game: Game[Any, Any], board: Any, state: Any, run: Run) -> bytes:
    """Return the position after the actions `run`, in a form that can be compared."""
    return game.dump(played(game, board, state, run))


def _best(pairs: Sequence[tuple[Tried, Tried]], seat: int) -> tuple[Tried, Tried] | None:
    """Return the pair in which the alternative has the largest advantage over the played move for `seat`.

    Each pair has the results of the played move and of an alternative. An alternative that the search tried less than
    half as often as the most tried move is chosen only if there is no other. Then it must not be better than the played
    move. Return None if there is no such pair.
    """
    most = max((tried.visits for pair in pairs for tried in pair), default=0)
    enough = [pair for pair in pairs if 2 * pair[1].visits >= most]
    rare = [pair for pair in pairs if pair[1].payoffs[seat] <= pair[0].payoffs[seat]]
    return max(enough or rare, key=lambda pair: pair[1].payoffs[seat] - pair[0].payoffs[seat], default=None)


def _expectation(tried: Tried) -> Expectation:
    return Expectation([round(money, 1) for money in tried.money], [round(chance, 3) for chance in tried.chances])


def _more(chance: float, than: float) -> float:
    """Return by how much `chance` exceeds `than`, in steps of 0.01. Return 0 if `chance` is not larger."""
    return max(0, percents(chance) - percents(than)) / 100


def spectator_chances(game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], state: Any) -> list[float]:
    """Return the chance of winning of each seat, computed with all hidden information."""
    found = outcomes(game, board, evaluation, [state])[0]
    seats = len(found) // 3
    return [round(chance, 3) for chance in found[seats : 2 * seats]]
