"""Consistency checks of Branch Lines positions, and actions that must be refused in them."""

from typing import Any

from branch_lines.board import Board
from branch_lines.protocol import Build
from branch_lines.state import BidOrPass, BuildOrStop, State

from rails_cli.protocol.common import Bid, Pass
from tests.games.audits import equal_scores_share_a_rank

audit_ranks = equal_scores_share_a_rank


def audit(state: State, board: Board) -> None:
    """Assert that `state` is consistent: no money or shares lost or added, and all derived values correct."""
    seats = len(state.charters)
    assert sum(state.money) == 0, "the sum of all accounts is not 0"
    assert all(account >= 0 for account in state.money[:-1]), "an account is below 0"
    assert len(set(state.charters)) == seats
    drawn = [board.shares - state.pile.count(line) for line in range(len(board.line_ids))]
    for line, shares in enumerate(state.held):
        assert len(shares) == seats
        assert sum(shares) <= drawn[line]
        assert 0 <= state.built[line] <= len(board.cost[line])
        assert not state.built[line] or any(shares), "the line has stations, but nobody holds a share"
    is_complete = all(built == len(costs) for built, costs in zip(state.built, board.cost, strict=True))
    question = state.pending
    if question is None:
        assert state.ended == [*["pile_empty"] * (not state.pile), *["lines_complete"] * is_complete]
        return
    assert not state.ended
    assert state.opener == (sum(drawn) - 1) % seats
    if type(question) is BidOrPass:
        assert drawn[question.line] > 0
        assert question.still_in >> question.seat & 1
        assert question.leader < 0 or question.still_in >> question.leader & 1
        assert question.leader != question.seat
        assert state.money[question.seat] > question.bid
        assert question.leader < 0 or state.money[question.leader] >= question.bid


def near_misses(state: State, board: Board) -> list[tuple[int, Any]]:
    """Return pairs of a seat and an action. Each action must be refused if this seat plays it in `state`."""
    question = state.pending
    assert question is not None
    seat, seats = question.seat, len(state.charters)
    lowest = question.bid + 1 if type(question) is BidOrPass and question.bid else board.lowest_bid
    plausible = [Pass(), Bid(lowest), *(Build(line) for line in board.line_ids)]
    others = [(other, action) for other in range(-1, seats + 1) if other != seat for action in plausible]
    builds = [Build(line) for line in board.line_ids]
    if type(question) is BuildOrStop:
        poor = [
            Build(id)
            for line, id in enumerate(board.line_ids)
            if not state.held[line][seat]
            or state.built[line] == len(board.cost[line])
            or state.money[seats + line] < board.cost[line][state.built[line]]
        ]
        wrong = [Build(entry.line, 999) for entry in builds]
        return [*others, *((seat, action) for action in (*poor, *wrong, Build("Nowhere"), Bid(5)))]
    bids = [Bid(lowest - 1), Bid(state.money[seat] + 1), Bid(-1), Bid(0)]
    return [*others, *((seat, action) for action in (*bids, *builds))]
