"""The analysis of one game: a summary of each player, the turning points, and a judgement of every decision."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from rails_cli.games.game import win_share
from rails_cli.protocol.common import Bid
from rails_cli.study.analysis.judging import Judgement, evaluation_of, spectator_chances
from rails_cli.study.analysis.telling import ALL_OPEN, MISTAKE, MoveDescriber
from rails_cli.study.playback.recorded import Recorded

MOMENTS = 3
"""Maximum number of mistakes in a list."""
SUBSTITUTE = "its substitute"
SWING = 0.5
"""Factor by which `_size` multiplies the change of a chance of winning, to find the decisive moves."""
HIDDEN_SWING = 0.2
"""Factor used instead of `SWING` in games with hidden information, in which changes of the chances are partly luck."""
SMALLEST = 0.02
"""Smallest size of a decisive move (see `_size`), as a change of the chance of winning (from 0 to 1).

Also the smallest advantage for which a best move is reported.
"""


class JudgedDecision(msgspec.Struct, frozen=True):
    """The judgement of a move, and its description as a line of text."""

    judgement: Judgement
    words: str


class TurningPoint(msgspec.Struct, frozen=True):
    """A move that changed the chances of winning a lot, or an action at which a player lost the seat through faults.

    `first` and `last` are the numbers of the first and the last action. `change` is the change in the chance of winning
    of each seat.
    """

    first: int
    last: int
    seat: int
    change: list[float]
    words: str


class BestMove(msgspec.Struct, frozen=True):
    """Of the moves of a player, the one with the largest advantage over its best alternative.

    `first` is the number of the first action of the move. `edge` is the advantage as a chance of winning, from 0 to 1.
    """

    first: int
    edge: float
    words: str


class CostlyMove(msgspec.Struct, frozen=True):
    """A move worse than the best move, with a sentence that explains why.

    `first` is the number of its first action. `chance_lost` is the lost part of the chance of winning, from 0 to 1.
    """

    first: int
    chance_lost: float
    words: str
    to_player: str = ""
    """The sentence about the move, addressed to its player as "you"."""


class PlayerSummary(msgspec.Struct, frozen=True):
    """Statistics of the decisions of one player: the number of mistakes, what they cost, and the best move."""

    name: str
    score: int
    """Score of the player at the end of the log, or when the player lost the seat."""
    decisions: int
    mistakes: int
    money_lost: float
    """Dollars lost by all mistakes. Each loss is estimated at the time of the move."""
    chance_lost: float
    """Sum of the chances of winning (each from 0 to 1) that the mistakes lost."""
    best: BestMove | None
    lost_at: int | None = None
    """Number of the first action that a substitute played, or None if the player kept the seat."""
    substitute: "PlayerSummary | None" = None
    """Summary of the substitute that played after the player lost the seat, or None if there was no substitute."""
    costliest: list[CostlyMove] = []
    """The player's mistakes that lost most of the chance of winning, the worst one first."""


class AuctionWorth(msgspec.Struct, frozen=True):
    """An auction: the share's worth to each seat at the start, the price (both in dollars), and the buyer's seat."""

    first: int
    """Number of the first judged action of the auction."""
    share: str
    worths: list[int | None]
    buyer: int | None
    price: int | None


class Analysis(msgspec.Struct, frozen=True):
    """The analysis of a game with `actions` actions. `moments` are its turning points."""

    game: str
    actions: int
    is_finished: bool
    looks: int
    """Number of search iterations for each decision."""
    players: list[PlayerSummary]
    moments: list[TurningPoint]
    auctions: list[AuctionWorth]
    curve: list[list[float]]
    """Chances of winning before the first action, then after each action. Each list has one number per seat."""
    decisions: list[JudgedDecision]
    curve_title: str = "Chance of winning"
    """Title of a chart of `curve`. If the game has secrets, it says that the chances are computed with them."""


