"""Random openings of Chicago Express with realistic prices and holdings."""

from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.moves import legal_actions
from rails_cli.games.chicago_express.players.greedy import Estimates
from rails_cli.games.chicago_express.questions import (
    ANY_COMPANY,
    NOBODY,
    BidOrPass,
    DevelopHex,
    Expand,
    OfferShare,
    PickDial,
)
from rails_cli.games.chicago_express.state import State
from rails_cli.games.chicago_express.view import view
from rails_cli.games.openings import Chance, Openings, likely
from rails_cli.games.railways.openings import drawn_bid, drawn_build, prospects_of
from rails_cli.protocol.chicago_express import Action, Choose, Develop, Offer
from rails_cli.protocol.common import Pass

TURNS = 3


def is_rest(state: State) -> bool:
    """Return whether a random opening may stop at this position.

    True before an opening auction, before a turn, and at the end of the game.
    """
    question = state.pending
    if type(question) is not BidOrPass:
        return question is None or type(question) is PickDial
    return question.is_opening and question.leader == NOBODY and question.still_in == (1 << state.seats) - 1


def choose(state: State, board: Board, chance: Chance) -> Action:
    """Return a random legal action for the seat to move. Actions with a higher estimated value are more likely."""
    question = state.pending
    assert question is not None
    legal = legal_actions(state, board)
    estimates = Estimates(view(state, board, question.seat), board)
    if type(question) is BidOrPass:
        company = estimates.companies[board.company_ids[question.company]]
        worth = estimates.worth_of_share(company, question.minimum)
        if question.is_opening:
            worth = max(worth, board.opening_bid[question.company] + estimates.raises)
        return drawn_bid(legal, worth, question.leader == NOBODY, chance)
    if type(question) is Expand:
        only = None if question.company == ANY_COMPANY else board.company_ids[question.company]
        return drawn_build(estimates, legal, chance, only=only) or Pass()
    if type(question) is PickDial:
        worth_of_action = estimates.worth_of_actions()
        return likely([(worth_of_action[entry.action], entry) for entry in legal if type(entry) is Choose], chance)
    if type(question) is OfferShare:
        return likely([(estimates.worth_of_offer(o.company), o) for o in legal if type(o) is Offer], chance)
    assert type(question) is DevelopHex
    return likely([(estimates.worth_of_development(d.hex), d) for d in legal if type(d) is Develop], chance)


def prospects(state: State, board: Board) -> list[float]:
    """Return the estimated final cash of each seat in dollars.

    The constants in the formula were fitted to simulated games.
    """
    estimates = Estimates(view(state, board, 0), board)
    if state.seats == 2:
        return prospects_of(estimates, growth=2.5, share=0.0)
    return prospects_of(estimates, growth=1.4, share=8.0)


OPENINGS: Openings[State, Board] = Openings(
    version=2,
    units=lambda board: len(board.opening) + TURNS,
    is_rest=is_rest,
    choose=choose,
    prospects=prospects,
    lead=lambda seats: 0.08 if seats == 2 else 0.25,
)
