"""Build a random position of Branch Lines that agrees with everything one seat can see."""

from branch_lines.board import PLAYERS, Board
from branch_lines.protocol import View
from branch_lines.state import NOBODY, BidOrPass, BuildOrStop, Question, State
from rails_cli.games.shared.luck import derived_seed, seeded, shuffle
from rails_cli.games.view_checks import check_amounts, check_seats, with_value_errors
from rails_cli.protocol.log import Seed

MOST_SHARES = 20


@with_value_errors
def imagine(view: View, board: Board, seed: Seed) -> State:
    """Return a position that looks like `view`. Hidden charters and the pile are shuffled with `seed`.

    Raise ValueError if no position has this view.
    """
    auction = view.auction
    check_seats(view, PLAYERS, () if auction is None else (auction.leader, *auction.still_in))
    check_amounts("money", [player.cash for player in view.players] + [line.treasury for line in view.lines])
    check_amounts("shares", (line.to_come for line in view.lines), MOST_SHARES)
    treasuries = [line.treasury for line in view.lines]
    cash = [player.cash for player in view.players]
    luck = seeded(derived_seed(seed, "imagined"))
    shown = [player.charter for player in view.players]
    hidden, luck = shuffle([number for number, line in enumerate(board.line_ids) if line not in shown], luck)
    pile, _ = shuffle([number for number, line in enumerate(view.lines) for _ in range(line.to_come)], luck)
    return State(
        pending=_question(view, board),
        money=[*cash, *treasuries, -sum(cash) - sum(treasuries)],
        charters=[hidden.pop() if line is None else board.line_number[line] for line in shown],
        pile=pile,
        held=[line.shares.copy() for line in view.lines],
        built=[line.built for line in view.lines],
        opener=view.opener,
        options=view.options,
        ended=view.end_reasons,
    )


def _question(view: View, board: Board) -> Question | None:
    if view.question is None:
        return None
    auction, seat = view.auction, view.question.seat
    if auction is None:
        return BuildOrStop(seat)
    leader = NOBODY if auction.leader is None else auction.leader
    still_in = sum(1 << other for other in auction.still_in)
    return BidOrPass(auction.bid or 0, leader, board.line_number[auction.line], seat, still_in)