def analysis_of(recorded: Recorded, judgements: Sequence[Judgement], looks: int, you: int | None = None) -> Analysis:
    """Build the analysis of a game from judgements, each of which was made with `looks` search iterations.

    Sentences address the player in seat `you` as "you".
    """
    teller = MoveDescriber(recorded, you)
    curve = curve_of(recorded, judgements)
    auctions = _auctions(teller, judgements)
    openings = {auction.first for auction in auctions}
    return Analysis(
        game=recorded.game.name,
        actions=recorded.last,
        is_finished=recorded.moments[-1].to_move is None,
        looks=looks,
        players=[_summary(recorded, teller, judgements, seat) for seat in range(len(recorded.names))],
        moments=_moments(recorded, teller, judgements, curve),
        auctions=auctions,
        curve=curve,
        decisions=[
            JudgedDecision(judged, teller.line(judged, opens_auction=judged.first in openings)) for judged in judgements
        ],
        curve_title=curve_title(recorded),
    )


def curve_title(recorded: Recorded) -> str:
    return f"Chance of winning, {ALL_OPEN}" if recorded.game.has_secrets else "Chance of winning"


def curve_of(recorded: Recorded, judgements: Sequence[Judgement]) -> list[list[float]]:
    """Return the chance of winning of each seat before the first action and after each action."""
    points: dict[int, list[float]] = {}
    if recorded.game.has_secrets:
        evaluation = evaluation_of(recorded.game)
        for moment in recorded.moments:
            points[moment.number] = spectator_chances(recorded.game, recorded.board, evaluation, moment.state)
    else:
        points |= {judged.first - 1: judged.outlook for judged in judgements}
        points |= {judged.last: judged.after.chances for judged in judgements}  # the values shown with the move itself
    final = recorded.moments[-1]
    if final.to_move is None:
        ranks = recorded.game.ranks(final.state, recorded.board)
        points[recorded.last] = [round(win_share(ranks, seat), 3) for seat in range(len(ranks))]
    even = [round(1 / len(recorded.names), 3)] * len(recorded.names)
    now = points[min(points)] if points else even
    return [now := points.get(number, now) for number in range(recorded.last + 1)]


def _summary(recorded: Recorded, teller: MoveDescriber, judgements: Sequence[Judgement], seat: int) -> PlayerSummary:
    """Return the summary of the player of a seat, including the summary of a substitute, if there was one."""
    moves = [judged for judged in judgements if judged.seat == seat]
    name, lost = recorded.names[seat], recorded.taken_over().get(seat, range(0))
    if not lost or lost.start > recorded.last:
        return _played(recorded, teller, moves, name, seat, recorded.last)
    own = [judged for judged in moves if not teller.is_substitute(judged)]
    others = [judged for judged in moves if teller.is_substitute(judged)]
    is_over = lost.stop > recorded.last
    return msgspec.structs.replace(
        _played(recorded, teller, own, name, seat, lost.start if is_over else recorded.last),
        lost_at=lost.start,
        substitute=_played(recorded, teller, others, SUBSTITUTE, seat, lost.stop - 1),
    )


def _played(
    recorded: Recorded, teller: MoveDescriber, own: Sequence[Judgement], name: str, seat: int, last: int
) -> PlayerSummary:
    mistakes = [judged for judged in own if judged.chance_lost >= MISTAKE]
    best = best_move(teller, own)
    personal = MoveDescriber(recorded, seat)
    return PlayerSummary(
        name=name,
        score=recorded.game.scores(recorded.moments[last].state)[seat],
        decisions=len(own),
        mistakes=len(mistakes),
        money_lost=round(sum(judged.loss for judged in mistakes), 1),
        chance_lost=round(sum(judged.chance_lost for judged in mistakes), 3),
        best=None if best is None else BestMove(best.first, best.edge, teller.played(best)),
        costliest=[
            CostlyMove(judged.first, judged.chance_lost, teller.mistake(judged), personal.mistake(judged))
            for judged in costliest_moves(teller, own)
        ],
    )


def best_move(teller: MoveDescriber, own: Sequence[Judgement]) -> Judgement | None:
    """Return the move of `own` with the largest advantage over its alternative.

    Bids that did not win an auction are left out. Return None if no advantage is at least `SMALLEST`.
    """
    final = [judged for judged in own if type(judged.played[0]) is not Bid or teller.has_paid(judged)]
    best = max(final, key=lambda judged: judged.edge, default=None)
    return None if best is None or best.edge < SMALLEST else best


