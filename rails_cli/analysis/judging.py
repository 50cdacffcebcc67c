"""Judges the moves of a logged game by what the seat that made them could know.

A move is what one seat did in a row, as far as it belongs together: a choice with its details, a whole expansion. A bid
stands for itself.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from protocol.common import BidRange
from rails_cli.analysis.bidding import Lot, compared
from rails_cli.games import load_evaluation
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.games.moves import action_of, number_of
from rails_cli.playback.recorded import Recorded
from rails_cli.search.imagining import chance_of, imagined
from rails_cli.search.look_ahead import look_ahead
from rails_cli.search.one_ply import played
from rails_cli.search.outcome import Tried, chances_in
from rails_cli.search.playouts import PROMISING

LOOKS = 30
"""So often a decision is looked at: by a descent of the search, or by playing on from each promising run."""


class NoEvaluation(Exception):
    """A game that nothing can judge."""


class Expectation(msgspec.Struct, frozen=True):
    """What the seats may expect."""

    money: list[float]
    """What all they have is worth in dollars of the moment; a dollar in hand may be worth more than one at the end."""
    chances: list[float]
    """Of winning."""


class Judgement(msgspec.Struct, frozen=True):
    """A move, and what could have been done instead."""

    first: int
    """The number of its first action; 1 is the first of the game."""
    last: int
    seat: int
    played: list[Any]
    """Its actions."""
    other: list[Any]
    """The best alternative; empty if nothing else was worth a look."""
    before: Expectation
    """With the better of the two."""
    after: Expectation
    """With what was played."""
    instead: Expectation
    """With the alternative."""
    loss: float
    """What the move lost, in money of its seat."""
    chance_lost: float
    """In whole percents, as it is told."""
    edge: float
    """By how much the move was better than the alternative, in chance of winning; in whole percents, too."""
    worths: list[int | None] | None
    """In an auction, by seat the most that the share was worth; null for who is out of it."""
    outlook: list[float]
    """By seat the chance of winning before the move, as somebody sees it who sees all."""


class Move(NamedTuple):
    """The numbers of the first and the last action of a move."""

    first: int
    last: int


def evaluation_of(game: Game[Any, Any]) -> Evaluation[Any, Any]:
    """How positions of a game are judged. Raises NoEvaluation."""
    evaluation = load_evaluation(game.name)
    if evaluation is None:
        raise NoEvaluation(f"{game.title} has no evaluation, so its games cannot be analysed")
    return evaluation


# Moves


def moves_of(recorded: Recorded) -> list[Move]:
    """The moves at which somebody had a choice; drawn openings and defaults were nobody's."""
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
    """Whether the action after `last` belongs to the same move."""
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


def is_auction(legal: Sequence[Any]) -> bool:
    return any(type(entry) is BidRange for entry in legal)


def least_bid(legal: Sequence[Any]) -> int:
    """The lowest bid in an auction."""
    return min(entry.min for entry in legal if type(entry) is BidRange)


def _is_choice(legal: Sequence[Any]) -> bool:
    return len(legal) > 1 or any(type(entry) is BidRange and entry.min < entry.max for entry in legal)


# Judgements


def percents(chance: float) -> int:
    """A chance as it is told."""
    return round(100 * chance)


def judge(recorded: Recorded, move: Move, looks: int) -> Judgement:
    """What a move was worth. Chance follows from what the seat saw, so nothing that it could not know has a say."""
    game, board = recorded.game, recorded.board
    evaluation = evaluation_of(game)
    moment = recorded.moments[move.first - 1]
    seat = moment.state.pending.seat
    view = game.view(moment.state, board, seat)
    chance = chance_of("analysis", view)
    actions = [one.action for one in recorded.moments[move.first : move.last + 1]]
    position = next(imagined(game, board, view, chance))
    run = _candidate_for(game, board, evaluation, position, [number_of(game.moves, board, one) for one in actions])
    most = looks if evaluation.policy is None else looks * PROMISING
    found = look_ahead(game, board, evaluation, view, chance, lambda looked: looked < most, run)
    limits: list[int | None] | None = None
    if evaluation.limits is not None and is_auction(moment.legal):
        limits = [None if limit < 0 else limit for limit in evaluation.limits(moment.state, board)]
    own = next(tried for tried in found if tried.run == run)
    pairs = [(own, tried) for tried in found if tried.run != run]
    if limits is not None:
        lot = Lot(seat, limits, least_bid(moment.legal), evaluation.spread(moment.state, board))
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
        worths=limits,
        outlook=outlook(game, board, evaluation, moment.state) if game.has_secrets else _expectation(best).chances,
    )


def _candidate_for(
    game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], state: Any, run: Sequence[int]
) -> Run:
    """The candidate that leads to the same position as a run, such as the same track laid in another order; or it."""
    reached = game.dump(played(game, board, state, tuple(run)))
    for candidate in evaluation.candidates(state, board):
        if candidate == tuple(run) or game.dump(played(game, board, state, candidate)) == reached:
            return candidate
    return tuple(run)


def _best(pairs: Sequence[tuple[Tried, Tried]], seat: int) -> tuple[Tried, Tried] | None:
    """What was played with what was most ahead of it, among those that were looked at often enough."""
    most = max((other.visits for _, other in pairs), default=0)
    return max(
        (pair for pair in pairs if 2 * pair[1].visits >= most),
        key=lambda pair: pair[1].payoffs[seat] - pair[0].payoffs[seat],
        default=None,
    )


def _expectation(tried: Tried) -> Expectation:
    return Expectation([round(money, 1) for money in tried.money], [round(chance, 3) for chance in tried.chances])


def _more(chance: float, than: float) -> float:
    """By how much a chance is greater, in whole percents: as much as is told is what counts."""
    return max(0, percents(chance) - percents(than)) / 100


def outlook(game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], state: Any) -> list[float]:
    """The chances of winning as somebody sees them who sees all."""
    chances = chances_in(game, board, evaluation, state, evaluation.worth(state, board))
    return [round(chance, 3) for chance in chances]