def costliest_moves(teller: MoveDescriber, own: Sequence[Judgement]) -> list[Judgement]:
    """Return up to `MOMENTS` mistakes of the moves `own`: those that lost most of the chance of winning, worst first.

    Smaller losses are left out, because they may be errors of the estimate.
    """
    costly = sorted(
        (judged for judged in own if judged.chance_lost >= MISTAKE),
        key=lambda judged: (-judged.chance_lost, -judged.loss, judged.first),
    )
    return list(islice(_one_per_auction(teller, costly), MOMENTS))


def _one_per_auction(teller: MoveDescriber, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """Yield `judgements` in order, but only the first judgement of each auction."""
    seen: set[int] = set()
    for judged in judgements:
        auction = teller.auction_at(judged.first) if judged.worths is not None else None
        if auction is None or auction.start not in seen:
            yield judged
        if auction is not None:
            seen.add(auction.start)


def _moments(
    recorded: Recorded, teller: MoveDescriber, judgements: Sequence[Judgement], curve: Sequence[Sequence[float]]
) -> list[TurningPoint]:
    """Return up to `MOMENTS` turning points: all seats lost through faults, and the most decisive moves.

    The lost seats come first. Then come the moves in game order, at most one for each auction. `curve` has the chances
    of winning after each action.
    """
    lost = [
        TurningPoint(numbers.start, numbers.start, seat, _change(numbers.start, numbers.start, curve), words)
        for seat, numbers in teller.taken_over.items()
        if numbers.start <= recorded.last and (words := teller.loss_of_seat(seat))
    ][:MOMENTS]
    weight = HIDDEN_SWING if recorded.game.has_secrets else SWING
    sized = [(_size(judged, _change(judged.first, judged.last, curve), weight), judged) for judged in judgements]
    sized.sort(key=lambda one: (-one[0], one[1].first))
    large = (judged for size, judged in sized if size >= SMALLEST)
    chosen = islice(_one_per_auction(teller, large), MOMENTS - len(lost))
    moves = [
        TurningPoint(
            first=judged.first,
            last=judged.last,
            seat=judged.seat,
            change=_change(judged.first, judged.last, curve),
            words=teller.mistake(judged)
            if judged.chance_lost >= MISTAKE
            else teller.swing(judged, curve[judged.first - 1], curve[judged.last]),
        )
        for judged in sorted(chosen, key=lambda one: one.first)
    ]
    return [*lost, *moves]


def _change(first: int, last: int, curve: Sequence[Sequence[float]]) -> list[float]:
    """Return the change of the chance of winning of each seat by the actions from `first` to `last`.

    `curve` has the chances after each action.
    """
    return [round(then - now, 3) for then, now in zip(curve[last], curve[first - 1], strict=True)]


def _size(judged: Judgement, change: Sequence[float], weight: float) -> float:
    """Return the size of a move, which says how decisive the move was, as a change in the chance of winning.

    `change` has the change of the chance of each seat. The largest change counts, multiplied by `weight`. A mistake
    counts at least as much as the chance that it lost, but not more than the fall of the mover's chance. A mistake
    after which the mover's chance rose counts 0. A bid or pass that was not a mistake also counts 0.
    """
    swing = weight * max(map(abs, change))
    if judged.chance_lost < MISTAKE:
        return swing if judged.worths is None else 0.0
    fall = -change[judged.seat]
    return max(min(judged.chance_lost, fall), swing) if fall > 0 else 0.0


def _auctions(teller: MoveDescriber, judgements: Sequence[Judgement]) -> list[AuctionWorth]:
    found: dict[int, AuctionWorth] = {}
    for judged in judgements:
        auction = None if judged.worths is None else teller.auction_at(judged.first)
        if auction is not None and judged.worths is not None and auction.start not in found:
            share = teller.share(auction)
            found[auction.start] = AuctionWorth(judged.first, share, judged.worths, auction.buyer, auction.price)
    return list(found.values())
